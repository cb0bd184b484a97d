"""One GPU of a group dies: what goes with it, what must be read again, how often, how many spares.

The rates are of the size that Meta reports for training Llama 3 405B (2024; read at
datacenterdynamics.com): 256 interruptions by GPUs and their memory in 54 days on 16,384 H100, one
per GPU in 83,000 hours.
"""

from math import comb

from labutils.capacity import utilization_after_loss
from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.units import format_quantity as say

GPUS = 8  # in a group, and in a host
YEAR = 8760  # hours
SHORT = 0.001  # of the time, too few groups may work


@template(
    "chain_lost_gpu",
    "One GPU of eight dies: the group, its streams, failures a year, spares",
    level=4,
    decision=Decision.limit,
    topics=("K01", "K06", "O04", "N04"),
    form=Form.chain,
    minutes=8,
    rough=False,
)
def chain_lost_gpu(draw: Draw) -> Drill:
    groups, busy = draw.one_of((5, 6, 7, 8)), draw.share(0.6, 0.8)
    after = utilization_after_loss(busy, groups)
    draw.require(after < 0.97)
    name = draw.one_of(("DeepSeek-V3 in fp8", "Llama-3.1-405B in fp8", "Qwen3-235B-A22B in bf16"))
    mistakes = telling(
        after,
        (
            Mistake(
                "one-gpu-of-all",
                busy * GPUS * groups / (GPUS * groups - 1),
                "You lose one GPU of all. What can the other seven of its group do?",
            ),
            Mistake("as-before", busy, "That is with all groups. Who does the lost one's work?"),
            Mistake(
                "a-share-more",
                busy * (1 + 1 / groups),
                "You add the lost share as a part of all. Among how many is it divided?",
            ),
        ),
        tolerance=0.007,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"{name} runs in {groups} groups. A group is a host of {GPUS} H200, and every layer "
            f"is cut over all {GPUS}. At the peak each group is {percent(busy)} busy. At that "
            "moment one GPU reports uncorrectable memory errors and is gone. The balancer notices "
            "at once, and nobody is refused."
        ),
        question="How busy are the groups that still serve?",
        answer=after,
        tolerance=0.007,
        scale=False,
        mistakes=mistakes,
        options=draw.options(
            "None: each layer needs all eight, and seven healthy GPUs stand idle",
            {
                "Seven eighths: the work is divided among seven": (
                    "Each GPU holds a part of every layer's weights. Who has the part of the "
                    "eighth?"
                ),
                "All of it, with slightly worse answers": (
                    "An eighth of every layer is missing. Can the sum over eight parts be had "
                    "from seven?"
                ),
                "Half of it: four of them form a smaller group": (
                    "Do the weights fit into four, and who has loaded them there? What happens "
                    "in the first minutes?"
                ),
            },
            question="Which part of its work does the struck group go on with?",
        ),
        hints=(
            "The same work, one group less.",
            "Busy after = busy × groups ÷ (groups − 1).",
            f"{busy:g} × {groups} ÷ {groups - 1}.",
        ),
        steps=(
            Step(f"The whole group is lost: {groups - 1} of {groups} serve"),
            Step(
                f"{busy:g} × {groups} ÷ {groups - 1} = {after:.4g}",
                name="busy",
                value=after,
            ),
        ),
        sanity=f"More than {percent(busy)}: nobody works less than before.",
        moral=(
            "The unit of failure is the group. A model cut over eight GPUs multiplies the damage "
            "of each by eight: a reason to cut no finer than memory and latency demand."
        ),
        follow_up=_read_again(draw, groups=groups, before=busy, after=after),
    )


