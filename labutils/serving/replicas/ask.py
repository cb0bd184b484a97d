"""Ask a router in Python, request after request."""

import numpy as np

from labutils.serving.simulator.compiled.replicas.dispatch import move_on

from .learners import Arrival, Views


def ask(router, replicas) -> None:
    """Let ``router.choose(request, views)`` send all requests.

    Its ``report_every_s`` (default 0.1) says how often replicas report. ``ValueError`` if it
    answers with anything but a number of a replica.
    """
    clock, n = replicas.clock, replicas.fleet.states.size
    every_s = float(getattr(router, "report_every_s", 0.1))
    counts, desks = np.zeros(n, dtype=np.int64), replicas.fleet.desks.view(np.ndarray)
    views = Views(n, _desks=desks, _num_pages=np.maximum(replicas.fleet.rules.num_pages, 1))
    reported_s, replica = clock.reported_s, 0

    def go_to(row: int) -> None:
        while not move_on(replicas.fleet, clock, replicas.requests, row, replica, every_s, counts):
            replicas.make_room()

    for arrival in arrivals(replicas):
        go_to(arrival.row)
        views.now_s, views.reported_s = arrival.arrival_s, float(reported_s[0])
        views.in_flight = counts.tolist()
        replica = router.choose(arrival, views)
        if not (isinstance(replica, (int, np.integer)) and 0 <= replica < n):
            raise ValueError(f"choose returned {replica!r}: expected a replica from 0 to {n - 1}")
        replica = int(replica)
    go_to(len(replicas.job.ids))


def arrivals(replicas):
    """What a router sees of each request, in order of arrival."""
    requests, names = replicas.requests, replicas.fleet.names
    starts = requests.names_at.tolist()
    for row, (arrival_s, prompt) in enumerate(
        zip(requests.arrival_s.tolist(), requests.prompt.tolist())
    ):
        pages = names[starts[row] : starts[row + 1]]
        yield Arrival(row, arrival_s, prompt, tuple(pages.tolist()) if pages.size else ())
