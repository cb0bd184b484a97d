"""batcher.deliver · Deliver the results of a batch · 8 minutes

> Two questions before any result is handed out: are there as many as requests? And does this one
  still wait?
> `self.fail(batch, error)` tells everybody who still waits an error. `ticket.answer.done()` is true
  for a future that has an answer or was cancelled.
> if len(results) != len(batch): self.fail(batch, ValueError(...)) and return; then, for each pair,
  set_result only if not ticket.answer.done().

A future is settled once: by a result, an error, or a cancellation. A client that hangs up settles
its future, and a second settlement raises in *your* loop. So ask the future whether it still waits,
and never the result: 0 and None are answers too. As for the numbers: a model that returns fewer
results than items has broken its contract, and nothing in the list says which one is missing.
Handing out what came would give people the answers of others, which is worse than an error: nobody
sees it.
"""

from labutils.exercises.checkers import Rehearsals
from labutils.exercises.definition.patched import patched
from labutils.exercises.definition.sheet import exercise
from labutils.serving.batcher.dynamic_batcher import DynamicBatcher

from . import batch_stories as stories

_MISTAKES = """
gone-unchecked: A future that was cancelled takes no result: `set_result` raises
    `InvalidStateError`, and the tickets behind it never get their turn. What can you ask a future
    before?
- if not ticket.answer.done():
-     ticket.answer.set_result(result)
+ ticket.answer.set_result(result)

count-unchecked: `zip` ends with the shorter of the two, without a word. If the numbers differ,
    whose result is the first one?
- if len(results) != len(batch):
-     self.fail(batch, ValueError(f"{len(results)} results for {len(batch)} requests"))
-     return

only-too-few: Too few results fail the batch, too many are handed out. If there is one too many,
    whose is the second?
- len(results) != len(batch)
+ len(results) < len(batch)

count-and-gone-unchecked: A future that was cancelled takes no result: `set_result` raises
    `InvalidStateError`, and the tickets behind it never get their turn. What can you ask a future
    before? `zip` ends with the shorter of the two, without a word. If the numbers differ, whose
    result is the first one?
- if len(results) != len(batch):
- ...
+ for ticket, result in zip(batch, results):
+     ticket.answer.set_result(result)

stops-at-the-gone: You leave the loop at the first client that has hung up. What becomes of those
    behind it?
- if not ticket.answer.done():
-     ticket.answer.set_result(result)
+ if ticket.answer.done():
+     break
+ ticket.answer.set_result(result)

closes-the-gap: You leave those who hung up out before you pair, and the results of the others move
    up by a place. The model has computed an answer for them as well.
- zip(batch, results)
+ zip([one for one in batch if not one.answer.done()], results)

all-for-one: One has hung up, and you fail the others for it. Their results are there.
- if len(results) != len(batch):
+ if len(results) != len(batch) or any(ticket.answer.done() for ticket in batch):

raises-when-short: Where the numbers differ you raise, and that ends the task that serves everybody.
    Who has to hear of it, and who should go on?
- self.fail(batch, ValueError(f"{len(results)} results for {len(batch)} requests"))
- return
+ raise ValueError("numbers differ")

strict-zip: A strict `zip` raises when it comes to the shorter end. By then you have handed results
    out, and the error ends the task that serves everybody. Compare the numbers before.
- if len(results) != len(batch):
- ...
+ for ticket, result in zip(batch, results, strict=True):
+     if not ticket.answer.done():
+         ticket.answer.set_result(result)

error-for-the-gone: Where the numbers differ you give everybody an error. A future that was
    cancelled takes none: `set_exception` raises, and the tickets behind it never get their turn.
- self.fail(batch, ValueError(f"{len(results)} results for {len(batch)} requests"))
+ for ticket in batch:
+     ticket.answer.set_exception(ValueError("numbers differ"))

silent-when-short: You rightly hand nothing out when the numbers differ, and you tell nobody. What
    do those in the batch wait for?
- self.fail(batch, ValueError(f"{len(results)} results for {len(batch)} requests"))

falsy-is-nothing: A client waits for an answer that is 0, None or an empty list, and never hears:
    these are results like others. What has to be asked of the *future*, and nothing of the result?
- if not ticket.answer.done():
+ if result and not ticket.answer.done():

none-is-nothing: A client waits for an answer that is 0, None or an empty list, and never hears:
    these are results like others. What has to be asked of the *future*, and nothing of the result?
- if not ticket.answer.done():
+ if result is not None and not ticket.answer.done():

trusts-the-order: You hand out the results that came and fail the rest. Do you know which item the
    model dropped?
- if len(results) != len(batch):
- ...
+ for ticket, result in zip(batch, results):
+     if not ticket.answer.done():
+         ticket.answer.set_result(result)
+ self.fail(batch[len(results) :], ValueError("no result"))
"""

DELIVER = exercise(
    __doc__,
    Rehearsals(
        stories=(
            stories.CLOSED_BROWSER,
            stories.SHORT_ANSWER,
            stories.GONE_AND_SHORT,
            stories.LONG_ANSWER,
            stories.EMPTY_RESULT,
        ),
        reference=DynamicBatcher,
        method="deliver",
        misconceptions=patched(DynamicBatcher.deliver, _MISTAKES),
    ),
)
