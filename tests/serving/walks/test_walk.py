"""Walks of a scheduler told in sentences, and the bug hunt of lab 4."""

import numpy as np

from labutils.engine import PagePool, Scheduler
from labutils.serving.walks import longest_stalls, walk
from labutils.workload import RequestTrace
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load

CROWD = [("A", 1, 4, 3), ("B", 1, 4, 3), ("C", 2, 2, 2)]


def chunked(seats, budget, pages, kind=Scheduler):
    return kind(seats, PagePool(pages, 2), token_budget=budget, chunked=True)


def test_prompts_are_cut_to_the_budget_and_idle_steps_are_told():
    assert walk(chunked(2, 3, 9), [("A", 1, 5, 2), ("B", 5, 2, 1)]) == [
        "step 1: A starts and prefills 3 of 5; 6 pages free",
        "step 2: A prefills 2 of 2; 6 pages free",
        "step 3: A decodes; A ends; 9 pages free",
        "step 4: nothing is computed; 9 pages free",
        "step 5: B starts and prefills 2 of 2; B ends; 9 pages free",
    ]


def test_who_is_preempted_computes_again_what_it_knew():
    # Four pages: A and B take two each with their prompts of four; the next token needs a third.
    assert walk(chunked(2, 8, 4), [("A", 1, 4, 3), ("B", 1, 4, 3)]) == [
        "step 1: A starts and prefills 4 of 4, B starts and prefills 4 of 4; 0 pages free",
        "step 2: A decodes, B is preempted; 1 page free",
        "step 3: A decodes; A ends; 4 pages free",
        "step 4: B starts and prefills 5 of 5; 1 page free",
        "step 5: B decodes; B ends, preempted 1 ×; 4 pages free",
    ]


def test_ends_that_are_told_late_hold_place_and_pages_for_one_step_more():
    one, two = ("A", 1, 2, 1), ("B", 2, 2, 1)
    assert walk(chunked(1, 4, 3), [one, two], late=True) == [
        "step 1: A starts and prefills 2 of 2; A ends; 2 pages free",
        "step 2: nothing is computed; 3 pages free",
        "step 3: B starts and prefills 2 of 2; B ends; 2 pages free",
        "step 4: B decodes; 3 pages free",  # it asks for two tokens more: this one is for nobody
    ]


def test_prompts_that_begin_alike_share_pages():
    told = walk(chunked(2, 9, 9), [("A", 1, 5, 2), ("B", 2, 6, 2)], alike=True)
    assert told[1].startswith("step 2: A decodes, B starts and prefills 2 of 2;")


def test_whoever_is_cancelled_gives_its_pages_back_running_or_waiting():
    told = walk(chunked(1, 9, 9), CROWD, cancels=[(2, "A"), (2, "C")])
    assert told[1] == (
        "step 2: A is cancelled, C is cancelled, B starts and prefills 4 of 4; 7 pages free"
    )


def test_whoever_fails_ends_without_having_run():
    told = walk(chunked(2, 9, 9), CROWD, fails=[(1, "B")])
    assert told[:2] == [
        "step 1: A starts and prefills 4 of 4, B starts and prefills 4 of 4, B fails; 7 pages free",
        "step 2: A decodes, C starts and prefills 2 of 2; 5 pages free",
    ]


def test_a_plan_that_cannot_be_carried_out_ends_the_walk_with_its_reason():
    class Hopeful(Scheduler):
        def _decode(self, plan):
            plan.chunks.extend((one, 1) for one in self.running if one.to_compute == 1)

    *steps, reason = walk(chunked(2, 8, 4, Hopeful), [("A", 1, 4, 3)])
    assert len(steps) == 1
    assert "'A' computes 5 tokens: expected at most 4, what its memory holds" in reason


def test_the_walk_is_bounded_and_says_who_has_no_end():
    told = walk(chunked(1, 2, 40), [("A", 1, 2, 50)], most_steps=7)
    assert len(told) == 8 and told[-1] == "after 7 steps there is no end of A"


def test_a_request_that_could_outgrow_the_memory_is_refused():
    told = walk(chunked(1, 9, 2), [("A", 1, 6, 2), ("B", 1, 2, 1)])
    assert told[0].startswith("step 1: A is refused, as it could outgrow the memory, B starts")


def test_a_walk_says_who_was_overtaken_lost_or_started_without_memory():
    class Late(Scheduler):
        def wait(self, request, *, first=False):
            super().wait(request, first=first or request.prompt_tokens < 3)

    class Dropping(Scheduler):
        def admits(self, request):
            fits = super().admits(request)
            if not fits:
                self.waiting.popleft()
            return fits

    class Free(Scheduler):
        def _prefill(self, plan):
            if self.waiting:
                self.running.append(self.waiting.popleft())
                plan.chunks.append((self.running[-1], self.running[-1].to_compute))

    class Unasked(Scheduler):
        def admits(self, request):
            return True

    assert "'B' is overtaken" in walk(chunked(1, 9, 9, Late), CROWD)[-1]
    assert "C starts" in walk(chunked(1, 9, 9, Late), CROWD, in_order=False)[3]
    assert walk(chunked(1, 9, 9, Dropping), CROWD)[-1].startswith("request 'B' is lost")
    assert "'A' computes 4 tokens without memory" in walk(chunked(2, 9, 9, Free), CROWD)[-1]
    assert "request 'C' finds 0 free pages" in walk(chunked(2, 9, 3, Unasked), CROWD)[-1]


def test_a_scheduler_of_another_package_walks_like_the_courses():
    room = load(course_sources(), fresh=True)
    other = room.Scheduler(2, room.PagePool(3, 2), token_budget=5, chunked=True)
    assert walk(other, CROWD) == walk(chunked(2, 5, 3), CROWD)


def test_a_guessed_phase_stalls_those_who_were_preempted():
    def guessed(prompt, answer, computed, left):
        return min(prompt - computed, left) if answer == 0 else 1

    def known(prompt, answer, computed, left):
        return min(prompt + answer - computed, left)

    trace = RequestTrace(np.zeros(6), [40, 30, 50, 20, 44, 31], [30, 40, 20, 35, 25, 30])
    slow, quick = longest_stalls(guessed, trace), longest_stalls(known, trace)
    assert slow and quick
    assert slow[0] > 40 > 2 * quick[-1]
