"""The runs themselves: what each leaves out, what its last lines say, and the record of a pass."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.rotation.changes import RECORD
from tests.rotation.small_course import built, commit, git

TESTS = Path(__file__).resolve().parents[1]
CRASHES_ONCE = """
import os, pathlib, time

def test_alone():
    time.sleep(0.5)  # the other worker has asked for its last part by then
    if not pathlib.Path("crashed").exists():
        pathlib.Path("crashed").touch()
        os._exit(1)
"""
MACHINERY = ("__init__.py", "conftest.py", "rotation/*.py", "setup/floors.py")
PROGRAMS = ("chromium", "nginx", "prometheus", "redis-server")
SUITE = """
import pytest
from tests.rotation import in_turn

WIDE = in_turn(__file__)

def test_plain(): pass

@pytest.mark.full
def test_full(): pass

@pytest.mark.rotates
@pytest.mark.parametrize("number", range(40))
def test_number(number): pass
"""
SETTINGS = """
[tool.pytest.ini_options]
testpaths = ["tests/suite"]
markers = ["full", "rotates"]
"""


@pytest.fixture
def course(tmp_path):
    """The real machinery over a suite of its own, as one commit, and every program a dummy."""
    root = tmp_path / "course"
    for path in [found for name in MACHINERY for found in TESTS.glob(name)]:
        copy = root / "tests" / path.relative_to(TESTS)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, copy)
    suite = {"tests/suite/__init__.py": "", "tests/suite/test_suite.py": SUITE}
    built(root, {**suite, "pyproject.toml": SETTINGS, ".gitignore": "__pycache__\n"})
    git(root, "init", "-q", "-b", "main")
    commit(root)
    (tmp_path / "programs").mkdir()
    for name in PROGRAMS:
        (tmp_path / "programs" / name).touch(mode=0o755)
    (tmp_path / "programs" / "git").symlink_to(shutil.which("git"))
    return root


def said(course, *arguments, workers=0, **environment) -> tuple[int, str]:
    """How many tests passed, and the lines at the end; all of them pass."""
    done = run(course, *arguments, workers=workers, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return int(re.search(r"= (\d+) passed", done.stdout)[1]), done.stdout


def run(course, *arguments, workers=0, **environment) -> subprocess.CompletedProcess:
    ours = ("CI", "LABUTILS_REQUIRE", "LABUTILS_FULL", "PYTHONPATH")
    clean = {name: value for name, value in os.environ.items() if name not in ours}
    clean |= {"PATH": str(course.parent / "programs"), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
    command += ["-p", "xdist", "-n", str(workers)] if workers else []
    return subprocess.run(
        [*command, *arguments], cwd=course, env=clean | environment, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip


@pytest.mark.full
def test_a_pass_of_everything_is_recorded_and_later_checks_rotate_from_it(course):
    passed, lines = said(course, CI="true")
    assert passed == 42 and "Everything was in turn: tests/full_pass.json names no" in lines
    passed, lines = said(course, LABUTILS_FULL="1")
    record = json.loads((course / RECORD).read_text())
    assert (record["commit"], record["passed"]) == (git(course, "rev-parse", "HEAD"), passed)
    assert record["passed"] == 42 and "commit tests/full_pass.json" in lines

    commit(course)
    passed, lines = said(course, CI="true", workers=2)
    assert 2 < passed < 30
    assert f"tests: {42 - passed} of test_suite" in lines
    assert "one again: LABUTILS_FULL=1 " in lines
    built(course, {"tests/suite/test_suite.py": SUITE + "# changed"})
    assert said(course, CI="true")[0] == 42


@pytest.mark.full
@pytest.mark.parametrize("arguments", [["-k", "test"], ["tests/suite"], ["-m", "not gpu"]])
def test_a_pass_of_a_part_is_not_recorded(course, arguments):
    assert "a part of the tests was asked for" in said(course, *arguments, LABUTILS_FULL="1")[1]
    assert not (course / RECORD).exists()


@pytest.mark.full
def test_a_pass_without_a_program_or_of_no_commit_is_not_recorded(course):
    (course / "README.md").write_text("not committed")
    assert "the folder differed from its commit" in said(course, LABUTILS_FULL="1")[1]
    commit(course)
    (course.parent / "programs" / "redis-server").unlink()
    assert "no redis-server on the path" in said(course, LABUTILS_FULL="1")[1]
    assert not (course / RECORD).exists()


@pytest.mark.full
def test_a_crash_of_a_worker_fails_one_case_and_the_others_run(course):
    files = {f"tests/suite/test_{name}.py": "def test_alone(): pass\n" for name in "acdefg"}
    built(course, {**files, "tests/suite/test_b.py": CRASHES_ONCE})
    done = run(course, "--dist", "loadfile", workers=2)
    assert "crashed while running 'tests/suite/test_b.py::test_alone'" in done.stdout
    assert "The worker died in tests/suite/test_b.py::test_alone" in done.stdout
    assert re.search(r"1 failed, 8 passed", done.stdout), done.stdout
