"""The figures of the trial, counted by hand on a dozen made-up outcomes."""

import pytest

from labutils.exercises.definition.verdict import Status, Verdict
from tests.answers.answer import Answer
from tests.answers.outcome import Outcome, figures


def wrong(rank, **labels):
    return Answer("a.b", False, "", 1, rank=rank, **labels)


RIGHT = Answer("a.b", True, "", 1)
CASES = [  # answer, verdict, its kind
    (wrong(1), Verdict(Status.right, ""), "accepted"),
    (wrong(2), Verdict(Status.wrong, ""), "nothing"),
    (wrong(3), Verdict(Status.raised, ""), "nothing"),
    (wrong(4, true=("scale",)), Verdict(Status.scale, ""), "true"),
    (wrong(5), Verdict(Status.scale, ""), "unjudged"),
    (wrong(6, false=("idle",)), Verdict(Status.misconception, "", diagnosis="idle"), "false"),
    (wrong(7, true=("idle",)), Verdict(Status.misconception, "", diagnosis="idle"), "true"),
    (wrong(8, true=("nan",)), Verdict(Status.wrong, "", diagnosis="nan"), "true"),
    (RIGHT, Verdict(Status.right, ""), "accepted"),
    (RIGHT, Verdict(Status.scale, ""), "rejected"),
    (RIGHT, None, "check raised"),
]


@pytest.mark.parametrize(("answer", "verdict", "kind"), CASES)
def test_an_outcome_has_its_kind(answer, verdict, kind):
    assert Outcome(answer, verdict).kind == kind


def test_the_figures_count_what_they_say():
    rows = figures(Outcome(answer, verdict) for answer, verdict, _ in CASES)
    counted = [(number, of) for _, number, of, _ in rows]
    assert counted == [(1, 8), (1, 8), (3, 8), (1, 5), (1, 3), (1, 11), (1, 8)]
