"""A prompt's sheet: what is read from it, and what a slip on it says."""

import pytest

from labutils.authoring.lint.drill_sheets import slips
from labutils.drills.whiteboard.prompt_sheet import page
from labutils.drills.whiteboard.rubric import AXES
from labutils.ground.sheets import SheetError

SHEET = """
    Design a queue for
    3 servers.

    ? How long is it? Ten places? (It decides who
      waits.)

    + A bound
    + A deadline
    + A measure

    — How long: a bound — Ten — or
      eleven.
    — Then — Measure.

    * limit 3: “Places: ten.”
    * cost 0: “Much.”
    * cost 1: “$10.”
    * cost 2: “$10 an hour.”
    * cost 3: “$10 an hour, when busy.”

    > And twice the load?
    < Refuse.
    > Why not wait?
    < It is too late.
    > And then?
    < Nothing.
    """
CASES = (
    ("    Design a queue for\n    3 servers.\n", "", "expected what is asked"),
    ("    — Then", "\n    Then", "line 14 of the sheet, ' Then — Measure.': expected a mark"),
    (
        "How long is it? Ten places?",
        "It is long.",
        "line 4 .*expected «\\? A question\\? The reply",
    ),
    ("(It decides who\n      waits.)", "", "line 4 .*The reply. \\(It decides"),
    ("    + A measure\n", "", "mark \\+: 2 must-hits, expected three to eight"),
    ("— Then — Measure", "— Then: Measure", "line 13 .*expected «— A heading — and its text»"),
    ("* limit 3", "* wit 3", "line 15 .*expected «axis score: text», an axis among clarify"),
    ("* limit 3", "* limit 4", "line 15 .*expected «axis score: text»"),
    ("    * cost 1: “$10.”\n", "", "mark \\*: cost has 0, 2, 3; expected 3, or each from 0 to 3"),
    ("    > And then?\n", "", "line 25 .*expected «> a question» above it"),
    ("    < Nothing.\n", "", "line 25 .*expected «< an answer» below it"),
    ("    > And then?\n    < Nothing.\n", "", "mark >: 2 follow-ups, expected three"),
)


def test_a_sheet_is_read_in_the_order_of_its_marks():
    read = page(SHEET)
    assert read.ask == "Design a queue for 3 servers."
    assert read.questions()["a"].answer == "Ten places? (It decides who waits.)"
    assert read.lettered() == {"a": "A bound", "b": "A deadline", "c": "A measure"}
    assert read.model_answer == {"How long: a bound": "Ten — or eleven.", "Then": "Measure."}
    assert read.a_three == {"limit": "“Places: ten.”"} and list(read.examples) == ["cost"]
    assert read.examples["cost"][3] == "“$10 an hour, when busy.”" and "cost" in AXES
    assert [item.answer for item in read.follow_ups] == ["Refuse.", "It is too late.", "Nothing."]


@pytest.mark.parametrize(("old", "new", "said"), CASES, ids=[case[2] for case in CASES])
def test_a_slip_is_named_with_line_and_mark(old, new, said):
    assert SHEET.count(old) == 1
    with pytest.raises(SheetError, match=said):
        page(SHEET.replace(old, new))


def test_the_lint_finds_a_slip_without_the_figures():
    source = f'def d13():\n    return page(f"""{SHEET}""").sketched(d13)\n'
    assert list(slips(source)) == []
    ((line, said),) = slips(source.replace("— Then — Measure", "— Then: Measure"))
    assert line == 15 and said.startswith("'— Then: Measure.': expected «— A heading")
