"""An accelerator as a serving engine sees it: memory, bandwidth, arithmetic, link, price."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from labutils.ground import arguments

# A chip that has both 16-bit formats runs them at one rate; one that has a single one uses that.
_SIXTEEN_BIT = {"bf16": "fp16", "fp16": "bf16"}


@dataclass(frozen=True, kw_only=True)
class Accelerator:
    """Peak figures of one device, as marketed: GB = 10⁹ bytes, arithmetic dense.

    ``peak_flops`` maps a precision ("bf16", "fp8", "int8") to operations per second.
    ``link_bytes_per_s`` counts both directions of the link to other devices; None where it is PCIe
    or absent. In a mesh it is dealt to ``link_peers`` others, a wire to each; None behind a switch,
    where any other can have all of it. ``price_per_hour`` is a (low, high) range in dollars,
    illustrative only, or None.
    """

    name: str
    memory_bytes: float
    bandwidth_bytes_per_s: float
    peak_flops: Mapping[str, float] = field(hash=False)
    link: str | None = None
    link_bytes_per_s: float | None = None
    link_peers: int | None = None
    price_per_hour: tuple[float, float] | None = None
    source: str = ""
    status: str = ""
    as_of: str = ""
    note: str = ""

    def __post_init__(self):
        arguments.positive("memory_bytes", self.memory_bytes)
        arguments.positive("bandwidth_bytes_per_s", self.bandwidth_bytes_per_s)
        for precision, rate in self.peak_flops.items():
            arguments.positive(f"peak_flops[{precision!r}]", rate)

    def peak(self, precision: str = "bf16") -> float:
        """Dense operations per second; either 16-bit format stands for the other one.

        Raises ``ValueError`` for a precision in which the device has no (listed) rate.
        """
        for known in (precision, _SIXTEEN_BIT.get(precision)):
            if known in self.peak_flops:
                return self.peak_flops[known]
        raise ValueError(
            f"precision = {precision!r}: expected one that {self.name} has a rate for: "
            f"{', '.join(self.peak_flops)}"
        )

    def ridge(self, precision: str = "bf16") -> float:
        """Operations per byte at which arithmetic and memory take equally long."""
        return self.peak(precision) / self.bandwidth_bytes_per_s
