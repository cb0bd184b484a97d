"""The skill by decision, the calibration, and the figures of both."""

import math

import pytest

from labutils.drills import skill
from labutils.drills.asking.asking import Asking
from labutils.drills.catalog import templates
from labutils.drills.definition.template import Decision
from labutils.drills.session import Session
from labutils.drills.skills import figure as figures
from labutils.drills.skills.levels import Level, Range, calibration_in_words, ranges_of, repeated
from labutils.drills.skills.skills import Skill
from labutils.exercises import progress
from labutils.exercises.journal.journal import record

pytestmark = pytest.mark.usefixtures("my")


def test_the_level_is_the_mean_of_the_last_twelve():
    scores = (1.0,) * 4 + (0.0, 0.5, 1.0) * 4  # the first four have scrolled out
    level = Level(Decision.limit, scores)
    assert level.value == pytest.approx((0 + 0.5 + 1) * 4 / 12)
    assert level.history()[0] == (3, 1.0) and level.history()[-1] == (16, level.value)
    assert math.isnan(Level(Decision.limit, (1.0, 1.0)).value)
    assert level.cells() == ("name the limit", "8", "4", "4", "50 % of 12")


def test_skill_counts_what_the_journal_holds():
    assert "No drill is done yet" in repr(skill())
    numbers = [item for item in templates() if item.drill(3).options is None][:3]
    for item in numbers:
        one = Session(Asking(item, 3))
        one.predict(one.drill.answer * 0.9, one.drill.answer * 1.1)
        one.check(one.drill.answer)
    Session(Asking(numbers[0], 4)).reveal()
    shown = skill()
    assert "4 questions done." in repr(shown) and "3 of 3 ranges held" in repr(shown)
    scores = [score for level in shown.levels for score in level.scores]
    assert sorted(scores) == [0.0, 1.0, 1.0, 1.0]
    assert "4 drill questions done, 3 of them without a hint" in repr(progress())
    assert numbers[0].title not in repr(progress())


def test_progress_says_nothing_of_drills_before_the_first():
    assert "drill question" not in repr(progress())


def test_ranges_count_once_for_each_question():
    for low in (1, 2):
        record({"event": "drill_predict", "id": "drill.x", "seed": 1, "link": 0, "low": low,
                "high": 5, "actual": 3})  # fmt: skip
    record({"event": "drill_predict", "id": "drill.x", "seed": 2, "low": 4, "high": 4, "actual": 4})
    record({"event": "drill_predict", "id": "drill.x", "seed": 3, "low": "nan"})
    from labutils.exercises.journal.journal import events

    assert ranges_of(events()) == (Range(2, 5, 3),)
    assert ranges_of(events(), mock="m") == ()


def test_calibration_asks_for_wider_or_narrower_ranges():
    hit, miss = Range(1, 3, 2), Range(4, 5, 2)
    assert "wider" in calibration_in_words([hit, miss] * 4)
    assert "narrower" in calibration_in_words([hit] * 10)
    assert calibration_in_words([hit] * 4 + [miss]).endswith("(80 % should).")


def test_mistakes_that_came_twice_are_named():
    from datetime import UTC, datetime

    from labutils.drills.repetition.attempts import Attempt, Grade

    item = templates()[0]

    def attempt(seed, *names):
        return Attempt(item, seed, 0, datetime.now(UTC), Grade.good, 9.0, diagnoses=names)

    done = [attempt(1, "halved", "halved"), attempt(2, "halved", "choice: x"), attempt(3, "once")]
    assert repeated(done) == ((item.title, "halved", 2),)


LEVELS = (
    Level(Decision.model, (1.0, 0.0, 1.0, 1.0, 0.5)),
    Level(Decision.limit, (0.0, 0.0, 0.5)),
    Level(Decision.commit, (1.0,)),
)


def test_the_history_is_drawn_by_decision():
    axes = figures.skill_history(LEVELS).axes[0]
    lines = [line for line in axes.lines if len(line.get_xdata()) > 1]
    (model,) = lines  # the others have one point
    assert list(model.get_xdata()) == [3, 4, 5]
    assert model.get_ydata() == pytest.approx([200 / 3, 75, 70])
    assert "70 %" in axes.figure._suptitle.get_text() and "17 %" in axes.figure._suptitle.get_text()
    assert "70 % after 5" in figures.skill_in_words(LEVELS)
    with pytest.raises(ValueError, match="levels"):
        figures.skill_history(LEVELS[2:])


def test_ranges_are_drawn_over_the_truth():
    ranges = [Range(1, 4, 2), Range(9, 12, 3), Range(1, 2, 8)]
    axes = figures.calibration(ranges).axes[0]
    assert "1 of 3 ranges hold" in axes.figure._suptitle.get_text()
    bars = [tuple(line.get_xdata()) for line in axes.lines if len(line.get_xdata()) == 2]
    assert (0.5, 2.0) in bars and (3.0, 4.0) in bars and (0.125, 0.25) in bars
    assert "1 hold it, 1 lie above it, 1 below" in figures.calibration_alt(ranges)
    with pytest.raises(ValueError, match="ranges"):
        figures.calibration([Range(-1, 2, 3)])


def test_plotting_before_there_is_anything_says_so(capsys):
    Skill(LEVELS[2:]).plot()
    assert "needs 3 questions" in capsys.readouterr().out
    Skill(LEVELS, (Range(1, 4, 2),)).plot()
    assert "1 of 1 ranges hold" in capsys.readouterr().out
