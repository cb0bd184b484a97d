"""A drill in a notebook: what is asked, judged, shown and recorded."""

import math
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from labutils.drills import drill
from labutils.drills.asking.asking import Asking
from labutils.drills.catalog import UnknownDrillError, templates
from labutils.drills.judging.judging import judge
from labutils.drills.session import Session
from labutils.exercises.definition.verdict import Status
from labutils.exercises.journal.journal import events
from tests.drills.toys import TOYS, bill, both, pick

pytestmark = pytest.mark.usefixtures("my")


def session(template, *, seed: int = 5, **options) -> Session:
    return Session(Asking(template, seed, **options))


def kinds() -> list[str]:
    return [event["event"] for event in events()]


def test_the_prompt_tells_all_but_the_topic():
    for template in TOYS:
        one = session(template)
        shown = repr(one)
        assert one.drill.question in shown and template.title not in shown
        assert template.id not in shown and one.drill.moral not in shown
        html = one._repr_html_()
        assert one.drill.question in html
    assert "    panel  " in repr(session(bill))  # the spacing of indented lines stays
    assert "one number in seconds, such as 12 s, right within 2 %" in repr(session(bill))


def test_wrong_then_hint_then_right_is_recorded_without_a_word_of_free_text():
    one = session(bill)
    trap = one.drill.mistakes[0].value
    assert one.check(trap).diagnosis == "no-packing"
    first = repr(one.hint())
    assert "What happens after the last piece?" in first and "Hint 2" not in first
    assert "Hint 2 of 3" in repr(one.hint())
    verdict = one.check(f"{one.drill.answer:.6f} s")
    assert verdict.passed and one.is_done
    assert "Pieces and price" in repr(verdict) and "Fixed costs add." in repr(verdict)
    assert kinds() == ["drill", "drill_hint", "drill_hint", "drill"]
    wrong, *_, right = events()
    assert (wrong["id"], wrong["seed"], wrong["link"], wrong["mode"]) == (
        "drill.toy_bill",
        5,
        0,
        "exact",
    )
    assert (wrong["status"], wrong["diagnosis"], wrong["hints"]) == (
        "misconception",
        "no-packing",
        0,
    )
    assert (right["status"], right["hints"], right["revealed"]) == ("right", 2, False)
    assert right["value"] == pytest.approx(one.drill.answer, rel=1e-4) and right["seconds"] >= 0


def test_an_untouched_answer_leaves_no_trace():
    for template in TOYS:
        one = session(template)
        assert one.check(...).status is Status.not_attempted
        assert one.check(..., choice=...).status is Status.not_attempted
        assert "Noted" not in repr(one.predict(..., ...))
        assert one.follow_up() is not None
    assert events() == []


def test_the_first_wrong_step_is_named():
    one = session(bill)
    making = one.drill.named_steps["making"].value
    assert "`making`" in one.check(1, making=2 * making).message
    assert "`total`" in one.check(1, making=making, total=7).message
    assert "Right as far as `making`" in one.check(1, making=making).note
    assert "Right as far as `making`" in one.check(..., making=f"{making} s").message
    assert "`total`" in one.check(1, nosuch=3).message  # the names that exist
    assert one.check("no number", making=1).status is Status.unreadable
    assert one.asking.tries == 3  # neither strangers nor steps alone


def test_steps_alone_are_no_answer():
    one = session(bill)
    assert not one.check(making=3).passed
    assert events() == [] and one.asking.tries == 0


@pytest.mark.parametrize("handed_in", ["letter first", "choice=", "pair", "text"])
def test_choice_and_number_in_any_form(handed_in):
    one = session(both)
    letter, number = one.drill.options.right, one.drill.answer
    verdict = {
        "letter first": lambda: one.check(f"({letter.upper()}) {number * 1000:.4f} ms"),
        "choice=": lambda: one.check(number, choice=letter),
        "pair": lambda: one.check((letter, number)),
        "text": lambda: one.check(f"{letter}, {number:.5f}"),
    }[handed_in]()
    assert verdict.passed, verdict


