"""batcher.run · Run the model off the loop · 9 minutes

> `await loop.run_in_executor(self._worker, self.call, items)` runs `self.call(items)` in a thread
  and gives its result, or raises its error, here.
> Three parts: the items out of the tickets; the call in a worker; then either `self.deliver(batch,
  results)` or, if it raised an Exception, `await self.rescue(batch, error)`.
> items = [ticket.item for ticket in batch]; try: results = await
  asyncio.get_running_loop().run_in_executor(self._worker, self.call, items); except Exception as
  error: await self.rescue(batch, error); else: self.deliver(batch, results).

An event loop is one thread. A call that takes 100 ms on it stops the clock for everybody: arrivals
are not even noticed, so their windows begin late; refusals and hang-ups come late; health checks
fail. In a worker thread the model takes as long, and the loop goes on; torch and numpy release the
interpreter's lock while they compute. An error of the model belongs to the members of this batch,
and to nobody else. `rescue` decides what to do with it; as a rule it fails the batch, with `bisect`
it tries the halves. Catch `Exception`, not `BaseException`: when the batcher itself is cancelled,
that has to go through. And a thread of its own for the model: asyncio's shared pool also looks up
names, reads files and runs whatever a colleague hands to `to_thread`, and a batch that waits behind
them leaves the GPU idle.
"""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import batch_stories as stories

_MISTAKES = """
blocks: Your model runs on the event loop. While it does, nobody is let in, no timer rings and
    nobody can hang up. Who else could run it?
- work = asyncio.get_running_loop().run_in_executor(self._worker, self.call, items)
- try:
-     results = await work
+ try:
+     results = self.call(items)

blocks-and-raises: Your model runs on the event loop. While it does, nobody is let in, no timer
    rings and nobody can hang up. Who else could run it? The model raised, and the error ends the
    task that serves everybody. Whom does it concern, and who should go on?
- work = asyncio.get_running_loop().run_in_executor(self._worker, self.call, items)
- ...
+ self.deliver(batch, self.call(items))

lets-it-raise: The model raised, and the error ends the task that serves everybody. Whom does it
    concern, and who should go on?
- try:
- ...
+ self.deliver(batch, await work)

tickets-for-items: You hand the model tickets. What does it take a list of?
- [ticket.item for ticket in batch]
+ batch

delivers-after-the-rescue: After `rescue` you go on to `deliver`, and there are no results. How does
    this batch end?
- else:
-     self.deliver(batch, results)
+ self.deliver(batch, results)

raises-again: You tell the batch of the error and then raise it once more, which ends the task that
    serves everybody. Whom does it concern still?
- await self.rescue(batch, error)
+ await self.rescue(batch, error)
+ raise

swallows: You catch the error and say nothing. Who has to hear of it?
- await self.rescue(batch, error)
+ return

never-rescues: You fail the batch yourself. This batcher was opened with `bisect`: it tries the
    halves of a batch again. Which method decides what becomes of a batch that failed?
- await self.rescue(batch, error)
+ self.fail(batch, error)

shared-pool: Your model waits for a thread of the pool that the whole process shares: executor
    `None` and `asyncio.to_thread` mean that pool. Which thread is kept free for it?
- asyncio.get_running_loop().run_in_executor(self._worker, self.call, items)
+ asyncio.to_thread(self.call, items)

deaf-to-the-stop: The batcher was cancelled in the middle of a batch, and your `except` took that
    for an error of the model. Of which class are errors of a model, and of which is a cancellation?
- except Exception as error:
+ except BaseException as error:

does-not-wait: You start the batch and return before it is done, so the next one starts beside it.
    How many batches can the device hold?
- items = [ticket.item for ticket in batch]
- ...
+ self.elsewhere = asyncio.create_task(DynamicBatcher.run(self, batch))
"""

RUN = exercise(
    __doc__,
    Rehearsals(
        stories=(
            stories.LONG_BATCH,
            stories.CLOSED_BROWSER,
            stories.MODEL_RAISES,
            stories.GONE_AND_RAISING,
            stories.ONE_BAD_APPLE,
            stories.SHARED_POOL,
            stories.TOLD_TO_STOP,
        ),
        reference=DynamicBatcher,
        method="run",
        misconceptions=patched(DynamicBatcher.run, _MISTAKES),
    ),
)
