"""Step 2: the model works elsewhere, and its errors reach those who wait."""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import batch_stories as stories
from . import wrong_batches as wrong

_BLOCKS = (
    "Your model runs on the event loop. While it does, nobody is let in, no timer rings and nobody "
    "can hang up. Who else could run it?"
)
_RAISES = (
    "The model raised, and the error ends the task that serves everybody. Whom does it concern, "
    "and who should go on?"
)

RUN = Exercise(
    id="batcher.run",
    title="Run the model off the loop",
    minutes=9,
    checker=Rehearsals(
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
        misconceptions=(
            Misconception("blocks", wrong.blocks, _BLOCKS),
            Misconception("blocks-and-raises", wrong.blocks_and_raises, f"{_BLOCKS} {_RAISES}"),
            Misconception("lets-it-raise", wrong.lets_it_raise, _RAISES),
            Misconception(
                "swallows",
                wrong.swallows,
                "You catch the error and say nothing. Who has to hear of it?",
            ),
            Misconception(
                "never-rescues",
                wrong.never_rescues,
                "You fail the batch yourself. This batcher was opened with `bisect`: it tries the "
                "halves of a batch again. Which method decides what becomes of a batch that "
                "failed?",
            ),
            Misconception(
                "shared-pool",
                wrong.in_the_shared_pool,
                "Your model waits for a thread of the pool that the whole process shares: executor "
                "`None` and `asyncio.to_thread` mean that pool. Which thread is kept free for it?",
            ),
            Misconception(
                "deaf-to-the-stop",
                wrong.goes_on_when_told_to_stop,
                "The batcher was cancelled in the middle of a batch, and your `except` took that "
                "for an error of the model. Of which class are errors of a model, and of which is "
                "a cancellation?",
            ),
            Misconception(
                "does-not-wait",
                wrong.does_not_wait,
                "You start the batch and return before it is done, so the next one starts beside "
                "it. How many batches can the device hold?",
            ),
        ),
    ),
    hints=(
        "`await loop.run_in_executor(self._worker, self.call, items)` runs `self.call(items)` in a "
        "thread and gives its result, or raises its error, here.",
        "Three parts: the items out of the tickets; the call in a worker; then either "
        "`self.deliver(batch, results)` or, if it raised an Exception, `await self.rescue(batch, "
        "error)`.",
        "items = [ticket.item for ticket in batch]; try: results = await "
        "asyncio.get_running_loop().run_in_executor(self._worker, self.call, items); except "
        "Exception as error: await self.rescue(batch, error); else: self.deliver(batch, results).",
    ),
    explanation=(
        "An event loop is one thread. A call that takes 100 ms on it stops the clock for "
        "everybody: arrivals are not even noticed, so their windows begin late; refusals and "
        "hang-ups come late; health checks fail. In a worker thread the model takes as long, and "
        "the loop goes on; torch and numpy release the interpreter's lock while they compute. An "
        "error of the model belongs to the members of this batch, and to nobody else. `rescue` "
        "decides what to do with it; as a rule it fails the batch, with `bisect` it tries the "
        "halves. Catch `Exception`, not `BaseException`: when the batcher itself is cancelled, "
        "that has to go through. And a thread of its own for the model: asyncio's shared pool also "
        "looks up names, reads files and runs whatever a colleague hands to `to_thread`, and a "
        "batch that waits behind them leaves the GPU idle."
    ),
)
