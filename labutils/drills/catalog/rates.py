"""Many streams: whose tokens per second are quoted."""

from labutils import llm
from labutils.drills.catalog._serving import cards, fits, served, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say

_PLACES = ("Launch review of", "A vendor shows you", "Post-mortem of a benchmark:")


@template(
    "two_rates",
    "The rate of the server and the rate of one reader",
    level=1,
    number=8,
    decision=Decision.model,
    topics=("A09", "A10"),
)
def two_rates(draw: Draw) -> Drill:
    (spec, card, count), batch = served(draw), draw.one_of((4, 6, 8, 12, 16, 24, 32, 48))
    context, reached = draw.one_of((512, 1000, 2000)), draw.share(0.55, 0.85)
    draw.require(fits(spec, card, count, 2 * batch * spec.kv_bytes(context)))
    tpot, later = (_step(spec, card, size, context, reached) for size in (batch, 2 * batch))
    rate = float(f"{batch / tpot:.3g}")
    story = f"{draw.one_of(_PLACES)} {spec.name} on {cards(card, count)}. "
    ask = draw.one_of((_whole_rate, _readers_rate, _readers))
    return ask(story, batch, tpot, rate, _twice_the_batch(batch, tpot, later))


def _step(spec, card, batch: int, context: int, reached: float) -> float:
    step = llm.decode_step(spec, card, batch, context, bandwidth_share=reached)
    return float(f"{step.time_s:.3g}")


def _whole_rate(story: str, batch: int, tpot: float, rate: float, follow_up: Drill) -> Drill:
    value = batch / tpot
    return Drill(
        story=(
            f"{story}Somebody reports: {batch} requests decode at once, and each of them gets a "
            f"token every {say(tpot, 's')}."
        ),
        question="How many tokens per second leave the card?",
        answer=value,
        unit="tok/s",
        tolerance=0.01,
        mistakes=(
            Mistake(
                "one-reader",
                1 / tpot,
                "That is what one reader sees. How many tokens does one step bring?",
            ),
            Mistake(
                "shared-out",
                1 / tpot / batch,
                "You share one reader's rate out among all. Do they take turns, or do all get a "
                "token in the same step?",
            ),
        ),
        hints=(
            "How many tokens come out of one step?",
            "batch / TPOT.",
            f"{batch} tok / {say(tpot, 's')}.",
        ),
        steps=(
            Step(f"One reader: 1 / {say(tpot, 's')} = {say(1 / tpot, 'tok/s')}"),
            Step(f"All: {batch} / {say(tpot, 's')} = {say(value, 'tok/s')}", "all", value, "tok/s"),
        ),
        sanity=f"More than the {say(1 / tpot, 'tok/s')} of a single reader.",
        moral=_TWO,
        follow_up=follow_up,
    )


_TWO = (
    "The device's throughput is batch / TPOT, a reader's rate 1 / TPOT: equal at batch 1 alone. "
    "Ask of every quoted figure whose it is."
)


def _readers_rate(story: str, batch: int, tpot: float, rate: float, follow_up: Drill) -> Drill:
    value = rate / batch
    return Drill(
        story=(
            f"{story}The slide says {say(rate, 'tok/s')}. The footnote: one card, {batch} requests "
            "decoding at once."
        ),
        question="At what rate does the text appear in front of one reader?",
        answer=value,
        unit="tok/s",
        tolerance=0.01,
        mistakes=(
            Mistake(
                "the-slide",
                rate,
                "That is the slide's figure. Who receives all these tokens?",
            ),
            Mistake(
                "multiplied",
                rate * batch,
                "You multiply by the requests: is the slide's figure one request's?",
            ),
        ),
        hints=(
            "Among how many readers do these tokens go round?",
            "rate of the card / batch.",
            f"{say(rate, 'tok/s')} / {batch}.",
        ),
        steps=(
            Step(f"{say(rate, 'tok/s')} / {batch} = {say(value, 'tok/s')}", "one", value, "tok/s"),
            Step(f"That is a token every {say(1 / value, 's')}."),
        ),
        sanity="No reader gets more than the card delivers, and there is more than one of them.",
        moral=_TWO,
        follow_up=follow_up,
    )


def _readers(story: str, batch: int, tpot: float, rate: float, follow_up: Drill) -> Drill:
    value = rate * tpot
    return Drill(
        story=(
            f"{story}Two figures are on the page: {say(rate, 'tok/s')} of output, and "
            f"{say(tpot, 's')} per token. A reviewer says that they contradict each other: a token "
            f"every {say(tpot, 's')} is {say(1 / tpot, 'tok/s')}."
        ),
        question="How many requests were decoding at once, on average, if both are right?",
        answer=value,
        unit="req",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "one",
                1,
                "With one request the figures would contradict each other. With how many not?",
            ),
            Mistake(
                "upside-down",
                1 / value,
                "Upside down: how many tokens come out in the time that one request takes for one?",
            ),
        ),
        hints=(
            "How many tokens come out in the time in which one request gets one?",
            "rate × TPOT.",
            f"{say(rate, 'tok/s')} × {say(tpot, 's')}.",
        ),
        steps=(
            Step(
                f"{say(rate, 'tok/s')} × {say(tpot, 's')} = {say(value, 'req')}",
                "at once",
                value,
                "req",
            ),
        ),
        sanity=(
            "More than one: the report's rate is many times that of the reviewer's single stream."
        ),
        moral=f"{_TWO} It is Little's law for tokens: rate × time = how many at once.",
        follow_up=follow_up,
    )


def _twice_the_batch(batch: int, tpot: float, later: float) -> Drill:
    gain = 2 * tpot / later
    return Drill(
        story=(
            f"With {batch} at once a token took {say(tpot, 's')}. The batch is doubled to "
            f"{2 * batch}; now a token takes {say(later, 's')}."
        ),
        question="By which factor has the card's rate of tokens grown?",
        answer=gain,
        unit="1",
        tolerance=0.02,
        mistakes=telling(
            gain,
            (
                Mistake("doubled", 2.0, "Twice the batch, but each step has become longer."),
                Mistake(
                    "reader",
                    tpot / later,
                    "That is one reader's rate, which falls. How many readers are there now?",
                ),
                Mistake("upside-down", 1 / gain, "You divide the old by the new."),
            ),
            tolerance=0.02,
        ),
        hints=(
            "Tokens per step against time per step, now and before.",
            "(2B / TPOT′) / (B / TPOT).",
            f"2 × {say(tpot, 's')} / {say(later, 's')}.",
        ),
        steps=(
            Step(f"Before {say(batch / tpot, 'tok/s')}, now {say(2 * batch / later, 'tok/s')}"),
            Step(f"2 × {say(tpot, 's')} / {say(later, 's')} = {gain:.4g}", "growth", gain, "1"),
        ),
        sanity="Between 1 and 2: the step has become longer, but less than twice as long.",
        moral=(
            "The weights are read once however many share the step, the caches once for each. "
            "Throughput is bought with the reader's rate, and the price rises with the batch."
        ),
    )
