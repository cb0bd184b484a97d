"""One computation for all who ask for the same thing at the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import ContextVar
from typing import Any


class FlightCancelled(RuntimeError):
    """The shared computation was cancelled from elsewhere, although somebody waits for it."""


class CircularFlight(RuntimeError):
    """A computation asks for the key that it computes: it would wait for itself for ever."""


class SingleFlight:
    """``await flight.run(key, compute)``: all who ask while a key is computed share the result.

    Within one event loop; each process has its own. Nothing is kept: once a computation has ended,
    the next asker starts another, after an error too. ``computations`` counts those that began,
    ``shared`` the askers who joined one.

    Invariant: a computation that ``_flights`` names has somebody who waits for it.
    """

    def __init__(self):
        self._flights: dict[Hashable, _Flight] = {}
        self._tasks: set[asyncio.Task] = set()  # asyncio itself holds tasks weakly
        self.computations = self.shared = 0

    async def run(self, key: Hashable, compute: Callable[[], Awaitable[Any]]) -> Any:
        """The result of ``compute()``, or of the computation that is under way for ``key``.

        Its error goes to all who wait. If an asker is cancelled, the computation goes on for the
        others; if the last one is, so is the computation. Raises ``CircularFlight`` if ``compute``
        asks, by whatever way, for its own key.
        """
        flight = self._flights.get(key)
        if flight is None or flight.task.done():
            flight = self._start(key, compute)
        else:
            self.shared += 1
        asking = _inside.get()  # the computation in which this asker runs, if it does in one
        if asking is not None and flight.waits_for(asking):
            raise CircularFlight(f"the computation for {key!r} waits for itself")
        return await self._wait(key, flight, asking)

    def _start(self, key: Hashable, compute: Callable[[], Awaitable[Any]]) -> "_Flight":
        flight = _Flight()
        flight.task = asyncio.create_task(flight.fly(compute))
        self._flights[key] = flight
        self._tasks.add(flight.task)
        flight.task.add_done_callback(lambda task: self._landed(key, flight))
        self.computations += 1
        return flight

    async def _wait(self, key: Hashable, flight: "_Flight", asking: "_Flight | None") -> Any:
        flight.askers += 1
        if asking is not None:
            asking.needs.append(flight)
        try:
            await asyncio.wait([flight.task])  # unlike a bare await, it leaves the task alone
        finally:
            flight.askers -= 1
            if asking is not None:
                asking.needs.remove(flight)
            if not flight.askers and not flight.task.done():
                self._forget(key, flight)  # whoever asks from now on gets a computation that lives
                flight.task.cancel()
        if flight.task.cancelled():
            raise FlightCancelled(f"the computation for {key!r} was cancelled")
        return flight.task.result()

    def _landed(self, key: Hashable, flight: "_Flight") -> None:
        self._tasks.discard(flight.task)
        self._forget(key, flight)
        if not flight.task.cancelled():
            flight.task.exception()  # or asyncio complains where no asker was left to hear it

    def _forget(self, key: Hashable, flight: "_Flight") -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


class _Flight:
    """A computation under way: how many wait for it, and which others it waits for."""

    task: asyncio.Task

    def __init__(self):
        self.askers = 0
        self.needs: list[_Flight] = []

    async def fly(self, compute: Callable[[], Awaitable[Any]]) -> Any:
        _inside.set(self)
        return await compute()

    def waits_for(self, other: "_Flight") -> bool:
        """Whether this one cannot end before ``other`` does."""
        return self is other or any(one.waits_for(other) for one in self.needs)


_inside: ContextVar[_Flight | None] = ContextVar("labutils_single_flight", default=None)
