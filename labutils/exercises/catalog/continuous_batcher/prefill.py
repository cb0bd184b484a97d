"""Prompts into a step's token budget: the one that was cut goes on, then the queue."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from .crowds import NUM_INPUTS, crowds, story

_GOES_ON = "if request.to_compute > 1 and left > 0:"
_NEXT = "self.waiting and self._may_start(self.waiting[0], plan, left)"
_CUT = "new = min(request.to_compute, left) if self.chunked else request.to_compute"
_START = "        self.pool.start(request)\n"


_GOES = (
    "    for request in self.running[len(plan.chunks) :]:  # behind all that decode\n"
    f"        {_GOES_ON}\n"
    "            plan.chunks.append((request, min(request.to_compute, left)))\n"
    "            left -= request.to_compute\n"
)
_STARTS = "        left -= new\n"
_HEAD = f"    while {_NEXT}:\n        request = self.waiting.popleft()\n"


PREFILL = Exercise(
    id="scheduler.prefill",
    title="Prompts into the budget",
    minutes=10,
    checker=piece_of(
        "scheduler:Scheduler._prefill",
        tried=story,
        inputs=crowds,
        num_inputs=NUM_INPUTS,
        mistakes=(
            (
                "cut-prompt-is-free",
                slip("            left -= request.to_compute\n", ""),
                "What the cut prompt computes is not taken off the budget.",
            ),
            (
                "newcomers-are-free",
                slip("left -= new", "pass"),
                "What has just started spends none of the budget. What is left for the next one?",
            ),
            (
                "decodes-again",
                slip(
                    "self.running[len(plan.chunks) :]",
                    "self.running",
                    "request.to_compute > 1 and",
                    "request.to_compute and",
                ),
                "A request that decodes has its token in the plan already, and gets another one "
                "here.",
            ),
            (
                "prompt-without-its-answer",
                slip(
                    "new = min(request.to_compute, left) if self.chunked else request.to_compute",
                    "rest = request.prompt_tokens - request.computed\n        new = min(rest, "
                    "left) if self.chunked else rest",
                ),
                "A request that was preempted comes back with its answer so far, and you compute "
                "its prompt alone.",
            ),
            (
                "lost",
                slip(
                    _HEAD,
                    "    while self.waiting:\n"
                    "        request = self.waiting.popleft()\n"
                    "        if not self._may_start(request, plan, left):\n"
                    "            break\n",
                ),
                "A request is lost: you take it out of the queue, then ask, and when it may not "
                "start nobody puts it back. Ask first: `self.waiting[0]`.",
            ),
            (
                "overtaken",
                slip(
                    _HEAD,
                    "    for request in list(self.waiting):\n"
                    "        if not self._may_start(request, plan, left):\n"
                    "            continue\n"
                    "        self.waiting.remove(request)\n",
                ),
                "A request is overtaken: the head of the queue may not start, and you try those "
                "behind it. Under load it would wait for ever.",
            ),
            (
                "newest-first",
                slip(
                    _NEXT,
                    _NEXT.replace("[0]", "[-1]"),
                    "self.waiting.popleft()",
                    "self.waiting.pop()",
                ),
                "You take the request that came last, and overtake the others. Which one has "
                "waited longest?",
            ),
            (
                "no-memory",
                slip(_START, ""),
                "A request computes without memory. Which verb of `self.pool` gives it pages?",
            ),
            (
                "never-runs",
                slip("        self.running.append(request)\n", ""),
                "A request gets pages and tokens, and stands neither in the queue nor in "
                "`self.running`: it is lost.",
            ),
            (
                "counts-before-it-starts",
                slip(
                    _START,
                    "",
                    f"        {_CUT}\n",
                    f"        {_CUT}\n{_START}",
                ),
                "You count the tokens to compute before `start`. With a prefix that is found, "
                "`start` makes them fewer.",
            ),
            (
                "forgets-the-cut-prompt",
                slip(_GOES_ON, "if False:"),
                "A prompt that was cut is never computed to its end. Where does a request stand "
                "that has begun to prefill?",
            ),
            (
                "one-newcomer",
                slip("        left -= new", "        left = 0"),
                "You start one request in a step at most. How many may the budget, the places and "
                "the memory take?",
            ),
            (
                "never-cut",
                slip(_CUT, "new = request.to_compute"),
                "With chunks the last prompt is cut to what is left of the budget. Yours goes in "
                "whole.",
            ),
            (
                "always-cut",
                slip(_CUT, "new = min(request.to_compute, left)"),
                "Without chunks a prompt goes in one piece, even one longer than the budget. Yours "
                "is cut.",
            ),
            (
                "queue-first",
                slip(
                    _GOES,
                    "    running = list(self.running)\n",
                    _STARTS,
                    _STARTS + _GOES.replace("self.running[len(plan.chunks) :]", "running"),
                ),
                "Newcomers take the budget before the prompt that was cut. Which one came first?",
            ),
            (
                "decodes-are-free",
                slip("self.token_budget - len(plan.chunks)", "self.token_budget"),
                "You spend the whole budget on prompts. What has `plan.chunks` spent already?",
            ),
        ),
    ),
    hints=(
        "Two groups prefill: the prompt that was cut in an earlier step, and the head of the "
        "queue. Both share what is left of the budget. Which one goes first?",
        "left = self.token_budget - len(plan.chunks), as every chunk so far is one token. First "
        "each of `self.running` with `to_compute > 1`. Then a loop: while the head of the queue "
        "`_may_start`, take it out, `self.pool.start` it, put it into `self.running`, and give it "
        "a chunk.",
        "for each running one with to_compute > 1 and left > 0: append (request, "
        "min(request.to_compute, left)), and take it off `left`. Then while self.waiting and "
        "self._may_start(self.waiting[0], plan, left): request = self.waiting.popleft(); start; "
        "running.append; new = request.to_compute, with chunks at most left; append; left -= new.",
    ),
    explanation=(
        "The order of the lines is the invariant. Ask, then act: a request that was taken out of "
        "the queue before it was asked about is lost when the answer is no. Memory before tokens: "
        "`start` may find a prefix, and then fewer tokens are left to compute. The loop stops at "
        "the first request that may not start, so none is overtaken. A prompt that is cut uses up "
        "the budget, so at most one is open, and it goes first in the next step."
    ),
)
