"""The largest batch that a target for TPOT, the memory and the arithmetic allow."""

import math
from dataclasses import dataclass

from labutils.ground import arguments
from labutils.llm.memory.limits import max_sequences
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.spec import ModelSpec
from labutils.llm.steps.attention import decode_attention_flops


@dataclass(frozen=True)
class BatchLimits:
    """The largest batch by each limit alone; 0 where not even one sequence meets it."""

    by_bytes: int
    by_flops: int
    by_memory: int

    @property
    def batch(self) -> int:
        """The largest batch that meets all of them."""
        return min(self.by_bytes, self.by_flops, self.by_memory)

    @property
    def binding(self) -> str:
        """What stops the batch from growing: "bytes" or "flops" (both by TPOT) or "memory"."""
        return min(("bytes", "flops", "memory"), key=lambda name: getattr(self, f"by_{name}"))


def batch_limits(
    model: ModelSpec,
    accelerator: Accelerator,
    context_tokens: float,
    tpot_s: float,
    *,
    usable_share: float = 0.9,
    overhead_bytes: float = 0.0,
    bytes_per_weight: float = 2.0,
    bytes_per_value: float = 2.0,
    precision: str = "bf16",
    bandwidth_share: float = 1.0,
    flops_share: float = 1.0,
) -> BatchLimits:
    """The batch of ``decode_step`` solved for: of a model whose weights are all read in each step.

    By bytes ⌊(T · BW · share − W) / kv(C)⌋, by operations ⌊T · F · share / (2P + attention(C))⌋, by
    memory ``max_sequences``. Raises ``ValueError`` for a model with experts, of which a step reads
    more the larger the batch is.
    """
    if model.experts:
        raise ValueError(f"model = {model.name}: expected one without experts")
    target = arguments.positive("tpot_s", tpot_s)
    reached = arguments.share("bandwidth_share", bandwidth_share)
    bandwidth = accelerator.bandwidth_bytes_per_s * reached
    rate = accelerator.peak(precision) * arguments.share("flops_share", flops_share)
    context = arguments.positive("context_tokens", context_tokens)
    spare = target * bandwidth - model.weight_bytes(bytes_per_weight)
    attention = decode_attention_flops(model, context)
    return BatchLimits(
        by_bytes=max(0, math.floor(spare / model.kv_bytes_read(context, bytes_per_value))),
        by_flops=math.floor(target * rate / (2 * model.parameters + attention)),
        by_memory=max_sequences(
            model,
            accelerator.memory_bytes,
            context,
            usable_share=usable_share,
            bytes_per_weight=bytes_per_weight,
            bytes_per_value=bytes_per_value,
            overhead_bytes=overhead_bytes,
        ),
    )
