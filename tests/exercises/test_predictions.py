"""Predictions: committed before, scored after, never in the way."""

import numpy as np
import pytest

from labutils.exercises import outcome, predict, progress
from labutils.exercises.definition.exercise import Prediction
from labutils.exercises.guess import Guess, read_guess
from labutils.exercises.journal.journal import events
from labutils.ground.units import UnreadableQuantity

pytestmark = pytest.mark.usefixtures("toys")


def test_a_range_that_holds_and_one_that_does_not():
    assert repr(predict("toy.recovery", low=40, high="2 min")).startswith("Noted. You say 40 s to")
    inside = repr(outcome("toy.recovery", 60))
    assert inside.startswith("Inside your range. It is 60 s.")
    assert "Score 1.3; 0 is perfect." in inside  # 80 s wide around 60 s
    assert inside.endswith("The debt is paid off slowly.")


@pytest.mark.parametrize(
    "low, high, words",
    [
        (10, 20, "3 times too low. Score 20"),  # (10 + 10 * 40) / 60 = 6.83
        (70, 90, "17 % too high"),
        (0, 0.5, "too low"),
    ],
)
def test_a_range_beside_the_outcome_says_how_far(low, high, words):
    predict("toy.recovery", low=low, high=high)
    shown = repr(outcome("toy.recovery", "1 min"))
    assert shown.startswith("Outside.")
    assert words.partition(".")[0] in shown


@pytest.mark.parametrize(
    "value, words", [(60, "exactly that"), (30, "2 times too low"), ("66 s", "10 % too high")]
)
def test_a_single_value(value, words):
    predict("toy.recovery", value)
    shown = repr(outcome("toy.recovery", 60.0))
    assert words in shown and "Score" not in shown


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (np.float64(60), 60, 60),
        (np.array(60), 60, 60),
        (np.array([40.0, 80]), 40, 80),
        ((np.int64(40), np.float32(80)), 40, 80),
    ],
)
def test_what_numpy_computed_is_a_number(value, low, high):
    predict("toy.recovery", value)
    noted = [event for event in events() if event["event"] == "predict"][-1]
    assert (noted["low"], noted["high"]) == (low, high)


def test_so_many_percent_more_is_a_factor():
    times = Prediction("toy.times", "How many times as fast?", "×", "Twice.", 0)
    assert read_guess(times, "+100 %") == Guess(2, 2)
    assert read_guess(times, "150 %") == Guess(1.5, 1.5)


def test_a_measurement_too_noisy_to_trust_judges_nothing():
    predict("toy.recovery", low=40, high=80)
    before = len(list(events()))
    shown = repr(outcome("toy.recovery", 60, steady=False))
    assert shown.startswith("Too noisy to judge. It came out as 60 s") and "Score" not in shown
    assert len(list(events())) == before
    assert repr(outcome("toy.recovery", 60)).startswith("Inside your range.")


def test_an_outcome_of_zero_has_no_relative_score():
    predict("toy.recovery", low=0, high=9)
    shown = repr(outcome("toy.recovery", "0 ms"))
    assert shown.startswith("Inside your range. It is 0 s. You said 0 s to 9 s.")
    assert "Score" not in shown and "∞" not in shown


@pytest.mark.parametrize("given", [(40, "2 min"), ((40, 120),), ([40, "120 s"],)])
def test_two_values_or_a_pair_are_a_range(given):
    assert repr(predict("toy.recovery", *given)).startswith("Noted. You say 40 s to 2 min.")
    assert events()[0]["low"] == 40 and events()[0]["high"] == 120


def test_a_distance_is_written_out_and_a_score_beyond_use_is_not():
    predict("toy.recovery", low="10 d", high="20 d")
    # (864,000 + 10 * 863,940) / 60 = 158,390
    assert "14,000 times too high. Score above 100;" in repr(outcome("toy.recovery", 60))


