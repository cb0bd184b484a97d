"""Narrow weights: what they occupy, scales included, and what they take off a decode step."""

from labutils.ground import arguments
from labutils.llm.specification.spec import ModelSpec


def stored_bytes_per_weight(
    bits: float, *, group: int | None = None, scale_bits: int = 16
) -> float:
    """Bytes a weight takes: its own bits, and its part of the scale that a group shares.

    4 bits with a 16-bit scale for every 128 weights are 4.125 bits (GPTQ, AWQ; zero points left
    out); MXFP4 has 8 bits for every 32, 4.25 bits (Open Compute Project, MX 1.0, 2023).

    >>> stored_bytes_per_weight(4, group=32, scale_bits=8) == 17 / 32
    True
    """
    width = arguments.positive("bits", bits)
    if group is not None:
        scale = arguments.whole("scale_bits", scale_bits)
        width += scale / arguments.whole("group", group)
    return width / 8


def decode_bytes_ratio(
    model: ModelSpec,
    batch: int,
    context_tokens: float,
    *,
    bytes_per_weight: float,
    bytes_per_value: float = 2.0,
    weights_before: float = 2.0,
    values_before: float = 2.0,
) -> float:
    """How many times fewer bytes a decode step moves: the most that it can gain in time.

    (W + B · kv) before over after, of a model whose weights are all read in each step; caches that
    keep their precision dilute what narrow weights gain.
    """
    size = arguments.whole("batch", batch)
    before = model.weight_bytes(weights_before)
    before += size * model.kv_bytes_read(context_tokens, values_before)
    after = model.weight_bytes(bytes_per_weight)
    return before / (after + size * model.kv_bytes_read(context_tokens, bytes_per_value))
