"""Exercises read from sheets: what each mark becomes, and errors that say where they are."""

import pytest

from labutils.exercises.checkers.sheets import choice, number, sorting
from labutils.exercises.definition.sheet import (
    Mistakes,
    exercise,
    made,
    mistakes_in,
    predictions,
    says,
)
from labutils.ground.sheets import SheetError

PROSE = """
> Look.
> Think.
> Count.

Because.
"""
NUMBER = "a.b · How many? · 3 minutes\n\n= 12 1 tolerance=0.01\n- doubled 24: Twice?" + PROSE


class Wrong:
    def a_page_more(tokens):
        """One page
        too many."""
        return tokens + 1

    shared = says("Half of them?")(lambda tokens: tokens // 2)

    class LateByAMoment:
        """Too late."""


def test_a_number_has_its_mistakes_options_and_conventions():
    sheet = NUMBER.replace(
        "- doubled", "  story=3,4.5 unsafe=above scale=False\n~ 13: By years.\n- doubled"
    )
    checker = number(sheet).checker
    assert (checker.reference_answer, checker.unit, checker.story) == (12.0, "1", (3, 4.5))
    assert (checker.unsafe, checker.scale, checker.tolerance) == ("above", False, 0.01)
    assert checker.check(24).message == "Twice?"
    assert checker.check(13).note == "By years."


def test_prose_becomes_hints_and_paragraphs():
    found = number(NUMBER.replace("3 minutes", "1 minute, optional") + "\nAnd so on.\n")
    assert (found.id, found.title, found.minutes, found.optional) == ("a.b", "How many?", 1, True)
    assert found.hints == ("Look.", "Think.", "Count.")
    assert found.explanation == "Because.\n\nAnd so on."


CHOICE = (
    "a.b · Which? · 3 minutes\n\n+ a: This.\n! Why not this?\n- b: That.\n! Never that.\n" + PROSE
)


def test_a_choice_knows_what_speaks_against_its_options():
    checker = choice(CHOICE).checker
    assert checker.correct == "a" and checker.options == {"a": "This.", "b": "That."}
    assert checker.diagnoses == {"b": "Never that."} and checker.omissions == {"a": "Why not this?"}
    assert choice(CHOICE, several=True).checker.correct == frozenset("a")
    assert choice(CHOICE.replace("- b", "+ b")).checker.correct == frozenset("ab")


def test_cards_have_places_and_questions():
    checker = sorting(
        "a.b · Sort · 3 minutes\n\n* when: early (morning, dawn) · late\n* where: in · out\n"
        "+ x early in / late in: Run.\n! early out: Wet?\n+ y late out: Read.\n" + PROSE
    ).checker
    assert checker.axes["when"] == {"early": ("morning", "dawn"), "late": ()}
    assert checker.cards["x"].places == (("early", "in"), ("late", "in"))
    assert (
        checker.cards["x"].diagnoses == {"early out": "Wet?"} and not checker.cards["y"].diagnoses
    )


def test_mistakes_stand_in_a_class():
    named = {one.name: one.message for one in mistakes_in(Wrong)}
    assert named == {
        "a-page-more": "One page too many.",
        "shared": "Half of them?",
        "late-by-a-moment": "Too late.",
    }
    twice = made(lambda wrong: lambda tokens: [wrong(tokens)] * 2, mistakes_in(Wrong)[:2])
    assert twice[0].answer(5) == [6, 6] and twice[1].message == "Half of them?"


def test_a_mistake_says_something_and_only_one_thing():
    with pytest.raises(SheetError, match="silent: expected a docstring"):
        Mistakes()(_silent)
    with pytest.raises(SheetError, match="a_page_more: expected no docstring"):
        says("Something else.")(Wrong.a_page_more)


def _silent(tokens):
    return tokens


def test_predictions_have_bounds_and_a_finding_or_none():
    first, second = predictions(
        "# a.b · s, at least 0, at most 1.5\n? How long?\n= It takes {}.\n! So.\n\n"
        "# a.c · 1\n? How many?\n! Thus.\n"
    )
    assert (first.unit, first.at_least, first.at_most) == ("s", 0, 1.5)
    assert (first.finding, second.finding) == ("It takes {}.", "It is {}.")
    assert not second.can_be(float("inf")) or second.at_most == float("inf")


@pytest.mark.parametrize(
    ("read", "sheet", "problem"),
    [
        (number, NUMBER.replace(" · 3 minutes", ""), "line 1 .*expected «id · title"),
        (number, NUMBER.replace("> Think.\n", ""), "line 1 .*expected three hints, not 2"),
        (number, NUMBER.replace("24:", "many:"), "line 4 .*- doubled many.*expected a number"),
        (number, NUMBER.replace("24: ", "24 "), "line 4 .*expected a colon"),
        (
            number,
            NUMBER.replace("- doubled", "- "),
            "line 4 .*expected name value before the colon",
        ),
        (number, NUMBER.replace("tolerance", "about"), "line 3 .*= 12.*not 'about'"),
        (number, NUMBER.replace("= 12", "> 12"), "expected one value"),
        (choice, CHOICE.replace("+ a: This.\n", ""), "line 3 .*! Why not.*expected it below"),
        (choice, CHOICE.replace("+ a", "+ b"), "line 5 .*expected 'b' once"),
        (choice, CHOICE.replace("+ a", "- a"), "correct"),
        (predictions, "# a.b\n? How?\n! So.", "line 1 .*expected «# id · unit»"),
        (predictions, "# a.b · s\n? How?\n? When?\n! So.", "line 1 .*expected one question"),
        (predictions, "? How?\n! So.", "line 1 .*expected «# id · unit»"),
    ],
)
def test_an_error_names_file_line_and_mark(read, sheet, problem):
    with pytest.raises(SheetError, match=f"test_exercise_sheets.py, read in line .*{problem}"):
        read(sheet)


def test_an_exercise_takes_any_checker():
    checker = number(NUMBER).checker
    assert exercise("a.c · Which? · 2 minutes\n" + PROSE, checker).checker is checker