def test_skipping_gates_nothing():
    assert repr(predict("toy.recovery", ...)).startswith("Skipped.")
    assert repr(predict("toy.recovery")).startswith("Skipped.")
    assert repr(predict("toy.recovery", low=..., high=...)).startswith("Skipped.")
    assert repr(predict("toy.recovery", ..., ...)).startswith("Skipped.")
    assert events() == []
    shown = repr(outcome("toy.recovery", 60))
    assert shown.startswith("Outcome. It is 60 s. You made no prediction.")
    assert events()[0].keys().isdisjoint({"score", "held"})


@pytest.mark.parametrize(
    "given, words",
    [
        ({"low": 3}, "both ends"),
        ({"high": 3}, "both ends"),
        ({"low": 5, "high": 3}, "swap"),
        ({"value": 4, "low": 3, "high": 5}, "not both"),
        ({"value": "3 GB"}, "time"),
        ({"value": "soon"}, "soon"),
        ({"value": "14 to 18 s"}, "A range in one text"),
        ({"value": float("nan")}, "nan"),
        ({"low": [1], "high": 2}, "list"),
    ],
)
def test_what_cannot_be_read_is_told_and_not_recorded(given, words):
    shown = repr(predict("toy.recovery", **given))
    assert shown.startswith("Cannot read this prediction.") and words in shown
    assert events() == []


@pytest.mark.parametrize(
    "given, words",
    [
        ((3, 4, 5), "Give one value, or two: `low=..., high=...`"),
        (([3],), "Give one value, or two: `low=..., high=...`"),
        ((5, 3), "swap"),
        ((5, ...), "both ends"),
        (((1, 2), (3, 4)), "a tuple with 2 entries"),
        (("2-3 s",), "Write `low=..., high=...`"),
    ],
)
def test_values_that_make_no_range_are_told(given, words):
    shown = repr(predict("toy.recovery", *given)).replace("\n", " ")
    assert shown.startswith("Cannot read this prediction.") and words in shown
    assert events() == []


@pytest.mark.parametrize(
    "prediction_id, given, words",
    [
        ("toy.share", {"value": 60}, "It is at least 0 and at most 1, and you say 60. A share in"),
        ("toy.share", {"low": 0.5, "high": 1.2}, "at most 1, and you say 1.2."),
        ("toy.share", {"low": -0.1, "high": 0.5}, "at most 1, and you say -0.1."),
        ("toy.share", {"value": "130 %"}, "you say 1.3."),
        ("toy.delay", {"value": "-20 ms"}, "It is at least 0 s, and you say -20 ms."),
    ],
)
def test_what_cannot_be_is_told_and_not_recorded(prediction_id, given, words):
    shown = repr(predict(prediction_id, **given)).replace("\n", " ")
    assert shown.startswith("Cannot read this prediction.") and words in shown
    assert ("A share in percent is a text: '60 %'." in shown) == (prediction_id == "toy.share")
    assert events() == []


def test_what_can_just_be_is_noted():
    assert repr(predict("toy.share", low="0 %", high=1)).startswith("Noted. You say 0 to 1.")
    assert repr(predict("toy.delay", "3 h")).startswith("Noted. You say 3 h")
    assert repr(predict("toy.recovery", -5)).startswith("Noted.")


def test_bounds_that_leave_no_room_are_refused():
    with pytest.raises(ValueError, match=r"at_most = 0: expected a number above 1, at_least"):
        Prediction("toy.none", "How?", "1", "So.", at_least=1, at_most=0)
    for finding in ("It is so.", "It is {} of {}.", "It is {}"):
        with pytest.raises(ValueError, match=r"finding = .* expected a sentence"):
            Prediction("toy.none", "How?", "1", "So.", finding=finding)


def test_the_last_prediction_before_the_outcome_counts():
    predict("toy.recovery", 10)
    predict("toy.recovery", 30)
    assert "You said 30 s" in repr(outcome("toy.recovery", 60))
    predict("toy.recovery", 60)
    assert "You said 30 s" in repr(outcome("toy.recovery", 60))


