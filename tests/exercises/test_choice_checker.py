"""Choices: one or several options, however they are written down."""

import pytest

from labutils.exercises.checkers import Choice
from labutils.exercises.definition.verdict import Status

OPTIONS = {"a": "sound", "B": "flawed", "c": "sound too", "d": "flawed as well"}
ONE = Choice(options=OPTIONS, correct="B", diagnoses={"a": "Nothing speaks against it."})
TWO = Choice(options=OPTIONS, correct=frozenset("Bd"), diagnoses={"c": "Read c again."})


@pytest.mark.parametrize(
    "answer", ["B", "b", " b ", "(b)", "B.", "(b).", "b)", '"b"', ["b"], {"B"}, ("b",)]
)
def test_one_right_option(answer):
    assert ONE.check(answer).passed


@pytest.mark.parametrize(
    "answer",
    [
        "b, d",
        "D b",
        "B;d",
        "b & d",
        "bd",
        "db",
        "b/d",
        "b or d",
        "letters b and d",
        '"b", "d"',
        "B and D",
        "(b), (d)",
        "(b)(d)",
        "b, d.",
        ["d", "b"],
    ],
)
def test_several_right_options(answer):
    assert TWO.check(answer).passed


def test_each_wrong_option_gets_what_speaks_against_it():
    verdict = ONE.check("A")
    assert (verdict.status, verdict.diagnosis) == (Status.misconception, "a")
    assert "Nothing speaks against it." in verdict.message
    assert ONE.check("c").status is Status.wrong
    assert TWO.check("b, c, d").diagnosis == "c"


def test_a_part_of_the_right_options_is_not_enough():
    verdict = TWO.check("d")
    assert verdict.status is Status.wrong and "at least one is missing" in verdict.message


@pytest.mark.parametrize("answer", ["e", "", "b, e", 2, None, [], [1], len, ["b", None]])
def test_unknown_options_are_unreadable_and_the_options_are_listed(answer):
    verdict = TWO.check(answer)
    assert verdict.status is Status.unreadable
    assert "a, B, c or d" in verdict.message


@pytest.mark.parametrize("answer", ["bad", "bdd", "not b", "and", ".", "or", "bda"])
def test_what_may_mean_something_else_is_not_read(answer):
    assert TWO.check(answer).status is Status.unreadable


def test_the_advice_shows_as_many_letters_as_are_asked_for():
    assert "for example 'a, B'." in TWO.check("e").message
    assert "for example 'a'." in ONE.check("e").message


def test_letters_run_together_are_refused_where_one_is_asked_for():
    assert ONE.check("bd").status is Status.unreadable
    assert ONE.check("b and d").status is Status.wrong


@pytest.mark.parametrize(
    "more",
    [
        {"options": {"a": "alone"}, "correct": "a"},
        {"options": {"a": "x", "A": "y"}, "correct": "a"},
        {"options": OPTIONS, "correct": "z"},
        {"options": OPTIONS, "correct": frozenset()},
        {"options": OPTIONS, "correct": "a", "diagnoses": {"a": "But it is right."}},
        {"options": OPTIONS, "correct": "a", "omissions": {"B": "But it is wrong."}},
    ],
)
def test_an_author_hears_of_nonsense_at_once(more):
    with pytest.raises(ValueError, match="expected"):
        Choice(**more)


def test_whoever_leaves_a_right_option_out_is_asked_about_it():
    several = Choice(options=OPTIONS, correct=frozenset("Bd"), omissions={"d": "And the last?"})
    verdict = several.check("b")
    assert verdict.diagnosis == "without-d" and verdict.message.endswith("And the last?")
    assert several.check("d").diagnosis is None
