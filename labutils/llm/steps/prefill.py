"""Prefill: the arithmetic of reading a prompt, and the time that it takes at least."""

from dataclasses import dataclass

from labutils.ground import arguments
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.spec import ModelSpec
from labutils.llm.steps.attention import prefill_attention_flops
from labutils.llm.steps.coverage import touched_weight_bytes
from labutils.llm.steps.roofline import RooflineStep, times


@dataclass(frozen=True)
class PrefillFlops:
    """Operations of a prefill: ``linear`` with the weights, ``attention`` between tokens."""

    linear: float
    attention: float

    @property
    def total(self) -> float:
        """All operations."""
        return self.linear + self.attention

    @property
    def attention_share(self) -> float:
        """The part of all operations that attention takes, 0 to 1."""
        return self.attention / self.total if self.total else 0.0


def prefill_flops(model: ModelSpec, prompt_tokens: float, cached_tokens: float = 0) -> PrefillFlops:
    """Operations to prefill a prompt of which the first ``cached_tokens`` are in the cache already.

    Linear: 2 a token for each weight that it visits (``active_parameters``; both embedding tables
    count, as is usual). Attention, causal: 2 · n² · heads · head_dim · layers, half of the full
    square, less the same for the cached part; a window bounds it.

    >>> from labutils import llm
    >>> spec = llm.model("Llama-3.1-8B")
    >>> f"{prefill_flops(spec, 8192).attention_share:.0%}"
    '12%'
    """
    prompt = arguments.non_negative("prompt_tokens", prompt_tokens)
    cached = arguments.non_negative("cached_tokens", cached_tokens)
    if cached > prompt:
        raise ValueError(
            f"cached_tokens = {cached_tokens!r}: expected at most prompt_tokens = {prompt_tokens!r}"
        )
    attention = prefill_attention_flops(model, prompt) - prefill_attention_flops(model, cached)
    return PrefillFlops(linear=2 * model.active_parameters * (prompt - cached), attention=attention)


def prefill_time_s(
    model: ModelSpec,
    accelerator: Accelerator,
    prompt_tokens: float,
    *,
    cached_tokens: float = 0,
    flops_share: float = 0.5,
    precision: str = "bf16",
) -> float:
    """Seconds of arithmetic of a prefill that reaches ``flops_share`` of the peak.

    A prompt of a few dozen tokens takes longer, for the weights must be read as in a decode step:
    ``prefill_step`` knows both.
    """
    reached = arguments.share("flops_share", flops_share) * accelerator.peak(precision)
    return prefill_flops(model, prompt_tokens, cached_tokens).total / reached


def prefill_step(
    model: ModelSpec,
    accelerator: Accelerator,
    prompt_tokens: float,
    *,
    cached_tokens: float = 0,
    bytes_per_weight: float = 2.0,
    bytes_per_value: float = 2.0,
    precision: str = "bf16",
    bandwidth_share: float = 1.0,
    flops_share: float = 0.5,
    expert_bytes_per_weight: float | None = None,
) -> RooflineStep:
    """A prefill by the roofline: weights and cache moved once, against the arithmetic."""
    flops = prefill_flops(model, prompt_tokens, cached_tokens).total
    new = prompt_tokens - cached_tokens
    weight_bytes = touched_weight_bytes(model, new, bytes_per_weight, expert_bytes_per_weight)
    kv_bytes = model.kv_bytes(prompt_tokens, bytes_per_value)
    took = times(
        accelerator,
        moved_bytes=weight_bytes + kv_bytes,
        flops=flops,
        precision=precision,
        bandwidth_share=bandwidth_share,
        flops_share=flops_share,
    )
    return RooflineStep(weight_bytes=weight_bytes, kv_bytes=kv_bytes, flops=flops, **took)
