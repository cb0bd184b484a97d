"""A batching service as a story in SimPy, with the part that goes wrong left to the caller.

The story is that of ``labutils.simulation.suspects.fill_or_timeout``. How a batch is collected
is a process that you hand in: ``collect(env, store, batch, max_batch, timeout_s)`` takes
requests out of ``store`` and appends them to ``batch``, at least one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import simpy

from labutils.ground.arguments import non_negative, whole
from labutils.simulation.draws.draw_checks import ordered, visits


@dataclass(frozen=True, eq=False)
class BatcherRun:
    """What a service did, and what it said about itself meanwhile.

    ``departure_s`` has one time per request, NaN for a request that never departed. ``inside``
    is what the service counted at each of the times ``audit_s``: requests in its store, and
    requests in the batch that it is collecting or working on.
    """

    arrival_s: np.ndarray
    departure_s: np.ndarray
    audit_s: np.ndarray
    inside: np.ndarray

    @property
    def finished(self) -> np.ndarray:
        """Whether each request departed."""
        return np.isfinite(self.departure_s)

    @property
    def latency_s(self) -> np.ndarray:
        """Time from arrival to departure of the requests that departed."""
        return (self.departure_s - self.arrival_s)[self.finished]


def batcher_run(
    collect: Callable, arrival_s, batch_s, max_batch: int, timeout_s: float, *, audit_s=()
) -> BatcherRun:
    """Tell the story of one run, until nothing is left to happen.

    ``arrival_s`` ascends; batch number k runs for ``batch_s[k]`` seconds, and there is one
    duration per request. ``audit_s`` are the times, in ascending order and not before the first
    arrival, at which to count who is inside.

    Raises ``ValueError`` naming the argument that is wrong; what ``collect`` raises goes on. If it
    yields what is no event, a ``TypeError`` that says so is raised inside it, at that ``yield``.
    """
    arrivals, durations = visits(arrival_s, batch_s)
    most, patience = whole("max_batch", max_batch), non_negative("timeout_s", timeout_s)
    audits = ordered("audit_s", audit_s) if len(audit_s) else np.empty(0)
    env = simpy.Environment(initial_time=float(arrivals[0]))
    store, batch = simpy.Store(env), []
    departures, inside = np.full(arrivals.size, np.nan), []

    def collected():
        return env.process(_events_of(collect(env, store, batch, most, patience)))

    env.process(_users(env, store, arrivals.tolist()))
    env.process(_service(env, batch, durations.tolist(), collected, departures))
    env.process(_auditor(env, store, batch, audits.tolist(), inside))
    env.run()
    return BatcherRun(arrivals, departures, audits, np.array(inside, dtype=int))


def _events_of(process):
    """Hand on what ``process`` yields, and refuse what is no event.

    SimPy refuses it too, but reads the source file of the process for its message; code from a
    notebook cell has none, and ``FileNotFoundError`` is all that its author sees.
    """
    proceed, outcome = process.send, None
    while True:
        try:
            event = proceed(outcome)
        except StopIteration:
            return
        proceed = process.send
        try:
            if not isinstance(event, simpy.Event):
                raise TypeError(
                    f"yield was given {event!r}, which is no event, so there is nothing to wait "
                    "for. Only an event can be waited for, such as env.timeout(…) or store.get()"
                )
            outcome = yield event
        except Exception as error:  # raised again at the yield of the process, as SimPy does
            proceed, outcome = process.throw, error


def _users(env, store, arrival_s):
    for number, arrival in enumerate(arrival_s):
        yield env.timeout(max(0.0, arrival - env.now))
        store.put(number)


def _service(env, batch, batch_s, collected, departures):
    """Collect a batch, work on it, let it go; ``batch`` is open to the auditor all the time."""
    for duration in batch_s:
        yield collected()
        yield env.timeout(duration)
        departures[batch] = env.now
        batch.clear()


def _auditor(env, store, batch, audit_s, inside):
    for moment in audit_s:
        yield env.timeout(max(0.0, moment - env.now))
        inside.append(len(store.items) + len(batch))
