"""Something to measure: a feed-forward block that picks its routine when it meets a shape."""

import time
from collections.abc import Callable

from labutils.ground.arguments import positive, whole
from labutils.measure.device import synchronizer

TRIES = 2

Routine = Callable[..., object]
Trial = tuple[Routine, Callable[[], float | None]]
"""A routine, and what tells how long its trials took."""


class TunedBlock:
    """``block(rows)``: ``rows`` rows through two matrices, [hidden, ffn] and back.

    There are several ways to multiply the same matrices. For a number of rows that it has not
    seen, the block tries each of them ``TRIES`` times and keeps the quickest, as cuDNN in its
    benchmark mode, compilers and autotuned kernels do. So the first call of every shape is cold.
    On a GPU the trials are queued like all work, and the choice is made when their times are known.
    """

    def __init__(
        self,
        *,
        hidden: int = 1024,
        ffn: int = 4096,
        seed: int = 0,
        dtype: str = "float32",
        device: str = "cpu",
    ):
        import torch

        self._on_gpu = synchronizer(device) is not None
        self.hidden, self.ffn = whole("hidden", hidden), whole("ffn", ffn)
        numbers = torch.Generator(device).manual_seed(seed)
        options = {"generator": numbers, "device": device}
        kind = getattr(torch, dtype)
        self._up = (torch.randn(ffn, hidden, **options) / hidden**0.5).to(kind)
        self._down = (torch.randn(hidden, ffn, **options) / ffn**0.5).to(kind)
        self._input = torch.randn(1, hidden, **options).to(kind)
        self._trials: dict[int, list[Trial]] = {}

    def __call__(self, rows: int):
        """[rows, hidden]: the same row, ``rows`` times, through the block."""
        import torch

        with torch.inference_mode():
            values = self._input.expand(whole("rows", rows), -1).contiguous()
            if rows not in self._trials:
                self._trials[rows] = [self._tried(routine, values) for routine in self._routines()]
            return self._quickest(rows)(values)

    def forget(self) -> None:
        """Be cold again: forget which routine is quickest for which shape."""
        self._trials.clear()

    @property
    def weight_bytes(self) -> int:
        """Bytes of the two matrices."""
        return sum(m.numel() * m.element_size() for m in (self._up, self._down))

    def flops(self, rows: int) -> float:
        """Operations of a pass: two for every weight and row."""
        return 4.0 * self.hidden * self.ffn * whole("rows", rows)

    def floor_s(self, rows: int, *, bandwidth: float, flops_per_s: float) -> float:
        """The least time of a pass (Williams, Waterman and Patterson 2009): weights or arithmetic.

        ``bandwidth`` is in bytes per second.
        """
        reading = self.weight_bytes / positive("bandwidth", bandwidth)
        return max(reading, self.flops(rows) / positive("flops_per_s", flops_per_s))

    def _quickest(self, rows: int) -> Routine:
        """The routine with the shortest trial; the first one while not all are known."""
        timed = [(took_s(), routine) for routine, took_s in self._trials[rows]]
        if any(seconds is None for seconds, _ in timed):
            return timed[0][1]
        return min(timed, key=lambda trial: trial[0])[1]

    def _tried(self, routine: Routine, values) -> Trial:
        if self._on_gpu:
            return routine, _queued(routine, values)
        begin = time.perf_counter()
        for _ in range(TRIES):
            routine(values)
        seconds = time.perf_counter() - begin
        return routine, lambda: seconds

    def _routines(self) -> tuple[Routine, ...]:
        return self._rows_times_weights, self._weights_times_rows, self._in_parts

    def _rows_times_weights(self, values):
        return (values @ self._up.T).relu() @ self._down.T

    def _weights_times_rows(self, values):
        return (self._down @ (self._up @ values.T).relu()).T

    def _in_parts(self, values):
        import torch

        parts = values.chunk(4)
        return torch.cat([self._rows_times_weights(part) for part in parts])


def _queued(routine: Routine, values) -> Callable[[], float | None]:
    """Queue the trials on the GPU; return what tells their time, ``None`` until they are done."""
    import torch

    begun, ended = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begun.record()
    for _ in range(TRIES):
        routine(values)
    ended.record()
    return lambda: begun.elapsed_time(ended) if ended.query() else None
