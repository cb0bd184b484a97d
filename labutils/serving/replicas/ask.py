"""Ask a router in Python, request after request."""

import numpy as np

from labutils.serving.simulator.compiled.replicas.dispatch import FULL, READY, move_on

from .learners import Arrival, Views


class Asked:
    """Lets ``router.choose(request, views)`` send the requests, and shows it what it may know.

    Its ``report_every_s`` (default 0.1) says how often replicas report. ``ValueError`` if it
    answers with anything but a number of a replica that is up. Once it has asked for requests in
    flight, they are counted before each choice.
    """

    def __init__(self, router, replicas):
        self.router, self.replicas, self.row, self.last = router, replicas, -1, 0
        fleet = replicas.fleet
        self.clock = replicas.clock.view(np.ndarray)  # plain arrays are read faster
        self.attempts = replicas.requests.attempts.view(np.ndarray)
        self.counts, self.no_counts = np.zeros(fleet.states.size, dtype=np.int64), np.zeros(0, int)
        self.counts_always = False
        self.views = Views(
            fleet.states.size,
            _desks=fleet.desks.view(np.ndarray),
            _num_pages=np.maximum(fleet.rules.num_pages, 1),
            _count=self.count,
        )

    def send_all(self) -> None:
        """Send all requests that come before the next tick."""
        self.views.up = self.replicas.fleet.up.tolist()
        while self.go_on():
            self.choose()

    def choose(self) -> None:
        """Let the router choose a replica for what arrives."""
        views, requests = self.views, self.replicas.requests
        reported_s, _, _, row, *_ = self.clock.item()
        arrival_s, origin, *_ = self.attempts[row].item()
        views.now_s, views.reported_s = arrival_s, reported_s
        views._counts = self.counts.tolist() if self.counts_always else None
        arrival = Arrival(row, arrival_s, int(requests.prompt[origin]), self.pages_of(origin))
        replica = self.router.choose(arrival, views)
        if not (isinstance(replica, (int, np.integer)) and replica in views.up):
            raise ValueError(f"choose returned {replica!r}: expected one of {views.up}")
        self.row, self.last = row, int(replica)

    def pages_of(self, origin: int) -> tuple[int, ...]:
        """The names of a prompt's pages."""
        names = self.replicas.fleet.names
        if not names.size:
            return ()
        first, end = self.replicas.requests.names_at[origin : origin + 2]
        return tuple(names[first:end].tolist())

    def go_on(self) -> bool:
        """Send what was chosen last; let all report on time. Whether there is another request."""
        counts, many = self.counts if self.counts_always else self.no_counts, self.replicas
        while True:
            status = move_on(many.fleet, self.clock, many.requests, self.row, self.last, counts)
            if status != FULL:
                return status == READY
            many.make_room()

    def count(self) -> list[int]:
        """Requests in flight at each replica."""
        self.counts_always = True
        self.go_on()
        return self.counts.tolist()
