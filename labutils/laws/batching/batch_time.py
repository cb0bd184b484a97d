"""How long a batch takes, as a function of how many requests are in it: three models.

Every model is called with a batch size (or an array of them) and returns seconds. Sizes may be
fractions, so that a curve can be drawn or a mean batch be put in; none is below 1.
"""

import math
from dataclasses import dataclass

import numpy as np

from labutils.ground import arguments


class BatchTime:
    """What the models share: a subclass is a frozen dataclass with ``_time_s`` and ``limit_per_s``.

    ``limit_per_s`` is the throughput that no batch size exceeds, in requests per second.
    """

    limit_per_s: float

    def __call__(self, batch):
        """Seconds for one batch of ``batch`` requests: a float for a number, else an array.

        Raises ``ValueError`` for a size that is below 1 or not finite.
        """
        if np.ndim(batch) == 0:
            return float(self._time_s(_at_least_one("batch", batch)))
        sizes = arguments.sample("batch", batch)
        _at_least_one(f"batch[{int(sizes.argmin())}]", float(sizes.min()))
        return self._time_s(sizes)

    def throughput_per_s(self, batch):
        """Requests per second of a server that is never idle and always runs ``batch`` at once."""
        return np.asarray(batch, dtype=float)[()] / self(batch)

    def _time_s(self, batch):
        raise NotImplementedError

    def _clean(self, *, positive: tuple[str, ...] = (), non_negative: tuple[str, ...] = ()) -> None:
        for name in positive:
            object.__setattr__(self, name, arguments.positive(name, getattr(self, name)))
        for name in non_negative:
            object.__setattr__(self, name, arguments.non_negative(name, getattr(self, name)))


@dataclass(frozen=True)
class AffineBatchTime(BatchTime):
    """A fixed cost and a price per request: fixed_s + per_item_s · B seconds.

    The fixed part (weights read, kernels launched) is shared by the batch. Throughput
    B / (fixed_s + per_item_s · B) rises towards 1 / per_item_s and never gets there.
    Raises ``ValueError`` for a negative cost, or when both are 0.
    """

    fixed_s: float
    per_item_s: float

    def __post_init__(self):
        self._clean(non_negative=("fixed_s", "per_item_s"))
        arguments.positive("fixed_s + per_item_s", self.fixed_s + self.per_item_s)

    @property
    def limit_per_s(self) -> float:
        """1 / per_item_s; infinite if a request costs nothing of its own."""
        return _inverse(self.per_item_s)

    def _time_s(self, batch):
        return self.fixed_s + self.per_item_s * batch


@dataclass(frozen=True)
class LogBatchTime(BatchTime):
    """A rule of thumb: single_s · (1 + alpha · ln B) seconds.

    It promises unbounded throughput: B / ln B grows for ever, while every device runs out of
    arithmetic. Use it inside the range where it was fitted, or to show why one should not.
    """

    single_s: float
    alpha: float

    def __post_init__(self):
        self._clean(positive=("single_s",), non_negative=("alpha",))

    @property
    def limit_per_s(self) -> float:
        """Infinite: the model knows no limit."""
        return math.inf

    def _time_s(self, batch):
        return self.single_s * (1 + self.alpha * np.log(batch))


@dataclass(frozen=True)
class RooflineBatchTime(BatchTime):
    """The longer of two times, and an overhead: max(bytes_s, per_item_s · B) + overhead_s seconds.

    ``bytes_s`` is the time to move what the whole batch shares (the weights); ``per_item_s`` is
    the arithmetic of one request. The step is flat up to ``ridge_batch`` and then grows by
    ``per_item_s`` a request. Source: the roofline of Williams, Waterman and Patterson (2009).
    """

    bytes_s: float
    per_item_s: float
    overhead_s: float = 0.0

    def __post_init__(self):
        self._clean(non_negative=("bytes_s", "per_item_s", "overhead_s"))
        arguments.positive("bytes_s + per_item_s", self.bytes_s + self.per_item_s)

    @property
    def ridge_batch(self) -> float:
        """The batch at which arithmetic takes as long as moving the bytes (may be below 1)."""
        return self.bytes_s * _inverse(self.per_item_s) if self.bytes_s else 0.0

    @property
    def limit_per_s(self) -> float:
        """1 / per_item_s; infinite if a request needs no arithmetic."""
        return _inverse(self.per_item_s)

    def _time_s(self, batch):
        return np.maximum(self.bytes_s, self.per_item_s * batch) + self.overhead_s


def _inverse(seconds: float) -> float:
    return 1 / seconds if seconds else math.inf


def _at_least_one(name: str, value) -> float:
    size = arguments.positive(name, value[()] if isinstance(value, np.ndarray) else value)
    if size < 1:
        raise ValueError(f"{name} = {size:.12g}: expected a batch of at least 1 request")
    return size
