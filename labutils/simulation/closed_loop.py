"""Load generators before a server that freezes: one keeps to its schedule, one waits for answers.

The server has workers enough, so requests do not wait for each other. But at times it stops as a
whole (a garbage collection, a moved virtual machine, a failover), and no work is done until it
goes on. Both generators record the same thing, the time from send to answer; they differ in
what they send while nothing is answered.
"""

from dataclasses import dataclass

import numpy as np

from labutils.ground.arguments import finite, non_negative, whole
from labutils.simulation.draws.draw_checks import none_negative, ordered, same_length


@dataclass(frozen=True, eq=False)
class ClientLog:
    """When each request was sent and answered, in seconds, in the order of sending."""

    sent_s: np.ndarray
    done_s: np.ndarray

    def __len__(self) -> int:
        """Number of requests."""
        return self.sent_s.size

    @property
    def latency_s(self) -> np.ndarray:
        """Time from send to answer: what the generator records."""
        return self.done_s - self.sent_s


def open_loop(intended_s, service_s, *, stalls_s=()) -> ClientLog:
    """Send each request when it is meant to be sent, whatever became of those before it.

    ``intended_s`` ascends, one moment for each ``service_s``, the work in seconds that a request
    takes. ``stalls_s`` are pairs (from, to) of seconds between which the server is frozen, in
    order and apart. Raises ``ValueError`` naming the first row that breaks these rules.
    """
    sent, service = ordered("intended_s", intended_s), none_negative("service_s", service_s)
    same_length("service_s", service, "intended_s", sent)
    done = sent + service
    for from_s, to_s in _stalls(stalls_s):
        hit = (done > from_s) & (sent < to_s)
        done[hit] += to_s - np.maximum(sent[hit], from_s)
    return ClientLog(sent, done)


def closed_loop(service_s, *, num_clients: int = 1, think_s: float = 0.0, stalls_s=()) -> ClientLog:
    """Let each client send, wait for the answer, think for ``think_s``, and send again.

    All ``num_clients`` begin at time 0 and take the requests of ``service_s`` (seconds of work) in
    turn. ``stalls_s`` and errors are those of ``open_loop``.
    """
    service = none_negative("service_s", service_s)
    clients, pause = whole("num_clients", num_clients), non_negative("think_s", think_s)
    stalls = _stalls(stalls_s)
    logs = [_one_client(service[c::clients], pause, stalls) for c in range(clients)]
    sent, done = np.concatenate(logs, axis=1)
    order = np.argsort(sent, kind="stable")
    return ClientLog(sent[order], done[order])


def _one_client(service: np.ndarray, think_s: float, stalls: list) -> np.ndarray:
    """Two rows, sends and answers: a freeze holds up one answer, and thereby all later sends."""
    sent = np.cumsum(service + think_s) - (service + think_s)
    done = sent + service
    for from_s, to_s in stalls:
        i = int(np.searchsorted(done, from_s, side="right"))  # the first answer still to come
        if i < done.size and sent[i] < to_s:
            held = to_s - max(sent[i], from_s)
            done[i:] += held
            sent[i + 1 :] += held
    return np.stack((sent, done))


def _stalls(stalls_s) -> list[tuple[float, float]]:
    """The freezes as pairs of numbers, in order and apart; ``ValueError`` that names the first."""
    clean, before = [], -np.inf
    for i, pair in enumerate(stalls_s):
        name = f"stalls_s[{i}]"
        if np.shape(pair) != (2,):
            raise ValueError(f"{name} = {pair!r}: expected a pair (from, to) of seconds")
        from_s, to_s = (finite(name, x) for x in pair)
        if not before <= from_s < to_s:
            raise ValueError(
                f"{name} = {pair!r}: expected from < to, and no freeze before the last one ended"
            )
        clean.append((from_s, to_s))
        before = to_s
    return clean
