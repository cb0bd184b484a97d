"""Two rates that bound every program here: moving bytes, and multiplying matrices."""

from dataclasses import dataclass

from labutils.ground.arguments import whole
from labutils.measure.device import synchronizer
from labutils.measure.timer import timed
from labutils.measure.timing import Timing

COPY_BYTES = {"cpu": 2**27, "cuda": 2**30}
"""128 MiB and 1 GiB, twice (source and target): more than most caches hold."""
MATRIX_SIZE = {"cpu": 1024, "cuda": 8192}


@dataclass(frozen=True)
class Rate:
    """An amount of work, the durations that it took, and where it was done.

    ``amount`` counts bytes or floating-point operations of one run. The spread is that of the
    durations: ``low_per_s`` is the 10th percentile of the rates, ``high_per_s`` the 90th.
    """

    amount: float
    timing: Timing
    device: str

    @property
    def per_s(self) -> float:
        """The rate at the median duration."""
        return self.amount / self.timing.median_s

    @property
    def low_per_s(self) -> float:
        """One run in ten was as slow as this."""
        return self.amount / self.timing.high_s

    @property
    def high_per_s(self) -> float:
        """One run in ten was as fast as this."""
        return self.amount / self.timing.low_s


@dataclass(frozen=True)
class CopyBandwidth(Rate):
    """How fast memory is copied; each byte counts twice, once read and once written."""

    @property
    def bytes_per_s(self) -> float:
        """Bytes read and written per second."""
        return self.per_s


@dataclass(frozen=True)
class MatrixRate(Rate):
    """How fast two square matrices of numbers of type ``dtype`` are multiplied."""

    dtype: str
    size: int

    @property
    def flops_per_s(self) -> float:
        """Floating-point operations per second; a multiplication and an addition are two."""
        return self.per_s


def copy_bandwidth(
    device: str = "cpu", *, num_bytes: int | None = None, **timing_options
) -> CopyBandwidth:
    """Measure how fast ``device`` copies ``num_bytes`` (128 MiB on a processor, 1 GiB on a GPU).

    It is the memory's speed only if the arrays are too large for the caches. torch does the
    copy, with the threads it is set to use. ``timing_options`` go to ``timed``.

    Raises ``ValueError`` for a device that is neither cpu nor cuda.
    """
    import torch

    wait = synchronizer(device)
    size = whole("num_bytes", _default(COPY_BYTES, device) if num_bytes is None else num_bytes)
    source = torch.ones(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    timing = timed(lambda: target.copy_(source), synchronize=wait, **timing_options)
    return CopyBandwidth(2.0 * size, timing, str(device))


def matrix_rate(
    device: str = "cpu", *, size: int | None = None, dtype: str = "float32", **timing_options
) -> MatrixRate:
    """Measure how fast ``device`` multiplies two square matrices: 2 · size³ operations.

    ``size`` is 1024 on a processor and 8192 on a GPU; small ones do not fill the device.
    ``dtype`` is a floating-point type of torch, e.g. "float32" or "bfloat16". torch's settings
    for threads and precision stay as they are. ``timing_options`` go to ``timed``.

    Raises ``ValueError`` for another device or an unknown type.
    """
    import torch

    wait = synchronizer(device)
    n = whole("size", _default(MATRIX_SIZE, device) if size is None else size)
    kind = getattr(torch, dtype, None) if isinstance(dtype, str) else None
    if not isinstance(kind, torch.dtype) or not kind.is_floating_point:
        raise ValueError(f"dtype = {dtype!r}: expected a floating-point type, e.g. 'float32'")
    numbers = torch.Generator(device=device).manual_seed(7)
    left, right = (torch.randn(n, n, generator=numbers, device=device).to(kind) for _ in range(2))
    product = torch.empty_like(left)
    timing = timed(lambda: torch.mm(left, right, out=product), synchronize=wait, **timing_options)
    return MatrixRate(2.0 * n**3, timing, str(device), dtype, n)


def _default(sizes: dict[str, int], device: str) -> int:
    return sizes[str(device).partition(":")[0]]
