"""Wrong and right answers to chapter 10's single flight."""

import asyncio
from types import SimpleNamespace

from labutils.caching import SingleFlight
from labutils.exercises.definition.verdict import Status
from labutils.exercises.rehearsals.flights import Flight
from tests.proofs.by_patches import by_patches
from tests.proofs.proof import Proof

# ---- mistakes ------------------------------------------------------------------------------------


async def a_plain_cache(flights, key, compute):
    """Looks for a result, and everybody who finds none computes."""
    if key not in flights.under_way:
        flights.under_way[key] = await compute()
    return flights.under_way[key]


async def joins_a_bare_task(flights, key, compute):
    if key not in flights.under_way:
        task = flights.under_way[key] = asyncio.create_task(compute())
        task.add_done_callback(lambda _: flights.under_way.pop(key))
    return await flights.under_way[key]


async def shields_and_forgets(flights, key, compute):
    """As found in many a code base: nobody counts."""
    if key not in flights.under_way:
        task = flights.under_way[key] = asyncio.create_task(compute())
        task.add_done_callback(lambda _: flights.under_way.pop(key))
    return await asyncio.shield(flights.under_way[key])


async def an_event(flights, key, compute):
    """The first one computes itself, and rings when it has a result; else nobody rings."""
    if key in flights.under_way:
        flight = flights.under_way[key]
        await flight.ready.wait()
        return flight.result
    flight = flights.under_way[key] = SimpleNamespace(ready=asyncio.Event(), result=None)
    try:
        flight.result = await compute()
        flight.ready.set()
        return flight.result
    finally:
        del flights.under_way[key]


async def an_event_that_always_rings(flights, key, compute):
    """Those who wait hear None where there was an error."""
    if key in flights.under_way:
        flight = flights.under_way[key]
        await flight.ready.wait()
        return flight.result
    flight = flights.under_way[key] = SimpleNamespace(ready=asyncio.Event(), result=None)
    try:
        flight.result = await compute()
        return flight.result
    finally:
        del flights.under_way[key]
        flight.ready.set()


async def a_lock_for_each_key(flights, key, compute):
    """One at a time, and everybody computes."""
    lock = flights.under_way.setdefault(key, asyncio.Lock())
    async with lock:
        return await compute()


async def returns_the_task(flights, key, compute):
    flight = flights.under_way.get(key) or Flight(asyncio.create_task(compute()))
    flights.under_way[key] = flight
    return flight.task


async def misspells(flights, key, compute):
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flights.under_way[key].asker += 1
    return await asyncio.shield(flights.under_way[key].task)


async def forgets_an_await(flights, key, compute):
    compute()


async def spins(flights, key, compute):
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight = flights.under_way[key]
    while not flight.task.done():
        await asyncio.sleep(0)
    flights.under_way.pop(key, None)
    return flight.task.result()


async def gives_up(flights, key, compute):
    """A time-out of its own: longer computations are nobody's any more."""
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    task = flights.under_way[key].task
    try:
        return await asyncio.wait_for(asyncio.shield(task), timeout=0.02)
    finally:
        flights.under_way.pop(key, None)


async def counts(flights, key, compute):
    """Right, and the ground for the patches below."""
    if key not in flights.under_way:
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight = flights.under_way[key]
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]


COUNTED_WRONGLY = """
never counts down: stays-for-nobody
- flight.askers -= 1
- ...
+ if flight.task.done() and flights.under_way.get(key) is flight:
+     del flights.under_way[key]

counts in except only: keeps-errors
- try:
- ...
+ try:
+     result = await asyncio.shield(flight.task)
+ except asyncio.CancelledError:
+     flight.askers -= 1
+     if not flight.askers:
+         flight.task.cancel()
+         del flights.under_way[key]
+     raise
+ flights.under_way.pop(key, None)
+ return result

asks forgiveness: catches-too-much
- if key not in flights.under_way:
-     flights.under_way[key] = Flight(asyncio.create_task(compute()))
- flight = flights.under_way[key]
- flight.askers += 1
- try:
-     return await asyncio.shield(flight.task)
+ try:
+     flight = flights.under_way[key]
+     flight.askers += 1
+     return await asyncio.shield(flight.task)
+ except KeyError:
+     flight = flights.under_way[key] = Flight(asyncio.create_task(compute()), 1)
+     return await asyncio.shield(flight.task)

a callback pops: stopped-one-takes-out
=     flights.under_way[key] = Flight(asyncio.create_task(compute()))
+     begun = flights.under_way[key].task
+     begun.add_done_callback(lambda _: flights.under_way.pop(key, None))
- if flight.task.done() or not flight.askers:
- ...
+ if not flight.askers and not flight.task.done():
+     del flights.under_way[key]
+     flight.task.cancel()

looks and sleeps: awaits-before-it-stores
- if key not in flights.under_way:
-     flights.under_way[key] = Flight(asyncio.create_task(compute()))
- flight = flights.under_way[key]
+ flight = flights.under_way.get(key)
+ if flight is None:
+     await asyncio.sleep(0)
+     flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))

the last one pops: last-takes-out-anyones
- if key not in flights.under_way:
+ if key not in flights.under_way or flights.under_way[key].task.done():
- if flight.task.done() or not flight.askers:
- ...
+ if flight.askers == 0:
+     flights.under_way.pop(key, None)
+     flight.task.cancel()

cancels, waits and pops: waits-before-it-tidies
- if flight.task.done() or not flight.askers:
- ...
+ if flight.task.done():
+     flights.under_way.pop(key, None)
+ elif not flight.askers:
+     flight.task.cancel()
+     await asyncio.wait([flight.task])
+     flights.under_way.pop(key, None)

the first one is not counted: first-is-not-counted
- if key not in flights.under_way:
+ joins = key in flights.under_way
+ if not joins:
- flight.askers += 1
+ flight.askers += joins
- flight.askers -= 1
+ flight.askers -= joins

nor counted in: first-is-counted-out-alone
- if key not in flights.under_way:
+ joins = key in flights.under_way
+ if not joins:
- flight.askers += 1
+ flight.askers += joins
"""

