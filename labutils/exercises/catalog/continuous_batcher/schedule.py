"""scheduler.schedule · One step of the batcher · 3 minutes

> A step is a `Plan([], [])` that two methods fill. The two policies differ in their order.
> With chunks: decodes first, as each needs one token of the budget, then prompts into what is left.
  Without: prompts, and decodes only in a step without any. What is there to return when nothing
  happens?
> if self.chunked: self._decode(plan), then self._prefill(plan). Otherwise self._prefill(plan), and
  self._decode(plan) if not plan.chunks. Return the plan if it has chunks or preempted requests,
  else None.

A step may only preempt: the older requests have ended, `finish` has not come yet, and the newest
finds no page. Its plan has no chunks, and who lost its memory is told there alone. The two policies
of chapter 07 differ in three lines. With chunks no decode ever waits longer than one step with a
full budget. Without them a step holds whole prompts or decodes, never both, which was what kernels
wanted before they could mix them: small engines still start there, and their users ask why answers
stall. `now_s` is not used at all. It stands there for policies that need it (deadlines, ageing), so
that they ask their caller and not a clock on the wall.
"""

from labutils.exercises.definition.sheet import exercise

from .small_loads import piece_of_scheduler

_PREEMPTS_ALONE = (  # r4, in step 7: r5 has ended before it, and nobody has been told
    [("r1", 1, 1, 2), ("r2", 1, 1, 2), ("r3", 1, 4, 2), ("r4", 1, 6, 4), ("r5", 2, 4, 2)],
    *(5, 9, 7, True, "late ends"),
)

_MISTAKES = """
waiting-stops-decodes: Without chunks no request decodes while another waits, even one that may not
    start: it waits for memory that only an end gives back. How do you see whether a prompt starts?
- self._prefill(plan)
- if not plan.chunks:
+ if self.waiting:
+     self._prefill(plan)
+ else:

decodes-wait-for-the-queue: Without chunks you decode only when nobody waits. A queue that cannot
    start would stop everything: see whether the step prefills.
- if not plan.chunks:
+ if not self.waiting:

decodes-before-prompts: Without chunks prompts go first. In yours they wait until nothing decodes
    any more.
= else:
-     self._prefill(plan)
+     self._decode(plan)
= if not plan.chunks:
-     self._decode(plan)
+     self._prefill(plan)

policies-exchanged: Your two policies stand in each other's place: what does `chunked` mean?
- if self.chunked:
+ if not self.chunked:

while-anybody-is-there: You return a plan without work as long as anybody is there. Whether a step
    has work is for the plan to say.
- return plan if plan.chunks or plan.preempted else None
+ return plan if self.running or self.waiting else None

another-clock: A scheduler reads no clock: in a simulation an hour takes a second. It is told the
    time, as `now_s`.
- plan = Plan([], [])
+ import time
+
+ plan, now_s = Plan([], []), time.perf_counter()

ignores-chunked: With chunks every running request decodes in every step, whatever prefills beside
    it.
- if self.chunked:
+ if False:

always-mixes: Without chunks a step that prefills does nothing else. In yours others decode.
- if self.chunked:
+ if True:

decodes-beside-prompts: Without chunks a step that prefills does nothing else. How do you see
    whether it does?
- if not plan.chunks:
+ if True:

both-halves-always: You run both halves in every step, prompts first, whatever `chunked` says. Which
    comes first with chunks, and when is there a second half without?
- if self.chunked:
-     self._decode(plan)
-     self._prefill(plan)
- else:
-     self._prefill(plan)
-     if not plan.chunks:
-         self._decode(plan)
+ self._prefill(plan)
+ self._decode(plan)

commits-itself: You commit the plan before you return it. It is a promise: whoever runs the step
    calls `commit`.
- return plan if plan.chunks or plan.preempted else None
+ self.commit(plan)
+ return plan if plan.chunks or plan.preempted else None

prompts-take-the-budget: With chunks, prompts spend the budget before those that decode have their
    token.
= if self.chunked:
+     self._prefill(plan)
= self._decode(plan)
- self._prefill(plan)

decodes-alone: Prompts wait until no request decodes any more. How would one ever join a batch that
    is under way?
= self._decode(plan)
- self._prefill(plan)
+ if not plan.chunks:
+     self._prefill(plan)

chunks-alone-count: A step that only preempts is lost: its plan has no chunks and must be returned
    all the same, for it tells who lost its memory.
- return plan if plan.chunks or plan.preempted else None
+ return plan if plan.chunks else None

an-empty-plan: Where nothing is to be computed you return an empty plan: a step without work, for
    ever. Return None.
- return plan if plan.chunks or plan.preempted else None
+ return plan
"""

SCHEDULE = exercise(__doc__, piece_of_scheduler(_MISTAKES, "schedule", always=(_PREEMPTS_ALONE,)))