def test_a_change_after_the_outcome_is_told_that_it_comes_too_late():
    predict("toy.recovery", low=50, high=90)
    outcome("toy.recovery", 60)
    told = repr(predict("toy.recovery", low=60, high=61))
    assert "Your earlier prediction counts, 50 s to 90 s" in told and "60" not in told
    assert "You said 50 s to 90 s" in repr(outcome("toy.recovery", 60))
    again = repr(predict("toy.recovery", low=50, high=90))  # the cell was run once more
    assert again.startswith("Noted. You say 50 s to 90 s.") and "counts" not in again


@pytest.mark.parametrize(
    "given, says, compared",
    [
        ({"value": 30}, "You say 30 s", "You said 30 s: 2 times too low."),
        ({"low": 70, "high": 90}, "You say 70 s to 90 s", "You said 70 s to 90 s: 17 % too high."),
    ],
)
def test_a_prediction_made_after_the_outcome_is_compared_and_not_scored(given, says, compared):
    outcome("toy.recovery", 60)
    predict("toy.recovery", 5)
    noted = repr(predict("toy.recovery", **given)).replace("\n", " ")
    assert noted.startswith("Noted, although the outcome was already on screen. ")
    assert noted.endswith(f"{says}: it is compared and not scored.")
    shown = repr(outcome("toy.recovery", 60)).replace("\n", " ")
    assert shown.startswith(f"Outcome. It is 60 s. {compared} Not scored")
    assert "Score" not in shown and "0 is perfect" not in shown
    assert all("score" not in event and "held" not in event for event in events())
    assert "ranges" not in repr(progress())


def test_skipping_leaves_what_was_said():
    predict("toy.recovery", 30)
    skipped = repr(predict("toy.recovery", ...))
    assert skipped == "Skipped. What you said before stands: 30 s."
    assert "You said 30 s" in repr(outcome("toy.recovery", 60))


def test_the_score_is_the_interval_score_over_the_outcome():
    # Gneiting and Raftery (2007), equation 43, with alpha = 0.2, worked by hand
    assert Guess(40, 120).score(60) == pytest.approx(80 / 60)
    assert Guess(10, 20).score(60) == pytest.approx((10 + 10 * 40) / 60)
    assert Guess(70, 90).score(60) == pytest.approx((20 + 10 * 10) / 60)
    assert Guess(30, 30).score(60) == pytest.approx(0.5)
    assert Guess(60, 60).score(60) == 0
    assert Guess(1, 1).score(0) == float("inf")
    assert Guess(-3, 2).score(-4) == pytest.approx((5 + 10 * 1) / 4)


def test_progress_tells_how_many_ranges_held():
    assert "ranges" not in repr(progress())
    predict("toy.recovery", low=40, high=90)
    outcome("toy.recovery", 60)
    outcome("toy.recovery", 60)
    assert "1 of 1 predicted ranges held the outcome" in repr(progress())


def test_unknown_ids_and_unreadable_outcomes_are_the_authors_mistakes():
    with pytest.raises(ValueError, match=r"prediction_id = 'toy.recoverie': did you mean"):
        predict("toy.recoverie", 3)
    with pytest.raises(ValueError, match=r"prediction_id = 'toy.bill': this is an exercise"):
        predict("toy.bill", 3)
    with pytest.raises(ValueError, match="GB"):
        outcome("toy.recovery", "3 GB")


def test_a_percentage_of_a_count_is_not_taken_for_a_number():
    days = Prediction("two.days", "On how many of 100 days?", "1", "So many.", 0, 100)
    for text in ("50 %", "50 percent", "50 per cent"):
        with pytest.raises(UnreadableQuantity, match="at most 100, not a share of it"):
            read_guess(days, text)
    assert read_guess(days, "50") == Guess(50, 50)
    share = Prediction("two.share", "What share of them?", "1", "So many.", 0, 1)
    assert read_guess(share, "50 %") == Guess(0.5, 0.5)
