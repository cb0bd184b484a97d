"""Ask a router in Python, request after request."""

import numpy as np

from labutils.serving.simulator.compiled.replicas.dispatch import move_on

from .learners import Arrival, Views


def ask(router, replicas) -> None:
    """Let ``router.choose(request, views)`` send all requests.

    Its ``report_every_s`` (default 0.1) says how often replicas report. ``ValueError`` if it
    answers with anything but a number of a replica.
    """
    asked = _Asked(router, replicas)
    for arrival in arrivals(replicas):
        asked.choose(arrival)
    asked.go_to(len(replicas.job.ids))


class _Asked:
    """A router, and what it is shown. Once it has counted requests in flight, it always does."""

    def __init__(self, router, replicas):
        self.router, self.replicas, self.last = router, replicas, 0
        self.every_s = float(getattr(router, "report_every_s", 0.1))
        fleet = replicas.fleet
        self.counts, self.no_counts = np.zeros(fleet.states.size, dtype=np.int64), np.zeros(0, int)
        self.counts_always = False
        self.views = Views(
            fleet.states.size,
            _desks=fleet.desks.view(np.ndarray),
            _num_pages=np.maximum(fleet.rules.num_pages, 1),
            _count=self.count,
        )

    def choose(self, arrival: Arrival) -> None:
        """Let the router choose a replica for what arrives."""
        views, n = self.views, self.views.replicas
        self.row = arrival.row
        self.go_to(arrival.row)
        views.now_s, views.reported_s = arrival.arrival_s, self.replicas.clock.item()[0]
        views._counts = self.counts.tolist() if self.counts_always else None
        replica = self.router.choose(arrival, views)
        if not (isinstance(replica, (int, np.integer)) and 0 <= replica < n):
            raise ValueError(f"choose returned {replica!r}: expected a replica from 0 to {n - 1}")
        self.last = int(replica)

    def go_to(self, row: int) -> None:
        """Send the request before ``row`` where it was chosen to go; let all report on time."""
        counts, many = self.counts if self.counts_always else self.no_counts, self.replicas
        while not move_on(
            many.fleet, many.clock, many.requests, row, self.last, self.every_s, counts
        ):
            many.make_room()

    def count(self) -> list[int]:
        """Requests in flight at each replica."""
        self.counts_always = True
        self.go_to(self.row)
        return self.counts.tolist()


def arrivals(replicas):
    """What a router sees of each request, in order of arrival."""
    requests, names = replicas.requests, replicas.fleet.names
    starts = requests.names_at.tolist()
    for row, (arrival_s, prompt) in enumerate(
        zip(requests.arrival_s.tolist(), requests.prompt.tolist())
    ):
        pages = names[starts[row] : starts[row + 1]]
        yield Arrival(row, arrival_s, prompt, tuple(pages.tolist()) if pages.size else ())
