"""The course's words: the same in a terminal and in a notebook, with or without a checkout."""

import inspect
import io
import subprocess
import sys
from pathlib import Path

import pytest

from labutils import course, drills, exercises, home
from labutils.__main__ import COMMANDS, main, run as run_command
from labutils.exercises.journal.journal import record
from labutils.workspace import Workspace, preflight, sync

from .conftest import CH03

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def here(workspace, monkeypatch):
    monkeypatch.setenv("LABUTILS_MY", str(workspace.my))
    monkeypatch.setattr(Workspace, "here", classmethod(lambda _cls: workspace))
    sync(workspace)
    return workspace


def test_every_function_is_a_command_and_says_what_it_does():
    assert set(course.__all__) == set(COMMANDS)
    assert all(inspect.getdoc(getattr(course, name)) for name in course.__all__)
    assert (course.drill, course.progress) == (drills.drill, exercises.progress)
    assert course.preflight is preflight.run
    assert (course.home, course.recap) == (home.home, home.recap)


def test_a_notebook_resets_and_carries_as_a_terminal_does(here, learner, capsys):
    for run in (course.reset, lambda name: main(["reset", name])):
        learner.write(CH03, "rho = 0.9")
        run("03")
        assert "03_mm1_explosion.ipynb is fresh; your version is kept" in capsys.readouterr().out
    course.carry("03")
    assert "newest edition already" in capsys.readouterr().out
    course.carry()
    assert capsys.readouterr().out == "No chapter has an update that waits.\n"


def test_export_is_progress_export_under_a_shorter_name(here, tmp_path, capsys):
    exercises.check("mm1.load_for_ten", 0.5)
    capsys.readouterr()  # its card is shown at once where another test has started IPython
    texts = []
    for number, run in enumerate(
        (
            course.export,
            lambda file: main(["export", file]),
            lambda file: main(["progress", "export", file]),
        )
    ):
        run(str(tmp_path / f"{number}.jsonl"))
        texts.append((tmp_path / f"{number}.jsonl").read_text())
        assert capsys.readouterr().out == texts[-1]
    assert texts[0] == texts[1] == texts[2] and "mm1.load_for_ten" in texts[0]


def test_a_recap_of_no_chapter_is_a_sentence(here, capsys):
    assert main(["recap", "77"]) == 1
    assert "expected one of 00, 01" in capsys.readouterr().err


def typed(monkeypatch, encoding: str, *words: str, lines: str = "") -> tuple[int, str]:
    """The status of a command, and what it said to a terminal of that encoding."""
    streams = [io.TextIOWrapper(io.BytesIO(text), encoding) for text in (lines.encode(), b"")]
    monkeypatch.setattr(sys, "argv", ["labutils", *words])
    monkeypatch.setattr(sys, "stdin", streams[0])
    monkeypatch.setattr(sys, "stdout", streams[1])
    try:
        status = run_command()
    except SystemExit as end:
        status = end.code
    streams[1].flush()
    return status, streams[1].buffer.getvalue().decode(encoding)


COMMAND_LINES = [
    ["--help"], ["preflight"], ["progress"], ["export", "a.jsonl"], ["engine"], ["reset", "03"],
    ["carry"], ["carry", "03"], ["drill", "--due"], ["drill", "weight_memory", "--seed", "1"],
    ["engine", "reset", "scheduler"], ["home"], ["recap", "03"],
]  # fmt: skip


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "cp437", "latin-1"])
def test_no_character_stops_a_command(here, learner, monkeypatch, tmp_path, encoding):
    monkeypatch.chdir(tmp_path)
    record({"event": "hint", "id": "mm1.peak"})
    for words in COMMAND_LINES:
        status, said = typed(monkeypatch, encoding, *words, lines="3 \u00b5s\nhint\nq\n")
        assert status == 0 and said, words


def test_no_question_of_a_drill_stops_a_terminal_without_its_characters(here, monkeypatch):
    replaced = 0
    for template in drills.catalog.templates():
        status, said = typed(monkeypatch, "ascii", "drill", template.id, "--seed=3", lines="hint\n")
        assert status == 0 and said.endswith("What you did is kept.\n"), template.id
        replaced += "?" in said.replace("`?`", "").replace("? ", "").replace("?\n", "")
    assert replaced > 20


@pytest.mark.parametrize("words", [words for words in COMMAND_LINES if words[0] != "--help"])
def test_a_home_that_nobody_has_is_a_sentence(here, monkeypatch, tmp_path, capsys, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LABUTILS_MY", "~no_such_user/my")
    typed(monkeypatch, "utf-8", *words, lines="q\n")
    assert "Traceback" not in capsys.readouterr().err


def test_the_engine_answers_to_the_same_words(here, capsys):
    course.engine()
    first = capsys.readouterr().out
    assert main(["engine"]) == 0
    assert capsys.readouterr().out == first and "Scheduler.schedule" in first


@pytest.mark.parametrize("words", [["lab"], ["reset", "03"], ["carry"], ["cloud"]])
def test_a_command_that_needs_the_checkout_says_so_in_a_sentence(tmp_path, words):
    package = tmp_path / "labutils"  # as in a wheel: no course beside it
    package.symlink_to(ROOT / "labutils")
    code = (
        "import sys, labutils.workspace.folder as f; f.__file__ = '/a/b/c/d.py';"
        "from labutils.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    (line,) = run.stderr.splitlines()
    assert line.startswith("labutils is installed without the course's notebooks; run this inside")
