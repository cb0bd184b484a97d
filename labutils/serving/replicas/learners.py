"""A router of one's own: an object with ``choose(request, views)``, asked at each arrival."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Arrival:
    """What a router sees of a request. ``pages`` are the names of its prompt's full pages."""

    row: int
    arrival_s: float
    prompt_tokens: int
    pages: tuple[int, ...]


@dataclass
class Views:
    """What a router may know of the replicas at ``now_s``: in each list, one number for each.

    ``in_flight`` is counted by the router itself: sent, and not ended by now. All other lists are
    reports, ``age_s`` old: requests ``waiting`` and ``running``, and ``kv_use``, the share of
    pages in use. ``sent_since`` counts what was sent after the report. ``up`` are
    the numbers of the replicas that take requests.
    """

    replicas: int
    up: Sequence[int] = ()
    now_s: float = 0.0
    reported_s: float = 0.0
    _desks: np.ndarray | None = None
    _num_pages: np.ndarray | None = None
    _count: Callable[[], list[int]] | None = None
    _counts: list[int] | None = None

    @property
    def in_flight(self) -> list[int]:
        """Requests that this router has sent and that have not ended."""
        if self._counts is None:
            self._counts = self._count()
        return self._counts

    @property
    def age_s(self) -> float:
        """How old the reports are, in seconds."""
        return self.now_s - self.reported_s

    @property
    def waiting(self) -> list[int]:
        """Requests without memory."""
        return self._desks["waiting"].tolist()

    @property
    def running(self) -> list[int]:
        """Requests that the step under way served."""
        return self._desks["running"].tolist()

    @property
    def sent_since(self) -> list[int]:
        """Requests that this router has sent after the report."""
        return self._desks["since"].tolist()

    @property
    def kv_use(self) -> list[float]:
        """Pages in use by all pages; 0 where memory is unlimited."""
        return (self._desks["pages"] / self._num_pages).tolist()
