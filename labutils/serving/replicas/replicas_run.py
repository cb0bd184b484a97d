"""What a run over many replicas leaves behind."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labutils.metrics import RequestLog
from labutils.serving.runs import ServingRun
from labutils.serving.runs.gaps import TokenGaps


@dataclass(frozen=True, eq=False)
class ReplicasRun:
    """All requests in order of arrival: row i went to ``replica[i]``.

    Where clients try again there is a row for each attempt: ``attempts`` says of which request it
    is (``origin``) and which one (``number``, from 1).

    ``runs`` has a ``ServingRun`` for each replica, of the requests that it got, in that order.

    ``scaling`` has a row for each decision of an autoscaler: ``at_s``, how many replicas were
    ``wanted``, and how many were ``up`` and ``booting`` behind it; None without. ``replica_s`` are
    the seconds that are paid: of each replica from its order (0 for the first ones) until it has
    drained, or to the end of the run; without an autoscaler all of them all the time.
    """

    ids: Sequence[Hashable]
    replica: np.ndarray
    runs: tuple[ServingRun, ...]
    attempts: np.ndarray
    scaling: np.recarray | None
    replica_s: float

    @cached_property
    def requests(self) -> dict[str, np.ndarray]:
        """The columns of all replicas' requests, in order of arrival."""
        return {name: self._spread(name) for name in self.runs[0].requests}

    @cached_property
    def log(self) -> RequestLog:
        """All requests as columns."""
        return self._together.log

    @cached_property
    def clients(self) -> RequestLog:
        """Each request once: its last attempt, counted from when it was sent for the first time."""
        if not len(self.attempts):
            return self.log
        numbers, origins = self.attempts["number"], self.attempts["origin"]
        firsts = np.flatnonzero(numbers == 1)  # in order of arrival
        lasts = np.zeros(firsts.size, dtype=int)
        lasts[origins] = np.arange(origins.size)  # of equal origins the later one stays
        log, sent_s = self.log, self.log.sent_s[firsts]
        return RequestLog.from_times(
            sent_s, log.finish_s[lasts], sent_s=sent_s, admitted_s=log.admitted_s[lasts],
            first_token_s=self.requests["first_token_s"][lasts],
            last_token_s=self.requests["last_token_s"][lasts],
            output_tokens=log.output_tokens[lasts], status=log.status[lasts],
        )  # fmt: skip

    @cached_property
    def gaps(self) -> TokenGaps:
        """The times between tokens, of all requests."""
        counts = np.sum([run.gaps.counts for run in self.runs], axis=0)
        return TokenGaps(counts, max(run.gaps.longest_s for run in self.runs))

    @property
    def lost(self) -> int:
        """Requests that came to nothing because a replica crashed: their last attempt failed."""
        return int((self.clients.status == "failed").sum())

    def rows_of(self, replica: int) -> np.ndarray:
        """Which requests a replica got."""
        return np.flatnonzero(self.replica == replica)

    @property
    def hit_share(self) -> float:
        """The share of all prompt tokens that was found in a cache; of requests that started."""
        started = np.isfinite(self.log.admitted_s)
        prompt = self.requests["prompt_tokens"][started].sum()
        return float(self.requests["cached_tokens"][started].sum() / max(prompt, 1))

    @cached_property
    def _together(self) -> ServingRun:
        stays = [run.stays | {"row": self.rows_of(at)[run.stays["row"].astype(int)]}
                 for at, run in enumerate(self.runs)]  # fmt: skip
        stays = {name: np.concatenate([one[name] for one in stays]) for name in stays[0]}
        return ServingRun(self.ids, {}, self.requests, stays, self.gaps, None)

    def _spread(self, name: str) -> np.ndarray:
        column = np.empty(self.replica.size, dtype=self.runs[0].requests[name].dtype)
        for at, run in enumerate(self.runs):
            column[self.replica == at] = run.requests[name]
        return column
