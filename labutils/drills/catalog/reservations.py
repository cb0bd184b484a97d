"""Cache memory in contiguous reservations: what stands empty, and what paging wins back."""

from labutils import llm
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("J06 O17", level=2, decision="estimate", number=17, rough=False)
def reserved_waste(draw: Draw) -> Drill:
    """What contiguous reservations waste."""
    reserved = draw.one_of((2048, 4096, 8192))
    prompt, output = draw.whole(100, 2000), draw.whole(60, 700)
    mean = prompt + output
    draw.require(mean < 0.75 * reserved)
    answer = llm.reserved_waste(mean, reserved)
    return draw.drill(f"""
    {draw.one_of(_SERVERS)} reserves room for {reserved:,} tokens of cache, in one piece, for every
    request that it admits. Requests bring {prompt:,} prompt tokens and end after {output:,} tokens
    of output, on average.

    ? What share of the reserved cache still holds no token when the request ends, on average?
    = {answer} tolerance=0.01 telling=2
    - what-is-used {mean / reserved}: That is the part that holds tokens. What was asked for?
    - prompt-alone {1 - prompt / reserved}: You leave out the answer. Does it leave nothing in the
      cache?
    - output-alone {1 - output / reserved}: You leave out the prompt. Does it leave nothing in the
      cache?
    > How long is a sequence when it ends, prompt included?
    > 1 − mean length / reserved length.
    > 1 − ({prompt:,} + {output:,}) / {reserved:,}.
    * mean {mean}: A request ends with {prompt:,} + {output:,} = {mean:,} tokens.
    * empty {answer}: 1 − {mean:,} / {reserved:,} = {percent(answer)}
    ~ While a request still grows, even more of its piece stands empty.

    Waste of a reservation = 1 − mean / reserved, and it caps how many are admitted. Before paging,
    20 to 38 % of the cache memory held tokens (Kwon et al., 2023).
    """).then(_paged_instead(draw, reserved, mean))


_SERVERS = (
    "An inherited inference server",
    "The first version of your engine",
    "A server of 2022 that is still in service",
)


def _paged_instead(draw: Draw, reserved: int, mean: int) -> Drill:
    page = draw.one_of((16, 32, 64))
    taken = mean + llm.mean_empty_slots(page)
    factor = reserved / taken
    return draw.drill(f"""
    The same memory is handed out in pages of {page} tokens as sequences grow. Count every request
    at its full {mean:,} tokens, its last page partly filled (with 1 token up to a full page, each
    number equally likely).

    ? How many times as many requests fit into the same memory?
    = {factor} tolerance=0.02 telling=0
    - upside-down {1 / factor}: Upside down: do more requests fit now, or fewer?
    - waste {1 / llm.reserved_waste(mean, reserved)}: You divide by the waste. Which part of a
      reservation was used?
    - page-lost {reserved / (mean + page)}: You leave a whole page of each request empty. How full
      is its last one on average?
    - page {reserved / page}: That is how many pages one reservation holds. How many does a request
      need?
    > What does a request take before, and what does it take now?
    > reserved / (mean + (page − 1) / 2).
    > {reserved:,} / ({mean:,} + {quantity((page - 1) / 2, "1")}).
    * taken {taken}: Now {mean:,} + ({page} − 1) / 2 = {taken:g} places on average
    * factor {factor}: {reserved:,} / {taken:g} = {factor:.4g}
    ~ At most {reserved:,} / {mean:,}: pages waste a little too.

    What paging gains is what reserving wasted: much where requests end long before their limit,
    nothing where every request fills its reservation.
    """)
