"""Decode: the bytes and operations of one step for a whole batch, and which of them binds."""

from dataclasses import dataclass

from labutils.ground import arguments
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.spec import ModelSpec
from labutils.llm.steps.attention import decode_attention_flops
from labutils.llm.steps.coverage import touched_weight_bytes
from labutils.llm.steps.roofline import RooflineStep, times


@dataclass(frozen=True, kw_only=True)
class DecodeStep(RooflineStep):
    """One decode step by the roofline: a token for each of ``batch`` sequences."""

    batch: int

    @property
    def tokens_per_s(self) -> float:
        """Tokens of the whole batch per second: the device's throughput."""
        return self.batch / self.time_s

    @property
    def tokens_per_s_per_request(self) -> float:
        """Tokens of one sequence per second, 1 / TPOT."""
        return 1 / self.time_s


def decode_step(
    model: ModelSpec,
    accelerator: Accelerator,
    batch: int,
    context_tokens: float,
    *,
    bytes_per_weight: float = 2.0,
    bytes_per_value: float = 2.0,
    precision: str = "bf16",
    bandwidth_share: float = 1.0,
    flops_share: float = 1.0,
    expert_bytes_per_weight: float | None = None,
) -> DecodeStep:
    """The least time of a decode step of ``batch`` sequences with ``context_tokens`` each.

    Bytes: all weights once (of the experts, those that the batch is expected to touch) and every
    sequence's cache (what an indexer picks of it). Operations: 2 per visited weight and sequence,
    and attention over the cache.
    ``bandwidth_share`` and ``flops_share`` say how much of the marketed rates is reached.
    ``precision`` is that of the arithmetic: weights stored in 8 bits and computed in 16 take
    ``bytes_per_weight=1`` and leave it alone.
    """
    size = arguments.whole("batch", batch)
    context = arguments.non_negative("context_tokens", context_tokens)
    weight_bytes = touched_weight_bytes(model, size, bytes_per_weight, expert_bytes_per_weight)
    kv_bytes = size * model.kv_bytes_read(context, bytes_per_value)
    attention = decode_attention_flops(model, context)
    flops = size * (2 * model.active_parameters + attention)
    took = times(
        accelerator,
        moved_bytes=weight_bytes + kv_bytes,
        flops=flops,
        precision=precision,
        bandwidth_share=bandwidth_share,
        flops_share=flops_share,
    )
    return DecodeStep(batch=size, weight_bytes=weight_bytes, kv_bytes=kv_bytes, flops=flops, **took)
