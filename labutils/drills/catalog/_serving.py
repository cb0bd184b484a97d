"""What the templates of serving share: how a model and a card are introduced, which mistakes stay.

Facts are printed with as many digits as the answer needs, so that what is computed from the text
and what is computed from the tables agree.
"""

from labutils.drills.definition.draw import Draw
from labutils.llm import Accelerator, ModelSpec, accelerator, model

GB, GIB = 1e9, 2**30

# Every one has fewer KV heads than query heads, and caches whole contexts in every layer.
GROUPED = (
    "Llama-3.1-8B", "Llama-3.1-70B", "Llama-3.1-405B", "Llama-2-70B", "Llama-3.2-1B",
    "Llama-3.2-3B", "Qwen2.5-7B", "Qwen2.5-72B", "Qwen3-0.6B", "Qwen3-8B", "Qwen3-32B",
    "Qwen3-30B-A3B", "Qwen3-235B-A22B", "Mixtral-8x7B", "Phi-4", "TinyLlama-1.1B", "SmolLM2-135M",
)  # fmt: skip

# A dense model that is served on that many of these cards, weights in 16 bits.
SERVED = (
    ("Llama-3.1-8B", "A100 80 SXM", 1), ("Llama-3.1-8B", "H100 SXM", 1),
    ("Llama-3.1-8B", "L4", 1), ("Llama-3.1-8B", "RTX 4090", 1), ("Llama-3.1-8B", "A10", 1),
    ("Qwen2.5-7B", "L4", 1), ("Qwen2.5-7B", "A100 40 SXM", 1), ("Qwen2.5-7B", "RTX 4090", 1),
    ("Qwen3-8B", "H100 SXM", 1), ("Qwen3-8B", "A100 80 SXM", 1), ("Qwen3-8B", "A100 40 SXM", 1),
    ("Llama-3.2-3B", "L4", 1), ("Llama-3.2-3B", "A10", 1), ("Phi-4", "A100 40 SXM", 1),
    ("Phi-4", "H100 SXM", 1), ("Qwen3-32B", "H200 SXM", 1), ("Qwen3-32B", "MI300X", 1),
    ("Qwen3-32B", "B200", 1), ("Llama-3.1-70B", "MI325X", 1), ("Llama-3.1-70B", "B200", 1),
)  # fmt: skip
NODES = (
    ("Llama-3.1-70B", "H100 SXM", 4), ("Llama-3.1-70B", "A100 80 SXM", 4),
    ("Llama-3.1-70B", "H200 SXM", 2), ("Qwen2.5-72B", "H100 SXM", 4),
    ("Qwen2.5-72B", "MI300X", 2), ("Qwen3-32B", "H100 SXM", 2), ("Qwen3-32B", "A100 80 SXM", 2),
    ("Llama-3.1-405B", "H200 SXM", 8), ("Llama-3.1-405B", "MI300X", 8),
)  # fmt: skip


# A dense model without sliding windows on a card of its own, with room for many sequences.
ALONE = (
    ("Llama-3.1-8B", "H100 SXM"), ("Llama-3.1-8B", "A100 80 SXM"), ("Qwen2.5-7B", "H100 SXM"),
    ("Qwen3-8B", "H200 SXM"), ("Phi-4", "H100 SXM"), ("Qwen3-32B", "H200 SXM"),
)  # fmt: skip


def whole_card(draw: Draw) -> tuple[ModelSpec, Accelerator]:
    """A model and the card that it has for itself."""
    name, card = draw.one_of(ALONE)
    return model(name), accelerator(card)


def served(draw: Draw, pairs=SERVED) -> tuple[ModelSpec, Accelerator, int]:
    """A model, the card that holds it, and how many of them."""
    name, card, count = draw.one_of(pairs)
    return model(name), accelerator(card), count


def billions(spec: ModelSpec) -> str:
    """ "8.03 billion parameters", with the digits that a whole-number answer needs."""
    return f"{spec.parameters / 1e9:.4g} billion parameters"


def as_printed(value: float) -> float:
    """What four digits leave of a value: what a reader computes with. A count may hang on it."""
    return float(f"{value:.4g}")


def heads(spec: ModelSpec) -> str:
    """The shape of the attention: "32 layers, 32 query heads, 8 KV heads, head size 128"."""
    return (
        f"{spec.layers} layers, {spec.num_heads} query heads, {spec.num_kv_heads} KV heads, "
        f"head size {spec.head_dim}"
    )


def a(name: str) -> str:
    """ "an H100 SXM", "a B200": the article that is said."""
    return f"{'an' if name[0] in 'AHLMR' else 'a'} {name}"


def cards(card: Accelerator, count: int) -> str:
    """ "an H100 SXM" or "4 × H100 SXM"."""
    return a(card.name) if count == 1 else f"{count} × {card.name}"


def memory_of(card: Accelerator, count: int = 1) -> str:
    """ "an H100 SXM (80 GB of 10⁹ bytes)", with "each" where there are several."""
    each = " each" if count > 1 else ""
    return f"{cards(card, count)} ({card.memory_bytes / GB:g} GB of 10⁹ bytes{each})"


def speed_of(card: Accelerator) -> str:
    """ "an H100 SXM (3.35 TB/s)": the card and its bandwidth."""
    return f"{a(card.name)} ({card.bandwidth_bytes_per_s / 1e12:g} TB/s)"


def percent(share: float) -> str:
    """A share as "85 %"."""
    return f"{100 * share:.3g} %"


def gb(value: float) -> str:
    """Bytes in GB (MB below a tenth of one), to four digits."""
    return f"{value / GB:.4g} GB" if value >= 0.1 * GB else f"{value / 1e6:.4g} MB"


def times(factor: int) -> str:
    """ "twice", "3 times"."""
    return "twice" if factor == 2 else f"{factor} times"


def binary(value: float) -> str:
    """Bytes in KiB, MiB or GiB, to four digits: caches come in powers of two."""
    for size, unit in ((GIB, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if value >= size:
            return f"{value / size:.4g} {unit}"
    return f"{value:.4g} B"


def full_head_kv(spec: ModelSpec, bytes_per_value: float = 2.0) -> float:
    """Bytes per token as if every query head had a cache of its own: the commonest mistake."""
    return spec.kv_bytes_per_token(bytes_per_value) * spec.num_heads / spec.num_kv_heads


def fits(spec: ModelSpec, card: Accelerator, count: int, cached_bytes: float, weights=2.0) -> bool:
    """Whether weights and caches fit into nine tenths of the memory."""
    return spec.weight_bytes(weights) + cached_bytes <= 0.9 * count * card.memory_bytes


def reaches(spec: ModelSpec, tokens: int) -> bool:
    """Whether the model was made for contexts of that many tokens."""
    return spec.max_context is None or tokens <= spec.max_context
