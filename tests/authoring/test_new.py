"""The commands of CONTRIBUTING: what they write is sound at once, and open where it says so."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from labutils.authoring.__main__ import CHECKOUT, main
from labutils.authoring.lint.unfinished import MARK
from labutils.authoring.new import NOUNS
from labutils.authoring.new.draft import Draft
from labutils.authoring.sources.course import read_course

PAGE = (Path(CHECKOUT) / "CONTRIBUTING.md").read_text(encoding="utf-8")
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```$", PAGE, flags=re.S | re.M)
    for line in block.splitlines()
]
TESTS = ".venv/bin/python -m pytest "
PIECES = [shlex.split(line)[3:] for line in COMMANDS if " labutils.authoring new " in line]
OTHERS = [line for line in COMMANDS if shlex.split(line)[3:] not in PIECES]
GUIDES = ("INSTRUCTOR.md", "INSTRUCTOR_CHAPTERS.md")
NEW = f"""
from labutils.authoring.__main__ import main
for piece in {PIECES}:
    assert main(piece) == 0
"""


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Python in ``root``, with the package that lies there."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
    )


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The sources, the package and the tests, and in it what the page's commands write."""
    root = tmp_path_factory.mktemp("copy")
    for folder in ("labutils", "solutions", "tests", "data"):
        shutil.copytree(CHECKOUT / folder, root / folder, ignore=shutil.ignore_patterns("*.pyc"))
    for name in (*GUIDES, "README.md", "CONTRIBUTING.md", "Makefile", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, root / name)
    said = run(root, "-c", NEW)
    assert said.stdout.count("Next:") == len(PIECES), said.stderr
    return root


def test_the_page_begins_with_one_stub_of_each_kind():
    assert sorted(noun for _, noun, _ in PIECES) == sorted(NOUNS)
    for line in OTHERS:
        assert line.startswith((".venv/bin/python -m labutils", TESTS, "make ")), line


def test_every_name_in_the_page_is_free_and_every_target_of_make_is_there():
    course = read_course(CHECKOUT)
    for _, noun, name in PIECES:
        assert NOUNS[noun](course, name).texts
    targets = re.findall(r"^([\w-]+):", (Path(CHECKOUT) / "Makefile").read_text(), flags=re.M)
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", PAGE, flags=re.M)) <= set(targets)


def test_what_the_page_shows_whole_is_the_file():
    shown = re.findall(r"^`([^`]+)`, whole:\n\n```python\n(.*?)^```$", PAGE, flags=re.S | re.M)
    for path, text in shown:
        assert text == (Path(CHECKOUT) / path).read_text(encoding="utf-8"), path


@pytest.mark.slow
@pytest.mark.full
@pytest.mark.parametrize("command", OTHERS)
def test_a_command_of_the_page_runs_on_what_the_others_wrote(command, copy):
    said = run(copy, *words(command))
    lines = said.stderr.splitlines()
    if command.endswith(" check"):
        to_do = [line for line in lines if ": fill in: " in line]
        assert len(to_do) > 30 and all("; run: " in line for line in set(lines) - set(to_do)), said
        for word in ("restart.py:", "03_mm1", "03c_shared_pools.py:", "lab10_", f"{GUIDES[1]}:"):
            assert any(word in line for line in to_do), word
    else:
        assert said.returncode == 0 and " skipped" not in said.stdout, said
    if command.startswith((TESTS, "make ")):
        assert " passed" in said.stdout, said.stdout[-3000:]


def words(command: str) -> list[str]:
    """What follows ``python``: for ``make test PYTEST_FLAGS="…"`` its tests."""
    program, *rest = shlex.split(command)
    if command.startswith(TESTS):
        return [*rest, "-n", "0"]
    if program != "make":
        return rest
    target, flags = rest
    assert target == "test" and flags.startswith("PYTEST_FLAGS=")
    return ["-m", "pytest", "-n", "0", *shlex.split(flags.partition("=")[2])]


@pytest.mark.full
def test_what_the_commands_wrote_is_in_style(copy):
    written = ("labutils", "solutions", "tests/drills", "tests/proofs")
    assert run(copy, "-m", "ruff", "check", "-q", *written).stdout == ""


@pytest.mark.parametrize(
    ("noun", "name", "says"),
    [
        ("drill", "static_slots", "there is such a drill already"),
        ("drill", "Two words", "expected small letters"),
        ("exercise", "mm1.recursion", "the catalog has it already"),
        ("exercise", "nobody.knows", "no chapter's ids begin so"),
        ("exercise", "mm1", "expected small letters"),
        ("exercise", "start.more", "make it a folder"),
        ("chapter", "odd_topic", "expected NN_slug"),
        ("chapter", "03b_odd_topic", "is that of solutions/03b_trusting_a_simulation.py"),
        ("chapter", "77_littles_law", "is that of solutions/02_littles_law.py"),
        ("lab", "7_odd", "expected labN_slug"),
        ("policy", "ageing", "exists; choose another name"),
    ],
)
def test_a_name_that_is_taken_or_none_is_refused(noun, name, says, capsys, monkeypatch):
    monkeypatch.setattr(Draft, "write", lambda self: pytest.fail("it would have written"))
    assert main(["new", noun, name]) == 1
    assert says in capsys.readouterr().err


def test_nothing_is_written_where_one_of_the_files_cannot_be(tmp_path):
    draft = Draft(tmp_path, {"name": "a", "topic": "A01"})
    draft.create("new.py", "drill")
    with pytest.raises(ValueError, match=r"old\.txt: expected this file"):
        draft.append("old.txt", "exercise_proof")
    assert not [*tmp_path.iterdir()]


def test_the_mark_stands_in_every_template():
    for file in (Path(CHECKOUT) / "labutils/authoring/new/templates").glob("*.txt"):
        assert MARK in file.read_text(), file
