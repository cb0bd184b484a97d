"""Single flights that do not share, or that stay in the way when they have ended."""

from labutils.exercises.definition.patched import patched

from .own_flight import run

_SHEET = """
shares-nothing: Everybody who asks begins a computation. How does the second one find out that one
    is under way?
- flight = flights.under_way.get(key)
- ...
+ return await compute()

begins-for-nothing: They all get the first one's result, and still each begins a computation. Which
    of your lines begins it, and when does that line run?
- flight = flights.under_way.get(key)
+ task = asyncio.create_task(compute())
+ flight = flights.under_way.get(key)
- Flight(asyncio.create_task(compute()))
+ Flight(task)

awaits-before-it-stores: You look, await something, and then put in a flight of your own. Who else
    may have looked, or put one in, meanwhile?
- flight = flights.under_way.get(key)
- if flight is None:
-     flight = flights.under_way[key] = Flight(asyncio.create_task(compute()))
+ if key not in flights.under_way:
+     await asyncio.sleep(0)
+     flights.under_way[key] = Flight(asyncio.create_task(compute()))
+ flight = flights.under_way[key]

computes-in-turn: You let them wait for their turn, and then each computes anew. What have they
    waited for?
- flight = flights.under_way.get(key)
- ...
+ async with flights.under_way.setdefault(key, asyncio.Lock()):
+     return await compute()

one-for-all-keys: Whoever asks while anything is under way gets the result of that. What did they
    ask for?
- flight = flights.under_way.get(key)
+ key = "the flight"
+ flight = flights.under_way.get(key)

never-tidies: Everybody gets what they should, and `under_way` grows for ever. What is still in it
    after a million keys?
- if flight is None:
+ if flight is None or flight.task.done() or flight.askers == 0:
- if flight.task.done() or not flight.askers:
- ...
+ if not flight.askers:
+     flight.task.cancel()

keeps-a-lock-a-key: Everybody gets what they should, and something of yours grows with every new
    key: a dict of locks, say. What is in it after a million keys?
= flight = flights.under_way.get(key)
+ vars(flights).setdefault("locks", {}).setdefault(key, asyncio.Lock())

ended-ones-stay: Everybody gets what they should, and what has ended stays in `under_way`. What is
    in it after a million keys?
- if flight is None:
+ if flight is None or flight.task.done():
- if flight.task.done() or not flight.askers:
+ if not (flight.task.done() or flight.askers):

keeps-errors: After an error the next one to ask gets the same error again. Which of your lines run
    when the wait ends with an error?
- if flight.task.done() or not flight.askers:
+ failed = flight.task.done() and not flight.task.cancelled() and flight.task.exception()
+ if not failed and (flight.task.done() or not flight.askers):

keeps-results: You keep a result after its computation has ended. Who decides for how long it stays
    true?
- if flight.task.done() or not flight.askers:
+ failed = flight.task.done() and (flight.task.cancelled() or flight.task.exception())
+ if failed or not (flight.task.done() or flight.askers):

keeps-everything: You keep what came of a computation after it has ended, errors too. What should
    somebody get who asks an hour later?
- if flight.task.done() or not flight.askers:
+ if not (flight.task.done() or flight.askers):

last-one-tidies: An ended computation stays in `under_way` until the last of its askers has woken.
    What does one get who has woken earlier, and asks again at once?
- if flight.task.done() or not flight.askers:
+ if not flight.askers:

whoever-leaves-tidies: Whoever leaves takes the flight out of `under_way`, although it still flies.
    What does the next one to ask find?
- if flight.task.done() or not flight.askers:
- ...
+ if not flight.askers:
+     flight.task.cancel()
+ if flights.under_way.get(key) is flight:
+     del flights.under_way[key]

takes-out-anyones: You take out whatever stands under the key. Is it still the flight that you
    waited for?
- if flights.under_way.get(key) is flight:
-     del flights.under_way[key]
+ flights.under_way.pop(key, None)

last-takes-out-anyones: You pass by a flight that has ended and put in a new one. Then the last
    asker of the old one takes out what stands under the key: whose is it?
- if flight is None:
+ if flight is None or flight.task.done():
- if flight.task.done() or not flight.askers:
- ...
+ if not flight.askers:
+     flight.task.cancel()
+     flights.under_way.pop(key, None)
"""

MISTAKES = patched(run, _SHEET)
