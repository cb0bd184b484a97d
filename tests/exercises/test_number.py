"""The ladder of a Number, rung by rung, and what must hold on it for every exercise."""

import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from labutils.exercises.checkers import Number
from labutils.exercises.definition.exercise import CheckerError, Misconception
from labutils.exercises.definition.verdict import Status


def make(expected=0.0737, unit="s", tolerance=0.01, **more):
    return Number(expected=lambda: expected, unit=unit, tolerance=tolerance, **more)


ADDS = Misconception("adds", lambda: 0.0412, "You add where you should multiply.")


@pytest.mark.parametrize(
    "answer",
    [
        0.0737,
        np.float64(0.0737),
        np.float32(0.0737),
        np.array(0.0737),
        Fraction(737, 10_000),
        Decimal("0.0737"),
        "73.7 ms",
        "73.7ms",
        "0.0737 s",
        "0.0737",
        np.array("73.7 ms"),
    ],
)
def test_every_way_to_write_the_number_is_right(answer):
    assert make().check(answer).status is Status.right


@pytest.mark.parametrize(
    "answer, complaint",
    [
        (float("nan"), "not a number"),
        (float("-inf"), "infinite"),
        (10**400, "infinite"),
        (True, "truth value"),
        (np.bool_(True), "truth value"),
        (1j, "complex"),
        (np.complex128(1j), "complex"),
        ([0.0737], "a list with 1 entry"),
        ((), "a tuple with 0 entries"),
        ({"t": 0.0737}, "a dict with 1 entry"),
        (np.array([0.0737]), r"shape (1,)"),
        (None, "None"),
        (lambda: 0.0737, "a function: call it"),
        (object(), "type object"),
        ("soon", "'soon'"),
        ("", "as a time"),
    ],
)
def test_what_is_no_number_is_unreadable_and_says_what_was_expected(answer, complaint):
    verdict = make().check(answer)
    assert verdict.status is Status.unreadable
    assert complaint in verdict.message
    assert re.search("second|a time", verdict.message)


def test_a_quantity_of_another_kind_is_a_wrong_unit():
    verdict = make().check("3 GB")
    assert verdict.status is Status.unit
    assert "amount of data" in verdict.message and "time" in verdict.message


def test_a_misconception_comes_before_scale_and_the_nearest_one_counts():
    tenfold = Misconception("tenfold", lambda: 0.737, "Ten of them?")
    nearby = Misconception("nearby", lambda: 0.0415, "Almost the same mistake.")
    checker = make(misconceptions=(ADDS, nearby, tenfold))
    assert checker.check(0.737).diagnosis == "tenfold"
    assert checker.check(0.04155).diagnosis == "nearby"
    assert checker.check(0.04125).diagnosis == "adds"
    assert checker.check(0.0412).message == ADDS.message


def test_another_convention_passes_with_its_note():
    checker = make(accepts=((lambda: 0.081, "You interpolate; the course does not."),))
    verdict = checker.check(0.081)
    assert verdict.passed and "interpolate" in verdict.note
    assert checker.check(0.0737).note == ""


@pytest.mark.parametrize(
    "answer, status, words",
    [
        (0.0737 * 1.03, Status.close, "a little too large"),
        (0.0737 * 0.96, Status.close, "a little too small"),
        (0.0737 * 1.3, Status.wrong, "too large"),
        (0.0737 / 170, Status.wrong, "more than ten times too small"),
        (-0.0737, Status.wrong, "wrong sign"),
        (-0.3, Status.wrong, "too small"),
        (0.0, Status.wrong, "too small"),
    ],
)
def test_close_and_wrong_tell_the_direction(answer, status, words):
    verdict = make().check(answer)
    assert verdict.status is status
    assert words in verdict.message


@pytest.mark.parametrize(
    "tolerance, close, wrong",
    [
        (0.0005, (0.92, 0.9125), (0.95, 0.921, 0.9111)),  # 10 times the tolerance
        (0.01, (0.961, 0.871), (0.963, 0.869)),  # 5 %
        (0.04, (0.9885, 0.8435), (0.99, 0.842)),  # twice the tolerance
    ],
)
def test_close_is_no_farther_than_more_digits_explain(tolerance, close, wrong):
    checker = make(expected=0.9161, unit="1", tolerance=tolerance)
    assert {checker.check(answer).status for answer in close} == {Status.close}
    assert {checker.check(answer).status for answer in wrong} == {Status.wrong}


