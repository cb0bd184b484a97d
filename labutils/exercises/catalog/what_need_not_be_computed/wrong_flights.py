"""Functions for single flight that each make one mistake, though nobody leaves."""

import asyncio
from types import SimpleNamespace

from labutils.exercises.rehearsals.flights import Flight

from .own_flight import begun, landed, run


async def shares_nothing(flights, key, compute):
    return await compute()


async def begins_for_nothing(flights, key, compute):
    task = asyncio.create_task(compute())
    return await run(flights, key, lambda: _await(task))


async def _await(task):
    return await task


async def awaits_before_it_stores(flights, key, compute):
    """Between its look and the new entry it gives others a turn."""
    if key not in flights.under_way:
        await asyncio.sleep(0)
        flights.under_way[key] = Flight(asyncio.create_task(compute()))
    return await run(flights, key, compute)


async def computes_in_turn(flights, key, compute):
    async with flights.under_way.setdefault(key, asyncio.Lock()):
        return await compute()


async def one_for_all_keys(flights, key, compute):
    return await run(flights, "the flight", compute)


async def keeps_results(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        failed = flight.task.done() and (flight.task.cancelled() or flight.task.exception())
        if failed or not (flight.task.done() or flight.askers):
            flight.task.cancel()
            landed(flights, key, flight)


async def keeps_everything(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not (flight.task.done() or flight.askers):
            flight.task.cancel()
            landed(flights, key, flight)


async def keeps_errors(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        result = await asyncio.shield(flight.task)
    except asyncio.CancelledError:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()
            landed(flights, key, flight)
        raise
    landed(flights, key, flight)
    return result


async def never_tidies(flights, key, compute):
    flight = flights.under_way.get(key)
    if flight is None or flight.task.done() or flight.askers == 0:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()


async def ended_ones_stay(flights, key, compute):
    flight = flights.under_way.get(key)
    if flight is None or flight.task.done():
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not (flight.askers or flight.task.done()):
            flight.task.cancel()
            landed(flights, key, flight)


async def last_one_tidies(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()
            landed(flights, key, flight)


async def takes_out_anyones(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            flights.under_way.pop(key, None)


async def last_takes_out_anyones(flights, key, compute):
    """Passes by what is done, and the last one takes out whatever stands under the key."""
    flight = flights.under_way.get(key)
    if flight is None or flight.task.done():
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if not flight.askers:
            flight.task.cancel()
            flights.under_way.pop(key, None)


async def returns_the_error(flights, key, compute):
    try:
        return await run(flights, key, compute)
    except Exception as error:
        return error


async def polls(flights, key, compute):
    flight = begun(flights, key, compute)
    flight.askers += 1
    try:
        while not flight.task.done():
            await asyncio.sleep(0.001)
        return flight.task.result()
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            landed(flights, key, flight)


async def error_to_the_first_alone(flights, key, compute):
    """Others wait for a result, and there is none."""
    flight = flights.under_way.get(key)
    if flight is None:
        flight = flights.under_way[key] = SimpleNamespace(askers=0)
        flight.answer = asyncio.get_running_loop().create_future()
        flight.task = asyncio.create_task(compute())

        def ends(task):
            landed(flights, key, flight)
            if not task.cancelled() and not task.exception():
                flight.answer.set_result(task.result())

        flight.task.add_done_callback(ends)
        answer = flight.task
    else:
        answer = flight.answer
    flight.askers += 1
    try:
        return await asyncio.shield(answer)
    finally:
        flight.askers -= 1
        if not flight.askers:
            landed(flights, key, flight)
            flight.task.cancel()


async def stuck_after_an_error(flights, key, compute):
    """What stands after ``await compute()`` never happens."""
    if key in flights.under_way:
        return await asyncio.shield(flights.under_way[key].answer)
    flight = flights.under_way[key] = SimpleNamespace(answer=asyncio.Future())
    result = await compute()
    landed(flights, key, flight)
    flight.answer.set_result(result)
    return result


async def catches_too_much(flights, key, compute):
    """Its ``except`` is for a key that is not there, and stands around the whole wait."""
    flight = flights.under_way.get(key)
    try:
        if flight is None:
            raise KeyError(key)
        flight.askers += 1
        return await asyncio.shield(flight.task)
    except KeyError:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()), askers=1)
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            landed(flights, key, flight)


def _takes_for_nothing(is_nothing):
    """Whoever waited takes some results for none, and computes again."""

    async def answer(flights, key, compute):
        joins = key in flights.under_way
        result = await run(flights, key, compute)
        return await compute() if joins and is_nothing(result) else result

    return answer


falsy_is_nothing = _takes_for_nothing(lambda result: not result)
none_is_nothing = _takes_for_nothing(lambda result: result is None)
