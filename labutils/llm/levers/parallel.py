"""Tensor parallelism: what it takes off a decode step, and what its all-reduces add."""

from dataclasses import dataclass

from labutils.ground import arguments
from labutils.llm.specification.accelerator import Accelerator
from labutils.llm.specification.spec import ModelSpec
from labutils.llm.steps.decode import decode_step

ALL_REDUCES_PER_LAYER = 2  # after attention and after the feed-forward (Megatron-LM, 2019)


@dataclass(frozen=True)
class ParallelStep:
    """Seconds of a decode step over several devices: reading, and the exchange after it."""

    reading_s: float
    reducing_s: float

    @property
    def time_s(self) -> float:
        """Both: an all-reduce waits for its layer, and the next layer waits for it."""
        return self.reading_s + self.reducing_s


def all_reduce_time_s(message_bytes: float, *, latency_s: float, rate_bytes_per_s: float) -> float:
    """Seconds of one all-reduce: α + message / β (Thakur, Rabenseifner and Gropp, 2005).

    β counts message bytes per second, "algbw" in the tables of nccl-tests; ``ring_rate`` gives its
    limit on a ring. At decode messages are small and α rules.
    """
    message = arguments.non_negative("message_bytes", message_bytes)
    start = arguments.non_negative("latency_s", latency_s)
    return start + message / arguments.positive("rate_bytes_per_s", rate_bytes_per_s)


def ring_rate(link_bytes_per_s: float, num_devices: int) -> float:
    """Message bytes per second of an all-reduce on a ring: link · t / (2(t − 1)).

    Each of the t devices sends 2(t − 1)/t of the message (Patarasuk and Yuan, 2009).
    ``link_bytes_per_s`` is one direction: half of what data sheets print for NVLink.
    """
    devices = arguments.whole("num_devices", num_devices, at_least=2)
    link = arguments.positive("link_bytes_per_s", link_bytes_per_s)
    return link * devices / (2 * (devices - 1))


def tensor_parallel_step(
    model: ModelSpec,
    accelerator: Accelerator,
    batch: int,
    context_tokens: float,
    *,
    num_devices: int,
    latency_s: float,
    rate_bytes_per_s: float,
    bytes_per_weight: float = 2.0,
    bytes_per_value: float = 2.0,
    bandwidth_share: float = 1.0,
) -> ParallelStep:
    """A decode step on ``num_devices``: bytes / (t · BW) + 2L · (α + message / β).

    Weights and caches are split evenly, which takes at least as many KV heads as devices; each
    layer exchanges the batch's hidden vectors (2 bytes a value) twice. Arithmetic is taken to be
    hidden behind the reading.
    """
    devices = arguments.whole("num_devices", num_devices)
    if devices > model.num_kv_heads:
        raise ValueError(
            f"num_devices = {num_devices!r}: expected at most num_kv_heads = {model.num_kv_heads}"
        )
    one = decode_step(
        model,
        accelerator,
        batch,
        context_tokens,
        bytes_per_weight=bytes_per_weight,
        bytes_per_value=bytes_per_value,
        bandwidth_share=bandwidth_share,
    )
    message = 2 * batch * model.hidden_size
    reduce = all_reduce_time_s(message, latency_s=latency_s, rate_bytes_per_s=rate_bytes_per_s)
    exchanges = ALL_REDUCES_PER_LAYER * model.layers if devices > 1 else 0
    return ParallelStep(one.bytes_time_s / devices, exchanges * reduce)
