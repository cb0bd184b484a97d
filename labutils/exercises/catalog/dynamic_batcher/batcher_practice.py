"""The bug from the field, and more practice."""

import math

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.checkers.sheets import choice, number
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import batch_stories as stories

FIELD_BUG = choice("""
batcher.field_bug · A bug from the field · 5 minutes

- a: The worker thread dies with the error, and the next call waits for a thread.
! The loop's log speaks of an outcome handed over. Could a dead thread do that?
- b: `next` on an empty generator blocks for ever inside the worker thread.
! `next` has come back: the log names what it raised.
+ c: The error leaves the worker, and the future in the loop refuses to hold it.
- d: `except Exception` does not catch StopIteration.
! StopIteration is an Exception like others. But does it arrive there at all?
- e: The generator is shared by two threads, and they wait for each other.
! There is one call, one worker and one generator for each text.
> Follow the error from where it is raised to where it should be caught. Who hands it over?
> Between the thread and your `except` stands a future of the loop. The log of the loop shows a
  TypeError about just that.
> StopIteration has a meaning of its own inside generators and coroutines. Which object refuses to
  carry it?

`run_in_executor` gives you a future of the loop, and copies the outcome of the thread into it. A
future refuses `StopIteration`, since inside a coroutine that error would mean *return*. So the
copying itself raised, in a callback that nobody awaits, and the future stayed pending for ever.
Newer versions of CPython hand over a `RuntimeError` (issue 112182); anyio, starlette and langchain
had to wrap it themselves before. The batcher does so in `call`, on the worker's side: a `run` that
hands `self.model` to the executor has lost that. The general lesson: whatever a stranger's code can
do, make sure on *its* side of the fence that an ordinary error comes out.
""")

_PART = "You count a part of a batch. Do those in it get their answers in time?"

ROOM = number(f"""
batcher.room · How long may the queue be? · 4 minutes, optional

= {int((0.5 - 0.029) / 0.029) * 24} 1 tolerance=0.0 absolute=0.5
- whole-deadline {0.5 * 24 / 0.029}: A batch has just begun when the last one comes, and whole
  batches end. How many begin and end within the rest of the 500 ms?
- running-batch-forgotten {int(0.5 / 0.029) * 24}: So many would do if the machine were free, and
  as many if the batch in work stood in the queue. It has just begun: what is left of the 500 ms,
  and who still waits?
- parts-of-batches {math.floor((0.5 - 0.029) / 0.029 * 24)}: {_PART}
- parts-of-batches-unrounded {(0.5 - 0.029) / 0.029 * 24}: {_PART}
- one-batch-too-many {18 * 24}: You round up. Does the last batch end in time?
- one-by-one {0.5 / 0.006}: You let each run alone, for 6 ms. A full queue makes full batches.
- batches {(0.5 - 0.029) / 0.029}: That is a number of batches. How many requests leave with each?
- fixed-cost-forgotten {(0.5 - 0.024) / 0.024 * 24}: Your batch costs what its requests cost. What
  does it take besides, however many are in it?
- fixed-cost-for-each {int((0.5 - 0.144) / 0.144) * 24}: Each of your requests pays the 5 ms that a
  batch pays once. What do 24 take together?
- one-batch-too-few {15 * 24}: One batch more ends in time. For how many batches does the time for
  waiting last?
- by-the-arrivals {(0.5 - 0.029) * 400}: You multiply by the rate at which requests come. At which
  rate do they leave the queue when it is full?
> The last in the queue waits until all before it have left, and then for its own batch.
> Little's law for a full queue: its length is the rate at which requests leave it times the time
  that the last one may spend in it. They leave by whole batches.
> A full queue means full batches: 24 leave every 29 ms. The time for waiting is 500 ms less one
  batch.

Little's law again, on the queue alone: length = throughput × wait. A full queue empties by full
batches, so the throughput is that of the machine, not that of the arrivals. At worst a batch has
just begun: 29 ms for it, and 16 more batches end within 500 ms. A longer queue keeps no more
promises: a request beyond this place is answered too late, and all behind it wait for work that
nobody wants any more.
""")

