"""A flaw in a proposal for an autoscaler: a signal that reads the same at any load."""

from labutils.drills.definition.writing import Draw, Drill, template
from labutils.laws.capacity.fleet import rounded_up

FAULTS = {"busy_at_any_load": ()}


def _ordered(replicas: int, measured: float, target: float) -> int:
    """The rule of Kubernetes' horizontal autoscaler."""
    return rounded_up(replicas * measured / target)


@template("I08 J05 L08", level=2, decision="commit", form="flaw", minutes=3)
def busy_at_any_load(draw: Draw) -> Drill:
    """An autoscaler on GPU activity grows at night, and never stops growing."""
    replicas, target = draw.random.randint(4, 12), draw.one_of((60, 65, 70, 75))
    night, noon = draw.random.randint(3, 6), draw.random.randint(30, 70)
    activity, held = draw.random.randint(93, 98), draw.random.randint(45, 80)
    wanted = draw.one_of((20, 24, 28, 32))
    answer, at_noon = _ordered(replicas, activity, target), _ordered(replicas, noon, wanted)
    calm = _ordered(replicas, night, wanted)
    draw.require(noon > 1.1 * wanted and replicas * activity % target > 3)
    draw.require(len({answer, at_noon, replicas, calm}) == 4)
    return draw.drill(f"""
    {replicas} replicas of a model. At noon each has {noon} requests in flight, {held} % of its KV
    pool in use, none waiting, and a GPU activity of {min(99, activity + 1)} %; at three in the
    morning {night} in flight, {held * night // noon} % of the pool, none waiting, and an activity
    of {activity} %. A rule orders ⌈replicas × measured ÷ target⌉ in all. The proposal stands below.
    ? How many replicas in all would a rule on GPU activity order at three in the morning, with a
      target of {target} %?
    = {answer} tolerance=0 scale=off telling=3
    - rounded-down {answer - 1}: Which way does the rule round?
    - in-flight {calm}: That is a rule on requests in flight. Which panel was asked for?
    - noon {at_noon}: That is the rule on requests in flight, at noon. Which panel, and when?
    - as-now {replicas}: That is how many there are. What does the rule make of {activity} %?
    - in-addition {answer - replicas}: That is what comes on top. How many in all?
    | In flight at noon: {noon}, with a target of {wanted}. A rule on it orders {at_noon}.
    ! It is what the rule says: {replicas} × {noon} ÷ {wanted}, rounded up.
    | None waits at noon, since the pools have room: a queue forms when they are full.
    ! While places and pages are free, a request is started at once.
    | So a rule on the queue would order its first replica when it is needed already.
    ! A queue shows that the pools are full, and a start takes minutes.
    | GPU activity is high at noon: so with a target of {target} % it orders what is missing.
    | So a rule on GPU activity will do, whatever engine runs.
    ! It would follow, if the line before were true. Look for the first that fails.
    > What does the rule multiply, and by what does it divide?
    > ⌈replicas × measured ÷ target⌉.
    > {replicas} × {activity} ÷ {target}, rounded up.
    * exact {replicas * activity / target}: {replicas} × {activity} ÷ {target} =
      {replicas * activity / target:.4g}
    * ordered {answer}: Rounded up: {answer}, for {night} requests a replica
    ~ More than {replicas}: {activity} % is above the target.

    GPU activity says that a kernel ran, not how many requests it served. A signal is good if it
    doubles when the traffic does: requests in flight, or KV in use. A queue comes late, and it is
    needed beside them: a full pool cannot become fuller.
    """).then(_never_stops(draw, replicas, activity, target, night, wanted))


def _never_stops(draw: Draw, replicas: int, activity: int, target: int, *more: int) -> Drill:
    night, wanted = more
    most, now, answer = draw.random.randint(3, night) * replicas, replicas, 0
    while now < most:
        now, answer = _ordered(now, activity, target), answer + 1
    first = _ordered(replicas, activity, target)
    exact = sum(replicas * (activity / target) ** step < most for step in range(30))
    return draw.drill(f"""
    It goes live at three in the morning. It decides every {draw.one_of((2, 3, 5))} minutes, the new
    replicas serve by then, the {replicas * night} requests spread over all of them, and the
    activity reads {activity} % as before. At most {most} replicas are allowed.
    ? At which decision does it order all {most}? (The first one is number 1.)
    = {answer} tolerance=0 scale=off telling=2
    - same-step-each-time {rounded_up((most - replicas) / (first - replicas))}: You add as many each
      time. What does the rule multiply?
    - not-rounded {exact}: You round at the end alone. What does the rule do at each decision?
    - one-decision {1 if answer > 2 else None}: So high it does not go at once. What does it order
      first?
    - one-before {answer - 1}: What is ordered at that one?
    - the-start-counted {answer + 1}: You count those of today as the first. When does it decide
      first?
    ? Which rule gives replicas back at night, and none away at noon?
    + Requests in flight, with a target of {wanted} a replica
    x GPU activity, with a target of 97 %
    ! What does it read at noon and at night? Between the two there is no room for a target.
    x Requests waiting, with a target of 1 a replica
    ! What does it read at noon? What would it do then?
    x Replicas whose activity is above {target} %
    ! On how many of them is it, at night?
    > Apply the rule to what it has ordered itself.
    > ⌈replicas × {activity} ÷ {target}⌉, again and again.
    > {replicas}, {first}, ⌈{first} × {activity} ÷ {target}⌉, …
    * first {first}: The first decision: {first}
    . {", ".join(map(str, _orders(replicas, activity, target, most)))}
    * decision {answer}: {most} at decision {answer}
    ~ Each one multiplies by {activity / target:.3g} or more.

    A rule divides by its target and expects the measured figure to fall when replicas come. Before
    you scale on a figure, ask what it does then.
    """)


def _orders(replicas: int, activity: int, target: int, most: int) -> list[int]:
    found = [replicas]
    while found[-1] < most:
        found.append(min(most, _ordered(found[-1], activity, target)))
    return found
