"""Scaffolds, written into a copy of the checkout: sound at once, and open where they say so."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from labutils.authoring.__main__ import CHECKOUT, main
from labutils.authoring.lint.unfinished import MARK
from labutils.authoring.new.draft import Draft
from labutils.authoring.new.drill import SOLVERS

PIECES = (
    ("exercise", "mm1.odd_thing"),
    ("chapter", "03c_odd_topic"),
    ("lab", "lab77_odd_lab"),
    ("drill", "odd_drill"),
    ("policy", "odd_one_first"),
)
NEW = f"""
from labutils.authoring.__main__ import main
for piece in {PIECES}:
    assert main(["new", *piece]) == 0
"""
LINT = """
from pathlib import Path
from labutils.authoring.lint import lint
from labutils.authoring.sources.course import read_course
print(*lint(read_course(Path.cwd())), sep="\\n")
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The sources, the package and the tests, with one new piece of each kind."""
    root = tmp_path_factory.mktemp("copy")
    for folder in ("labutils", "solutions", "tests", "data"):
        shutil.copytree(CHECKOUT / folder, root / folder, ignore=shutil.ignore_patterns("*.pyc"))
    for name in ("INSTRUCTOR.md", "README.md", "pyproject.toml"):
        shutil.copy(CHECKOUT / name, root / name)
    said = run(root, "-c", NEW)
    assert said.stdout.count("Next:") == len(PIECES), said.stderr
    return root


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess:
    """Python in the copy, with the copy's package."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
    )


@pytest.mark.full  # lints a whole copy of the course
def test_all_that_the_lint_says_of_them_is_what_to_fill_in(copy):
    said = run(copy, "-c", LINT)
    lines = said.stdout.splitlines()
    assert len(lines) > 30 and all(": fill in: " in line for line in lines), said
    for word in ("odd_thing.py:", "03c_odd_topic.py:", "lab77_odd_lab.py:", "INSTRUCTOR.md:"):
        assert any(word in line for line in lines)
    assert run(copy, "-m", "ruff", "check", "-q", "labutils", "solutions").stdout == ""


@pytest.mark.slow
@pytest.mark.full
def test_what_they_write_passes_the_tests_of_its_kind(copy):
    wanted = "mm1.odd_thing or odd_drill or (odd and one and first)"
    files = ("tests/test_exercise_proofs.py", SOLVERS, "tests/serving")
    said = run(copy, "-m", "pytest", "-q", "-n", "0", "-k", wanted, *files)
    assert said.returncode == 0 and " skipped" not in said.stdout, said.stdout[-3000:]


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
    with pytest.raises(ValueError, match=r"old\.py: expected this file"):
        draft.insert("old.py", "ALL", "a")
    (tmp_path / "old.py").write_text("SOME = ()\n")
    with pytest.raises(ValueError, match="expected it to define ALL"):
        draft.insert("old.py", "ALL", "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old.py"]


@pytest.mark.parametrize(
    "before", ["ALL = ()\n", "ALL = (a,)\n", "ALL = (a, b)\n", "ALL = (\n    a,\n    b,\n)\n"]
)
def test_an_item_joins_the_others_whatever_their_layout(before, tmp_path):
    (tmp_path / "old.py").write_text(f'"""Words."""\n{before}')
    draft = Draft(tmp_path, {})
    draft.insert("old.py", "ALL", "z", imports="import z")
    names = {name: name for name in "ab"}
    text = draft.texts["old.py"].replace("import z\n", "z = 'z'\n")
    exec(text, names)
    assert (
        names["ALL"][-1] == "z" and len(names["ALL"]) == before.count("a") + before.count("b") + 1
    )


def test_the_mark_stands_in_every_template():
    for file in (Path(CHECKOUT) / "labutils/authoring/new/templates").glob("*.txt"):
        assert MARK in file.read_text() or file.stem in ("chapter_proofs", "proof_entry"), file