def test_more_digits_are_advised_only_where_they_may_help():
    checker = make(expected=0.9161, unit="1", tolerance=0.01)
    assert "Carry more digits" in checker.check(0.9161 * 1.014).message
    farther = checker.check(0.9161 * 1.03)
    assert farther.status is Status.close and "digits" not in farther.message
    whole = make(expected=578, unit="1", tolerance=0.002).check(579.5)
    assert whole.status is Status.close and "digits" not in whole.message


def test_a_whole_number_past_a_hard_limit_is_refused():
    most = make(expected=578.667, unit="1", tolerance=0.002, unsafe="above")
    assert most.check(578).passed and most.check(578.67).passed
    assert most.check(579).diagnosis == "rounded-past-the-limit"
    least = make(expected=578.667, unit="1", tolerance=0.002, unsafe="below")
    assert least.check(579).passed and not least.check(578).passed
    down = Misconception("down", lambda: 9.0, "9 run at 120 %.")
    about = {"tolerance": 0, "absolute": 1, "unsafe": "below", "misconceptions": (down,)}
    named = make(expected=10, unit="1", **about)
    assert named.check(9).diagnosis == "down" and named.check(11).passed
    with pytest.raises(ValueError, match="unsafe = 'left': expected"):
        make(unsafe="left")


def test_1000_for_1024_is_told_although_the_tolerance_is_wide():
    checker = make(expected=32 * 1024, unit="B", tolerance=0.02)
    assert "powers of 1024" in checker.check("32 kB").message
    assert "Without a unit it is read as bytes" in checker.check(32).message
    assert checker.check("32.7 kB").passed
    assert checker.check(32_050).status is Status.close


def test_a_misconception_near_the_right_answer_reaches_a_quarter_of_the_way_to_it():
    other = Misconception("other", lambda: 43_636, "You forget the ramp.")
    checker = make(expected=42_436, misconceptions=(other,))
    assert checker.check("12 h").status is Status.close
    assert [checker.check(n).diagnosis for n in (43_335, 43_337)] == [None, "other"]
    assert [checker.check(n).diagnosis for n in (43_935, 43_937)] == ["other", None]
    far = Misconception("far", lambda: 60_000, "You count the night.")
    checker = make(expected=42_436, misconceptions=(far,))
    assert [checker.check(n).diagnosis for n in (59_399, 59_401)] == [None, "far"]


def test_an_absolute_tolerance_counts_where_it_is_wider():
    checker = make(expected=5, unit="1", tolerance=0.0, absolute=1)
    assert [checker.check(n).passed for n in (3, 4, 5, 6, 7)] == [False, True, True, True, False]
    assert "± 1" in checker.check(7).message


def test_zero_can_be_asked_for():
    checker = make(expected=0.0, absolute=0.001)
    assert checker.check(0.001).passed
    assert checker.check(5.0).status is Status.wrong


def test_gb_against_gib_is_a_scale_only_where_the_tolerance_is_narrow():
    weights = 141.3e9
    narrow, wide = (make(expected=weights, unit="B", tolerance=t) for t in (0.01, 0.05))
    for check, status in ((narrow, Status.scale), (wide, Status.close)):
        assert check.check(weights * 1.024**3).status is status
    assert "1.024^3" in narrow.check(weights / 1.024**3).message
    # 7 % is no binary prefix where nothing is counted in bytes
    assert make(tolerance=0.01).check(0.0737 * 1.024).status is Status.close


def test_percent_for_a_fraction_says_so():
    assert "percent" in make(expected=0.4219, unit="1").check(42.19).message
    assert make(expected=0.4219, unit="1").check("42.19 %").passed


def test_cents_for_dollars_say_so():
    verdict = make(expected=0.93, unit="$").check(93.0)
    assert "100 times too large" in verdict.message and "cents" in verdict.message


def test_the_workbooks_own_failures_are_not_the_learners():
    broken = Number(expected=lambda: 1 / 0, unit="s", tolerance=0.01)
    with pytest.raises(CheckerError, match="ZeroDivisionError") as caught:
        broken.check(1)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    infinite = Misconception("infinite", lambda: float("inf"), "Endless.")
    with pytest.raises(CheckerError, match="misconception 'infinite'"):
        make(misconceptions=(infinite,)).check(3)


@pytest.mark.parametrize(
    "more", [{"tolerance": -0.1}, {"absolute": float("nan")}, {"misconceptions": (ADDS, ADDS)}]
)
def test_an_author_hears_of_nonsense_at_once(more):
    with pytest.raises(ValueError, match=f"{next(iter(more))} = "):
        make(**more)


# ---- properties ---------------------------------------------------------------------------------

