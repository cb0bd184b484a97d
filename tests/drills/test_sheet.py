"""A drill read from its sheet: what each mark says, and what is filled in stays what it is."""

import pytest

from labutils.drills.definition.draw import Draw, Redraw
from labutils.drills.definition.writing import choice, drill, listing, piece, positive, within
from labutils.ground.sheets import SheetError

END = "> a\n> b\n> c\n. It is so.\n\nThe moral."


def of(top: str, **more):
    return Draw(1).drill(f"A story.\n? How many?\n{top}\n{END}", **more)


def test_values_come_back_exactly_and_whole_ones_stay_whole():
    third = of(f"= {1 / 3} s tolerance=0.01\n- twice {2 / 3}: Once.")
    assert (third.answer, third.unit, third.mistakes[0].value) == (1 / 3, "s", 2 / 3)
    assert isinstance(of(f"= {12}").answer, int) and of(f"= {-1e-30}").answer == -1e-30


def test_no_value_that_is_filled_in_becomes_a_mark():
    asked = of("= 3\n- first 4: It says\n  - and goes on.\n- second 5: = 3 > 2")
    assert [m.message for m in asked.mistakes] == ["It says - and goes on.", "= 3 > 2"]


def test_a_mistake_without_a_value_is_left_out():
    asked = of(f"= 3\n- a {positive(-1)}: No.\n- b {within(0, 2, 1)}: No.\n- c {positive(5)}: Yes.")
    assert [mistake.name for mistake in asked.mistakes] == ["c"]


def test_mistakes_that_do_not_tell_are_dropped_and_too_few_of_them_drawn_again():
    near = "= 100 tolerance=0.02 telling={}\n- near 101: So?\n- far 200: So?"
    assert [mistake.name for mistake in of(near.format(1)).mistakes] == ["far"]
    with pytest.raises(Redraw):
        of(near.format(2))
    with pytest.raises(SheetError, match=r"telling needs numbers to draw again"):
        drill(f"A story.\n? How many?\n{near.format(1)}\n{END}")


def test_options_are_shuffled_and_lines_of_a_claim_are_not():
    options = of("= 3\n? Which?\n" + choice("a", {"b": "Not b.", "c": "Not c."})).options
    assert options.question == "Which?" and options.texts[options.right] == "a"
    claim = of("| It holds.\n! It does.\n| It does not.\n| It holds, too.\n! It does.").options
    assert claim.right == "b" and list(claim.texts.values())[1] == "It does not."


def test_a_listing_keeps_its_lines_and_a_piece_its_marks():
    table = "  a  1\n\n  b  2"
    asked = drill(
        f"Look: {listing(table)} So?\n\n{listing(table)}\n\nEnd.\n? How many?\n= 3\n{END}"
    )
    assert asked.story == f"Look:\n{table}\nSo?\n\n{table}\n\nEnd."
    more = piece("""
        - other 5: It goes
          on.
        - third 6: No.
        """)
    assert [m.message for m in of(f"= 3\n{more}").mistakes] == ["It goes on.", "No."]


def test_what_follows_stands_behind_the_sheet():
    asked = of("= 3").then(of("= 4")).also(accepts=((5, "Another convention."),))
    assert asked.follow_up.answer == 4 and asked.number.check(5).passed
