"""scheduler.admit · Who may start · 5 minutes

> Five things can keep the head of the queue waiting: a preemption in this very step, the token
  budget, its length where prompts are not cut, places, memory. Which of them belong to the step,
  which to the server?
> `_may_start` knows the step: `plan.preempted`, `left`, and for whole prompts `plan.chunks` and
  `request.known`. Refuse first, then return `self.admits(request)`. That one counts `self.running`
  and asks `self.pool.fits`.
> _may_start: return False if plan.preempted or left <= 0; return False if not self.chunked and
  plan.chunks and request.known > left; else self.admits(request). admits: len(self.running) <
  self.max_sequences and self.pool.fits(request).

Continuous batching is this condition asked at every step instead of once per batch. Places bound
the batch, memory bounds what the places may hold, the budget bounds the step. `self.running` counts
every request that holds memory, also one whose answer has ended a moment ago: an engine that plans
the next step while this one computes hears of the end a step late. Why never in a step that
preempted? First come, first served needs no such lock: a preempted request gave its pages to others
and cannot fit at once. But a policy may put a shorter one in front, and it would be preempted in
the next step; vLLM has the same lock. `admits` stands apart so that a policy can replace it: limits
per user, room to spare.
"""

from labutils.exercises.definition.sheet import exercise

from .small_loads import piece_of_scheduler

_OWN_LIMIT = (
    [("r1", 1, 2, 4), ("r2", 1, 2, 3), ("r3", 1, 3, 2), ("r4", 2, 1, 2)],
    *(4, 9, 12, True, "own limit"),
)

# Who was preempted knows more than its prompt when it starts again.
_STARTS_AGAIN = (
    [("r1", 1, 2, 2), ("r2", 1, 2, 2), ("r3", 1, 2, 2), ("r4", 1, 2, 2)],
    *(5, 5, 4, False, "late ends"),
)

# r1 is cancelled, and a prompt fills the step's budget to the last token.
_FILLS_THE_BUDGET = (
    [("r1", 2, 1, 3), ("r2", 2, 4, 5), ("r3", 3, 4, 2)],
    *(2, 5, 8, False, "", [(3, "r1"), (6, "r1")]),
)

