"""attention.paged · Attention for the whole step · 4 minutes

> Two moments: once per step the parts are made, and in each layer they are used. What has to be
  there before anybody reads?
> Parts: a Bucket for each slice of `buckets(step)`, a Chunk for each row with more than one new
  token. In each layer: write; group the query heads by KV head, grouped = query[0].unflatten(0,
  (memory.num_kv_heads, -1)); let every part attend for its own tokens, grouped[:, :, part.new].
> def attend(layer, query, key, value): memory.write(layer, step.slots, key[0], value[0]); grouped
  as before; mixed = torch.empty_like(grouped); for part in parts: mixed[:, :, part.new] =
  part.attend(layer, grouped[:, :, part.new]); return mixed.flatten(0, 1)[None]. Return attend.

Masks and page tables are the same in every layer, so they are made once per step. A model of 36
layers that made them anew would spend more time on them than on attention. vLLM calls this the
attention metadata, and builds it in the same place: before the model, from the plan.
"""

from random import Random

from labutils.exercises.checkers import piece_of
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.sheet import exercise

from .engine_machine import counted_parts

KV_HEADS, HEADS, HEAD_DIM, LAYERS, SLOTS = 2, 6, 2, 2, 60


def attend_rows(engine, rows, page_tokens, seed):
    """Attend in both layers for rows (tokens before, new tokens, pages) of a line.

    Returns how many parts of each kind were made in all, and for each layer the shape and the type
    of the result, its numbers, and what stands in the slots of the new tokens afterwards; and the
    type of each layer's result in an engine of bfloat16.
    """
    import torch

    whole = _attend_in(torch.float64, engine, rows, page_tokens, seed)
    half = _attend_in(torch.bfloat16, engine, rows, page_tokens, seed)["layers"]
    kinds = [one["dtype"] if isinstance(one, dict) else None for one in half]
    return {**whole, "in bfloat16": kinds}


def _attend_in(dtype, engine, rows, page_tokens, seed):
    """All of it, in an engine of one type."""
    import torch

    draw = torch.Generator().manual_seed(seed)

    def numbers(*shape):
        return torch.randn(shape, generator=draw, dtype=torch.float64).to(dtype)

    step = _packed(engine, rows, page_tokens)
    memory = engine.attention.KVMemory(_spec(), SLOTS // page_tokens, page_tokens,
                                       dtype=dtype, device="cpu")  # fmt: skip
    memory.keys.copy_(numbers(*memory.keys.shape))
    memory.values.copy_(numbers(*memory.values.shape))
    torch.use_deterministic_algorithms(True)  # what nobody has written is nan
    try:
        with counted_parts(engine.attention) as made:
            attend = engine.attention.paged_attention(memory, step)
            layers = [_attended(attend, layer, memory, step, numbers) for layer in range(LAYERS)]
    finally:
        torch.use_deterministic_algorithms(False)
    return {"made": {kind: len(parts) for kind, parts in made.items()}, "layers": layers}


def _as_asked(result, rows, *_) -> bool:
    """Whether each part was made once: these rows that decode all fit into one bucket."""
    chunks = sum(new > 1 for _, new, _ in rows)
    return result["made"] == {"Bucket": int(chunks < len(rows)), "Chunk": chunks}


def _attended(attend, layer, memory, step, numbers):
    """What came back from one layer, and what it has written."""
    new = len(step.tokens)
    query, key, value = numbers(1, HEADS, new, HEAD_DIM), *numbers(2, 1, KV_HEADS, new, HEAD_DIM)
    mixed = attend(layer, query, key, value)
    if not hasattr(mixed, "shape"):
        return mixed
    kept = memory.keys[layer][:, step.slots].double().round(decimals=3)
    kind = str(mixed.dtype).removeprefix("torch.")
    return {"shape": tuple(mixed.shape), "dtype": kind, "mixed": mixed.double().round(decimals=3),
            "kept": kept}  # fmt: skip


def _spec():
    from labutils.engine import small_spec

    return small_spec(layers=LAYERS, hidden_size=HEADS * HEAD_DIM, num_heads=HEADS,
                      num_kv_heads=KV_HEADS, head_dim=HEAD_DIM)  # fmt: skip


def _packed(engine, rows, page_tokens):
    import torch

    chunks = []
    for number, (before, new, pages) in enumerate(rows):
        request = engine.Generation(number, [0] * (before + new), 9)
        request.computed, request.pages = before, pages
        chunks.append((request, new))
    return engine.packing.pack(chunks, page_tokens, torch.device("cpu"))


