"""Each slip on a sheet is found without filling it in, and says in which line and at which mark."""

from pathlib import Path

import pytest

from labutils.authoring.lint.drill_sheets import CATALOG, sheet_findings, slips

SHEET = '''
def drill_of(draw):
    return draw.drill(f"""
        {who} waits
        {minutes} min.

        ? How long?
        = {minutes} min tolerance=0.02 telling=2
        - doubled {2 * minutes}: You take it twice. Which
          time is meant?
        - halved {minutes / 2}: You take half of it.
        ? Who waits?
        + {who}
        x Nobody
        ! Somebody does.
        > How long is it?
        > As long as it is.
        > {minutes}.
        * wait {minutes} min: That is it.
        . Nothing else is.
        ~ Not below 0.

        Who waits, waits.
        """)
'''
CASES = (
    ("? How long?", "How long?", 8, "it stands in a paragraph"),
    ("? Who waits?", "\n        Who waits?\n\n        ? Who?", 13, "each part has one"),
    ("? Who waits?", "? Who waits?\n        ? When?", 13, "expected 2 of this mark at most"),
    ("= {minutes} min", "= long min", 8, "'long': expected a number"),
    ("= {minutes} min", "= {minutes} min each", 8, "'min each': expected one unit"),
    ("tolerance=", "tolerence=", 8, "tolerence=0.02: expected one of tolerance, absolute"),
    ("telling=2", "unsafe=left", 8, "unsafe=left: expected one of"),
    ("- doubled {2 * minutes}: You take it", "- doubled: You take it", 9, "«name value: message»"),
    ("- doubled {2 * minutes}: ", "- doubled {2 * minutes} ", 9, "expected a colon"),
    ("          time is meant?", "        time is meant?", 10, "indent what goes on"),
    ("        ! Somebody does.\n", "", 14, "expected «! what speaks against it»"),
    ("x Nobody", "+ Nobody", 15, "expected it below a wrong option"),
    ("+ {who}\n        ", "", 13, "0 options are right"),
    ("> {minutes}.", "", 3, "mark >: expected three hints, not 2"),
    ("* wait {minutes} min:", "* wait:", 19, "expected «name value unit: text»"),
    ("* wait {", "* the_wait,_all {", 19, "expected one that works as a keyword"),
    ("~ Not", "~ Above\n        ~ Not", 22, "expected 1 of this mark at most"),
)


def test_a_sheet_without_a_slip_has_no_finding():
    assert list(slips(SHEET)) == []


@pytest.mark.parametrize(("old", "new", "line", "message"), CASES, ids=[case[3] for case in CASES])
def test_each_slip_names_line_and_mark(old, new, line, message):
    assert SHEET.count(old) == 1
    ((at, said),) = slips(SHEET.replace(old, new))
    assert (at, message in said) == (line, True), (at, said)


def test_a_piece_of_another_sheet_stands_on_a_line_of_its_own():
    whole = SHEET.replace("- halved {minutes / 2}: You take half of it.", "{_more(minutes)}")
    assert list(slips(whole)) == []
    piece = 'text = piece(f"""\n    - halved {half}: Half of it.\n    - none 0 no\n    """)'
    assert list(slips(piece)) == [
        (3, "'- none 0 no': expected a colon between what is named and what is said")
    ]


def test_findings_name_the_file(tmp_path):
    folder = tmp_path / CATALOG
    folder.mkdir(parents=True)
    (folder / "waits.py").write_text(SHEET.replace("= {minutes} min", "= long min"))
    (found,) = sheet_findings(tmp_path)
    assert (
        found
        == f"{CATALOG}/waits.py:8: '= long min tolerance=0.02 telling=2': 'long': expected a number"
    )


def test_the_catalogue_has_none():
    assert list(sheet_findings(Path(__file__).parents[2])) == []
