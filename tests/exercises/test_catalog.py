"""Finding exercises: by place alone, by id, loading no more than needed."""

import subprocess
import sys
from pathlib import Path

import pytest

from labutils.authoring.sources.course import read_course
from labutils.exercises import catalog

ROOT = Path(__file__).resolve().parents[2]

CHAPTER = """
from labutils.exercises.definition.exercise import Prediction
PREDICTIONS = (Prediction("{id}", "How many?", "1", "So many."),)
"""

EXERCISE = """
from labutils.exercises.checkers import Number
from labutils.exercises.definition.exercise import Exercise
ONE = Exercise(
    id="{id}", title="One", checker=Number(lambda: 1.0, unit="1", tolerance=0), minutes=3,
    hints=("How many?", "Fewer than two.", "One."), explanation="It is one.",
)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder beside the real chapters, and no trace of its modules afterwards."""
    monkeypatch.setattr(catalog, "__path__", [*catalog.__path__, str(tmp_path)])
    known = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - known:
        if name.startswith(catalog.__name__):
            monkeypatch.delitem(sys.modules, name)


def test_a_chapter_is_found_by_its_place_alone(folder):
    (folder / "quiz_one.py").write_text(CHAPTER.format(id="quiz.count"))
    package = folder / "quizbook"
    package.mkdir()
    (package / "__init__.py").write_text(CHAPTER.format(id="quizbook.count"))
    assert catalog.prediction("quiz.count").question == "How many?"
    assert catalog.prediction("quizbook.count").unit == "1"
    titles = [catalog.title_of(module) for module in catalog.chapters()]
    assert "Quiz one" in titles and "Quizbook" in titles
    with pytest.raises(ValueError, match=r"did you mean 'quiz.count'"):
        catalog.prediction("quiz.coutn")


def test_an_exercise_is_found_by_its_file_alone_and_no_other_file_is_loaded(folder):
    parts = folder / "quiz" / "parts"
    parts.mkdir(parents=True)
    (folder / "quiz" / "__init__.py").write_text("")
    (parts / "__init__.py").write_text("")
    (parts / "first.py").write_text(EXERCISE.format(id="quiz.first"))
    (folder / "quiz" / "broken.py").write_text(EXERCISE.format(id="quiz.other") + "raise KeyError")
    (folder / "quiz" / "helps.py").write_text("raise RuntimeError('it makes no exercise')")
    assert catalog.exercise("quiz.first").minutes == 3
    with pytest.raises(KeyError):
        catalog.exercise("quiz.other")
    (folder / "quiz" / "broken.py").write_text(EXERCISE.format(id="quiz.first"))
    with pytest.raises(ValueError, match=r"'quiz.first': two exercises of .*quiz have it"):
        catalog.chapters()


def test_chapters_come_in_course_order_and_by_title_where_they_give_none(folder):
    heads = {"quiz_b": "ORDER = -3", "quiz_a": "ORDER = -2.5", "quiz_d": "TITLE = 'Zzz 1'"}
    heads |= {"quiz_c": "TITLE = 'Zzz 2'", "quiz_e": "ORDER = -11"}
    for name, head in heads.items():
        (folder / f"{name}.py").write_text(head + CHAPTER.format(id=f"{name}.count"))
    titles = [catalog.title_of(module) for module in catalog.chapters()]
    assert titles[:3] == ["Quiz e", "Quiz b", "Quiz a"] and titles[-2:] == ["Zzz 1", "Zzz 2"]


def test_order_and_minutes_that_a_chapter_gives_are_those_of_its_source():
    headers = {chapter.header.slug: chapter.header for chapter in read_course(ROOT).chapters}
    for module in catalog.chapters():
        header = headers[module.__name__.rpartition(".")[2]]
        assert (catalog.order_of(module), catalog.minutes_of(module)) == (
            header.order,
            header.minutes,
        )


def test_two_chapters_cannot_share_an_id(folder):
    for name in ("quiz_two.py", "quiz_three.py"):
        (folder / name).write_text(CHAPTER.format(id="quiz.same"))
    with pytest.raises(ValueError, match=r"id = 'quiz.same': is in .*quiz_three and .*quiz_two"):
        catalog.chapters()


def test_only_the_chapter_of_the_id_is_loaded(folder):
    (folder / "quiz_good.py").write_text(CHAPTER.format(id="quiz.good"))
    (folder / "aaa_broken.py").write_text("raise RuntimeError('loaded for nothing')")
    assert catalog.prediction("quiz.good").id == "quiz.good"
    (folder / "zzz_named_otherwise.py").write_text(CHAPTER.format(id="other.good"))
    assert catalog.prediction("other.good").id == "other.good"


def test_an_id_whose_chapter_is_called_otherwise_is_found_all_the_same(folder):
    (folder / "zoo.py").write_text(CHAPTER.format(id="quiz.elsewhere"))
    assert catalog.prediction("quiz.elsewhere").id == "quiz.elsewhere"


def test_checking_a_number_needs_neither_hypothesis_nor_numba():
    script = (
        "import sys; from labutils.exercises import check; "
        "from labutils.exercises.checkers import Function; "
        "print([m for m in ('hypothesis', 'numba', 'matplotlib', 'torch') if m in sys.modules])"
    )
    run = [sys.executable, "-c", script]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout == "[]\n"
