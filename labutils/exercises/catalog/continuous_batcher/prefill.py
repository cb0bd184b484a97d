"""scheduler.prefill · Prompts into the budget · 6 minutes

> Two groups prefill: the prompt that was cut in an earlier step, and the head of the queue. Both
  share what is left of the budget. Which one goes first?
> left = self.token_budget - len(plan.chunks), as every chunk so far is one token. First each of
  `self.running` with `to_compute > 1`. Then a loop: while the head of the queue `_may_start`, take
  it out, `self.pool.start` it, put it into `self.running`, and give it a chunk.
> for each running one with to_compute > 1 and left > 0: append (request, min(request.to_compute,
  left)), and take it off `left`. Then while self.waiting and self._may_start(self.waiting[0], plan,
  left): request = self.waiting.popleft(); start; running.append; new = request.to_compute, with
  chunks at most left; append; left -= new.

The order of the lines is the invariant. Ask, then act: a request that was taken out of the queue
before it was asked about is lost when the answer is no. Memory before tokens: `start` may find a
prefix, and then fewer tokens are left to compute. The loop stops at the first request that may not
start, so none is overtaken. A prompt that is cut uses up the budget, so at most one is open, and it
goes first in the next step.
"""

from labutils.exercises.definition.sheet import exercise

from .small_loads import piece_of_scheduler

_MISTAKES = """
cut-prompt-is-free: What the cut prompt computes is not taken off the budget.
- left -= request.to_compute

newcomers-are-free: What has just started spends none of the budget. What is left for the next one?
- left -= new

decodes-again: A request that decodes has its token in the plan already, and gets another one here.
- for request in self.running[len(plan.chunks) :]:  # behind all that decode
-     if request.to_compute > 1 and left > 0:
+ for request in self.running:  # behind all that decode
+     if request.to_compute and left > 0:

prompt-without-its-answer: A request that was preempted comes back with its answer so far, and you
    compute its prompt alone.
- for request in self.running[len(plan.chunks) :]:  # behind all that decode
+ for request in self.running:
- new = min(request.to_compute, left) if self.chunked else request.to_compute
+ rest = request.prompt_tokens - request.computed
+ new = min(rest, left) if self.chunked else rest

lost: A request is lost: you take it out of the queue, then ask, and when it may not start nobody
    puts it back. Ask first: `self.waiting[0]`.
- while self.waiting and self._may_start(self.waiting[0], plan, left):
+ while self.waiting:
= request = self.waiting.popleft()
+ if not self._may_start(request, plan, left):
+     break

overtaken: A request is overtaken: the head of the queue may not start, and you try those behind it.
    Under load it would wait for ever.
- while self.waiting and self._may_start(self.waiting[0], plan, left):
-     request = self.waiting.popleft()
+ for request in list(self.waiting):
+     if not self._may_start(request, plan, left):
+         continue
+     self.waiting.remove(request)

newest-first: You take the request that came last, and overtake the others. Which one has waited
    longest?
- while self.waiting and self._may_start(self.waiting[0], plan, left):
-     request = self.waiting.popleft()
+ while self.waiting and self._may_start(self.waiting[-1], plan, left):
+     request = self.waiting.pop()

no-memory: A request computes without memory. Which verb of `self.pool` gives it pages?
- self.pool.start(request)

never-runs: A request gets pages and tokens, and stands neither in the queue nor in `self.running`:
    it is lost.
- self.running.append(request)

counts-before-it-starts: You count the tokens to compute before `start`. With a prefix that is
    found, `start` makes them fewer.
- self.pool.start(request)
= new = min(request.to_compute, left) if self.chunked else request.to_compute
+ self.pool.start(request)

forgets-the-cut-prompt: A prompt that was cut is never computed to its end. Where does a request
    stand that has begun to prefill?
- if request.to_compute > 1 and left > 0:
+ if False:

one-newcomer: You start one request in a step at most. How many may the budget, the places and the
    memory take?
- left -= new
+ left = 0

never-cut: With chunks the last prompt is cut to what is left of the budget. Yours goes in whole.
- new = min(request.to_compute, left) if self.chunked else request.to_compute
+ new = request.to_compute

counted-when-planned: You count as computed what is only planned. The plan is a promise: `commit`
    counts when it runs.
- left -= new
+ left -= new
+ request.computed += new

prompt-again: You compute the whole prompt of a newcomer, no more and no less. `start` may have
    found some of it, and one that was preempted knows its answer so far as well.
- for request in self.running[len(plan.chunks) :]:  # behind all that decode
+ for request in self.running:
- new = min(request.to_compute, left) if self.chunked else request.to_compute
+ new = min(request.prompt_tokens, left) if self.chunked else request.prompt_tokens

always-cut: Without chunks a prompt goes in one piece, even one longer than the budget. Yours is
    cut.
- new = min(request.to_compute, left) if self.chunked else request.to_compute
+ new = min(request.to_compute, left)

queue-first: Newcomers take the budget before the prompt that was cut. Which one came first?
- for request in self.running[len(plan.chunks) :]:  # behind all that decode
-     if request.to_compute > 1 and left > 0:
- ...
+ running = list(self.running)
=     left -= new
+ for request in running:  # behind all that decode
+     if request.to_compute > 1 and left > 0:
+         plan.chunks.append((request, min(request.to_compute, left)))
+         left -= request.to_compute

decodes-are-free: You spend the whole budget on prompts. What has `plan.chunks` spent already?
- left = self.token_budget - len(plan.chunks)  # so far all of one token
+ left = self.token_budget  # so far all of one token
"""

# Behind one that has ended, which is told late, the cut prompt finds one token of the budget.
_ONE_TOKEN_FOR_THE_CUT_PROMPT = (
    [("r1", 1, 4, 5), ("r2", 2, 1, 1), ("r3", 2, 4, 5)], 2, 2, 12, True, "late ends"
)  # fmt: skip

PREFILL = exercise(
    __doc__, piece_of_scheduler(_MISTAKES, "_prefill", always=(_ONE_TOKEN_FOR_THE_CUT_PROMPT,))
)
