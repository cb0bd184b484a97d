"""Cache memory in contiguous reservations and in pages: what is taken, and what stands empty."""

from labutils import llm
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template


@template("D08 J01", level=2, decision="model", number=16, rough=False)
def paged_blocks(draw: Draw) -> Drill:
    """Pages of a paged cache, and their empty tails."""
    page = draw.one_of((8, 16, 32, 64))
    lengths = [draw.whole(40, 3000, 4) for _ in range(draw.one_of((3, 4, 5)))]
    if draw.one_of((True, False)):
        lengths[0] = page * max(2, lengths[0] // page)  # one that fills its last page
    pages = [llm.pages_for(length, page) for length in lengths]
    answer, tokens = sum(pages), sum(lengths)
    *first, last = (f"{length:,}" for length in lengths)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} The cache comes in pages of {page} tokens, none of them shared. The
    sequences hold {", ".join(first)} and {last} tokens.
    ? How many pages do they take in all? An exact count.
    = {answer} tolerance=0 scale=off telling=3
    - together {llm.pages_for(tokens, page)}: You put all tokens into one row of pages. May two
      sequences share a page here?
    - rounded-down {sum(length // page for length in lengths)}: You leave out the pages that are not
      full. Where do their tokens stand?
    - one-more {sum(length // page + 1 for length in lengths)}: You add a page for the rest of every
      sequence. Does every one leave a rest?
    - tokens {tokens}: That is tokens. How many of them share a page?
    > Which page of a sequence may be partly empty?
    > For each sequence ⌈tokens / page⌉, then the sum.
    > {" + ".join(f"⌈{length:,} / {page}⌉" for length in lengths)}.
    . {"; ".join(f"⌈{length:,} / {page}⌉ = {count}" for length, count in zip(lengths, pages))}
    * pages {answer}: {" + ".join(map(str, pages))} = {answer:,}
    ~ At least the {llm.pages_for(tokens, page):,} that all tokens in one row would take, and at
      most {len(lengths) - 1} more.

    Pages = Σ ⌈n / page⌉. Equal pages and a table for each sequence: no gaps between sequences,
    nothing to compact; what is lost is less than one page for each sequence.
    """).then(_empty(page, lengths, answer))


_OPENINGS = (
    "You read a memory dump of the server.",
    "An allocator is under review, and you check its count by hand.",
    "The server reports that cache memory runs short, and you check.",
)


def _empty(page: int, lengths: list[int], pages: int) -> Drill:
    empty = sum(llm.empty_slots(length, page) for length in lengths)
    guessed = llm.mean_empty_slots(page) * len(lengths)
    return drill(f"""
    So {pages:,} pages, with room for {page} tokens each, hold {sum(lengths):,} tokens.
    ? For how many more tokens is there room in them? An exact count.
    = {empty} tok tolerance=0 scale=off telling=0
    - average {guessed if abs(guessed - empty) > 0.88 else None}: That is what one expects of
      lengths at random. These lengths are known.
    - remainders {sum(length % page for length in lengths)}: Those are the tokens in the last pages.
      How many places have these pages left?
    - whole-pages {page * len(lengths)}: A whole page for each sequence? Something stands in its
      last one.
    > Places in the pages, less tokens.
    > pages × page − tokens.
    > {pages:,} × {page} − {sum(lengths):,}.
    * places {pages * page}: {pages:,} × {page} = {pages * page:,} places
    * empty {empty} tok: {pages * page:,} − {sum(lengths):,} = {empty:,}
    ~ Fewer than {len(lengths)} × {page}: each sequence has one last page.

    That is {percent(empty / (pages * page))} of the places. On average expect (page − 1) / 2 empty
    places a sequence. Larger pages waste more and need shorter tables: both matter little until
    sequences are short.
    """)


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
