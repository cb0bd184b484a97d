"""Cards to be sorted: how a place may be written, and what is said about a card out of place."""

import pytest

from labutils.exercises.checkers import SortedCard, Sorting
from labutils.exercises.definition.verdict import Status

AXES = {"when": {"early": ("morning",), "late": ()}, "where": {"in": (), "out": ("outside",)}}
RUN = SortedCard("run", (("early", "out"), ("late", "out")), {"in": "Is there room in there?"})
READ = SortedCard("read", (("late", "in"),), {"early out": "By which light?"})
COOK = SortedCard("cook", (("late", "in"),), {})
CHECKER = Sorting(axes=AXES, cards={"a": RUN, "b": READ, "c": COOK})
RIGHT = {"a": "early out", "b": "late in", "c": "late in"}


def heard(**changes):
    return CHECKER.check({**RIGHT, **changes})


@pytest.mark.parametrize(
    "place",
    [
        "early out",
        "Early, OUT",
        "out/early",
        " morning;outside ",
        "early-out",
        "early_out.",
        "early (out)",
        "early | out",
        "out and early",
        ("early", "out"),
        {"early", "out"},
        "late out",
    ],
)
def test_a_place_may_be_written_in_many_ways(place):  # the last is another right place
    assert heard(a=place).passed


@pytest.mark.parametrize(
    "place",
    [
        "early",
        "in out",
        "early out late",
        "early early out",
        "noon out",
        "earlyout",
        7,
        None,
        b"x",
        [],
        ["early"],
        ("early", 3),
        object(),
    ],
)
def test_what_names_no_place_is_unreadable_and_names_the_card(place):
    verdict = heard(b=place)
    assert verdict.status is Status.unreadable
    assert "place of b" in verdict.message and "early, late" in verdict.message


@pytest.mark.parametrize("answer", [None, 3, "early out", ["early out"], {"d": "late in"}, {1: 2}])
def test_what_is_no_dict_of_cards_is_unreadable(answer):
    verdict = CHECKER.check(answer)
    assert verdict.status is Status.unreadable and "a to c" in verdict.message


@pytest.mark.parametrize("answer", [{"q": "late in"}, {("a", "b"): "late in"}, {1: ...}])
def test_a_card_that_is_not_there_is_named(answer):
    verdict = CHECKER.check({**RIGHT, **answer})
    assert verdict.status is Status.unreadable and "There is no card" in verdict.message
    if "q" in answer:
        assert "'q'" in verdict.message


def test_the_name_of_a_card_is_read_in_any_case_and_with_marks_around_it():
    assert CHECKER.check({"A": "early out", " (b) ": "late in", "c.": "late in"}).passed
    wrong = CHECKER.check({"A": "early in", "B.": "late in", "C": "late in"})
    assert wrong.diagnosis == "a-in"


def test_a_card_with_two_places_is_unreadable():
    verdict = heard(B="early out")
    assert verdict.status is Status.unreadable and "two places for card 'B'" in verdict.message


def test_an_unreadable_place_is_repeated_in_the_message():
    assert "'noon out'" in heard(b="noon out").message
    assert "list" in heard(b=[1]).message
    assert len(heard(b="late " * 400).message) < 200


@pytest.mark.parametrize("answer", [{}, {"a": ...}, {"a": "...", "b": ""}])
def test_cards_without_places_are_no_attempt(answer):
    assert CHECKER.check(answer).status is Status.not_attempted


def test_part_of_the_cards_is_counted_and_asks_for_the_rest():
    verdict = CHECKER.check({"a": "early out", "b": ..., "c": "late in"})
    assert verdict.status is Status.wrong
    assert "2 of 3" in verdict.message and verdict.detail == "without a place: b"


def test_a_card_out_of_place_hears_its_own_question():
    verdict = heard(a="early in")
    assert (verdict.status, verdict.diagnosis) == (Status.misconception, "a-in")
    assert "2 of 3" in verdict.message and "Is there room" in verdict.message
    assert heard(b="early out").diagnosis == "b-early-out"


def test_a_card_without_a_question_hears_which_axis_is_off():
    assert "c: look at the when again" in heard(c="early in").message
    assert "c: look at the when and the where again" in heard(c="early out").message
    verdict = heard(b="late out", c="late out")
    assert verdict.status is Status.wrong and verdict.detail == "not in place: b, c"


def test_a_card_with_a_question_is_spoken_of_first():
    assert heard(a="late in", b="late out").diagnosis == "a-in"
    assert heard(a="late in", c="late out").detail == "not in place: a, c"


def test_the_house_answer_passes_and_each_misconception_hears_its_name():
    assert CHECKER.check(CHECKER.reference_answer).passed
    items = CHECKER.misconceptions
    assert [item.name for item in items] == ["a-in", "b-early-out"]
    for item in items:
        assert CHECKER.check(item.answer()).diagnosis == item.name


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ({"a": RUN}, "two or more"),
        ({"a": RUN, "A.": READ}, "names that differ"),
        ({"a": RUN, "b": SortedCard("x", (("late",),))}, r"cards\['b'\]"),
        ({"a": RUN, "b": SortedCard("x", ())}, r"cards\['b'\]"),
        ({"a": RUN, "b": SortedCard("x", (("late", "in"),), {"late": "?"})}, "hits a right place"),
    ],
)
def test_what_cannot_be_sorted_is_refused(cards, message):
    with pytest.raises(ValueError, match=message):
        Sorting(axes=AXES, cards=cards)


def test_a_word_that_names_two_bins_is_refused():
    with pytest.raises(ValueError, match="one bin each"):
        Sorting(axes={"when": {"now": ()}, "where": {"here": ("now",)}}, cards=CHECKER.cards)
