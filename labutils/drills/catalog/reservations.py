"""Cache memory in contiguous reservations: what stands empty, and what paging wins back."""

from labutils import llm
from labutils.drills.catalog._serving import percent, telling
from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.units import format_quantity as say


@template(
    "reserved_waste",
    "What contiguous reservations waste",
    level=2,
    number=17,
    decision=Decision.estimate,
    topics=("J06", "O17"),
    rough=False,
)
def reserved_waste(draw: Draw) -> Drill:
    reserved = draw.one_of((2048, 4096, 8192))
    prompt, output = draw.whole(100, 2000), draw.whole(60, 700)
    mean = prompt + output
    draw.require(mean < 0.75 * reserved)
    answer = llm.reserved_waste(mean, reserved)
    mistakes = telling(
        answer,
        (
            Mistake(
                "what-is-used",
                mean / reserved,
                "That is the part that holds tokens. What was asked for?",
            ),
            Mistake(
                "prompt-alone",
                1 - prompt / reserved,
                "You leave out the answer. Does it leave nothing in the cache?",
            ),
            Mistake(
                "output-alone",
                1 - output / reserved,
                "You leave out the prompt. Does it leave nothing in the cache?",
            ),
        ),
        tolerance=0.01,
    )
    draw.require(len(mistakes) >= 2)
    return Drill(
        story=(
            f"{draw.one_of(_SERVERS)} reserves room for {reserved:,} tokens of cache, in one "
            f"piece, for every request that it admits. Requests bring {prompt:,} prompt tokens and "
            f"end after {output:,} tokens of output, on average."
        ),
        question=(
            "What share of the reserved cache still holds no token when the request ends, on "
            "average?"
        ),
        answer=answer,
        unit="1",
        tolerance=0.01,
        mistakes=mistakes,
        hints=(
            "How long is a sequence when it ends, prompt included?",
            "1 − mean length / reserved length.",
            f"1 − ({prompt:,} + {output:,}) / {reserved:,}.",
        ),
        steps=(
            Step(f"A request ends with {prompt:,} + {output:,} = {mean:,} tokens.", "mean", mean),
            Step(f"1 − {mean:,} / {reserved:,} = {percent(answer)}", "empty", answer),
        ),
        sanity="While a request still grows, even more of its piece stands empty.",
        moral=(
            "Waste of a reservation = 1 − mean / reserved, and it caps how many are admitted. "
            "Before paging, 20 to 38 % of the cache memory held tokens (Kwon et al., 2023)."
        ),
        follow_up=_paged_instead(draw, reserved, mean),
    )


_SERVERS = (
    "An inherited inference server",
    "The first version of your engine",
    "A server of 2022 that is still in service",
)


def _paged_instead(draw: Draw, reserved: int, mean: int) -> Drill:
    page = draw.one_of((16, 32, 64))
    taken = mean + llm.mean_empty_slots(page)
    factor = reserved / taken
    return Drill(
        story=(
            f"The same memory is handed out in pages of {page} tokens as sequences grow. Count "
            f"every request at its full {mean:,} tokens, its last page partly filled "
            "(with 1 token up to a full page, each number equally likely)."
        ),
        question="How many times as many requests fit into the same memory?",
        answer=factor,
        unit="1",
        tolerance=0.02,
        mistakes=telling(
            factor,
            (
                Mistake(
                    "upside-down", 1 / factor, "Upside down: do more requests fit now, or fewer?"
                ),
                Mistake(
                    "waste",
                    1 / llm.reserved_waste(mean, reserved),
                    "You divide by the waste. Which part of a reservation was used?",
                ),
                Mistake(
                    "page-lost",
                    reserved / (mean + page),
                    "You leave a whole page of each request empty. How full is its last one on "
                    "average?",
                ),
                Mistake(
                    "page",
                    reserved / page,
                    "That is how many pages one reservation holds. How many does a request need?",
                ),
            ),
            tolerance=0.02,
        ),
        hints=(
            "What does a request take before, and what does it take now?",
            "reserved / (mean + (page − 1) / 2).",
            f"{reserved:,} / ({mean:,} + {say((page - 1) / 2, '1')}).",
        ),
        steps=(
            Step(
                f"Now {mean:,} + ({page} − 1) / 2 = {taken:g} places on average",
                "taken",
                taken,
            ),
            Step(f"{reserved:,} / {taken:g} = {factor:.4g}", "factor", factor),
        ),
        sanity=f"At most {reserved:,} / {mean:,}: pages waste a little too.",
        moral=(
            "What paging gains is what reserving wasted: much where requests end long before their "
            "limit, nothing where every request fills its reservation."
        ),
    )
