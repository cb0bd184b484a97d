"""One batching service, simulated by a plain loop, and three loops with a fault planted in each.

A server takes requests in batches. Once it is free and a request is there, it takes what waits,
up to ``max_batch``; if that is fewer it goes on collecting until the batch is full or
``timeout_s`` have passed. Then batch number k runs for ``batch_s[k]`` seconds, whatever its size.

The faults are real ones, each a line long. They are here to be caught: chapter 03b runs its
checks on them. The same service told in SimPy is ``labutils.simulation.batches.batcher_in_simpy``.
"""

import math

import numpy as np

from labutils.ground.arguments import non_negative, whole
from labutils.simulation.draws.draw_checks import visits

TICK_S = 0.0002
"""How often the polling suspect looks into its queue."""


def fill_or_timeout(arrival_s, batch_s, max_batch: int, timeout_s: float) -> np.ndarray:
    """Return when each request departs, first come, first served.

    ``arrival_s`` ascends; ``batch_s`` has one duration per request, since no run needs more
    batches than that. With ``max_batch`` 1 this is a queue with one server.

    Raises ``ValueError`` naming the argument that is wrong.
    """
    return Batcher().run(arrival_s, batch_s, max_batch, timeout_s)


def saves_idle_time(arrival_s, batch_s, max_batch: int, timeout_s: float) -> np.ndarray:
    """Fault: the server's clock counts its work alone, so an idle second can be used later."""
    return SavesIdleTime().run(arrival_s, batch_s, max_batch, timeout_s)


def newest_first(arrival_s, batch_s, max_batch: int, timeout_s: float) -> np.ndarray:
    """Fault: ``pop()`` takes from the wrong end of the list, so the newest are served first."""
    return NewestFirst().run(arrival_s, batch_s, max_batch, timeout_s)


def polls(arrival_s, batch_s, max_batch: int, timeout_s: float) -> np.ndarray:
    """Fault: a loop looks into the queue every ``TICK_S`` seconds, so nothing starts between."""
    return Polls().run(arrival_s, batch_s, max_batch, timeout_s)


class Batcher:
    """The loop; each of its three short methods is what one fault changes."""

    def run(self, arrival_s, batch_s, max_batch: int, timeout_s: float) -> np.ndarray:
        """Return when each request departs; ``fill_or_timeout`` says from what."""
        arrivals, durations = (column.tolist() for column in visits(arrival_s, batch_s))
        most = whole("max_batch", max_batch)
        patience = non_negative("timeout_s", timeout_s)
        departures = np.empty(len(arrivals))
        waiting, came, free_at = [], 0, arrivals[0]
        for duration in durations:
            if came == len(arrivals) and not waiting:
                break
            opens = self.looks_at(free_at if waiting else max(free_at, arrivals[came]))
            came = _admit(waiting, arrivals, came, opens)
            batch = self.take(waiting, most)
            came, start = _fill(batch, arrivals, came, most, opens, opens + patience)
            departures[batch] = start + duration
            free_at = self.free_after(free_at, start, duration)
        return departures

    def looks_at(self, now: float) -> float:
        """When the server notices what happened at ``now``."""
        return now

    def take(self, waiting: list, most: int) -> list:
        """Take up to ``most`` requests out of the line."""
        batch = waiting[:most]
        del waiting[:most]
        return batch

    def free_after(self, free_at: float, start: float, duration: float) -> float:
        """When the server is free again."""
        return start + duration


class SavesIdleTime(Batcher):
    """Its clock adds up work, also where it should first move on to the start."""

    def free_after(self, free_at, start, duration):
        return free_at + duration


class NewestFirst(Batcher):
    """Fault: the server takes the newest request first, from the end of its list."""

    def take(self, waiting, most):
        return [waiting.pop() for _ in range(min(most, len(waiting)))]


class Polls(Batcher):
    """It notices nothing between two ticks."""

    def looks_at(self, now):
        return math.ceil(now / TICK_S) * TICK_S


def _admit(waiting: list, arrivals: list, came: int, now: float) -> int:
    """Put everyone who has come by ``now`` into the line; return how many have come."""
    while came < len(arrivals) and arrivals[came] <= now:
        waiting.append(came)
        came += 1
    return came


def _fill(batch, arrivals, came, most, opens, closes) -> tuple[int, float]:
    """Collect until the batch is full or ``closes``; return how many have come, and the start."""
    start = opens
    while len(batch) < most and came < len(arrivals) and arrivals[came] <= closes:
        batch.append(came)
        start = arrivals[came]
        came += 1
    return came, start if len(batch) == most else closes


simulator_a, simulator_b = fill_or_timeout, saves_idle_time
"""The two of which chapter 03b asks at its beginning: which one do you believe?"""
