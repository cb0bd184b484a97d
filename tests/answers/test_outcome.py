"""The figures of the trial, counted by hand on a dozen made-up outcomes."""

import pytest

from labutils.exercises.definition.verdict import Status, Verdict
from tests.answers.answer import right, wrong
from tests.answers.outcome import Outcome, figures

CASES = [  # answer, rank, verdict, its kind
    (wrong("a.b", "", 1), 1, Verdict(Status.right, ""), "accepted"),
    (wrong("a.b", "", 1), 2, Verdict(Status.wrong, ""), "nothing"),
    (wrong("a.b", "", 1), 3, Verdict(Status.raised, ""), "nothing"),
    (wrong("a.b", "", 1, true=("scale",)), 4, Verdict(Status.scale, ""), "true"),
    (wrong("a.b", "", 1), 5, Verdict(Status.scale, ""), "unjudged"),
    (
        wrong("a.b", "", 1, false=("idle",)),
        6,
        Verdict(Status.misconception, "", diagnosis="idle"),
        "false",
    ),
    (
        wrong("a.b", "", 1, true=("idle",)),
        7,
        Verdict(Status.misconception, "", diagnosis="idle"),
        "true",
    ),
    (wrong("a.b", "", 1, true=("nan",)), 8, Verdict(Status.wrong, "", diagnosis="nan"), "true"),
    (right("a.b", "", 1), 8, Verdict(Status.right, ""), "accepted"),
    (right("a.b", "", 1), 8, Verdict(Status.scale, ""), "rejected"),
    (right("a.b", "", 1), 8, None, "check raised"),
]


@pytest.mark.parametrize(("answer", "rank", "verdict", "kind"), CASES)
def test_an_outcome_has_its_kind(answer, rank, verdict, kind):
    assert Outcome(answer, rank, verdict).kind == kind


def test_the_figures_count_what_they_say():
    rows = figures(Outcome(answer, rank, verdict) for answer, rank, verdict, _ in CASES)
    assert [(number, of) for _, number, of, _ in rows] == [
        (1, 8),
        (1, 8),
        (3, 8),
        (1, 5),
        (1, 3),
        (1, 11),
        (1, 8),
    ]