_MISTAKES = """
first-of-all: You let a prompt that is too long start only when nothing else runs. It is enough that
    it comes first in its step: without chunks the others wait for one step.
- if not self.chunked and plan.chunks and request.known > left:
+ if not self.chunked and self.running and request.known > left:

budget-of-nothing: A request starts although nothing of the budget is left. What would it compute?
- if plan.preempted or left <= 0:
+ if plan.preempted or left < 0:

whole-length-in-chunks: With chunks a prompt may be cut, and yours waits for a step with room for
    all of it.
- if not self.chunked and plan.chunks and request.known > left:
+ if plan.chunks and request.known > left:

length-of-the-prompt: You ask for room for the prompt. A request that was preempted has to compute
    its answer so far as well: all that it knows.
- if not self.chunked and plan.chunks and request.known > left:
+ if not self.chunked and plan.chunks and request.prompt_tokens > left:

just-too-strict: A prompt that fits the rest of the budget exactly is refused. May a step be full?
- if not self.chunked and plan.chunks and request.known > left:
+ if not self.chunked and plan.chunks and request.known >= left:

policies-exchanged: You ask the whole length of a prompt that may be cut, and not of one that may
    not.
- if not self.chunked and plan.chunks and request.known > left:
+ if self.chunked and plan.chunks and request.known > left:

first-without-asking: The first request of a step starts without a place or memory being asked for.
    Only the length is forgiven to it.
- return self.admits(request)
+ return not plan.chunks or self.admits(request)

whole-budget-for-each: You hold each prompt against the budget of a whole step. What have others
    spent of it in this one?
- if not self.chunked and plan.chunks and request.known > left:
+ if not self.chunked and plan.chunks and request.known > self.token_budget:

alone-in-its-step: Without chunks each prompt gets a step of its own with you. Several may share a
    step: how many does the budget take?
- if not self.chunked and plan.chunks and request.known > left:
+ if not self.chunked and plan.chunks:

no-places: You never count who runs. How many requests may run at a time?
- return len(self.running) < self.max_sequences and self.pool.fits(request)
+ return self.pool.fits(request)

no-memory: A request starts without memory: nobody asked whether there is any. Which verb of
    `self.pool` asks?
- return len(self.running) < self.max_sequences and self.pool.fits(request)
+ return len(self.running) < self.max_sequences

one-place-too-many: One more runs than may. How many run before this one starts?
- return len(self.running) < self.max_sequences and self.pool.fits(request)
+ return len(self.running) <= self.max_sequences and self.pool.fits(request)

ended-requests-forgotten: You count the requests that still compute. One whose answer has ended
    keeps its place and its pages until `finish` is called, which may be a step late.
- len(self.running)
+ sum(one.to_compute > 0 for one in self.running)

any-page-will-do: A request starts as soon as any page is free. How many does it need?
- return len(self.running) < self.max_sequences and self.pool.fits(request)
+ return len(self.running) < self.max_sequences and self.pool.num_free > 0

prompt-alone: You ask for the pages of the prompt. A request that was preempted also knows the
    tokens of its answer, and one that shares a prefix needs fewer: `self.pool.fits` knows both.
- self.pool.fits(request)
+ self.pool.pages_for(request.prompt_tokens) <= self.pool.num_free

tokens-for-pages: You compare tokens with free pages. How many tokens does a page hold?
- self.pool.fits(request)
+ request.known <= self.pool.num_free

keeps-room-for-the-answer: A request starts only when there are pages for its longest answer. Most
    answers never get that long; what does it need in this step?
- self.pool.fits(request)
+ self.pool.pages_for(request.most - 1) <= self.pool.num_free

room-for-all-it-may-get: A request starts only when there are pages for its longest answer. Most
    answers never get that long; what does it need in this step?
- self.pool.fits(request)
+ self.pool.pages_for(request.known + request.max_output_tokens) <= self.pool.num_free

asks-by-acting: You start the request where you were asked whether it may: its pages are taken here,
    and once more by who asked. A question changes nothing.
- self.pool.fits(request)
+ self.pool.fits(request) and not self.pool.start(request)

no-budget: A request starts although the step's budget is spent. What would it compute?
- if plan.preempted or left <= 0:
+ if plan.preempted:

back-in-the-same-step: A request starts in a step that preempted one. Whose pages does it get, and
    whose will it need in the next step?
- if plan.preempted or left <= 0:
+ if left <= 0:

keeps-out-that-one-alone: You keep out the request that was preempted in this step, and let another
    one in. Whose pages will that one need in the next step?
- if plan.preempted or left <= 0:
+ if request in plan.preempted or left <= 0:

never-again: A request that was preempted once never starts again. It is the step that preempts in
    which nobody starts.
- if plan.preempted or left <= 0:
+ if request.preemptions or left <= 0:

always-cut: Without chunks a prompt goes in one piece, and this one is longer than what the budget
    leaves.
- if not self.chunked and plan.chunks and request.known > left:
+ if False:

too-long-for-ever: Without chunks a prompt longer than the budget never starts, and all wait behind
    it. When may it have a step for itself?
- if not self.chunked and plan.chunks and request.known > left:
+ if not self.chunked and request.known > left:

static: You let a request start only when no other has computed anything: the closed batch again.
- len(self.running)
+ not any(one.computed for one in self.running) and len(self.running)

never-asks-admits: `_may_start` never asks `self.admits(request)`. A policy that replaces `admits`,
    here by two requests at most, is not heard.
- return self.admits(request)
+ return len(self.running) < self.max_sequences and self.pool.fits(request)

takes-it-out: `_may_start` takes the request out of the queue, and so does who asked: another one is
    lost, or the queue is empty. A question changes nothing.
- return self.admits(request)
+ return bool(self.admits(request) and self.waiting.popleft())
"""

ADMIT = exercise(
    __doc__,
    piece_of_scheduler(
        _MISTAKES,
        "_may_start",
        "admits",
        always=(_OWN_LIMIT, _STARTS_AGAIN, _FILLS_THE_BUDGET),
    ),
)
