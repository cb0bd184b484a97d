"""A memory of few slots, full of numbers that can be read, or of drawn ones; a step over it."""

from labutils.exercises.catalog.kv_cache import inputs

LAYERS = 2


def memory_of(engine, pages: int, page_tokens: int, *, kv_heads: int, head_dim: int, seed: int):
    """A ``KVMemory`` of the engine with two layers, full of normal numbers in float64."""
    memory = _empty(engine, pages, page_tokens, kv_heads, head_dim)
    for number, half in enumerate((memory.keys, memory.values)):
        half.copy_(inputs.numbers(seed + number, *half.shape))
    return memory


def numbered(engine, pages: int, page_tokens: int, *, kv_heads: int, dtype: str = "float64"):
    """The same with numbers that say where they stand: 1000 · layer + 100 · KV head + slot.

    Heads are 2 wide; the second number is a thousandth more. Values are the negatives. ``dtype``
    is the name of torch's type.
    """
    import torch

    memory = _empty(engine, pages, page_tokens, kv_heads, 2, dtype=dtype)
    layers, heads, slots, width = (torch.arange(n) for n in memory.keys.shape)
    place = 1000 * layers[:, None, None] + 100 * heads[:, None] + slots
    memory.keys.copy_(place[..., None] + width / 1000)
    memory.values.copy_(-memory.keys)
    return memory


def step_of_rows(engine, lengths, contexts, tables, page_tokens: int, *, device="cpu"):
    """A ``PackedStep`` that says of its rows what attention asks; its tokens are all 0."""
    import torch

    line = torch.zeros(sum(lengths), dtype=torch.int64, device=device)
    return engine.packing.PackedStep(line, line, line, line, lengths, contexts, tables, page_tokens)


def _empty(engine, pages: int, page_tokens: int, kv_heads: int, head_dim: int, dtype="float64"):
    import torch

    from labutils.engine import small_spec

    spec = small_spec(layers=LAYERS, num_heads=kv_heads, num_kv_heads=kv_heads, head_dim=head_dim)
    options = {"dtype": getattr(torch, dtype), "device": "cpu"}
    return engine.attention.KVMemory(spec, pages, page_tokens, **options)
