"""Single flights that go wrong when somebody leaves, or when a computation fails."""

from labutils.exercises.definition.patched import patched

from .own_flight import run

_SHEET = """
# before the next one, which ends "just then" alike: it fails "a closed tab" as well
waits-before-it-tidies: Whoever hangs up last waits until the computation has stopped, and takes it
    out only then. What does one get who asks meanwhile?
= flight.task.cancel()
+ await asyncio.wait([flight.task])

one-cancels-all: One who hangs up cancels the computation for all. When somebody is cancelled who
    awaits a task, what becomes of the task?
- asyncio.shield(flight.task)
+ flight.task

first-takes-all-along: The computation is stopped when the first asker hangs up, and those who
    joined are cancelled. What ties it to the first one?
- flight = flights.under_way.get(key)
- ...
+ if key in flights.under_way:
+     return await asyncio.shield(flights.under_way[key].task)
+ flight = flights.under_way[key] = Flight(asyncio.Future())
+ try:
+     flight.task.set_result(await compute())
+     return flight.task.result()
+ except asyncio.CancelledError:
+     flight.task.cancel()
+     raise
+ except Exception as error:
+     flight.task.set_exception(error)
+     flight.task.exception()
+     raise
+ finally:
+     del flights.under_way[key]

first-leaves-all-alone: The first asker hangs up, the computation is stopped, and those who joined
    wait for ever. What ties it to the first one?
- flight = flights.under_way.get(key)
- ...
+ if key in flights.under_way:
+     return await asyncio.shield(flights.under_way[key].task)
+ flight = flights.under_way[key] = Flight(asyncio.Future())
+ try:
+     flight.task.set_result(await compute())
+     return flight.task.result()
+ except Exception as error:
+     flight.task.set_exception(error)
+     flight.task.exception()
+     raise
+ finally:
+     del flights.under_way[key]

begins-anew: When the first asker hangs up, its computation is stopped, and another one begins from
    the start. What ties a computation to whoever began it?
- flight = flights.under_way.get(key)
- ...
+ while key in flights.under_way:
+     over = await asyncio.shield(flights.under_way[key].task)
+     if not over.cancelled():
+         return over.result()
+ flight, over = Flight(asyncio.Future()), asyncio.Future()
+ flights.under_way[key] = flight
+ try:
+     over.set_result(await compute())
+     return over.result()
+ except asyncio.CancelledError:
+     over.cancel()
+     raise
+ except Exception as error:
+     over.set_exception(error)
+     over.exception()
+     raise
+ finally:
+     del flights.under_way[key]
+     flight.task.set_result(over)

none-for-an-error: Where the computation ends without a result, those who joined get None. How do
    they learn what happened?
- flight = flights.under_way.get(key)
- ...
+ if key in flights.under_way:
+     return await asyncio.shield(flights.under_way[key].task)
+ flight = flights.under_way[key] = Flight(asyncio.Future())
+ result = None
+ try:
+     result = await compute()
+     return result
+ finally:
+     del flights.under_way[key]
+     flight.task.set_result(result)

returns-the-error: You return the error, and whoever asked takes it for a result. How does an error
    reach somebody who awaits?
=     return await asyncio.shield(flight.task)
+ except Exception as error:
+     return error

error-to-the-first-alone: One asker hears the error, and those who joined wait for ever. Who tells
    them?
= flight = flights.under_way.get(key)
+ joins = flight is not None
-     return await asyncio.shield(flight.task)
+     return await asyncio.shield(flight.task)
+ except Exception:
+     return await asyncio.Future() if joins else flight.task.result()

stuck-after-an-error: After an error the entry stays, and whoever joins it waits for ever. Which of
    your lines run when compute() raises?
- flight = flights.under_way.get(key)
- ...
+ if key in flights.under_way:
+     return await asyncio.shield(flights.under_way[key].task)
+ flight = flights.under_way[key] = Flight(asyncio.Future())
+ flight.task.set_result(await compute())
+ del flights.under_way[key]
+ return flight.task.result()

catches-too-much: An error of the computation that is a KeyError too makes you compute again. Which
    line is your `except KeyError` for, and which ones does it guard?
- if flight is None:
-     flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
- flight.askers += 1
- try:
-     return await asyncio.shield(flight.task)
+ try:
+     if flight is None:
+         raise KeyError(key)
+     flight.askers += 1
+     return await asyncio.shield(flight.task)
+ except KeyError:
+     flight = flights.under_way[key] = Flight(asyncio.create_task(compute()), askers=1)
+     return await asyncio.shield(flight.task)

runs-for-nobody: All have hung up, and the computation goes on. For whom?
- flight.askers -= 1
- ...
+ def lands(_):
+     if flights.under_way.get(key) is flight:
+         del flights.under_way[key]
+
+ if flight.task.done():
+     lands(flight.task)
+ else:
+     flight.task.add_done_callback(lands)

stays-for-nobody: All have hung up, the computation goes on, and its entry stays. What has the last
    one to do who leaves?
- if flight.task.done() or not flight.askers:
-     flight.task.cancel()
+ if flight.task.done():

stops-too-early: The computation is stopped although somebody still waits for it. Whom do you count,
    and when?
- Flight(asyncio.create_task(compute()))
+ Flight(asyncio.create_task(compute()), askers=-1)
- or not flight.askers
+ or flight.askers <= 0

first-is-not-counted: You do not count the first asker. When all who joined have left, and it still
    waits: what does your count say?
= flight = flights.under_way.get(key)
+ joins = flight is not None
- flight.askers += 1
+ flight.askers += joins
- flight.askers -= 1
+ flight.askers -= joins

first-is-counted-out-alone: The first asker is counted out, and never in. Of three who ask, how many
    have left when your count is at 0?
- Flight(asyncio.create_task(compute()))
+ Flight(asyncio.create_task(compute()), askers=-1)

cancelled-one-stays: A computation that you have cancelled stays in `under_way`. What does the next
    one to ask join?
- if flight.task.done() or not flight.askers:
- ...
+ if not flight.askers:
+     flight.task.cancel()
+ if flight.task.done() and flights.under_way.get(key) is flight:
+     del flights.under_way[key]

stops-in-the-way: You cancel a computation, and until it has stopped it can still be joined. What
    can somebody get who joins it then?
- try:
+ def lands(_):
+     if flights.under_way.get(key) is flight:
+         del flights.under_way[key]
+
+ flight.task.add_done_callback(lands)
+ try:
- if flight.task.done() or not flight.askers:
- ...
+ if not flight.askers:
+     flight.task.cancel()

stopped-one-takes-out: When a stopped computation has ended at last, it takes out whatever stands
    under its key. Is that still its own entry?
= flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
+ flight.task.add_done_callback(lambda _: flights.under_way.pop(key, None))
- if flight.task.done() or not flight.askers:
+ if not (flight.task.done() or flight.askers):

waits-for-the-stop: Whoever hangs up last is kept until the computation has stopped. What do they
    still wait for?
=     del flights.under_way[key]
+ await asyncio.wait([flight.task])

swallows-the-cancel: You catch the cancellation and return. How does the one who cancelled learn
    that it worked?
=     return await asyncio.shield(flight.task)
+ except asyncio.CancelledError:
+     return None

polls: You look again and again whether the result is there, and everybody hears late. What can you
    await that wakes you?
- return await asyncio.shield(flight.task)
+ while not flight.task.done():
+     await asyncio.sleep(0.001)
+ return flight.task.result()

falsy-is-nothing: You take some results for none and compute again. Is 0 no result, or an empty
    text?
= flight = flights.under_way.get(key)
+ joins = flight is not None
- return await asyncio.shield(flight.task)
+ result = await asyncio.shield(flight.task)
=             del flights.under_way[key]
+ return await compute() if joins and not result else result

none-is-nothing: You take the result None for no result yet. How can you tell that a computation has
    ended, whatever came of it?
= flight = flights.under_way.get(key)
+ joins = flight is not None
- return await asyncio.shield(flight.task)
+ result = await asyncio.shield(flight.task)
=             del flights.under_way[key]
+ return await compute() if joins and result is None else result
"""

MISTAKES = patched(run, _SHEET)