def test_of_two_parts_the_wrong_one_is_named_and_neither_given_away():
    one = session(both)
    right, number = one.drill.options.right, one.drill.answer
    wrong, against = next(iter(one.drill.options.against.items()))
    only_number = one.check(number, choice=wrong)
    assert only_number.message.startswith("The number is right. The choice,")
    assert against in only_number.message
    assert only_number.diagnosis == f"choice: {one.drill.options.texts[wrong]}"
    only_choice = one.check(8 * number, choice=right)
    assert only_choice.message.startswith("The choice is right. The number: Bits or bytes?")
    neither = one.check(3 * number, choice=wrong)
    assert "The number is not right either" in neither.message and not neither.passed
    assert one.check(number).status is Status.not_attempted  # the choice is missing
    assert "number is missing" in one.check(choice=right).message
    assert one.check(number, choice="z").message.startswith("The choice: ")
    assert not one.is_done


def test_a_choice_alone_takes_a_letter():
    one = session(pick)
    wrong, against = next(iter(one.drill.options.against.items()))
    assert against in one.check(wrong).message
    assert "About your last answer" in repr(one.hint())
    assert one.check(7, choice="a").status is Status.unreadable
    assert one.check(choice=one.drill.options.right).passed
    assert session(bill).check(3, choice="a").status is Status.unreadable


def test_a_range_counts_before_the_first_answer_and_its_end_is_told():
    one = session(bill)
    answer = one.drill.answer
    assert "80 % sure" in repr(one.predict(answer / 2, f"{2 * answer} s"))
    (event,) = events()
    assert event["event"] == "drill_predict" and event["held"] is True
    one.check(answer / 3)
    assert "not scored" in repr(one.predict(answer, 2 * answer))
    assert "your range held it" in repr(one.check(answer))
    assert kinds().count("drill_predict") == 1
    for odd in (("x", 3), (3, 1), (None, 2), (np.zeros(3), 1), ("3 GB", "4 GB")):
        assert "Cannot read" in repr(session(bill).predict(*odd))
    assert "No number" in repr(session(pick).predict(1, 2))


def test_a_bound_must_hold_and_be_near_and_nobody_bisects():
    one = session(bill)
    answer = one.drill.answer
    assert repr(one.bound(at_least=answer / 15)).startswith("Your bound holds.")
    assert repr(one.bound(at_least=answer / 2)).startswith("Set already.")
    shown = repr(one.bound(at_most=answer * 21))
    assert shown.startswith("True, and too loose.") and "Each piece takes a second" in shown
    typo = session(bill)
    assert repr(typo.bound(at_most=answer / 3)).startswith("Your bound does not hold.")
    assert repr(typo.bound(at_most=answer * 3)).startswith("Your bound holds.")
    assert repr(typo.bound(at_most=answer * 2)).startswith("Set already.")
    other = session(bill)
    assert repr(other.bound(at_most=f"{answer / 2} s")).startswith("Your bound does not hold.")
    assert repr(session(bill).bound()).startswith("No bound yet.")
    assert repr(session(bill).bound(at_most="a lot")).startswith("Cannot read")
    one.check(answer)
    assert repr(one.bound(at_least=1)).startswith("Too late.")


def test_a_follow_up_waits_for_the_answer_and_carries_the_seed():
    one = session(bill, seed=9)
    then = one.follow_up()
    assert repr(then).startswith("Not open yet.")
    assert then.check(then.drill.answer).status is Status.not_attempted
    assert all("Not open" in repr(card) for card in (then.hint(), then.reveal(), then.bound()))
    assert events() == []
    one.check(one.drill.answer)
    assert "Packing doubles." in repr(then)
    assert then.check(then.drill.answer).passed
    assert (then.seed, then.link, events()[-1]["link"]) == (9, 1, 1)
    assert "ends" in repr(then.follow_up())


def test_again_draws_other_numbers_of_the_same_kind():
    one = session(bill)
    more = one.again()
    assert more.template is one.template and more.seed != one.seed and more.link == 0
    assert one.again(seed=77).seed == 77


