"""What a run of the simulator leaves behind."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from labutils.ground import arguments
from labutils.metrics import RequestLog, RequestRecord, RequestStatus

from .chrome_trace import write_chrome_trace
from .gaps import TokenGaps
from .outside import missed_s
from .telemetry import Telemetry
from .timeline import Timeline

Columns = dict[str, np.ndarray]
STATUSES = tuple(RequestStatus)  # a column of requests has their numbers
SEEN = ("first_token_s", "last_token_s", "finish_s")  # by a client


@dataclass(frozen=True, eq=False)
class ServingRun:
    """All requests in order of arrival, and the steps that served them.

    ``ids`` are those of the requests, ``gaps`` counts the times between their tokens. The times of
    single tokens are there if ``simulate`` was asked for them (``token_times=True``): in
    ``token_times_s``, in ``records``, and as ``log.itl_s``, which is empty without. ``rejections``
    says in words how many requests were rejected and why; it is empty if none was. ``refusals`` has
    the answer that a policy gave to each request that it refused (``Refused``), by id.
    """

    ids: Sequence[Hashable]
    rows: Columns
    requests: Columns
    stays: Columns
    gaps: TokenGaps
    times_s: np.ndarray | None
    rejections: str = ""
    refusals: Mapping[Hashable, Exception] = field(default_factory=dict)

    @property
    def steps(self) -> int:
        """Steps that ran."""
        return int(self.rows["steps"].sum())

    @property
    def busy_s(self) -> float:
        """Seconds in which a step ran."""
        return float(self.rows["duration_s"].sum())

    @cached_property
    def log(self) -> RequestLog:
        """All requests as columns."""
        columns, arrivals = self.requests, self.requests["arrival_s"]
        if not len(self.ids):
            return RequestLog.of([])
        log = RequestLog.from_times(
            arrivals,
            columns["finish_s"],
            sent_s=arrivals,
            admitted_s=self._admitted_s(),
            first_token_s=columns["first_token_s"],
            last_token_s=columns["last_token_s"],
            output_tokens=columns["output_tokens"],
            status=np.array([str(one) for one in STATUSES])[columns["status"].astype(int)],
        )
        if self.times_s is not None:
            object.__setattr__(log, "itl_s", self._gaps_s())
        return log

    @cached_property
    def telemetry(self) -> Telemetry:
        """Running, waiting, pages and more over time."""
        return Telemetry.of(self.rows)

    @cached_property
    def timeline(self) -> Timeline:
        """Queue, prefill, decode and preempted spans of every request."""
        return Timeline.of(self.requests, self.stays)

    def token_times_s(self, row: int) -> np.ndarray:
        """When each token of the request in a row of the log came out."""
        return self._times()[self._ends[row] : self._ends[row + 1]]

    def records(self) -> list[RequestRecord]:
        """One record per request, in order of arrival, with the times of its tokens."""
        log = self.log
        counts = ("prompt_tokens", "cached_tokens", "preemptions")
        return [
            RequestRecord(
                request_id,
                log.intended_arrival_s[row],
                sent_s=log.sent_s[row],
                admitted_s=log.admitted_s[row],
                token_times_s=self.token_times_s(row),
                finish_s=log.finish_s[row],
                status=str(log.status[row]),
                **{name: int(self.requests[name][row]) for name in counts},
            )
            for row, request_id in enumerate(self.ids)
        ]

    def seen_from_outside(self, *, edge_s: float = 0.0, late_steps: int = 0) -> "ServingRun":
        """The run as its clients see it: first, last and all other tokens, and the ends, are later.

        By ``edge_s`` for HTTP and tokenizer, there and back. And by ``late_steps`` = 1 where the
        engine schedules a step ahead: a request that comes while a step runs misses the next one,
        which was handed over without it. 2: two steps ahead. A missed step is taken to be as long
        as the one behind the request's first token. None is missed if the engine falls idle there,
        nor by a request that came to an idle engine.

        All tokens of a request are taken to be equally late, so TPOT and ``gaps`` stay. Left out:
        that a free place, and the return of a preempted request, come a step later too. Arrivals,
        admissions, telemetry and timeline stay the engine's. So does who gave up, and after which
        token.
        """
        edge_s = arguments.non_negative("edge_s", edge_s)
        late_steps = arguments.whole("late_steps", late_steps, at_least=0)
        later_s = edge_s + missed_s(self.rows, self.requests, late_steps)
        seen = {name: self.requests[name] + later_s for name in SEEN}
        times_s = self.times_s
        if times_s is not None:
            times_s = times_s + np.repeat(later_s, np.diff(self._ends))
        return replace(self, requests={**self.requests, **seen}, times_s=times_s)

    def chrome_trace(self, path) -> Path:
        """Write the run for chrome://tracing or ui.perfetto.dev; returns the path."""
        return write_chrome_trace(path, self.ids, self.timeline, self.telemetry)

    def _times(self) -> np.ndarray:
        if self.times_s is None:
            raise ValueError(
                "this run kept no times of single tokens: simulate(..., token_times=True) does"
            )
        return self.times_s

    @cached_property
    def _ends(self) -> np.ndarray:
        """Where the tokens of each request begin, and where the last ones end."""
        return np.append(0, np.cumsum(self.requests["output_tokens"].astype(int)))

    def _gaps_s(self) -> np.ndarray:
        """Gaps between the tokens of each request, request after request."""
        times, begins = self._times(), np.unique(self._ends)
        return np.delete(np.diff(times), begins[(begins > 0) & (begins < times.size)] - 1)

    def _admitted_s(self) -> np.ndarray:
        """When each request was admitted for the first time; NaN if it never was."""
        admitted = np.full(len(self.ids), np.nan)
        rows = self.stays["row"].astype(int)[::-1]
        admitted[rows] = self.stays["admitted_s"][::-1]
        return admitted
