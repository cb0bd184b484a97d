"""reuse.flight · Single flight · 7 minutes

> Who computes and who waits are two things. Let the computation run in a task of its own; then
  every asker, the first one too, does the same: join, wait, leave.
> Awaiting a task hands your cancellation on to it; `asyncio.shield` does not. And `finally` runs
  however the wait ends: there an asker is counted out, and sees whether the flight has ended or
  nobody waits any more.
> Look the flight up; if there is none, put Flight(asyncio.create_task(compute())) under the key.
  askers += 1; try: return await asyncio.shield(flight.task); finally: askers -= 1; if the task is
  done, or no asker is left, cancel it (which does nothing to a task that is done) and take the
  flight out, if it is still the one under its key.

The computation belongs to none of its askers. It runs in a task of its own, so whoever leaves, even
the first one, takes nothing along; `shield` keeps the cancellation of one wait from reaching it.
The count of askers decides when it has lost its purpose. Three moments are easily missed. Between
the end of the task and the turn of the last asker others run: an entry that waits for the last one
hands out an old error. Whoever tidies then must look whose entry it is, since a new flight may
stand there. And a task that was cancelled has not ended yet: it has to leave `under_way` first.
Nothing is kept, so single flight is no cache and can serve nothing stale; it makes a miss cost one
computation, however many miss at once. `labutils.caching.SingleFlight` also notices a computation
that waits for its own key.
"""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.sheet import exercise

from . import flight_stories as stories, wrong_ends, wrong_flights
from .own_flight import run

FLIGHT = exercise(
    __doc__,
    Rehearsals(
        stories=stories.ALL,
        reference=run,
        misconceptions=(*wrong_flights.MISTAKES, *wrong_ends.MISTAKES),
    ),
)
