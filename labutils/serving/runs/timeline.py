"""Who was where when: the life of every request as spans."""

from dataclasses import dataclass

import numpy as np

PHASES = ("queue", "prefill", "decode", "preempted")


@dataclass(frozen=True, eq=False)
class Timeline:
    """One row per span, ordered by request and time: ``request`` is its row in the run's log.

    A request waits in the *queue*, then *prefill*s from its admission to the step that computes its
    last known token, then *decode*s. If it loses its memory it is *preempted* until it is admitted
    again. A request that the run left unfinished, or whose client gave up while it had no memory,
    has no span after its last event.
    """

    request: np.ndarray
    phase: np.ndarray
    start_s: np.ndarray
    end_s: np.ndarray

    @classmethod
    def of(cls, requests: dict[str, np.ndarray], stays: dict[str, np.ndarray]) -> "Timeline":
        """From the recorder's columns, both in order of arrival."""
        row, admitted = stays["row"].astype(int), stays["admitted_s"]
        caught_up, left = stays["caught_up_s"], stays["left_s"]
        again = np.zeros(row.size, dtype=bool)
        again[1:] = row[1:] == row[:-1]
        waited_from = requests["arrival_s"][row]
        waited_from[again] = left[:-1][again[1:]]
        prefilled_to = np.where(np.isnan(caught_up), left, caught_up)
        spans = [
            (np.where(again, "preempted", "queue"), waited_from, admitted),
            (np.full(row.size, "prefill", dtype="<U9"), admitted, prefilled_to),
            (np.full(row.size, "decode", dtype="<U9"), caught_up, left),
        ]
        phase, start, end = (np.stack(one, axis=1).ravel() for one in zip(*spans))
        exists = ~np.isnan(start) & ~np.isnan(end) & (end >= start)
        return cls(np.repeat(row, 3)[exists], phase[exists], start[exists], end[exists])

    def __len__(self) -> int:
        return self.request.size

    def total_s(self, phase: str) -> float:
        """Seconds that requests spent in a phase, summed."""
        if phase not in PHASES:
            raise ValueError(f"phase = {phase!r}: expected one of {', '.join(PHASES)}")
        of = self.phase == phase
        return float((self.end_s[of] - self.start_s[of]).sum())

    def lanes(self) -> np.ndarray:
        """A lane for each span: the lowest that is free while its request runs; -1 while it waits.

        A stay keeps its lane from admission to the end, so lanes are the places of a batch.
        """
        lane_of_span = np.full(len(self), -1)
        busy_until: list[float] = []
        for span in np.argsort(self.start_s, kind="stable"):
            if self.phase[span] == "prefill":
                end = self._end_of_stay(span)
                lane = next((i for i, t in enumerate(busy_until) if t <= self.start_s[span]), None)
                if lane is None:
                    lane = len(busy_until)
                    busy_until.append(end)
                busy_until[lane] = end
                lane_of_span[span] = lane
        decode = np.flatnonzero(self.phase == "decode")
        lane_of_span[decode] = lane_of_span[decode - 1]
        return lane_of_span

    def _end_of_stay(self, prefill_span: int) -> float:
        after = prefill_span + 1
        if after < len(self) and self.phase[after] == "decode":
            return float(self.end_s[after])
        return float(self.end_s[prefill_span])
