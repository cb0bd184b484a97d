"""A token for every request that decodes, and a page for it."""

from labutils.exercises.checkers import piece_of, slip
from labutils.exercises.definition.exercise import Exercise

from .crowds import NUM_INPUTS, story, unlike_crowds

_AGAIN = "decoding = [one for one in decoding if one is not newest]"
_GROWING = "growing = [one for one in growing if one is not newest]"
_GROW = "self.pool.grow(request)"
# When all must go first, what the newest gives back is blank: no page of the shared beginning is
# evicted, and r3 finds it when it comes back.
_SHARED = ([("r1", 1, 4, 2), ("r2", 1, 5, 6), ("r3", 4, 4, 2)], 4, 9, 7, True, "like prompts")


def grows_as_it_goes(self, plan):
    for request in list(self.running):
        while request.to_compute == 1 and request.known > request.room:
            if self.pool.num_free:
                self.pool.grow(request)
            elif self._preempt(plan) is request:
                break
        if request.to_compute == 1 and request in self.running:
            plan.chunks.append((request, 1))


DECODE = Exercise(
    id="scheduler.decode",
    title="A token for every decode",
    minutes=8,
    checker=piece_of(
        "scheduler:Scheduler._decode",
        tried=story,
        inputs=unlike_crowds,
        num_inputs=NUM_INPUTS,
        always=(_SHARED,),
        mistakes=(
            (
                "full-answers-need-pages",
                slip(
                    "while len(growing) > self.pool.num_free:",
                    "while sum(one.known > one.room for one in self.running) > self.pool.num_free:",
                ),
                "You count requests that compute nothing in this step: a full answer needs no "
                "page any more. Only those that decode ask for one.",
            ),
            (
                "keeps-one-page-always",
                slip(
                    "while len(growing) > self.pool.num_free:",
                    "while len(growing) >= self.pool.num_free:",
                ),
                "You preempt although the pages just suffice. May the pool be empty?",
            ),
            (
                "preempted-must-decode",
                slip(
                    "decoding = [one for one in decoding if one is not newest]",
                    "decoding.remove(newest)",
                ),
                "The newest may be reading its prompt. Then it stands in no list of those that "
                "decode, and cannot be removed from one.",
            ),
            (
                "a-page-too-soon",
                slip("one.known > one.room", "one.known >= one.room"),
                "A request gets a page while its last one has room for this token. When is the "
                "room too small?",
            ),
            (
                "cut-prompts-decode",
                slip("one.to_compute == 1]", "one.to_compute >= 1]"),
                "A prompt that was cut gets a single token here. Which requests have exactly one "
                "to compute?",
            ),
            (
                "counts-the-missing-once",
                slip(
                    "while len(growing) > self.pool.num_free:",
                    "for _ in range(len(growing) - self.pool.num_free):",
                ),
                "You preempt as many requests as pages are missing. Each gives back what it "
                "holds, and may want a page less: count again after each.",
            ),
            (
                "full-answers-decode",
                slip("one.to_compute == 1]", "one.to_compute <= 1]"),
                "An answer that is full computes on. With nothing to compute a request waits for "
                "its `finish`.",
            ),
            (
                "keeps-one-page",
                slip("> self.pool.num_free:", "> max(0, self.pool.num_free - 1):"),
                "You preempt while a page is free. May the pool be empty?",
            ),
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
                "one-is-enough",
                slip("while len(growing) >", "if len(growing) >"),
                "You preempt one request at most. Are there enough pages even then?",
            ),
            (
                "preempted-and-planned",
                slip(_AGAIN, "pass"),
                "A preempted request is still in the plan: it would compute a token without "
                "memory. `_preempt` returns it. Plan after the last preemption, without it.",
            ),
            (
                "counts-the-preempted",
                slip(_GROWING, "growing = growing[:]"),
                "A preempted request needs no page any more, and still you count it.",
            ),
            (
                "ignores-who-went",
                slip(_AGAIN, "pass", _GROWING, "pass"),
                "You do not use what `_preempt` returns: a preempted request is still in your "
                "lists, so it counts, takes a page and is planned.",
            ),
            (
                "grows-as-it-goes",
                grows_as_it_goes,
                "Pages are taken before all that must go have gone: pages that could be found are "
                "evicted, though the newest is about to give some back. Preempt all that must go "
                "before the first `grow`.",
            ),
        ),
    ),
    hints=(
        "Three questions before a single page is taken: which requests decode, which of them need "
        "a page for their token, and are there that many free pages?",
        "A request decodes if `to_compute == 1`; it needs a page if `known > room`. While more "
        "need one than `self.pool.num_free`, call `self._preempt(plan)`, and take the request that "
        "it returns out of both lists. Then grow, then plan.",
        "decoding: those of self.running with to_compute == 1; growing: those of them with known > "
        "room. while len(growing) > self.pool.num_free: newest = self._preempt(plan), and both "
        "lists without it. Then self.pool.grow(request) for each that grows, and "
        "plan.chunks.extend((one, 1) for one in decoding).",
    ),
    explanation=(
        "All is counted before anything is taken, so no page is taken for a request that is "
        "preempted a line later. And while one request after the other gives way, those that are "
        "left need fewer pages: each has to leave both lists. The decodes come before the prompts, "
        "and each costs one token of the budget, so no answer ever stalls for a long prompt."
    ),
)
