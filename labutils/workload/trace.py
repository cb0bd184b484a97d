"""Requests as columns: when each arrives and how long its prompt and its answer are."""

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral

import numpy as np

from labutils.ground.arguments import positive, whole

from .key_numbers import KeyNumbers
from .summary import TraceSummary

MOST_REQUESTS, MOST_TOKENS = 50_000_000, 2**53


@dataclass(frozen=True, eq=False)
class RequestTrace:
    """``arrival_s`` (seconds, ascending) with ``prompt_tokens`` and ``output_tokens`` of each.

    ``prefix_keys``, where known, holds for each request the chained keys of its prompt's blocks of
    ``prefix_page_tokens`` tokens: equal keys mean an equal prefix up to and including that block.
    ``note`` says what a reader should know about the numbers. Columns are read-only.

    ``ValueError`` names the first row that is out of order or holds no token.
    """

    arrival_s: np.ndarray
    prompt_tokens: np.ndarray
    output_tokens: np.ndarray
    prefix_keys: tuple[tuple[Hashable, ...], ...] | None = None
    prefix_page_tokens: int | None = None
    name: str = "trace"
    note: str = ""

    def __post_init__(self):
        arrival_s = _floats("arrival_s", self.arrival_s)
        _require(arrival_s, "arrival_s", np.isfinite(arrival_s), "a finite time")
        ascends = np.diff(arrival_s, prepend=-math.inf) >= 0
        _require(arrival_s, "arrival_s", ascends, "a time no earlier than the one before")
        self._keep("arrival_s", arrival_s)
        for name in ("prompt_tokens", "output_tokens"):
            self._keep(name, _tokens(name, getattr(self, name), len(arrival_s)))
        if (self.prefix_keys is None) != (self.prefix_page_tokens is None):
            raise ValueError("prefix_keys, prefix_page_tokens: expected both or neither")
        if self.prefix_keys is not None and len(self.prefix_keys) != len(arrival_s):
            raise ValueError(f"prefix_keys: expected {len(arrival_s)}, got {len(self.prefix_keys)}")
        if self.prefix_page_tokens is not None:
            whole("prefix_page_tokens", self.prefix_page_tokens)

    @cached_property
    def key_numbers(self) -> KeyNumbers:
        """The ``prefix_keys`` as numbers, worked out once; ``ValueError`` where there are none."""
        if self.prefix_keys is None:
            raise ValueError("prefix_keys = None: expected a trace that names its blocks")
        return KeyNumbers.of(self.prefix_keys)

    def _keep(self, name: str, column: np.ndarray) -> None:
        column.setflags(write=False)
        object.__setattr__(self, name, column)

    def __len__(self) -> int:
        return len(self.arrival_s)

    @property
    def duration_s(self) -> float:
        """Seconds from the first arrival to the last."""
        return float(self.arrival_s[-1] - self.arrival_s[0]) if len(self) else 0.0

    @property
    def rate_per_s(self) -> float:
        """Requests per second: gaps by duration. NaN for fewer than two, inf for all at once."""
        if len(self) < 2:
            return math.nan
        return (len(self) - 1) / self.duration_s if self.duration_s else math.inf

    @property
    def gap_cv(self) -> float:
        """Standard deviation of the gaps by their mean; about 1 for a Poisson process."""
        if len(self) < 3 or not self.duration_s:
            return math.nan
        gaps = np.diff(self.arrival_s)
        return float(gaps.std() / gaps.mean())

    def take(self, n: int) -> "RequestTrace":
        """The first ``n`` requests (all of them where there are fewer)."""
        n = whole("n", n)
        keys = None if self.prefix_keys is None else self.prefix_keys[:n]
        return replace(
            self,
            arrival_s=self.arrival_s[:n],
            prompt_tokens=self.prompt_tokens[:n],
            output_tokens=self.output_tokens[:n],
            prefix_keys=keys,
        )

    def scaled(self, rate_factor: float) -> "RequestTrace":
        """The same requests, arriving ``rate_factor`` times as fast, from the same first moment."""
        factor = positive("rate_factor", rate_factor)
        start = self.arrival_s[:1]
        return replace(self, arrival_s=start + (self.arrival_s - start) / factor)

    def summary(self) -> TraceSummary:
        """Size, rate, burstiness, lengths and shared prefixes; ``print`` it."""
        return TraceSummary.of(self)


def uniform_trace(
    num_requests: int, *, rate_per_s: float, prompt_tokens: int, output_tokens: int
) -> RequestTrace:
    """Equal requests at equal gaps, the first at 0: a toy. ``rate_per_s=math.inf``: all at once."""
    n = whole("num_requests", num_requests, at_most=MOST_REQUESTS)
    gap_s = 0.0
    if rate_per_s != math.inf:
        gap_s = positive("1 / rate_per_s", 1 / positive("rate_per_s", rate_per_s))
    return RequestTrace(
        arrival_s=np.arange(n) * gap_s,
        prompt_tokens=np.full(n, whole("prompt_tokens", prompt_tokens, at_most=MOST_TOKENS)),
        output_tokens=np.full(n, whole("output_tokens", output_tokens, at_most=MOST_TOKENS)),
        name="uniform",
    )


def _floats(name: str, values) -> np.ndarray:
    try:
        return np.array(values, dtype=float)
    except (OverflowError, TypeError) as error:
        raise ValueError(f"{name}: expected numbers ({error})") from None


def _tokens(name: str, values, expected: int) -> np.ndarray:
    column = np.array(values)
    if column.shape != (expected,):
        raise ValueError(f"{name}: expected {expected} numbers, got shape {column.shape}")
    if column.dtype == object:  # whole numbers too large for 64 bits, or no numbers at all
        good = np.array([_is_count(value) for value in column], dtype=bool)
        _require(column, name, good, f"a whole number from 1 to 2**53 = {MOST_TOKENS}")
    with np.errstate(invalid="ignore"):  # NaN is refused below, by row
        as_whole = column.astype(np.int64)
    _require(column, name, (as_whole == column) & (as_whole >= 1), "a whole number of at least 1")
    return as_whole


def _is_count(value) -> bool:
    return isinstance(value, Integral) and 1 <= value <= MOST_TOKENS


def _require(column: np.ndarray, name: str, good: np.ndarray, expected: str) -> None:
    if column.ndim != 1:
        raise ValueError(f"{name}: expected one dimension, got shape {column.shape}")
    if not good.all():
        at = int(np.flatnonzero(~good)[0])
        raise ValueError(f"{name}[{at}] = {column[at]}: expected {expected}")
