"""An update of the course under a running kernel: one sentence, and no import of half of it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from labutils.ground import edition

ROOT = Path(__file__).resolve().parents[2]
SENTENCE = "The course was updated under this kernel: choose Kernel > Restart"

# A kernel that has checked once, then every call for which a chapter's module is loaded.
LESSON = """
import sys
from labutils.exercises import check, hint, outcome, piece, predict, progress, reveal, tried
print(check("mm1.load_for_ten", 0.5).status.value)
print("ready", flush=True)
sys.stdin.readline()
calls = [
    lambda: check("mm1.load_for_ten", 0.5), lambda: check("two.tracker", 1),
    lambda: hint("two.tracker"), lambda: reveal("two.tracker"), lambda: piece("two.tracker", 1),
    lambda: predict("start.batch_ratio", 3), lambda: outcome("start.batch_ratio", 3),
    lambda: tried("scheduler.decode", 1), progress,
]
for call in calls:
    try:
        call()
        print("went on")
    except Exception as error:
        print(type(error).__name__, error, getattr(error, "_render_traceback_", list)())
"""


@pytest.fixture
def course(tmp_path) -> Path:
    """A copy of the package that a pull may change."""
    package = tmp_path / "labutils"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "labutils", package, ignore=ignored)
    (tmp_path / "data").symlink_to(ROOT / "data")
    return package


def lesson(course: Path, pull, **environment: str) -> list[str]:
    """What the calls of a learner's kernel say after ``pull`` has changed the course under it."""
    kernel = subprocess.Popen(
        [sys.executable, "-c", LESSON],
        cwd=course.parent,
        env={
            "PYTHONPATH": str(course.parent),
            "PATH": "",
            "LABUTILS_MY": str(course.parent / "my"),
        }
        | environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with kernel:
        assert kernel.stdout.readline() == "wrong\n"
        assert kernel.stdout.readline() == "ready\n"
        pull(course)
        said, _ = kernel.communicate("\n")
    return said.splitlines()


def a_chapter_needs_what_is_new_in_a_loaded_module(course: Path) -> None:
    arguments = course / "ground/arguments.py"
    arguments.write_text(arguments.read_text() + "\nNEW_RULE = 1\n")
    (chapter,) = course.glob("exercises/catalog/two_numbers/__init__.py")
    chapter.write_text("from labutils.ground.arguments import NEW_RULE\n" + chapter.read_text())


def a_loaded_file_is_gone(course: Path) -> None:
    (course / "ground/arguments.py").unlink()


@pytest.mark.parametrize(
    "pull", [a_chapter_needs_what_is_new_in_a_loaded_module, a_loaded_file_is_gone]
)
def test_every_call_says_in_one_sentence_that_the_kernel_must_restart(course, pull):
    said = lesson(course, pull)
    assert len(said) == 9
    for line in said:
        assert line.startswith(f"CourseUpdated {SENTENCE}")
        assert line.count(SENTENCE) == 2  # also where a notebook shows a traceback


def a_chapter_that_nobody_has_loaded_changes(course: Path) -> None:
    (chapter,) = course.glob("exercises/catalog/two_numbers/__init__.py")
    chapter.write_text(chapter.read_text() + "\n")


def test_a_file_of_the_new_edition_is_loaded_where_it_fits_and_then_the_kernel_must_restart(course):
    said = lesson(course, a_chapter_that_nobody_has_loaded_changes)
    assert said[:2] == ["went on"] * 2
    assert all(line.startswith(f"CourseUpdated {SENTENCE}") for line in said[2:])


def a_loaded_file_is_edited(course: Path) -> None:
    arguments = course / "ground/arguments.py"
    arguments.write_text(arguments.read_text() + "\n# words\n")


def test_who_works_on_the_course_edits_files_while_tests_run(course):
    said = lesson(course, a_loaded_file_is_edited, LABUTILS_EDITING="1")
    assert said.count("went on") >= 8 and not any(SENTENCE in line for line in said)


def test_what_a_test_starts_takes_no_edit_for_an_update():
    asked = "import os; print(os.environ['LABUTILS_EDITING'])"
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True)
    assert said.stdout == "1\n"


def test_a_loaded_file_that_was_not_there_at_the_start_is_an_update(monkeypatch):
    monkeypatch.delenv("LABUTILS_EDITING")
    edition.require_one_edition()
    file = edition.__file__
    monkeypatch.delitem(edition._AT_START, file)
    with pytest.raises(edition.CourseUpdated):
        edition.require_one_edition()
