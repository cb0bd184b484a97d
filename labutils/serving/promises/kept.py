"""Which promise each request kept, and what each kind of request got."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from labutils.metrics import RequestLog, RequestRecord, RequestStatus

from .promises import Promises


class Share(NamedTuple):
    """What the requests of one kind got: counts of requests, and the worst wait in seconds."""

    requests: int
    kept: int
    kept_ttft: int
    kept_tpot: int
    refused: int
    worst_ttft_s: float

    @property
    def share(self) -> float:
        """Of its requests, those that kept all they were promised."""
        return self.kept / self.requests if self.requests else float("nan")


@dataclass(frozen=True, eq=False)
class Kept:
    """A run held against its promises, one row for each request in the order of the log.

    ``ttft`` and ``tpot`` say whether that promise was kept; a request that was not answered keeps
    none, and an answer of one token keeps any TPOT (``labutils.metrics``). ``all`` is what goodput
    counts. ``refused`` requests were rejected when they arrived.
    """

    log: RequestLog
    ids: Sequence[Hashable]
    promises: Promises
    kinds: np.ndarray
    ttft: np.ndarray
    tpot: np.ndarray

    @classmethod
    def of(cls, run, promises: Promises) -> "Kept":
        """Hold ``run``, which has a ``log`` and the ``ids`` of its rows, against ``promises``."""
        column = promises.column
        ttft = run.log.meets(ttft_s=column("ttft_s", run.ids)) if run.ids else np.empty(0, bool)
        tpot = run.log.meets(tpot_s=column("tpot_s", run.ids)) if run.ids else np.empty(0, bool)
        return cls(run.log, run.ids, promises, column("kind", run.ids), ttft, tpot)

    @property
    def all(self) -> np.ndarray:
        """Whether every promise to the request was kept."""
        return self.ttft & self.tpot

    @property
    def refused(self) -> np.ndarray:
        """Whether each request was refused when it arrived."""
        return self.log.status == RequestStatus.REJECTED

    @property
    def share(self) -> float:
        """Of all requests, those that kept all they were promised."""
        return float(self.all.mean()) if len(self.ids) else float("nan")

    def goodput_per_s(self, from_s: float, to_s: float) -> float:
        """Answers that kept all they were promised and finished in the window, per second."""
        limits = {name: self.promises.column(name, self.ids) for name in ("ttft_s", "tpot_s")}
        return self.log.goodput_per_s(from_s, to_s, **limits)

    def by_kind(self) -> dict[str, Share]:
        """What each kind got, in the order of their names."""
        return {str(kind): self._share(self.kinds == kind) for kind in np.unique(self.kinds)}

    def tagged(self, records: Sequence[RequestRecord]) -> list[RequestRecord]:
        """The records of the run, each with what was promised and what was kept among its tags."""
        return [replace(record, tags={**record.tags, **self.tags(row)})
                for row, record in enumerate(records)]  # fmt: skip

    def tags(self, row: int) -> dict[str, object]:
        """What there is to say about one request."""
        promise = self.promises[self.ids[row]]
        return {
            "kind": promise.kind, "tenant": promise.tenant, "priority": promise.priority,
            "kept_ttft": bool(self.ttft[row]), "kept_tpot": bool(self.tpot[row]),
            "kept": bool(self.all[row]), "refused": bool(self.refused[row]),
        }  # fmt: skip

    def _share(self, rows: np.ndarray) -> Share:
        waits = self.log.ttft_s[rows]
        worst = np.nanmax(waits) if np.isfinite(waits).any() else float("nan")
        counts = (rows, self.all[rows], self.ttft[rows], self.tpot[rows], self.refused[rows])
        return Share(*(int(one.sum()) for one in counts), float(worst))

    def __str__(self) -> str:
        rows = [f"{'kind':<10} requests  kept  TTFT  TPOT  refused  worst TTFT"]
        for kind, got in self.by_kind().items():
            rows.append(
                f"{kind:<10} {got.requests:>8} {got.kept:>5} {got.kept_ttft:>5} {got.kept_tpot:>5} "
                f"{got.refused:>8} {got.worst_ttft_s:>9.2f} s"
            )
        return "\n".join(rows)