tolerances = st.sampled_from([0.0005, 0.01, 0.02, 0.05])
leading = st.integers(111, 999).filter(lambda n: str(n) not in ("864", "360") and n % 100)
values = st.builds(lambda n, k: n * 10.0**k, leading, st.integers(-9, 9))


@given(values, tolerances, st.fractions(-1, 1))
def test_everything_inside_the_tolerance_is_right_its_ends_included(expected, tolerance, where):
    exact = Fraction(expected) * (1 + where * Fraction(str(tolerance)))
    assert make(expected=expected, tolerance=tolerance).check(float(exact)).passed


@given(values, tolerances, st.floats(1.001, 40), st.sampled_from([-1, 1]))
def test_nothing_outside_the_tolerance_is_right(expected, tolerance, beyond, side):
    answer = expected * (1 + side * tolerance * beyond)
    assert not make(expected=expected, tolerance=tolerance).check(answer).passed


@given(
    values,
    tolerances,
    st.sampled_from([2, 8, 60, 3600, *(10**k for k in range(1, 13))]),
    st.booleans(),
)
def test_a_scaled_answer_is_told_its_factor(expected, tolerance, factor, upward):
    answer = expected * factor if upward else expected / factor
    verdict = make(expected=expected, tolerance=tolerance).check(answer)
    assert verdict.status is (Status.wrong if factor in (2, 10) else Status.scale)
    assert f"{factor:,} times too {'large' if upward else 'small'}" in verdict.message


@pytest.mark.parametrize(
    "answer, said",
    [
        (500, "500 is a number of the story itself. What is asked for?"),
        (16 * 0.04, "Your answer is 16 · 0.04. Which"),
        (16 / 0.0288 / 500, "Your answer is 16 / 500 / 0.0288. Which"),
        (500 / 16, "Your answer is 500 / 16. Which"),
        (16 / (500 * 0.04), "Your answer is 16 / 500 / 0.04. Which"),
        (0.04 - 0.0288, "Your answer is 0.04 - 0.0288. Which"),
        (11_111, "Your answer is 16 · 500 · 0.04 / 0.0288. Which"),
        (555.6 * 1.07, None),
    ],
)
def test_numbers_of_the_story_put_together_another_way_are_told(answer, said):
    told = make(16 / 0.0288, "1/s", 0.005, scale=False, story=(16, 500, 0.04, 0.0288)).check(answer)
    if said is None:
        assert told.diagnosis is None
    else:
        assert said in told.message and told.diagnosis == "other-numbers"


@given(values, st.integers(-6, 6), st.sampled_from([1024**k for k in range(1, 4)]))
def test_binary_prefixes_are_told_where_bytes_are_counted(expected, k, factor):
    verdict = make(expected=expected, unit="B", tolerance=0.005).check(expected * factor)
    assert verdict.status is Status.scale and "1024" in verdict.message


@given(values, st.lists(st.integers(3, 40), min_size=1, max_size=5, unique=True))
def test_each_misconception_gets_its_own_message(expected, factors):
    wrongs = tuple(
        Misconception(f"times-{k}", lambda k=k: expected * k * 1.37, f"Message number {k}.")
        for k in factors
    )
    checker = make(expected=expected, misconceptions=wrongs)
    for item in wrongs:
        verdict = checker.check(item.answer())
        assert (verdict.diagnosis, verdict.message) == (item.name, item.message)


@given(values, tolerances, st.floats(-3e3, 3e3), st.sampled_from(["s", "B", "1", "1/s"]))
def test_no_message_holds_the_expected_digits(expected, tolerance, ratio, unit):
    checker = make(expected=expected, tolerance=tolerance, unit=unit)
    verdict = checker.check(expected * ratio)
    assume(not verdict.passed)
    text = re.sub(r"[^0-9]", "", f"{verdict!r}".replace("1024", "").replace("1000", ""))
    assert f"{expected:.2e}"[:4].replace(".", "") not in text


@given(st.one_of(st.none(), st.text(max_size=30), st.binary(), st.lists(st.floats())))
def test_no_answer_makes_a_check_raise(answer):
    assert make().check(answer).status is not None


def test_sixty_times_too_small_is_a_minute_before_it_is_a_number_of_the_story():
    about = {"tolerance": 0.01, "factors": (60.0, 7.0)}
    of_a_time = Number(expected=lambda: 540.0, unit="s", **about)
    assert of_a_time.check(9.0).status is Status.scale
    assert of_a_time.check(540.0 / 7).diagnosis == "factor-of-the-story"
    of_requests = Number(expected=lambda: 540.0, unit="req", **about)
    assert of_requests.check(9.0).diagnosis == "factor-of-the-story"
