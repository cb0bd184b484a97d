"""A looser cap on running sequences: what it does to the time per token."""

from labutils.capacity import steady_batch
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, Form, template
from labutils.units import format_quantity as say


@template(
    "looser_cap",
    "TPOT rises when the cap on sequences is raised",
    level=4,
    number=51,
    decision=Decision.limit,
    topics=("B04", "O13", "A18", "B13"),
    form=Form.verdict,
    minutes=4,
)
def looser_cap(draw: Draw) -> Drill:
    fixed, item = draw.one_of((10, 12, 15, 18)), draw.one_of((120, 160, 200, 250))
    rate, tokens = draw.number(2, 14), draw.whole(150, 600)
    old_cap, new_cap = draw.one_of((8, 12, 16, 24, 32)), draw.one_of((128, 192, 256))
    demand = rate * tokens
    draw.require(demand * item < 0.8e6)
    batch = steady_batch(demand, fixed / 1e3, item / 1e6)
    before, after = (fixed + item * old_cap / 1e3) / 1e3, (fixed + item * batch / 1e3) / 1e3
    after = float(f"{after:.3g}")
    served = old_cap / before
    batch = rate * tokens * after
    draw.require(1.6 * old_cap < batch < 0.6 * new_cap and served < 0.9 * demand)
    return Drill(
        story=(
            f"On one server {say(rate, 'req/s')} ask for {tokens} tokens each, no more and no less "
            f"than last week. On Monday somebody raised the cap on running sequences from "
            f"{old_cap} to {new_cap}. The 429s are gone and nothing queues any more, but the time "
            f"per token went from {say(before, 's')} to {say(after, 's')}, and stays there. "
            "Somebody asks for a rollback."
        ),
        question="How many sequences does a decode step carry now, on average?",
        answer=batch,
        unit="req",
        tolerance=0.05,
        scale=False,
        mistakes=(
            Mistake(
                "the-cap",
                float(new_cap),
                "That is the cap. What do the traffic and the time per token fill of it?",
            ),
            Mistake(
                "the-old-cap",
                float(old_cap),
                "That is Friday's step, while others were turned away. Who is inside now?",
            ),
            Mistake(
                "old-time",
                rate * tokens * before,
                "You use the old time per token. How long does an answer take now?",
            ),
            Mistake(
                "scaled-from-the-old-cap",
                old_cap * after / before,
                "You scale the old batch with the step. Was all traffic served with the old cap?",
            ),
        ),
        options=draw.options(
            "Each step carries more sequences, for all the traffic gets in now; the step is longer",
            {
                f"The scheduler keeps {new_cap} places, and a step pays for those unused as well": (
                    "A step reads the caches of those that run. What would an empty place cost?"
                ),
                "New prompts evict caches, and decoding waits until those are computed anew": (
                    "That would show as preemptions and a queue. Does anything queue?"
                ),
                "More traffic arrives since Monday, for users whose 429s are gone ask for more": (
                    "Read the traffic again: what is said about it?"
                ),
            },
            question="Why is a token slower than on Friday?",
        ),
        hints=(
            "Who was not inside on Friday, and is now?",
            "Sequences inside = rate of answers × time of an answer in decode (rate × n × TPOT).",
            f"{say(rate, 'req/s')} × {tokens} × {say(after, 's')}.",
        ),
        steps=(
            Step(
                f"An answer decodes for {tokens} × {say(after, 's')} = {say(tokens * after, 's')}",
                name="decode",
                value=tokens * after,
                unit="s",
            ),
            Step(
                f"Inside: {say(rate, 'req/s')} × {say(tokens * after, 's')} = {say(batch, 'req')}",
                name="batch",
                value=batch,
                unit="req",
            ),
            Step(
                f"Friday's step carried at most {old_cap}: {say(served, 'tok/s')} of the "
                f"{say(demand, 'tok/s')} wanted; the rest met a 429."
            ),
        ),
        sanity=f"More than {old_cap}, or the old cap would not have turned anybody away.",
        moral=(
            "At a given rate of requests the batch is not yours to choose: rate × answer time "
            "(Little's law) fills it until the step is long enough. A cap below that refuses work; "
            "its short steps are those of the users it let in."
        ),
        follow_up=_promise(draw, fixed=fixed, item=item, rate=rate, tokens=tokens, after=after),
    )


def _promise(draw: Draw, *, fixed, item, rate, tokens, after) -> Drill:
    promise = float(f"{(fixed / 1e3 + (after - fixed / 1e3) * draw.one_of((0.4, 0.5, 0.6))):.2g}")
    slots = (promise * 1e3 - fixed) / item * 1e3
    most = slots / promise / tokens
    draw.require(0.1 * rate < most < 0.93 * rate and slots > 3)
    return Drill(
        story=(
            f"The contract says {say(promise, 's')} per token. A step takes {fixed} ms plus "
            f"{item} µs for each sequence in it."
        ),
        question="Which rate of requests can this one server take and keep the contract?",
        answer=most,
        unit="req/s",
        tolerance=0.05,
        mistakes=(
            Mistake(
                "in-proportion",
                rate * promise / after,
                "You scale today's traffic with the time per token. A step has a fixed part: how "
                "many sequences fit into the contract?",
            ),
            Mistake(
                "today",
                rate,
                "That is today's traffic. What is the time per token at it?",
            ),
            Mistake(
                "per-token",
                slots / promise,
                "That is a rate of tokens. How many does a request ask for?",
            ),
        ),
        hints=(
            "How many sequences may a step carry?",
            "Slots = (contract − fixed) ÷ cost of one; rate = slots ÷ contract ÷ tokens.",
            f"Slots = ({say(promise, 's')} − {fixed} ms) ÷ {item} µs; ÷ {say(promise, 's')} ÷ "
            f"{tokens}.",
        ),
        steps=(
            Step(
                f"A step may carry ({say(promise, 's')} − {fixed} ms) ÷ {item} µs = "
                f"{say(slots, 'req')}",
                name="slots",
                value=slots,
                unit="req",
            ),
            Step(
                f"It makes {say(slots, 'req')} ÷ {say(promise, 's')} = "
                f"{say(slots / promise, 'tok/s')}",
                name="tokens_per_s",
                value=slots / promise,
                unit="tok/s",
            ),
            Step(f"÷ {tokens}: {say(most, 'req/s')}", name="rate", value=most, unit="req/s"),
        ),
        sanity=f"Less than today's {say(rate, 'req/s')}, at which a token takes longer.",
        moral=(
            "Contract per token → slots → rate per server → servers. The cap is the tool that "
            "keeps the contract; replicas are what keeps the 429s away."
        ),
    )
