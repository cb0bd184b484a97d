"""packing.pack · Pack a step into one line · 6 minutes

> Take one row at a time: its new tokens are those from `request.computed` on, `new` of them. Each
  list of the step grows by what this row has.
> With start = request.computed and end = start + new: tokens, positions and slots are those from
  start to before end; the context is end; and there is an output only if end has reached
  request.known.
> In the loop: tokens += request.tokens[start:end]; positions += range(start, end); slots +=
  slots_of(request.pages, start, end, page_tokens); contexts.append(end); and if end ==
  request.known: last.append(len(tokens) - 1). Tensors of torch.int64 at the end.

Everything that the device needs to know about a step are four lines of whole numbers; all that
differs between prefill and decode is how many of them belong to a row. vLLM calls them `input_ids`,
`positions`, `slot_mapping` and `logits_indices`, and builds them in the same place. They travel in
a single copy, because each copy costs the host some microseconds, and from pinned memory, so that
the host need not wait for it. Lengths stay plain numbers: to ask a tensor on the device how long a
row is would stop the host until the device has caught up.
"""

from random import Random

from labutils.exercises.checkers import piece_of
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.sheet import exercise

from .engine_machine import touched


class PackedStep(dict):
    """A packed step as plain lists; its name is what another type is told apart from."""


def pack_rows(engine, rows, page_tokens):
    """Pack rows (prompt, answer so far, tokens computed, new tokens, pages) with ``engine``."""
    import torch

    chunks = []
    for number, (prompt, answer, computed, new, pages) in enumerate(rows):
        request = engine.Generation(number, prompt, 9)
        request.tokens += answer
        request.known, request.computed, request.pages = len(request.tokens), computed, pages
        chunks.append((request, new))
    changes, before = touched([request for request, _ in chunks]), list(chunks)
    step = engine.packing.pack(chunks, page_tokens, torch.device("cpu"))
    if type(step).__name__ != "PackedStep":
        return step
    lines = {name: getattr(step, name) for name in ("tokens", "positions", "slots", "last")}
    whole = all(getattr(line, "dtype", None) == torch.int64 for line in lines.values())
    lists = {name: getattr(step, name) for name in ("lengths", "contexts", "tables", "page_tokens")}
    plain = all(isinstance(lists[name], list | tuple) for name in ("lengths", "contexts", "tables"))
    order = "" if chunks == before else "the list of chunks is another"
    changed = changes() or order
    return PackedStep(**lines, **lists, int64=whole, plain_lists=plain, changed=changed)


