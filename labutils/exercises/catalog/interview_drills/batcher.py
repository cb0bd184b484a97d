"""interview.batcher · A batcher for one GPU · 35 minutes, optional

> Before you write: which piles are there? One of those who wait, one of those whom the GPU works
  on, one of halves to try again, one of names that have hung up. Each method moves names between
  piles.
> `poll`: nobody while busy; else the next half; else the front of the line that fits, if it is full
  or the first is due. Full means: `max_batch` of them, or the next one does not fit. `done`: a
  batch of more than one that failed becomes two halves; everything else pairs names with results
  first and leaves out those who hung up last.
> Fitting: for size, ticket in enumerate(line[:max_batch]): longest = max(longest, tokens); if (size
  + 1) * longest > max_tokens, it is size. Proof: keep busy_ms, the sum of all times from a batch
  leaving to its return; now_ms - busy_ms (less the batch in work) is a clock that stands still
  while the GPU works. Note both clocks at `submit`, and compare when somebody leaves, hangs up, or
  is still there.

Nothing here knows asyncio, and that is the first point an interviewer hears: *decisions apart from
doing*. A class that is told the time can be tested in a minute; the loop, the timer and the futures
around it are twenty lines (lab 3 has them).

The demands look unlike, and each costs one line if the piles are right. A deadline is a moment
fixed on arrival. A batch costs its size times its longest member, so *full* means: the next one
does not fit. Halving costs about 2 log₂ n calls for one culprit; the model must be free of side
effects, and an error that has nothing to do with the items (out of memory, a lost device) is passed
on instead. Whoever hangs up is left out at the last moment, never from a list that something else
is paired with. The line is bounded, because a refusal now is worth more than an answer too late.

And the window is *proved* by two clocks: waiting while the GPU is idle is your doing and never
exceeds the window by more than your timer is late; the rest of the wait is capacity, and no window
cures it. Count those who gave up and those who still wait: leave them out, and a line that has
stopped looks perfect.

*Then they ask:* two GPUs? (the same line, a pile for each.) Sorting by length? (less padding, and
somebody starves: bound how often one may be overtaken.) Retries of clients? (a key per request, so
that the second one joins the first.) What do you page on? (`proof`, refusals, and the share of
padding.)
"""

from labutils.exercises.checkers import Stories
from labutils.exercises.definition.sheet import exercise

from .batcher_stories import STORIES
from .batchers import Batcher
from .wrong_batchers import MISTAKES

BATCHER = exercise(__doc__, Stories(stories=STORIES, reference=Batcher, misconceptions=MISTAKES))
