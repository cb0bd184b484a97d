"""The records of many requests as columns, and the rates that follow from them."""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from . import columns
from .definitions import LatencyDefinitions
from .record import RequestRecord
from .status import RequestStatus


@dataclass(frozen=True, eq=False)
class RequestLog(LatencyDefinitions):
    """One row per request: the times of ``RequestRecord`` as arrays, in any order of rows.

    Make one with ``RequestLog.of(records)`` or ``RequestLog.from_times(columns)``. Its latencies
    (``ttft_s``, ``tpot_s``, ``e2e_s`` and those from the send) are columns too, by the same
    definitions as a record's. ``itl_s`` holds the gaps between tokens of all requests in one flat
    array, where the times of single tokens were kept.

    **Failed requests.** They stay in the columns: ``e2e_s`` of one is the time until it failed, NaN
    if it has no end. So a percentile over the whole column takes quick failures for quick answers,
    and one over ``e2e_s[log.ok]`` forgets them; for the users' percentile say
    ``labutils.metrics.latency.percentile_of_all(log.e2e_s[log.ok], (~log.ok).sum(), q)``, in which
    they are infinitely late. Throughput and goodput count answers alone; arrivals and requests in
    flight count all.

    **Windows** run from ``from_s`` to before ``to_s``, so that adjacent ones count each event once.
    """

    intended_arrival_s: np.ndarray
    sent_s: np.ndarray
    admitted_s: np.ndarray
    first_token_s: np.ndarray
    last_token_s: np.ndarray
    finish_s: np.ndarray
    output_tokens: np.ndarray
    status: np.ndarray
    itl_s: np.ndarray = field(default_factory=lambda: np.empty(0))

    @classmethod
    def of(cls, records: Iterable[RequestRecord]) -> "RequestLog":
        """The log of ``records``; their order is that of the rows. It may be empty."""
        rows = list(records)
        times = {
            name: np.array([getattr(row, name) for row in rows], dtype=float)
            for name in columns.TIMES
        }
        tokens = np.array([row.output_tokens for row in rows], dtype=np.int64)
        status = np.array([str(row.status) for row in rows], dtype=columns.STATUS)
        gaps = np.concatenate([np.empty(0), *(row.itl_s for row in rows)])
        return cls(**times, output_tokens=tokens, status=status, itl_s=gaps)

    @classmethod
    def from_times(
        cls,
        intended_arrival_s,
        finish_s,
        *,
        sent_s=None,
        admitted_s=None,
        first_token_s=None,
        last_token_s=None,
        output_tokens=None,
        status=None,
    ) -> "RequestLog":
        """A log from columns, one value per request; NaN where a time was not reached.

        A column left out was not reached by any request. The exceptions: ``last_token_s`` is
        ``finish_s`` where the first token is known, ``output_tokens`` are 0 and ``status`` is
        "ok" for all. Raises ``ValueError`` naming the first row whose times run backwards, or
        that is "ok" without a finish, and for columns that are infinite or unequally long.
        """
        given = (intended_arrival_s, sent_s, admitted_s, first_token_s, last_token_s, finish_s)
        times = columns.ordered_times(dict(zip(columns.TIMES, given, strict=True)))
        if last_token_s is None:
            no_token = np.isnan(times["first_token_s"])
            times["last_token_s"] = np.where(no_token, np.nan, times["finish_s"])
        n = times["intended_arrival_s"].size
        tokens, ends = columns.token_counts(output_tokens, n), columns.statuses(status, n)
        columns.check_finished(times["finish_s"], ends)
        return cls(**times, output_tokens=tokens, status=ends)

    def __len__(self) -> int:
        """Number of requests."""
        return self.intended_arrival_s.size

    def arrival_rate_per_s(self, from_s: float, to_s: float) -> float:
        """Requests meant to arrive in the window, per second: λ of what users ask for."""
        return self._rate(self.intended_arrival_s, from_s, to_s)

    def throughput_per_s(self, from_s: float, to_s: float) -> float:
        """Answers finished in the window, per second."""
        return self._rate(self.finish_s[self.ok], from_s, to_s)

    def goodput_per_s(
        self, from_s: float, to_s: float, *, ttft_s=None, tpot_s=None, e2e_s=None
    ) -> float:
        """Answers finished in the window that ``meets`` every limit given, per second."""
        good = self.meets(ttft_s=ttft_s, tpot_s=tpot_s, e2e_s=e2e_s)
        return self._rate(self.finish_s[good], from_s, to_s)

    def token_throughput_per_s(self, from_s: float, to_s: float) -> float:
        """Output tokens of the answers finished in the window, per second.

        A request's tokens all count at its finish, as benchmarks do; so the window should be
        long against a single request.
        """
        width = columns.window_width(from_s, to_s)
        inside = self.ok & (from_s <= self.finish_s) & (self.finish_s < to_s)
        return float(self.output_tokens[inside].sum() / width)

    def mean_in_flight(self, from_s: float, to_s: float) -> float:
        """Mean number of requests between intended arrival and end, over the window.

        The stays are clipped at both edges of the window: this is the area under the number in
        flight, divided by the window, L of Little's law (Little 1961). A request without an end
        is in flight from its arrival on, unless it was rejected: then it never was.
        """
        width = columns.window_width(from_s, to_s)
        unended = np.where(self.status == RequestStatus.REJECTED, self.intended_arrival_s, to_s)
        end_s = np.where(np.isnan(self.finish_s), unended, self.finish_s)
        stay_s = np.clip(end_s, from_s, to_s) - np.clip(self.intended_arrival_s, from_s, to_s)
        return float(stay_s.sum() / width)

    def _rate(self, event_s: np.ndarray, from_s: float, to_s: float) -> float:
        width = columns.window_width(from_s, to_s)
        return float(np.count_nonzero((from_s <= event_s) & (event_s < to_s)) / width)
