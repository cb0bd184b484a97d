"""scheduler.finish · What an end gives back · 2 minutes

> A request that ends either runs or waits. What does it hold in either case?
> One that runs holds a place and pages, and gives both back. One that waits stands in the queue,
  and holds nothing else.
> if request in self.running: self.running.remove(request), and self.pool.release(request).
  Otherwise self.waiting.remove(request).

`finish` is the only place where pages come back for good, so there is one place to look at when
`check` finds a leak. It is called for cancelled requests as well, whether they run or wait. And it
may come when the next step is planned already: then a request that has ended has even been
preempted meanwhile, and stands in the queue again.
"""

from labutils.exercises.definition.sheet import exercise

from .small_loads import piece_of_scheduler

_BEHIND_THE_HEAD = (
    [("r1", 1, 2, 4), ("r2", 1, 2, 2), ("r3", 1, 3, 2), ("r4", 1, 1, 1)],
    *(1, 4, 8, True, "", [(2, "r3")]),
)
_ITS_FIRST_STEP_FAILS = (
    [("r1", 1, 3, 2), ("r2", 2, 2, 3), ("r3", 2, 4, 2)],
    *(3, 6, 9, True, "", [], [(2, "r2")]),
)

_MISTAKES = """
only-those-that-run: A request may be cancelled while it waits: then it does not stand in `running`.
- if request in self.running:
+ if True:

what-computes-waits: You take a request with tokens left to compute for one that waits. It may be
    cancelled while it runs, and its answer may end early.
- if request in self.running:
+ if not request.to_compute:

nothing-computed-waits: You take a request that has computed nothing for one that waits. Its first
    step may have failed: then it runs, and holds pages.
- if request in self.running:
+ if request.computed:

full-answers-give-back: Only a full answer gives its pages back. An answer may end early, and a
    request may be cancelled.
- self.pool.release(request)
+ if not request.to_compute:
+     self.pool.release(request)

the-oldest-goes: The oldest leaves `running`, whichever request has ended.
- self.running.remove(request)
+ self.running.pop(0)

waits-again: A request that has ended stands in the queue again.
= self.pool.release(request)
+ self.wait(request, first=True)

leak: A request has ended and keeps its pages. Nobody will ever ask for them again: that is a leak.
- self.pool.release(request)

numbers-alone: You set the numbers of the request to 0, and its pages stay taken. Which verb of
    `self.pool` takes them back?
- self.pool.release(request)
+ request.computed = request.room = 0

keeps-its-place: A request has ended and still stands in `self.running`: its place stays taken.
- self.running.remove(request)

waits-after-its-end: A request that was cancelled while it waited stays in the queue, and will be
    computed for nobody.
- self.waiting.remove(request)
+ pass

the-head-goes: The head of the queue leaves it, whichever request was cancelled. One that waits may
    stand anywhere in the queue.
- self.waiting.remove(request)
+ self.waiting.popleft()
"""

FINISH = exercise(
    __doc__,
    piece_of_scheduler(_MISTAKES, "finish", always=(_BEHIND_THE_HEAD, _ITS_FIRST_STEP_FAILS)),
)