def _read_again(draw: Draw, *, groups: int, before: float, after: float) -> Drill:
    streams, context = 10 * draw.whole(6, 40), 500 * draw.whole(4, 40)
    speed = 1000 * draw.whole(15, 60)
    spare = (1 - after) * speed
    answer = streams * context / ((groups - 1) * spare)
    draw.require(5 < answer < 240)
    mistakes = telling(
        answer,
        (
            Mistake(
                "groups-idle",
                streams * context / ((groups - 1) * speed),
                "You have the groups read all the time. What else are they doing?",
            ),
            Mistake(
                "free-as-before",
                streams * context / ((groups - 1) * (1 - before) * speed),
                "You take the share that was free before. How busy are those groups now?",
            ),
            Mistake(
                "one-group",
                streams * context / spare,
                "You give all streams to one group. How many share them?",
            ),
            Mistake(
                "the-lost-one-reads",
                streams * context / (groups * spare),
                "You count the lost group among those that read. How many are left?",
            ),
            Mistake(
                "busy-share",
                streams * context / ((groups - 1) * after * speed),
                "You read in the share of the time that is busy. Which one is free?",
            ),
        ),
        tolerance=0.03,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"The group held {streams} streams of {context:,} tokens on average, prompts and what "
            "was written so far. Their caches went with it. The gateway sends each stream with all "
            f"its tokens to the {groups - 1} others, evenly. An idle group reads {speed:,} tok/s "
            "of prompts; these read them in the share of their time that is left over."
        ),
        question="How long does it take until the last stream goes on?",
        answer=answer,
        unit="s",
        tolerance=0.03,
        mistakes=mistakes,
        options=draw.options(
            "Their caches: all prompt and written tokens are read again before a stream goes on",
            {
                "The users' connections: each client must connect anew": (
                    "A connection takes milliseconds, and the gateway holds it. What did the "
                    "group hold?"
                ),
                "The weights: the other groups load them first": (
                    "The others serve the same model. What do they lack of these streams?"
                ),
            },
            question="What was lost that takes time to rebuild?",
        ),
        hints=(
            "How many tokens are to be read, and how many a second can the others read besides?",
            "streams × tokens ÷ ((groups − 1) × (1 − busy) × speed).",
            f"{streams} × {context:,} ÷ ({groups - 1} × {1 - after:.4g} × {speed:,}).",
        ),
        steps=(
            Step(
                f"To read: {streams} × {context:,} = {say(streams * context, 'tok')}",
                name="tokens",
                value=streams * context,
                unit="tok",
            ),
            Step(
                f"Left over: {groups - 1} × {1 - after:.4g} × {speed:,} = "
                f"{say((groups - 1) * spare, 'tok/s')}",
                name="left",
                value=(groups - 1) * spare,
                unit="tok/s",
            ),
            Step(f"The quotient: {say(answer, 's')}", name="time", value=answer, unit="s"),
        ),
        sanity=f"Longer than {say(streams * context / ((groups - 1) * speed), 's')}.",
        moral=(
            "A lost group is a burst of prompts. Headroom sized for decoding may be too little "
            "for it: let the streams in gradually, the shortest first."
        ),
        follow_up=_failures(draw, groups=groups),
    )


def _failures(draw: Draw, *, groups: int) -> Drill:
    life = 10_000 * draw.whole(4, 9, 1)
    answer = groups * GPUS * YEAR / life
    mistakes = telling(
        answer,
        (
            Mistake(
                "groups-for-gpus",
                answer / GPUS,
                "You count groups as if each were one GPU. How many can fail in each?",
            ),
            Mistake(
                "one-group",
                answer / groups,
                "That is one group. How many are there?",
            ),
            Mistake(
                "a-month",
                answer / 12,
                "That is the number in a month. For which time was it asked?",
            ),
            Mistake(
                "upside-down",
                1 / answer,
                "That is years per failure. What was asked for?",
            ),
        ),
        tolerance=0.03,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=f"Your records say that a GPU runs {life:,} hours on average before it fails.",
        question="How often a year (8,760 hours) does the fleet lose a group to its GPUs?",
        answer=answer,
        tolerance=0.03,
        scale=False,
        mistakes=mistakes,
        hints=(
            "How many GPU hours does the fleet run in a year?",
            "groups × 8 × 8,760 ÷ hours per failure.",
            f"{groups} × {GPUS} × {YEAR:,} ÷ {life:,}.",
        ),
        steps=(
            Step(
                f"{groups} × {GPUS} × {YEAR:,} = {groups * GPUS * YEAR:,} GPU hours",
                name="hours",
                value=groups * GPUS * YEAR,
            ),
            Step(f"÷ {life:,} = {answer:.4g} a year", name="failures", value=answer),
        ),
        sanity=f"Eight times as often as {groups} single GPUs fail.",
        moral=(
            "MTBF divides by the number of parts that must all work. A part that lasts for years "
            "makes a fleet that loses a group several times a year."
        ),
        follow_up=_spares(draw, groups=groups, life=life),
    )


