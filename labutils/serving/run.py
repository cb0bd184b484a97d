"""What a run of the simulator leaves behind."""

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from labutils.metrics import RequestLog, RequestRecord

from .chrome_trace import write_chrome_trace
from .recorder import STATUSES
from .telemetry import Telemetry
from .timeline import Timeline

Columns = dict[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class ServingRun:
    """All requests in order of arrival, and the steps that served them.

    ``ids`` are those of the requests. The rest is derived from what the simulator noted, when it is
    asked for: the time of each single token, for instance, from the number of its step.
    """

    ids: tuple[Hashable, ...]
    _steps: Columns
    _requests: Columns
    _stays: Columns
    _pieces: Columns

    @property
    def steps(self) -> int:
        """Steps that ran, each step of a jump counted."""
        return int(self._steps["steps"].sum())

    @property
    def busy_s(self) -> float:
        """Seconds in which a step ran."""
        return float(self.telemetry.duration_s.sum())

    @cached_property
    def log(self) -> RequestLog:
        """All requests as columns, with every gap between tokens in ``log.itl_s``."""
        return replace(self.log_without_gaps, itl_s=self._gaps())

    @cached_property
    def log_without_gaps(self) -> RequestLog:
        """The same with an empty ``itl_s``: for very long runs, whose gaps fill gigabytes."""
        if not self.ids:
            return RequestLog.of([])
        columns = self._requests
        arrivals, tokens = columns["arrival_s"], columns["output_tokens"]
        last = np.where(tokens > 0, np.fmin(self._last_token_s(), self._finish()), np.nan)
        return RequestLog.from_times(
            arrivals,
            columns["finish_s"],
            sent_s=arrivals,
            admitted_s=self._admitted_s(),
            first_token_s=columns["first_token_s"],
            last_token_s=np.fmax(last, columns["first_token_s"]),
            output_tokens=tokens,
            status=np.array([str(one) for one in STATUSES])[columns["status"].astype(int)],
        )

    @cached_property
    def telemetry(self) -> Telemetry:
        """Running, waiting, pages and more over time."""
        return Telemetry.of(self._steps)

    @cached_property
    def timeline(self) -> Timeline:
        """Queue, prefill, decode and preempted spans of every request."""
        return Timeline.of(self._requests, self._stays)

    def token_times_s(self, row: int) -> np.ndarray:
        """When each token of the request in a row of the log came out."""
        first, end = np.searchsorted(self._pieces["row"], (row, row + 1))
        return np.minimum(self._times_of_pieces(first, end), self._finish()[row])

    def records(self) -> list[RequestRecord]:
        """One record per request, in order of arrival, with the times of its tokens."""
        log = self.log_without_gaps
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
                **{name: int(self._requests[name][row]) for name in counts},
            )
            for row, request_id in enumerate(self.ids)
        ]

    def chrome_trace(self, path) -> Path:
        """Write the run for chrome://tracing or ui.perfetto.dev; returns the path."""
        return write_chrome_trace(path, self.ids, self.timeline, self.telemetry)

    @cached_property
    def _step_ends_s(self) -> np.ndarray:
        """When each single step with decodes ended, in order."""
        decoded = self._steps["decode_sequences"] > 0
        names = ("time_s", "first_s", "growth_s", "steps")
        time_s, first_s, growth_s, steps = (self._steps[name][decoded] for name in names)
        steps = steps.astype(int)
        # In place, since a million requests take tens of millions of steps.
        k = np.arange(1.0, steps.sum() + 1)
        k -= np.repeat(np.cumsum(steps) - steps, steps)
        ends_s = np.repeat(first_s, steps)
        ends_s *= k
        ends_s += np.repeat(time_s, steps)
        k *= k - 1
        k *= np.repeat(growth_s / 2, steps)
        ends_s += k
        return ends_s

    def _times_of_pieces(self, first: int, end: int) -> np.ndarray:
        pieces = (self._pieces[name][first:end] for name in ("token_s", "first_step", "end_step"))
        times = [np.empty(0)]
        for token_s, first_step, end_step in zip(*(column.tolist() for column in pieces)):
            if token_s == token_s:  # not NaN
                times.append([token_s])
            times.append(self._step_ends_s[int(first_step) : int(end_step)])
        return np.concatenate(times)

    def _gaps(self) -> np.ndarray:
        """Gaps between the tokens of each request, request after request."""
        times = self._times_of_pieces(0, self._pieces["row"].size)
        begins = np.unique(np.cumsum(self._requests["output_tokens"].astype(int)))
        begins = begins[(begins > 0) & (begins < times.size)]
        return np.maximum(np.delete(np.diff(times), begins - 1), 0.0)

    def _last_token_s(self) -> np.ndarray:
        """When the last token of each request came out; NaN without one."""
        last = np.full(len(self.ids), np.nan)
        ends = self._pieces["end_step"].astype(int)
        in_steps = ends > self._pieces["first_step"]
        times = self._pieces["token_s"].copy()
        times[in_steps] = self._step_ends_s[ends[in_steps] - 1]
        last[self._pieces["row"].astype(int)] = times  # the last piece of a request wins
        return last

    def _admitted_s(self) -> np.ndarray:
        """When each request was admitted for the first time; NaN if it never was."""
        admitted = np.full(len(self.ids), np.nan)
        rows = self._stays["row"].astype(int)[::-1]
        admitted[rows] = self._stays["admitted_s"][::-1]
        return admitted

    def _finish(self) -> np.ndarray:
        finish = self._requests["finish_s"]
        return np.where(np.isnan(finish), np.inf, finish)
