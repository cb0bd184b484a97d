"""Walks of a scheduler, answers that end, and the bug hunt of lab 4."""

import numpy as np
import pytest

from labutils.serving import BlockManager, Continuous
from labutils.serving.field_bug import longest_stalls
from labutils.serving.open_request import OpenRequest
from labutils.serving.walk import a_page_to_spare, hand_out, walk
from labutils.workload import RequestTrace


def chunked(seats, budget, pages, **limits):
    return Continuous(seats, BlockManager(pages, 2), token_budget=budget, chunked=True, **limits)


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
    class Hopeful(Continuous):
        def _decode(self, step):
            step.decode(self.running.decoding)

    scheduler = Hopeful(2, BlockManager(4, 2), token_budget=8, chunked=True)
    *steps, reason = walk(scheduler, [("A", 1, 4, 3)])
    assert steps == [{"A": 4}, {"A": 1}]
    assert "'A'" in reason and "memory" in reason


def test_the_walk_is_bounded():
    assert len(walk(chunked(1, 2, 40), [("A", 1, 2, 50)], most_steps=7)) == 7


def test_a_rule_keeps_pages_for_those_who_run():
    requests = [("A", 1, 2, 4), ("B", 1, 2, 4)]
    free = walk(chunked(2, 4, 3), requests)
    spared = walk(chunked(2, 4, 2, admission=a_page_to_spare), [("A", 1, 2, 2), ("B", 1, 2, 2)])
    assert free[0] == {"A": 2, "B": 2}
    assert spared[:3] == [{"A": 2}, {"A": 1}, {"B": 2}]


@pytest.mark.parametrize(
    ("most", "stop", "ended"),
    [
        (4, (), ("length", [7, 7, 4, 9], [0.0, 0.125, 0.25, 0.375])),
        (4, (9,), ("stop", [7, 7, 4, 9], [0.0, 0.125, 0.25, 0.375])),
        (9, (4, 5), ("stop", [7, 7, 4], [0.0, 0.125, 0.25])),
        (9, "twice", ("stop", [7, 7], [0.0, 0.125])),
        (9, (), (None, [7, 7, 4, 9, 9], [0.0, 0.125, 0.25, 0.375, 0.5])),
    ],
)
def test_tokens_are_handed_out_until_a_reason_comes(most, stop, ended):
    assert hand_out(OpenRequest, [7, 7, 4, 9, 9], most, stop) == ended


def test_a_guessed_phase_stalls_those_who_were_preempted():
    def guessed(prompt, answer, computed, left):
        return min(prompt - computed, left) if answer == 0 else 1

    def known(prompt, answer, computed, left):
        return min(prompt + answer - computed, left)

    trace = RequestTrace(np.zeros(6), [40, 30, 50, 20, 44, 31], [30, 40, 20, 35, 25, 30])
    slow, quick = longest_stalls(guessed, trace), longest_stalls(known, trace)
    assert slow and quick
    assert slow[0] > 40 > 2 * quick[-1]