def _spares(draw: Draw, *, groups: int, life: int) -> Drill:
    days = draw.one_of((2, 3, 5, 7, 10))
    repair = 24 * days
    down = repair / (repair + life / GPUS)
    answer = _enough(groups, down)
    gone = groups * GPUS * repair / life
    draw.require(answer >= 2 and answer == _enough(groups, GPUS * repair / life))
    draw.require(not 0.8 < _short(groups, answer, down) / SHORT < 1.25)
    draw.require(not 0.8 < _short(groups, answer - 1, down) / SHORT < 1.25)
    return Drill(
        story=(
            f"A struck host is away for {days} days on average, from the alarm to the test of the "
            f"new GPU. The peak needs all {groups} groups. Hosts fail independently of each "
            "other, spare groups run like the others, and fewer than that may work for a "
            "thousandth of the time at most."
        ),
        question="How many spare groups do you need at least?",
        answer=answer,
        tolerance=0,
        scale=False,
        mistakes=telling(
            answer,
            (
                Mistake(
                    "one-for-safety",
                    1 if answer > 2 else answer - 1,
                    "For what part of the time is one more away than you have spares? Work it out.",
                ),
                Mistake(
                    "gpus-for-groups",
                    GPUS * answer,
                    "Is that the number of GPUs? Groups are asked for.",
                ),
                Mistake(
                    "one-spare-too-many",
                    answer + 1,
                    "Enough, but not the least: is the limit kept with one fewer as well?",
                ),
                Mistake(
                    "the-average",
                    gone,
                    "So many are away on average. How often are there more?",
                ),
            ),
        ),
        hints=(
            "For what part of the time is a group away? How often are several away at once?",
            "u = repair ÷ (repair + hours ÷ 8); the least s with P(more than s of n + s away) ≤ "
            "0.001, binomial or Poisson.",
            f"u = {repair} ÷ ({repair} + {life:,} ÷ {GPUS}); on average {groups + 1} × u are away "
            "with one spare, and so on.",
        ),
        steps=(
            Step(
                f"A group runs {life:,} ÷ {GPUS} = {life / GPUS:,.0f} hours between failures: "
                f"away for {repair} ÷ {repair + life / GPUS:,.0f} = {percent(down)} of the time",
                name="away",
                value=down,
            ),
            Step(
                "Too few work, with "
                + ", ".join(
                    f"{s} spare{'s' * (s != 1)}: {percent(_short(groups, s, down))}"
                    for s in range(answer + 1)
                )
                + " of the time"
            ),
            Step(f"The first below 0.1 %: {answer}", name="spares", value=answer),
        ),
        sanity=f"On average {gone:.2g} groups are away; the promise is about the rare moments.",
        moral=(
            "Spares come from the rate of failure × the time of repair (Little's law), and from "
            "the tail of that number. A shorter repair buys the same as spare hosts; so do smaller "
            "groups."
        ),
    )


def _short(groups: int, spares: int, down: float) -> float:
    """Share of the time in which more than ``spares`` of all groups are away."""
    n = groups + spares
    few = (comb(n, k) * down**k * (1 - down) ** (n - k) for k in range(spares + 1))
    return 1 - sum(few)


def _enough(groups: int, down: float) -> int:
    return next(s for s in range(groups) if _short(groups, s, down) <= SHORT)
