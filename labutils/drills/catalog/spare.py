"""Replicas that stand ready while new ones start."""

from labutils.capacity import spare_replicas
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say


@template(
    "spare_while_starting",
    "Autoscaling: headroom for a cold start",
    level=2,
    number=45,
    decision=Decision.estimate,
    topics=("O03", "I08", "P03", "N04"),
)
def spare_while_starting(draw: Draw) -> Drill:
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
    return Drill(
        story=(
            f"Each weekday at eight the traffic climbs by {say(per_minute, 'req/s')} every minute. "
            f"A replica carries {say(capacity, 'req/s')} at its planned load, and those in use "
            f"are at that load. A new one takes {node} s for its node, {image} s to pull the "
            f"image, {weights} s to load weights and {warm} s to warm up. The scaler reacts at "
            "once."
        ),
        question=(
            "How many replicas must stand ready beyond those in use, so that on average none is "
            "loaded beyond its plan while a new one starts?"
        ),
        answer=spare,
        tolerance=0,
        absolute=1,
        unsafe="below",
        mistakes=(
            Mistake(
                "rounded-down",
                spare - 1,
                f"{spare - 1} absorb {say((spare - 1) * capacity, 'req/s')} of growth. How much "
                "has come when the first new replica serves?",
            ),
            Mistake(
                "per-second",
                spare_replicas(per_minute, start, capacity),
                "You take the growth as per second. What unit does the growth come in?",
            ),
            Mistake(
                "weights-only",
                spare_replicas(per_minute / 60, weights, capacity),
                "You count the loading of weights alone. When does a replica serve its first user?",
            ),
            Mistake(
                "warm-node",
                spare_replicas(per_minute / 60, start - node, capacity),
                "You leave out the node. Where does the image go before there is one?",
            ),
            Mistake(
                "one-minute",
                spare_replicas(per_minute / 60, 60, capacity),
                "You cover one minute of growth. For how long does the growth go on before help "
                "arrives?",
            ),
        ),
        hints=(
            "By how much does the traffic grow before help arrives?",
            "⌈growth per second × whole start time ÷ what one replica carries⌉.",
            f"{say(per_minute, 'req/s')} ÷ 60 s × ({node} + {image} + {weights} + {warm}) s ÷ "
            f"{say(capacity, 'req/s')}.",
        ),
        steps=(
            Step(
                f"A start takes {node} + {image} + {weights} + {warm} = {start} s",
                name="start",
                value=start,
                unit="s",
            ),
            Step(
                f"Meanwhile the traffic grows by {say(per_minute, 'req/s')} × {start}/60 = "
                f"{say(per_minute * start / 60, 'req/s')}",
                name="growth",
                value=per_minute * start / 60,
                unit="req/s",
            ),
            Step(
                f"At {say(capacity, 'req/s')} each, rounded up: {spare}", name="spare", value=spare
            ),
        ),
        sanity=(
            f"A minute of growth takes {say(per_minute / capacity, '1')} replicas, and a start "
            f"takes {'more' if start > 60 else 'less'} than a minute."
        ),
        moral=(
            "Headroom = growth × cold start ÷ capacity of one. It assumes steady growth and a "
            "scaler that reacts at once: a delay of the metric belongs to the start time. A "
            "forecast or a timetable for eight o'clock replaces spares by starting earlier."
        ),
        follow_up=Drill(
            story=f"The budget pays for {few} replicas in reserve, and the climb stays as it is.",
            question="How long may a start take at most?",
            answer=few * capacity / (per_minute / 60),
            unit="s",
            mistakes=(
                Mistake(
                    "per-second",
                    few * capacity / per_minute,
                    "You take the growth as per second. What unit does it come in?",
                ),
                Mistake(
                    "unchanged",
                    float(start),
                    "That is today's start. For how long do the reserves last?",
                ),
            ),
            hints=(
                "How much growth do the reserves absorb, and how soon has it come?",
                "Start ≤ reserves × capacity of one ÷ growth per second.",
                f"{few} × {say(capacity, 'req/s')} ÷ ({say(per_minute, 'req/s')} ÷ 60 s).",
            ),
            steps=(
                Step(
                    f"The reserves absorb {few} × {say(capacity, 'req/s')} = "
                    f"{say(few * capacity, 'req/s')}",
                    name="absorbed",
                    value=few * capacity,
                    unit="req/s",
                ),
                Step(
                    f"That growth takes {say(few * capacity / (per_minute / 60), 's')}",
                    name="start",
                    value=few * capacity / (per_minute / 60),
                    unit="s",
                ),
            ),
            sanity="Fewer reserves than before, so the start must be shorter than today's.",
            moral=(
                "Seconds of cold start and idle replicas are one currency. Images and weights kept "
                "on the node, and graphs captured ahead, buy the same as reserves."
            ),
        ),
    )
