"""A limit on the time in the queue: when it is needed, and what it leaves in the queue."""

from labutils.drills.catalog._serving import telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_OPENINGS = (
    "An engine takes a request when a place in its batch is free, first come, first served.",
    "In front of a chat model requests wait for a free slot, first come, first served.",
    "A gateway hands requests to an engine in the order in which they came, as slots come free.",
)


@template(
    "waiting_limit",
    "A limit on the time in the engine's queue",
    level=3,
    decision=Decision.limit,
    topics=("I08", "I10", "O04"),
)
def waiting_limit(draw: Draw) -> Drill:
    done, factor = draw.number(4, 60), draw.number(1.12, 1.8)
    coming = float(f"{done * factor:.2g}")
    promise, prefill = draw.number(1.5, 10), draw.number(0.2, 1.5)
    draw.require(coming > 1.08 * done and prefill < 0.5 * promise)
    wait = promise - prefill
    answer = wait * done / (coming - done)
    mistakes = telling(
        answer,
        (
            Mistake(
                "whole-promise",
                promise * done / (coming - done),
                "You let it wait for all of the promise. What has to happen after the wait?",
            ),
            Mistake(
                "when-it-is-taken",
                wait * coming / (coming - done),
                "That is when it leaves the queue. At which rate is the queue before it worked "
                "off, and when did it come?",
            ),
            Mistake(
                "when-its-token-comes",
                answer + promise,
                "That is when its first token comes. When did it arrive?",
            ),
            Mistake(
                "at-once",
                wait,
                "That is how long it may wait. How fast does the wait grow?",
            ),
            Mistake(
                "backlog-alone",
                wait * done / coming,
                "You let the whole stream pile up. How much of it does the engine finish?",
            ),
        ),
        tolerance=0.03,
    )
    draw.require(len(mistakes) >= 3)
    return Drill(
        story=(
            f"{draw.one_of(_OPENINGS)} The service finishes {say(done, 'req/s')} and has kept up "
            f"so far, with an empty queue. At nine {say(coming, 'req/s')} begin to arrive, evenly. "
            f"A request that is taken has its first token after {say(prefill, 's')} more. Promised "
            f"are {say(promise, 's')} from arrival to first token. The queue has no limit, and "
            "nobody goes away."
        ),
        question="How long after nine arrives the first request whose first token comes too late?",
        answer=answer,
        unit="s",
        tolerance=0.03,
        mistakes=mistakes,
        hints=(
            "How long may a request wait, and how long does one wait that arrives t after nine?",
            "(arrivals − finished) × t ÷ finished = promise − prefill.",
            f"({say(promise, 's')} − {say(prefill, 's')}) × {done:g} ÷ ({coming:g} − {done:g}).",
        ),
        steps=(
            Step(
                f"It may wait {say(promise, 's')} − {say(prefill, 's')} = {say(wait, 's')}",
                "may wait",
                wait,
                "s",
            ),
            Step(
                f"The queue grows by {coming - done:.4g} a second, so the wait by "
                f"{(coming - done) / done:.4g} s a second",
                "growth",
                (coming - done) / done,
            ),
            Step(f"Their quotient: {say(answer, 's')}", "first", answer, "s"),
        ),
        sanity=f"If twice {done:g} req/s arrived, it would be {say(wait, 's')}.",
        moral=(
            "In overload the wait grows by (arrivals ÷ capacity − 1) s a second. After (promise − "
            "prefill) ÷ that, every request is late, and the engine works for nobody at full "
            "speed."
        ),
        follow_up=_limited(draw, done, coming, promise, wait),
    )


def _limited(draw: Draw, done: float, coming: float, promise: float, wait: float) -> Drill:
    limit = float(f"{wait * draw.one_of((0.5, 0.6, 0.7, 0.8)):.2g}")
    answer = coming * limit
    draw.require(answer > 17)  # a whole number of requests is within the tolerance
    return Drill(
        story=(
            "The engine now gives up a request that has waited "
            f"{say(limit, 's')} without being taken, and tells its client. The overload goes on, "
            "and with it the rates."
        ),
        question="How many requests are in the queue once this has settled?",
        answer=answer,
        unit="req",
        tolerance=0.03,
        mistakes=telling(
            answer,
            (
                Mistake(
                    "those-who-get-in",
                    done * limit,
                    "You count those that will be taken. Who else stands in the queue?",
                ),
                Mistake(
                    "those-given-up",
                    (coming - done) * limit,
                    "You count those that will be given up. Who else stands in the queue?",
                ),
                Mistake(
                    "whole-promise",
                    coming * promise,
                    "You let them wait for all of the promise. After what time do they go?",
                ),
                Mistake(
                    "old-wait",
                    coming * wait,
                    "That is how long they might have waited. After what time do they go now?",
                ),
            ),
            tolerance=0.03,
        ),
        hints=(
            "Everybody who came within the limit is still there. Who has left?",
            "Arrivals × limit: those taken have waited as long as those given up.",
            f"{coming:g} req/s × {say(limit, 's')}.",
        ),
        steps=(
            Step(
                f"The oldest has waited {say(limit, 's')}; of those that reach this age, "
                f"{done:g} a second are taken and {coming - done:.4g} given up."
            ),
            Step(f"{coming:g} × {say(limit, 's')} = {say(answer, 'req')}", "queue", answer, "req"),
        ),
        sanity=f"More than {say(done * limit, 'req')}, as many as the engine takes in that time.",
        moral=(
            "Queue = arrivals × limit (Little's law): some wait to the end and then hear no. A "
            "limit on time keeps the promise to those who are taken; a limit on length, capacity × "
            "limit, says no at the door. Have both."
        ),
    )