def some_rows():
    """Decodes by rising context, and chunks before or behind them; pages in any order."""
    from hypothesis import strategies as st

    def drawn(decodes, chunks, chunks_first, page_tokens, seed):
        pages = list(range(SLOTS // page_tokens))
        Random(seed).shuffle(pages)
        decoding = [(before, 1) for before in sorted(decodes)]
        rows = [*chunks, *decoding] if chunks_first else [*decoding, *chunks]
        held = [[pages.pop() for _ in range(-(-sum(row) // page_tokens))] for row in rows]
        return [(*row, own) for row, own in zip(rows, held)], page_tokens, seed

    decodes = st.lists(st.integers(0, 9), max_size=3)
    chunks = st.lists(st.tuples(st.integers(0, 5), st.integers(2, 4)), min_size=1, max_size=2)
    parts = st.tuples(decodes, chunks, st.booleans(), st.integers(2, 4), st.integers(0, 999))
    return parts.map(lambda one: drawn(*one))


_MISTAKES = """
heads-in-turn: Query heads read the keys of another group, and their results are not back in their
    places. Neighbouring query heads share a KV head: with 6 on 2, heads 0, 1 and 2 read the first.
- grouped = query[0].unflatten(0, (memory.num_kv_heads, -1))
+ grouped = query[0].unflatten(0, (-1, memory.num_kv_heads)).transpose(0, 1)

values-for-keys: Keys are written where values belong, and the other way round.
- memory.write(layer, step.slots, key[0], value[0])
+ memory.write(layer, step.slots, value[0], key[0])

parts-in-each-layer: The parts are made in `attend`, anew in each layer, with their masks and pages.
    These are the same in all layers: what can be made once per step?
- parts: list[Bucket | Chunk] = [Bucket(memory, step, rows) for rows in buckets(step)]
- parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
= def attend(layer, query, key, value):
+     parts: list[Bucket | Chunk] = [Bucket(memory, step, rows) for rows in buckets(step)]
+     parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]

chunks-alone: Every row is a chunk by itself: each decode costs its operations in each layer. Rows
    with one new token are read together, in buckets.
- parts: list[Bucket | Chunk] = [Bucket(memory, step, rows) for rows in buckets(step)]
- parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
+ parts: list[Bucket | Chunk] = [Bucket(memory, step, rows) for rows in ()]
+ parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) ]

decodes-twice: Rows that decode are in a bucket, and each is a chunk as well: they are computed
    twice. Which rows are in no bucket?
- parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
+ parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) ]

reads-before-it-writes: Keys and values of the new tokens are written after the rows have read.
    Which token would then miss itself?
- memory.write(layer, step.slots, key[0], value[0])
=     mixed[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
+ memory.write(layer, step.slots, key[0], value[0])

never-writes: Nothing is written: the new tokens leave no keys and values behind.
- memory.write(layer, step.slots, key[0], value[0])

one-layer-for-all: Every layer reads the keys of the first one.
- mixed[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
+ mixed[:, :, part.new] = part.attend(0, grouped[:, :, part.new])

chunks-forgotten: The places of chunks hold whatever was in memory. Which rows are in no bucket?
- parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if new > 1]
+ parts += [Chunk(memory, step, row) for row, new in enumerate(step.lengths) if False]

same-places: Each part writes its result to the beginning of the line. Where do its tokens stand?
    `part.new` says.
- mixed[:, :, part.new] =
+ mixed[:, :, : part.new.stop - part.new.start] =

joined-as-made: You join the parts as you made them. A chunk may stand before rows that decode: each
    part says in `new` where its tokens stand.
- mixed = torch.empty_like(grouped)
- for part in parts:
-     mixed[:, :, part.new] = part.attend(layer, grouped[:, :, part.new])
+ mixed = torch.cat(
+     [part.attend(layer, grouped[:, :, part.new]) for part in parts], dim=2)

strangers-in-a-group: Query heads read the keys of another group. Neighbouring query heads share a
    KV head: with 6 on 2, heads 0, 1 and 2 read the first.
- grouped = query[0].unflatten(0, (memory.num_kv_heads, -1))
+ grouped = query[0].unflatten(0, (-1, memory.num_kv_heads)).transpose(0, 1)
- return mixed.flatten(0, 1)[None]
+ return mixed.transpose(0, 1).flatten(0, 1)[None]

another-type: The result is float32 whatever the query is. A model in float64 cannot go on with it,
    nor can one on a GPU, in bfloat16. Whose type, and whose device?
- mixed = torch.empty_like(grouped)
+ mixed = torch.empty(grouped.shape)

always-double: The result is float64 whatever the query is: as the check's engine has it, and no
    other. Whose type does the result have?
- mixed = torch.empty_like(grouped)
+ mixed = torch.empty(grouped.shape, dtype=torch.float64)

no-batch: The result lacks the batch in front: the model wants [1, heads, tokens, head_dim], and
    gets [heads, tokens, head_dim].
- return mixed.flatten(0, 1)[None]
+ return mixed.flatten(0, 1)

groups-left-apart: The result comes back as [1, KV heads, group, tokens, head_dim]: the model wants
    [1, heads, tokens, head_dim], shaped like the query.
- return mixed.flatten(0, 1)[None]
+ return mixed[None]
"""


PAGED = exercise(
    __doc__,
    piece_of(
        "attention:paged_attention",
        tried=attend_rows,
        inputs=some_rows,
        num_inputs=40,
        properties=(
            Property(
                "other-parts",
                _as_asked,
                "`made` counts the parts of the whole step: one `Bucket` for each slice of "
                "`buckets(step)` and one `Chunk` for each row with several new tokens, made once, "
                "for all layers.",
            ),
        ),
        mistakes=_MISTAKES,
    ),
)
