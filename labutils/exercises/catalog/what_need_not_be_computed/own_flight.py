"""The workbook's own single flight."""

import asyncio

from labutils.exercises.rehearsals.flights import Flight, Flights


async def run(flights: Flights, key, compute):
    """Return what compute() gives: of all who ask meanwhile, one computation, one result."""
    flight = flights.under_way.get(key)
    if flight is None:
        flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
    flight.askers += 1
    try:
        return await asyncio.shield(flight.task)
    finally:
        flight.askers -= 1
        if flight.task.done() or not flight.askers:
            flight.task.cancel()
            if flights.under_way.get(key) is flight:
                del flights.under_way[key]
