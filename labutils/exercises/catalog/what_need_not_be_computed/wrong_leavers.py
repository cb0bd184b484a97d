"""Functions for single flight that each make one mistake when somebody leaves."""

import asyncio
from types import SimpleNamespace

from .own_flight import begun, landed, run


async def whoever_leaves_tidies(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()
        landed(flights, key, flight)


async def one_cancels_all(flights, key, compute):
    flight = begun(flights, key, compute)
    try:
        return await flight.task
    finally:
        landed(flights, key, flight)


async def runs_for_nobody(flights, key, compute):
    flight = begun(flights, key, compute)
    try:
        return await asyncio.shield(flight.task)
    finally:
        if flight.task.done():
            landed(flights, key, flight)
        else:
            flight.task.add_done_callback(lambda _: landed(flights, key, flight))


async def stays_for_nobody(flights, key, compute):
    """Nobody stops it and nobody takes it out, where all leave before the end."""
    flight = begun(flights, key, compute)
    try:
        return await asyncio.shield(flight.task)
    finally:
        if flight.task.done():
            landed(flights, key, flight)


async def stops_too_early(flights, key, compute):
    """Counts those who join, and not the one who has begun it."""
    joins = key in flights.under_way
    flight = begun(flights, key, compute)
    flight.askers += joins
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or flight.askers <= 0:
            landed(flights, key, flight)
            flight.task.cancel()


async def first_is_not_counted(flights, key, compute):
    """Those who join are counted in and out; who has begun it is neither."""
    joins = key in flights.under_way
    flight = begun(flights, key, compute)
    flight.askers += joins
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= joins
        if flight.task.done() or not flight.askers:
            landed(flights, key, flight)
            flight.task.cancel()


async def first_is_counted_out_alone(flights, key, compute):
    """Everybody is counted out, and the first one never in; the count passes by 0."""
    joins = key in flights.under_way
    flight = begun(flights, key, compute)
    flight.askers += joins
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or flight.askers == 0:
            landed(flights, key, flight)
            flight.task.cancel()


async def stops_in_the_way(flights, key, compute):
    """The cancelled computation stays under way until it has ended."""
    flight = begun(flights, key, compute)
    flight.askers += 1
    flight.task.add_done_callback(lambda _: landed(flights, key, flight))
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()


async def stopped_one_takes_out(flights, key, compute):
    """When it ends at last, it takes out whatever stands under its key."""
    flight = flights.under_way.get(key)
    if flight is None:
        flight = begun(flights, key, compute)
        flight.task.add_done_callback(lambda _: flights.under_way.pop(key, None))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not (flight.askers or flight.task.done()):
            landed(flights, key, flight)
            flight.task.cancel()


async def cancelled_one_stays(flights, key, compute):
    """At the moment of the cancellation the task is not done yet."""
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()
        if flight.task.done():
            landed(flights, key, flight)


async def waits_for_the_stop(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            landed(flights, key, flight)
            flight.task.cancel()
            await asyncio.wait([flight.task])


async def waits_before_it_tidies(flights, key, compute):
    """Waits for the stop, and the stopped flight can be joined as long."""
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            await asyncio.wait([flight.task])
            landed(flights, key, flight)


async def swallows_the_cancel(flights, key, compute):
    try:
        return await run(flights, key, compute)
    except asyncio.CancelledError:
        return None


async def _first_computes(flights, key, compute, *, ended, waits):
    """The first asker computes itself, and ``ended`` tells the others when an error stops it."""
    if key in flights.under_way:
        return await waits(flights.under_way[key].answer)
    flight = SimpleNamespace(answer=asyncio.get_running_loop().create_future())
    flights.under_way[key] = flight
    try:
        result = await compute()
    except BaseException as error:
        landed(flights, key, flight)
        ended(flight.answer, error)
        raise
    landed(flights, key, flight)
    flight.answer.set_result(result)
    return result


async def first_takes_all_along(flights, key, compute):
    def ended(answer, error):
        if isinstance(error, asyncio.CancelledError):
            answer.cancel()
        else:
            answer.set_exception(error)
            answer.exception()

    return await _first_computes(flights, key, compute, ended=ended, waits=asyncio.shield)


async def first_leaves_all_alone(flights, key, compute):
    def ended(answer, error):
        if not isinstance(error, asyncio.CancelledError):
            answer.set_exception(error)
            answer.exception()

    return await _first_computes(flights, key, compute, ended=ended, waits=asyncio.shield)


async def none_for_an_error(flights, key, compute):
    def ended(answer, error):
        answer.set_result(None)

    return await _first_computes(flights, key, compute, ended=ended, waits=asyncio.shield)


async def begins_anew(flights, key, compute):
    """Where the first one has left, one of the others takes its place."""
    while key in flights.under_way:
        over = await asyncio.shield(flights.under_way[key].answer)
        if not over.cancelled():
            return over.result()
    flight = flights.under_way[key] = SimpleNamespace(answer=asyncio.Future())
    over = asyncio.Future()
    try:
        over.set_result(await compute())
        return over.result()
    except asyncio.CancelledError:
        over.cancel()
        raise
    except Exception as error:
        over.set_exception(error)
        over.exception()
        raise
    finally:
        landed(flights, key, flight)
        flight.answer.set_result(over)
