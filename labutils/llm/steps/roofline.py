"""The roofline: bytes over bandwidth against operations over peak; the longer one is the time."""

from dataclasses import dataclass

from labutils.ground.arguments import share
from labutils.llm.specification.accelerator import Accelerator


@dataclass(frozen=True, kw_only=True)
class RooflineStep:
    """Bytes and operations of one step, and the least time they take on a device.

    Reading and computing overlap, so that a step takes the longer of both times (Williams, Waterman
    and Patterson, "Roofline", CACM 2009). Launching the step is left out.
    """

    weight_bytes: float
    kv_bytes: float
    flops: float
    bytes_time_s: float
    flops_time_s: float

    @property
    def time_s(self) -> float:
        """The longer of the two times."""
        return max(self.bytes_time_s, self.flops_time_s)

    @property
    def binding(self) -> str:
        """What the step waits for: "bytes" or "flops"."""
        return "bytes" if self.bytes_time_s >= self.flops_time_s else "flops"


def times(
    accelerator: Accelerator,
    *,
    moved_bytes: float,
    flops: float,
    precision: str,
    bandwidth_share: float,
    flops_share: float,
) -> dict[str, float]:
    """``bytes_time_s`` and ``flops_time_s`` at these shares of bandwidth and peak."""
    bandwidth = accelerator.bandwidth_bytes_per_s * share("bandwidth_share", bandwidth_share)
    rate = accelerator.peak(precision) * share("flops_share", flops_share)
    return {"bytes_time_s": moved_bytes / bandwidth, "flops_time_s": flops / rate}
