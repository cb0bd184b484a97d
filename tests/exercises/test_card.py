"""What the learner reads: the same words in text and in HTML, wrapped, and safe."""

import html
import re

import pytest

from labutils.exercises.checkers import Choice
from labutils.exercises.definition.exercise import Exercise, Misconception, Prediction
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.display.card import ACCENTS, WIDTH, Card, Code, Prose, Table

LONG = "The waits of `neighbours` resemble each other, & so <b>batches</b> are cut. " * 4
CARD = Card(
    "Right & done",
    (
        Prose(LONG),
        Code("f([0, 1])\n  <expected> &amp; [1]"),
        Table(("chapter", "solved"), (("M/M/1 <x>", "1 of 2"), ("Tails", "12 of 13"))),
        Prose("Two\nlines."),
    ),
    "success",
)


def words(text):
    return re.sub(r"[`\s]+", " ", text).split()


def test_text_and_html_hold_the_same_words():
    without_tags = html.unescape(re.sub(r"<[^>]+>", " ", CARD.html()))
    assert words(without_tags.replace(" .", ".")) == words(repr(CARD).replace(" .", "."))


def test_prose_is_wrapped_and_code_is_not():
    assert max(map(len, repr(Card("Wrong", (Prose(LONG * 3),))).splitlines())) <= WIDTH
    line = "x" * 300
    assert f"    {line}" in repr(Card("Wrong", (Prose("See:"), Code(line))))


def test_what_learners_write_cannot_break_out_of_the_html():
    evil = "<script>alert(1)</script>"
    for part in (Prose(evil), Code(evil), Table((evil,), ((evil,),))):
        assert "<script" not in Card(evil, (part,)).html()


@pytest.mark.parametrize("status", Status)
def test_every_status_is_said_in_words_and_has_its_accent(status):
    verdict = Verdict(status, "Because.", detail="f(1)", note="By the way.")
    page = verdict._repr_html_()
    label = re.search(r"<strong>(.+?)\.</strong>", page)[1]
    assert repr(verdict) == f"{label}. Because.\n    f(1)\nBy the way."
    assert any(accent in page for accent in ACCENTS.values())
    assert verdict.passed == (status is Status.right)


def test_the_labels_differ():
    labels = {repr(Verdict(status, "")) for status in Status}
    assert len(labels) == len(Status)


def test_colours_follow_the_theme_and_text_inherits_its_own():
    page = CARD.html()
    assert "--jp-success-color1" in page and "--jp-layout-color2" in page
    assert not re.search(r"(?<!-)color: (?!inherit)", page)


# ---- what authors write -------------------------------------------------------------------------

GOOD = {
    "id": "toy.one",
    "title": "One",
    "checker": Choice(options={"a": "x", "b": "y"}, correct="a"),
    "hints": ("Nudge.", "Push.", "Nearly."),
    "explanation": "Because.",
    "minutes": 3,
}


@pytest.mark.parametrize(
    "field, value",
    [
        ("id", "toy"),
        ("id", "Toy.One"),
        ("title", " "),
        ("checker", len),
        ("hints", ("Nudge.", "Push.")),
        ("hints", ["Nudge.", "Push.", "Nearly."]),
        ("hints", ("Nudge.", "", "Nearly.")),
        ("explanation", ""),
        ("minutes", 0),
        ("minutes", 2.5),
        ("workings", {"step": 3}),
    ],
)
def test_a_careless_exercise_is_refused_where_it_is_written(field, value):
    assert Exercise(**GOOD).optional is False
    name = "step" if field == "workings" else field
    with pytest.raises(ValueError, match=name):
        Exercise(**GOOD | {field: value})


def test_careless_misconceptions_and_predictions_are_refused():
    with pytest.raises(ValueError, match="name = 'Mean for p99'"):
        Misconception("Mean for p99", len, "Which one?")
    with pytest.raises(ValueError, match=r"answer = 0\.5"):
        Misconception("mean", 0.5, "Which one?")
    with pytest.raises(ValueError, match="message = ''"):
        Misconception("mean", len, "")
    with pytest.raises(ValueError, match="unit = ''"):
        Prediction("toy.p", "How long?", "", "So long.")


def test_a_column_of_sentences_begins_at_its_left_edge_and_figures_end_at_their_right():
    rows = (("p50", "12", "half of all answers are quicker"), ("p99", "480", "one in a hundred"))
    table = Table(("quantile", "ms", "meaning"), rows)
    assert table.plain().splitlines()[1:] == [
        "p50        12  half of all answers are quicker",
        "p99       480  one in a hundred",
    ]
    assert '<td style="text-align: right">12</td>' in table.html()
    assert '<td style="text-align: left">one in a hundred</td>' in table.html()
    assert Table(("a", "b"), ()).plain() == "a  b"
