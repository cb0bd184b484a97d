"""Ask a router in Python, request after request."""

import numpy as np

from labutils.serving.simulator.compiled.replicas.dispatch import look_at_all, send

from .learners import Arrival, Views


def ask(router, replicas) -> None:
    """Let ``router.choose(request, views)`` send all requests.

    Its ``report_every_s`` (default 0.1) says how often replicas report. ``ValueError`` if it
    answers with anything but a number of a replica.
    """
    requests, clock, n = replicas.requests, replicas.clock, replicas.fleet.states.size
    every_s = float(getattr(router, "report_every_s", 0.1))
    counts, desks = np.zeros(n, dtype=np.int64), replicas.fleet.desks.view(np.ndarray)
    num_pages = np.maximum(replicas.fleet.rules.num_pages, 1)
    views = Views(n, _desks=desks, _num_pages=num_pages)
    for arrival in arrivals(replicas):
        look_at_all(replicas.fleet, clock, every_s, arrival.arrival_s, counts)
        while clock.is_full[0]:
            replicas.make_room()
            look_at_all(replicas.fleet, clock, every_s, arrival.arrival_s, counts)
        views.now_s, views.in_flight = arrival.arrival_s, counts.tolist()
        views.reported_s = float(clock.reported_s[0])
        replica = router.choose(arrival, views)
        if not (isinstance(replica, (int, np.integer)) and 0 <= replica < n):
            raise ValueError(f"choose returned {replica!r}: expected a replica from 0 to {n - 1}")
        while not send(replicas.fleet, clock, requests, int(replica)):
            replicas.make_room()


def arrivals(replicas):
    """What a router sees of each request, in order of arrival."""
    requests, names = replicas.requests, replicas.fleet.names
    starts = requests.names_at.tolist()
    for row, (arrival_s, prompt) in enumerate(
        zip(requests.arrival_s.tolist(), requests.prompt.tolist())
    ):
        pages = names[starts[row] : starts[row + 1]]
        yield Arrival(row, arrival_s, prompt, tuple(pages.tolist()) if pages.size else ())