DELETED_TWICE = """
deletes twice: raised
- if flights.under_way.get(key) is flight:
-     del flights.under_way[key]
+ del flights.under_way[key]
"""


# ---- right in other styles -----------------------------------------------------------------------


async def with_wait(flights, key, compute):
    """``asyncio.wait`` leaves the task alone, and each leaves by its own lines."""
    flight = flights.under_way.get(key)
    if flight is None or flight.task.done():
        flight = Flight(asyncio.ensure_future(compute()))
        flights.under_way[key] = flight
    flight.askers = flight.askers + 1
    try:
        await asyncio.wait({flight.task})
    except asyncio.CancelledError:
        flight.askers -= 1
        if flight.askers == 0:
            if flights.under_way.get(key) is flight:
                flights.under_way.pop(key)
            flight.task.cancel()
        raise
    if flights.under_way.get(key) is flight:
        flights.under_way.pop(key)
    return flight.task.result()


async def with_a_callback(flights, key, compute):
    """The task tidies up by itself; only the last one to leave does so before."""

    def out(_=None):
        if flights.under_way.get(key) is flight:
            del flights.under_way[key]

    flight = flights.under_way.get(key)
    if flight is None:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
        flight.task.add_done_callback(out)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.askers == 0 and not flight.task.done():
            out()
            flight.task.cancel()


async def with_futures(flights, key, compute):
    """A future for each asker; a worker hands out what it gets, and tidies before that."""
    entry = flights.under_way.get(key)
    if entry is None:
        entry = flights.under_way[key] = SimpleNamespace(waiting=[])

        async def work():
            try:
                result, error = await compute(), None
            except Exception as caught:
                result, error = None, caught
            if flights.under_way.get(key) is entry:
                del flights.under_way[key]
            for one in entry.waiting:
                if one.done():
                    continue
                if error is None:
                    one.set_result(result)
                else:
                    one.set_exception(error)

        entry.task = asyncio.create_task(work())
    mine = asyncio.get_running_loop().create_future()
    entry.waiting.append(mine)
    try:
        return await mine
    finally:
        entry.waiting.remove(mine) if mine.cancelled() else None
        if not entry.waiting:
            if flights.under_way.get(key) is entry:
                del flights.under_way[key]
            entry.task.cancel()


def by_a_class():
    """A closure over a class of its own, which is an asynchronous context manager."""

    class Seat:
        def __init__(self, flights, key, compute):
            self.flights, self.key = flights.under_way, key
            if key not in self.flights:
                self.flights[key] = Flight(asyncio.create_task(compute()))
            self.flight = self.flights[key]

        async def __aenter__(self):
            self.flight.askers += 1
            return asyncio.shield(self.flight.task)

        async def __aexit__(self, *_):
            self.flight.askers -= 1
            over = self.flight.task.done()
            if (over or not self.flight.askers) and self.flights.get(self.key) is self.flight:
                del self.flights[self.key]
            if not over and not self.flight.askers:
                self.flight.task.cancel()

    async def run(flights, key, compute):
        async with Seat(flights, key, compute) as answer:
            return await answer

    return run


async def looks_whether_it_is_done(flights, key, compute):
    """The last one tidies, and whoever comes before looks whether the flight still flies."""
    flight = flights.under_way.get(key)
    if flight is None or flight.task.done():
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.askers == 0:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]


async def the_courses_own(flights, key, compute):
    """``SingleFlight`` agrees with the exercise's reference in every story."""
    if not hasattr(flights, "full"):
        flights.full = SingleFlight()
    return await flights.full.run(key, compute)


FLIGHT_PROOF = Proof(
    mistakes={
        "a plain cache": (a_plain_cache, "shares-nothing"),
        "a bare task": (joins_a_bare_task, "one-cancels-all"),
        "a shield, and nobody counts": (shields_and_forgets, "runs-for-nobody"),
        "an event": (an_event, "error-to-the-first-alone"),
        "an event that always rings": (an_event_that_always_rings, "none-for-an-error"),
        "a lock for each key": (a_lock_for_each_key, "computes-in-turn"),
        "returns the task": (returns_the_task, Status.wrong),
        **by_patches(COUNTED_WRONGLY, counts),
        "misspells": (misspells, Status.raised),
        "forgets an await": (forgets_an_await, Status.wrong),
        **by_patches(DELETED_TWICE, counts),
        "spins": (spins, Status.timed_out),
        "gives up": (gives_up, Status.raised),
        "a number": (4, Status.unreadable),
    },
    alternatives={
        "asyncio.wait": with_wait,
        "a done-callback": with_a_callback,
        "a future for each asker": with_futures,
        "a class": by_a_class(),
        "looks whether it is done": looks_whether_it_is_done,
        "the course's own": the_courses_own,
    },
)
