"""Replicas that stand ready while new ones start."""

from labutils.capacity import spare_replicas
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("O03 I08 P03 N04", level=2, decision="estimate", number=45)
def spare_while_starting(draw: Draw) -> Drill:
    """Autoscaling: headroom for a cold start."""
    per_minute, capacity = draw.number(2, 40), draw.number(1, 9)
    node, image, weights, warm = (
        draw.one_of((40, 60, 90, 120)),
        draw.one_of((30, 45, 70, 100)),
        draw.one_of((25, 50, 80, 110)),
        draw.one_of((15, 20, 30, 45)),
    )
    start = node + image + weights + warm
    spare = spare_replicas(per_minute / 60, start, capacity)
    draw.require(6 <= spare <= 60)
    few = max(2, round(spare / draw.one_of((2, 2.5, 3))))
    asked = draw.drill(f"""
    Each weekday at eight the traffic climbs by {quantity(per_minute, "req/s")} every minute. A
    replica carries {quantity(capacity, "req/s")} at its planned load, and those in use are at that
    load. A new one takes {node} s for its node, {image} s to pull the image, {weights} s to load
    weights and {warm} s to warm up. The scaler reacts at once.

    ? How many replicas must stand ready beyond those in use, so that on average none is loaded
      beyond its plan while a new one starts?
    = {spare} tolerance=0 absolute=1 unsafe=below
    - rounded-down {spare - 1}: {spare - 1} absorb {quantity((spare - 1) * capacity, "req/s")} of
      growth. How much has come when the first new replica serves?
    - per-second {spare_replicas(per_minute, start, capacity)}: You take the growth as per second.
      What unit does the growth come in?
    - weights-only {spare_replicas(per_minute / 60, weights, capacity)}: You count the loading of
      weights alone. When does a replica serve its first user?
    - warm-node {spare_replicas(per_minute / 60, start - node, capacity)}: You leave out the node.
      Where does the image go before there is one?
    - one-minute {spare_replicas(per_minute / 60, 60, capacity)}: You cover one minute of growth.
      For how long does the growth go on before help arrives?
    > By how much does the traffic grow before help arrives?
    > ⌈growth per second × whole start time ÷ what one replica carries⌉.
    > {quantity(per_minute, "req/s")} ÷ 60 s × ({node} + {image} + {weights} + {warm}) s ÷
      {quantity(capacity, "req/s")}.
    * start {start} s: A start takes {node} + {image} + {weights} + {warm} = {start} s
    * growth {per_minute * start / 60} req/s: Meanwhile the traffic grows by
      {quantity(per_minute, "req/s")} × {start}/60 = {quantity(per_minute * start / 60, "req/s")}
    * spare {spare}: At {quantity(capacity, "req/s")} each, rounded up: {spare}
    ~ A minute of growth takes {quantity(per_minute / capacity, "1")} replicas, and a start takes
      {"more" if start > 60 else "less"} than a minute.

    Headroom = growth × cold start ÷ capacity of one. It assumes steady growth and a scaler that
    reacts at once: a delay of the metric belongs to the start time. A forecast or a timetable for
    eight o'clock replaces spares by starting earlier.
    """)
    further = draw.drill(f"""
    The budget pays for {few} replicas in reserve, and the climb stays as it is.

    ? How long may a start take at most?
    = {few * capacity / (per_minute / 60)} s
    - per-second {few * capacity / per_minute}: You take the growth as per second. What unit does it
      come in?
    - unchanged {start}: That is today's start. For how long do the reserves last?
    > How much growth do the reserves absorb, and how soon has it come?
    > Start ≤ reserves × capacity of one ÷ growth per second.
    > {few} × {quantity(capacity, "req/s")} ÷ ({quantity(per_minute, "req/s")} ÷ 60 s).
    * absorbed {few * capacity} req/s: The reserves absorb {few} × {quantity(capacity, "req/s")} =
      {quantity(few * capacity, "req/s")}
    * start {few * capacity / (per_minute / 60)} s: That growth takes
      {quantity(few * capacity / (per_minute / 60), "s")}
    ~ Fewer reserves than before, so the start must be shorter than today's.

    Seconds of cold start and idle replicas are one currency. Images and weights kept on the node,
    and graphs captured ahead, buy the same as reserves.
    """)
    return asked.then(further)