def some_rows():
    """One to four rows: decodes, whole prompts, chunks with tokens before and behind them."""
    from hypothesis import strategies as st

    def drawn(codes, page_tokens, salt):
        pages = list(range(40))
        Random(salt).shuffle(pages)
        rows = []
        for number, code in enumerate(codes, start=1):
            prompt, answer = 1 + code % 7, code // 7 % 3
            known = prompt + answer
            computed = code // 21 % known
            new = known - computed if code // 189 % 3 else 1 + code // 567 % (known - computed)
            tokens = [100 * number + place for place in range(known)]
            held = [pages.pop() for _ in range(-(-known // page_tokens))]
            rows.append((tokens[:prompt], tokens[prompt:], computed, new, held))
        return rows, page_tokens

    codes = st.lists(st.integers(0, 5_000), min_size=1, max_size=4)
    return st.tuples(codes, st.integers(2, 4), st.integers(0, 99)).map(lambda one: drawn(*one))


_MISTAKES = """
one-behind-the-last: `last` points one place behind each row. Places in the line are counted from 0:
    where does a row end that fills the first three?
- last.append(len(tokens) - 1)
+ last.append(len(tokens))

newest-tokens: You take the newest tokens of the request. A prompt that is computed in parts goes on
    behind what is computed.
- tokens += request.tokens[start:end]
+ tokens += request.tokens[-new:]

running-lengths: `lengths` grow from row to row, as running sums do. How many new tokens has each
    row by itself?
- [new for _, new in chunks],
+ [sum(n for _, n in chunks[: k + 1]) for k in range(len(chunks))],

side-by-side: Slots go straight on behind the first page. Where is the second one? `slots_of` knows.
- slots += slots_of(request.pages, start, end, page_tokens)
+ slots += [request.pages[0] * page_tokens + i for i in range(start, end)]

positions-from-zero: The positions of each row begin at 0. Where in its own sequence does the first
    new token of a chunk stand, or that of an answer?
- positions += range(start, end)
+ positions += range(new)

context-without-new: The new tokens are missing from `contexts`. Does a token attend to itself?
- contexts.append(end)
+ contexts.append(start)

contexts-of-all-known: `contexts` counts tokens of a prompt that a later step computes. What stands
    in memory after this one?
- contexts.append(end)
+ contexts.append(request.known)

number-of-the-row: `last` holds numbers of rows. The model sees a line of tokens: at which place of
    it does the row end?
- last.append(len(tokens) - 1)
+ last.append(len(contexts) - 1)

position-for-place: `last` holds positions in the sequences. The model sees a line of tokens: at
    which place of it does the row end?
- last.append(len(tokens) - 1)
+ last.append(end - 1)

last-of-each-row: Every row gets logits, also a chunk that leaves tokens of its prompt for a later
    step. Whose next token is known after it?
- if end == request.known:
+ if True:

last-of-the-prompt: Logits follow the last token of the prompt. A request that was preempted has to
    compute its answer so far as well, and one that decodes stands behind its prompt.
- if end == request.known:
+ if end == request.prompt_tokens:

behind-the-prompt: A row whose prompt is computed gets logits. One that was preempted may have more
    of its answer to compute: after which token is the next one unknown?
- if end == request.known:
+ if end >= request.prompt_tokens:

rows-of-one: You give logits to rows of one new token. A chunk of one may leave tokens for a later
    step, and a longer one may reach the last.
- if end == request.known:
+ if new == 1:

last-within-the-row: `last` counts within each row. The model sees a single line: where in it does
    the row end?
- last.append(len(tokens) - 1)
+ last.append(new - 1)

from-the-beginning: Each chunk takes its tokens from the beginning of the request. Which of them are
    computed already?
- tokens += request.tokens[start:end]
+ tokens += request.tokens[:new]

positions-in-the-line: The positions count places in the line. Where in its own sequence does a
    token stand?
- positions += range(start, end)
+ positions += range(len(positions), len(positions) + new)

all-that-is-missing: You take all that a request has to compute. The plan says how many tokens of it
    this step computes.
- start, end = request.computed, request.computed + new
+ start, end = request.computed, request.known

slots-of-the-context: You give slots to all tokens of the context. Those that were computed before
    have theirs: which ones does the step write?
- slots += slots_of(request.pages, start, end, page_tokens)
+ slots += slots_of(request.pages, 0, end, page_tokens)

slots-from-zero: Keys and values go to the first slots of the request, over what stands there. Which
    tokens are the new ones?
- slots += slots_of(request.pages, start, end, page_tokens)
+ slots += slots_of(request.pages, 0, new, page_tokens)

whole-tables: `tables` holds pages behind the row's context: attention would copy them in every
    layer, for nothing. How many pages do the tokens up to `end` take?
- tables.append(request.pages[: -(-end // page_tokens)])
+ tables.append(request.pages)

tables-rounded-down: A page that is filled in part is missing from `tables`, and some of its tokens
    are in the context.
- -(-end // page_tokens)
+ end // page_tokens

a-page-too-many: Where a context fills its last page `tables` has one more. How many pages do the
    tokens up to `end` take?
- -(-end // page_tokens)
+ end // page_tokens + 1

whole-lengths: `lengths` counts all tokens of a row. It splits the line into rows: how many of its
    tokens stand in the line?
- return PackedStep(*tensors, [new for _, new in chunks], contexts, tables, page_tokens)
+ return PackedStep(*tensors, contexts, contexts, tables, page_tokens)
"""

PACK = exercise(
    __doc__,
    piece_of(
        "packing:pack",
        tried=pack_rows,
        inputs=some_rows,
        properties=(
            Property(
                "other-tensors",
                lambda result, *_: result["int64"],
                "The first four are tensors of `torch.int64`, an empty one too: say so when you "
                "make them.",
            ),
            Property(
                "tensors-for-lists",
                lambda result, *_: result["plain_lists"],
                "`lengths`, `contexts` and `tables` are plain lists: nobody has to wait for a "
                "device to learn them.",
            ),
            Property(
                "changes-requests",
                lambda result, *_: not result["changed"],
                "`pack` plans nothing and counts nothing, it only reads: the scheduler's `commit` "
                "counts, once the step has run. `changed` says what yours leaves behind.",
            ),
        ),
        mistakes=_MISTAKES,
    ),
)
