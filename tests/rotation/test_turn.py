"""Whose turn it is, in a small repository: every doubt is resolved by proving everything."""

import json
import secrets
from collections import Counter

import pytest

from tests.rotation.changes import RECORD
from tests.rotation.small_course import ALPHA, BETA, TOY, built, commit, git, proved
from tests.rotation.turn import Turn, in_turn, turn_at


@pytest.fixture
def course(tmp_path):
    """The toy, committed and proved."""
    return proved(tmp_path / "course", {**TOY, "README.md": "A toy."})


def reached(root) -> set[str]:
    turn = turn_at(root)
    assert not turn.everything, turn.reason
    return {ALPHA, BETA} & {*turn.reached}


def test_nothing_changed_is_a_share_and_no_more(course):
    assert reached(course) == set()


def test_what_was_changed_since_the_proof_is_in_turn_in_every_commit(course):
    commit(course, {"labutils/leaf.py": "x = 2"})
    for _ in range(3):
        turn = turn_at(course)
        assert reached(course) == {ALPHA}
        assert turn.has("any unit", {ALPHA, "tests/test_pages.py"})
        commit(course)


def test_changes_that_are_not_committed_count(course):
    built(course, {"labutils/pieces.py": "class Pool: x = 1"})
    assert reached(course) == {BETA}
    built(course, {"labutils/exercises/catalog/alpha/two.py": "new = 1"})
    assert reached(course) == {ALPHA, BETA}
    git(course, "add", "-A")
    assert reached(course) == {ALPHA, BETA}


def test_a_new_record_ends_the_debt(course):
    passed = commit(course, {"labutils/leaf.py": "x = 2"})
    commit(course, {RECORD: json.dumps({"commit": passed})})
    assert reached(course) == set()


def test_words_about_the_course_reach_nothing(course):
    commit(course, {"README.md": "Two toys.", "docs/setup/mac.md": "", "LICENSE": ""})
    assert reached(course) == set()


@pytest.mark.parametrize(
    "path",
    [
        "pyproject.toml",
        "Makefile",
        "data/nobody_names_it.json",
        "labutils/viz/house.css",
        "labutils/said.md",
        "tests/conftest.py",
        "tests/rotation/turn.py",
    ],
)
def test_what_no_import_traces_reaches_everything(course, path):
    commit(course, {path: "x = 1"})
    turn = turn_at(course)
    assert turn.everything and path in turn.reason


def test_a_file_that_is_gone_reaches_everything(course):
    git(course, "rm", "-q", "labutils/leaf.py")
    assert turn_at(course).everything
    git(course, "commit", "-q", "-m", "gone")
    assert turn_at(course).everything


@pytest.mark.parametrize("record", ["", "{", "{}", "[]", '{"commit": "0123abc"}'])
def test_without_a_record_that_can_be_read_everything_is_in_turn(course, record):
    commit(course, {RECORD: record})
    assert turn_at(course).everything


def test_a_record_of_another_branch_proves_nothing(course):
    git(course, "checkout", "-q", "-b", "other")
    other = commit(course, {"labutils/leaf.py": "x = 3"})
    git(course, "checkout", "-q", "main")
    commit(course, {RECORD: json.dumps({"commit": other})})
    turn = turn_at(course)
    assert turn.everything and "no ancestor" in turn.reason


def test_without_history_everything_is_in_turn(course, tmp_path):
    git(course, "clone", "-q", "--depth=1", f"file://{course}", str(tmp_path / "shallow"))
    assert turn_at(tmp_path / "shallow").everything
    (course / ".git").rename(tmp_path / "gone")
    assert turn_at(course).everything


def test_every_unit_has_its_turn_and_a_commit_chooses_about_a_sixth():
    units = [f"tests/test_a.py::test_b[{number}]" for number in range(400)]
    commits = [secrets.token_hex(20) for _ in range(200)]
    chosen = [{unit for unit in units if Turn(False, "", one).has(unit, ())} for one in commits]
    assert set().union(*chosen) == {*units}  # missed by luck in one of 10^10 runs
    assert all(25 < len(some) < 120 for some in chosen)
    assert len({frozenset(some) for some in chosen}) == len(commits)


def test_the_same_commit_chooses_the_same():
    units = [str(number) for number in range(100)]
    one, other = Turn(False, "", "abc"), Turn(False, "", "abc")
    assert [one.has(unit, ()) for unit in units] == [other.has(unit, ()) for unit in units]


def test_a_unit_is_in_turn_by_any_of_its_files(monkeypatch):
    never = Turn(False, "", "", frozenset({"tests/rotation/turn.py"}))
    monkeypatch.setattr("tests.rotation.turn.Now.turn", never)
    monkeypatch.setattr("tests.rotation.turn.Now.small", Counter())
    monkeypatch.setattr(Turn, "_draws", lambda self, unit: False)
    assert not in_turn(__file__)
    assert in_turn(__file__, __file__.replace("test_turn", "turn"))
    monkeypatch.setattr("tests.rotation.turn.Now.turn", None)
    assert not in_turn(__file__.replace("test_turn", "turn"))
