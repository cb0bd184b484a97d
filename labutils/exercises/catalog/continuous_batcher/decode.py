"""A token for every request that decodes; and which one gives way when memory runs out."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from .crowds import NUM_INPUTS, crowds, walk

_NEWEST = "next(one for one in reversed(self.running) if one.to_compute)"
_AGAIN = "decoding = [one for one in decoding if one is not newest]"
_GROWING = "growing = [one for one in growing if one is not newest]"
_GROW = "self.pool.grow(request)"


DECODE = Exercise(
    id="scheduler.decode",
    title="Every decode, and which request gives way",
    minutes=11,
    checker=piece_of(
        "scheduler:Scheduler._decode",
        "scheduler:Scheduler._preempt",
        tried=walk,
        inputs=crowds,
        num_inputs=NUM_INPUTS,
        mistakes=(
            (
                "nobody-gives-way",
                slip("while len(growing) > self.pool.num_free:", "while False:"),
                "A page is taken that is not there: nobody asked, and nobody gave way. Count the "
                "pages that this step needs before you take the first.",
            ),
            (
                "no-page-for-the-token",
                slip(_GROW, "pass"),
                "A request computes a token for which it has no room: its last page is full, and "
                "no other was taken.",
            ),
            (
                "a-page-for-everybody",
                slip("if one.known > one.room]", "]"),
                "Every decode takes a page in every step. Which ones have filled their last page?",
            ),
            (
                "oldest-gives-way",
                slip("in reversed(self.running) if", "in self.running if"),
                "The oldest request loses its memory. Which one would then be sure to end at all?",
            ),
            (
                "one-is-enough",
                slip("while len(growing) >", "if len(growing) >"),
                "You preempt one request at most. Are there enough pages even then?",
            ),
            (
                "preempted-and-planned",
                slip(_AGAIN, "pass"),
                "A request is preempted and computes a token in the same step, without memory.",
            ),
            (
                "counts-the-preempted",
                slip(_GROWING, "growing = growing[:]"),
                "A preempted request needs no page any more, and still you count it.",
            ),
            (
                "to-the-back",
                slip("self.wait(newest, first=True)", "self.wait(newest)"),
                "A preempted request goes to the end of the queue, and is overtaken by those who "
                "came later. See `wait`, which is given: it has an option.",
            ),
            (
                "past-the-policy",
                slip("self.wait(newest, first=True)", "self.waiting.appendleft(newest)"),
                "You put the preempted request into the queue yourself. Where it waits is decided "
                "in `wait`, which a policy may override.",
            ),
            (
                "lost",
                slip("    self.wait(newest, first=True)\n", ""),
                "A preempted request is lost: it neither waits nor runs.",
            ),
            (
                "keeps-its-pages",
                slip("    self.pool.release(newest)\n", ""),
                "A preempted request keeps its memory. What was it preempted for?",
            ),
            (
                "silent",
                slip("    plan.preempted.append(newest)\n", ""),
                "The plan does not say that a request was preempted, so `_may_start` lets another "
                "one in, in the same step.",
            ),
            (
                "preempts-what-has-ended",
                slip(_NEWEST, "self.running[-1]"),
                "You preempt a request that has nothing to compute: its answer has ended, and "
                "`finish` has not been called yet. Computing it again would be for nothing.",
            ),
        ),
    ),
    hints=(
        "Three questions before a single page is taken: which requests decode, which of them need "
        "a page for their token, and are there that many free pages?",
        "A request decodes if `to_compute == 1`; it needs a page if `known > room`. While more "
        "need one than `self.pool.num_free`, call `self._preempt(plan)`, and take the request that "
        "it returns out of both lists. Then grow, then plan.",
        "_preempt: the newest is the first one of reversed(self.running) with `to_compute`; remove "
        "it from running, release, preemptions += 1, self.wait(newest, first=True), "
        "plan.preempted.append(newest), return it. _decode: two lists, the loop, "
        "self.pool.grow(request) for each that grows, plan.chunks.extend((one, 1) for …).",
    ),
    explanation=(
        "The newest has lost least when it goes, and the oldest is never touched: it always moves "
        "on, so some request always ends, and memory comes back. That is why this scheduler cannot "
        "live-lock. The preempted request returns to the head of the queue, where its arrival puts "
        "it. It loses no token, only work: its prompt and its answer so far are computed again. "
        "And all is counted before anything is taken, so no page is taken for a request that is "
        "preempted a line later. vLLM calls this recompute preemption; the older alternative was "
        "to swap the pages out to the host's memory."
    ),
)