def test_reveal_shows_the_steps_and_is_recorded():
    one = session(both)
    shown = repr(one.reveal())
    assert (
        shown.startswith("Bandwidth binds.") and "size over rate" in shown and "bandwidth" in shown
    )
    assert one.is_done and kinds() == ["drill_reveal"]
    one.check(one.drill.answer, choice=one.drill.options.right)
    assert events()[-1]["revealed"] is True


def test_rough_mode_is_right_within_its_factor():
    one = session(bill, rough=True)
    answer = one.drill.answer
    assert "one significant figure" in repr(one) and "60 seconds" in repr(one)
    for factor, passes in ((1.49, True), (1 / 1.49, True), (1.52, False), (1 / 1.52, False)):
        assert session(bill, rough=True).check(factor * answer).passed is passes
    assert events()[-1]["mode"] == "rough"
    assert one.check(1000 * answer).status is Status.scale
    assert one.check(1.7 * answer).status is Status.close
    assert one.check(-answer).status is Status.wrong
    assert one.check("3 GB").status is Status.unit
    # the trap lies within the factor: its own value is named, another one near it is right
    trap = one.drill.mistakes[0].value
    assert one.check(trap).diagnosis == "no-packing" and one.check(1.03 * trap).passed
    far = session(both, rough=True)
    assert (
        far.check(far.drill.mistakes[0].value, choice=far.drill.options.right).diagnosis == "bits"
    )
    assert not session(pick, rough=True).asking.is_rough


odd = st.one_of(
    st.none(), st.text(), st.floats(), st.integers(), st.booleans(), st.binary(),
    st.complex_numbers(),
    st.lists(st.one_of(st.text(), st.floats()), max_size=3), st.tuples(st.text(), st.integers()),
    st.dictionaries(st.text(), st.integers(), max_size=2), st.just(np.arange(3)),
    st.sampled_from(["a", "b 3", "(c) 40 ms", "b,", "12 %", "1e999", "d" * 99, float, len]),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(answer=odd, choice=odd, step=odd, rough=st.booleans(), which=st.integers(0, 2))
def test_no_answer_makes_a_check_raise(answer, choice, step, rough, which):
    asked = TOYS[which].drill(3)
    verdict = judge(asked, answer, choice, {"making": step, "took": step}, rough=rough)
    assert verdict.message and repr(verdict)


class Spiteful:
    def __getattr__(self, name):
        raise RuntimeError("no")

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None


@pytest.mark.parametrize("kind", range(4))
def test_a_spiteful_object_is_unreadable_and_nothing_else(kind):
    what = [Spiteful(), np.array([1.0, 2.0]), [Spiteful(), 1], math.nan][kind]
    for template in TOYS:
        assert session(template).check(what).status in (Status.unreadable, Status.not_attempted)
        assert session(template).check(1, choice=what).status is not Status.right


def test_drill_finds_by_name_and_by_wish():
    known = templates()[0]
    one = drill(known.id, seed=12)
    assert (one.template, one.seed) == (known, 12)
    assert one.drill == drill(known.id, seed=12).drill
    assert drill(level=1).template.level == 1
    assert drill(rough=True).asking.is_rough
    with pytest.raises(UnknownDrillError, match=r"did you mean|no id"):
        drill(known.id + "x")
    for wish in ({"level": 7}, {"form": "song"}, {"decision": "x"}, {"seed": "y"}):
        with pytest.raises(ValueError, match=next(iter(wish))):
            drill(**wish)


def test_no_step_is_named_like_an_argument():
    for template in templates():
        asked = template.drill(1)
        while asked is not None:
            assert not {"answer", "choice", "self"} & set(asked.named_steps), template.id
            asked = asked.follow_up


def test_the_room_loads_light_and_drill_is_the_function():
    code = (
        "import sys; from labutils.drills.definition.drill import Drill\n"
        "from labutils.drills import drill\n"
        "assert callable(drill), drill\n"
        "heavy = {'torch', 'numba', 'matplotlib', 'ipywidgets', 'fsrs'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_letter_that_is_no_option_hears_which_letters_there_are():
    asked = drill("board_flow", seed=11)
    said = repr(asked.check("z 12"))
    assert all(letter in said for letter in asked.drill.options.texts) and "choice (a, b" in said