_BISECT_MISTAKES = """
fails-as-one: Everybody in the batch gets the error, although `self.bisect` asks for more.
- if not self.bisect or len(batch) == 1:
- ...
+ self.fail(batch, error)

one-by-one: You try everybody alone: as many calls as there are items. How many does one bad item
    need?
- half = len(batch) // 2
- ...
+ for ticket in batch:
+     await self.run([ticket])

first-half-only: You try one half. Is the other one to blame, then?
- await self.run(batch[half:])
+ self.fail(batch[half:], error)

second-half-forgotten: You try the first half, and nobody in the other one ever hears.
- await self.run(batch[half:])

without-the-option: You try again although nobody asked for it (`self.bisect`).
- if not self.bisect or len(batch) == 1:
+ if len(batch) == 1:

never-alone: One item alone that fails: what is left to halve, and who hears of it?
- if not self.bisect or len(batch) == 1:
+ if len(batch) == 1 and self.bisect:  # for ever; nobody hears
+     return
+ if not self.bisect:

for-ever-alone: One item alone that fails: what is left to halve, and who hears of it?
- if not self.bisect or len(batch) == 1:
+ if not self.bisect:

fails-as-a-pair: Two are left, one of them is bad, and both get the error. Is a pair the smallest
    batch?
- if not self.bisect or len(batch) == 1:
+ if not self.bisect or len(batch) <= 2:

halves-once: You halve once, and a half that fails gets the error as a whole. Who halves it again?
- await self.run(batch[:half])
- await self.run(batch[half:])
+ for part in (batch[:half], batch[half:]):
+     items = [ticket.item for ticket in part]
+     loop = asyncio.get_running_loop()
+     try:
+         results = await loop.run_in_executor(self._worker, self.call, items)
+     except Exception as raised:
+         self.fail(part, raised)
+     else:
+         self.deliver(part, results)

infers-the-second: Where the first half was good, you take the second for bad and do not try it
    whole. Must the same error come again?
- await self.run(batch[half:])
+ good = all(t.answer.cancelled() or not t.answer.exception() for t in batch[:half])
+ await (self.rescue(batch[half:], error) if good else self.run(batch[half:]))

cuts-the-batch: You cut the list that you were given. It is the batcher's own (`self.running`): who
    is told when the server stops meanwhile?
- await self.run(batch[:half])
- await self.run(batch[half:])
+ second = batch[half:]
+ del batch[half:]
+ await self.run(batch)
+ await self.run(second)

swallows-the-cancel: The batcher was told to stop while a half was tried, and went on with the
    next. Which of your clauses catches a `CancelledError`?
- await self.run(batch[:half])
- await self.run(batch[half:])
+ for part in (batch[:half], batch[half:]):
+     try:
+         await self.run(part)
+     except BaseException as raised:
+         self.fail(part, raised)

never-awaited: You start the halves and wait for neither: for the batcher this batch is over. What
    does it do with the device meanwhile?
- await self.run(batch[:half])
- await self.run(batch[half:])
+ for part in (batch[:half], batch[half:]):
+     asyncio.create_task(self.run(part))

second-half-first: You try the second half first, so those who asked first hear last. Which half
    does the text put first?
- await self.run(batch[:half])
- await self.run(batch[half:])
+ await self.run(batch[half:])
+ await self.run(batch[:half])

larger-half-first: Of an odd number of requests you try the larger half first. Which one does the
    text ask for?
- half = len(batch) // 2
+ half = (len(batch) + 1) // 2

both-at-once: You try both halves at once. How many batches does the device take at a time?
- await self.run(batch[:half])
- await self.run(batch[half:])
+ await asyncio.gather(self.run(batch[:half]), self.run(batch[half:]))
"""

BISECT = exercise(
    """
batcher.bisect · Find the bad item by halves · 8 minutes, optional

> `run` calls `rescue` when the model raises, and `rescue` may call `run`. When does that end?
> It ends with a batch of one, or where nobody wants a second try: `self.fail(batch, error)`.
> Otherwise half = len(batch) // 2; await self.run(batch[:half]); await self.run(batch[half:]).

One bad item among n costs about 2 log₂ n further calls, and everybody else gets a result. Three
cautions belong into the interview: good items may be computed more than once, so the model must be
free of side effects (or requests must carry keys by which a repetition is recognised); an error
that has nothing to do with the items (out of memory, a lost device) must not be bisected but
retried once or passed on; and the latency of the others grows meanwhile, so bound the number of
calls.
""",
    Rehearsals(
        stories=(
            stories.NOT_ASKED_FOR,
            stories.ALONE_AND_BAD,
            stories.ONE_BAD_APPLE,
            stories.STOPPED_HALFWAY,
        ),
        reference=DynamicBatcher,
        method="rescue",
        misconceptions=patched(DynamicBatcher.rescue, _BISECT_MISTAKES),
    ),
)
