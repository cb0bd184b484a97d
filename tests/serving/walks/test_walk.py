"""Walks of a scheduler, and the bug hunt of lab 4."""

import numpy as np

from labutils.engine import PagePool, Scheduler
from labutils.serving.scheduling import ByRule
from labutils.serving.walks import a_page_to_spare, longest_stalls, walk
from labutils.workload import RequestTrace


def chunked(seats, budget, pages, **limits):
    kind = ByRule if limits else Scheduler
    return kind(seats, PagePool(pages, 2), token_budget=budget, chunked=True, **limits)


def test_prompts_are_cut_to_the_budget_and_idle_steps_are_empty():
    requests = [("A", 1, 5, 2), ("B", 7, 2, 1)]
    expected = [{"A": 3}, {"A": 2}, {"A": 1}, {}, {}, {}, {"B": 2}]
    assert walk(chunked(2, 3, 9), requests) == expected


def test_the_preempted_stand_with_zero_tokens():
    # Four pages: A and B take two each with their prompts of four; the next token needs a third.
    requests = [("A", 1, 4, 3), ("B", 1, 4, 3)]
    assert walk(chunked(2, 8, 4), requests) == [
        {"A": 4, "B": 4},
        {"A": 1, "B": 0},
        {"A": 1},
        {"B": 5},  # its prompt and the token that it had
        {"B": 1},
    ]


def test_a_plan_that_cannot_be_carried_out_ends_the_walk_with_its_reason():
    class Hopeful(Scheduler):
        def _decode(self, plan):
            plan.chunks.extend((one, 1) for one in self.running if one.to_compute == 1)

    scheduler = Hopeful(2, PagePool(4, 2), token_budget=8, chunked=True)
    *steps, reason = walk(scheduler, [("A", 1, 4, 3)])
    assert steps == [{"A": 4}]
    assert "'A' computes 5 tokens: expected at most 4, what its memory holds" in reason


def test_the_walk_is_bounded():
    assert len(walk(chunked(1, 2, 40), [("A", 1, 2, 50)], most_steps=7)) == 7


def test_a_rule_keeps_pages_for_requests_that_run():
    requests = [("A", 1, 2, 4), ("B", 1, 2, 4)]
    free = walk(chunked(2, 4, 3), requests)
    spared = walk(chunked(2, 4, 2, rule=a_page_to_spare), [("A", 1, 2, 2), ("B", 1, 2, 2)])
    assert free[0] == {"A": 2, "B": 2}
    assert spared[:3] == [{"A": 2}, {"A": 1}, {"B": 2}]


def test_a_walk_says_who_was_overtaken_lost_or_started_without_memory():
    class Late(Scheduler):
        def wait(self, request, *, first=False):
            super().wait(request, first=first or request.prompt_tokens < 3)

    class Dropping(Scheduler):
        def admits(self, request):
            fits = super().admits(request)
            if not fits:
                self.waiting.rotate(-1)
                self.waiting.pop()
            return fits and bool(self.waiting)

    class Free(Scheduler):
        def _prefill(self, plan):
            if self.waiting:
                self.running.append(self.waiting.popleft())
                plan.chunks.append((self.running[-1], self.running[-1].to_compute))

    requests = [("A", 1, 4, 3), ("B", 1, 4, 3), ("C", 2, 2, 2)]
    assert "'B' is overtaken" in walk(Late(1, PagePool(9, 2)), requests)[-1]
    assert walk(Late(1, PagePool(9, 2)), requests, in_order=False)[3] == {"C": 2}
    assert "request 'B' was lost" in walk(Dropping(1, PagePool(9, 2)), requests)[-1]
    assert "'A' computes 4 tokens without memory" in walk(Free(2, PagePool(9, 2)), requests)[-1]


def test_a_guessed_phase_stalls_those_who_were_preempted():
    def guessed(prompt, answer, computed, left):
        return min(prompt - computed, left) if answer == 0 else 1

    def known(prompt, answer, computed, left):
        return min(prompt + answer - computed, left)

    trace = RequestTrace(np.zeros(6), [40, 30, 50, 20, 44, 31], [30, 40, 20, 35, 25, 30])
    slow, quick = longest_stalls(guessed, trace), longest_stalls(known, trace)
    assert slow and quick
    assert slow[0] > 40 > 2 * quick[-1]
