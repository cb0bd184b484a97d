"""The classroom bench: its answers are what it takes them for, and it sees what is lost."""

import json
import sys
from types import SimpleNamespace

import nbformat
import pytest

from benchmarks import classroom_evidence as evidence, classroom_hub as hub
from benchmarks.classroom_chapter import NOTEBOOK, ROOT, WRONG, answered, attempt, right_sources
from benchmarks.classroom_lesson import Luck, Record, luck_of
from benchmarks.registry import Unavailable


def learner_cells():
    cells = nbformat.read(ROOT / NOTEBOOK, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def test_every_stub_of_the_chapter_gets_its_answer_and_every_exercise_is_tried():
    right = right_sources()
    done = [answered(source, right) for source in learner_cells()]
    assert not [text for text in done if "NotImplementedError" in text or "= ...\n" in text]
    changed = [new for old, new in zip(learner_cells(), done) if old != new]
    assert len(changed) == 9  # five values, two functions, two predictions
    functions = {"waiting_times": "first", "least_servers": "second"}
    found = [one for text in done if (one := attempt(text, functions))]
    assert [one.id for one in found] == list(WRONG)
    assert [one.right for one in found if one.id in ("mm1.recursion", "mm1.least_servers")] == [
        "first",
        "second",
    ]
    assert all(one.wrong != one.right and "check(" not in one.right for one in found)


def test_the_wrong_answers_are_wrong_and_the_chapter_says_so(tmp_path, monkeypatch):
    from labutils.exercises import catalog

    for exercise_id, source in WRONG.items():
        names = {}
        exec(source, names)
        (answer,) = [value for name, value in names.items() if name != "__builtins__"]
        verdict = catalog.exercise(exercise_id).judge(answer)
        assert verdict.status.value not in ("right", "unreadable", "not_attempted"), exercise_id


@pytest.fixture
def home(tmp_path):
    """A home in which everything is as it should be."""
    my = tmp_path / "ada" / "my"
    (my / "progress").mkdir(parents=True)
    (my / "notebooks").mkdir()
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1", id="a")])
    nbformat.write(notebook, tmp_path / "ada" / "my" / NOTEBOOK)
    for name, moment, status in (("b", 1, "wrong"), ("a", 2, "right")):
        line = {"at": f"2031-05-04T09:00:0{moment}Z", "event": "check", "id": "mm1.peak"}
        path = my / "progress" / f"{name}.jsonl"
        path.write_text(json.dumps({**line, "status": status}) + "\n")
    return SimpleNamespace(home=lambda name: tmp_path / name)


def record(**changes):
    told = {
        "checks": [("mm1.peak", False), ("mm1.peak", True)],
        "saved": {"cells": [{"cell_type": "code", "source": "x = 1", "outputs": []}]},
    }
    return Record("ada", Luck.ordinary, **{**told, **changes})


def test_nothing_is_lost_where_all_is_there(home):
    assert evidence.losses(home, record()) == []


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"checks": [("mm1.peak", False), ("mm1.peak", True), ("mm1.peak", True)]}, "2 checks, 3"),
        ({"checks": [("mm1.peak", True), ("mm1.peak", False)]}, "journal"),
        ({"saved": {"cells": [{"cell_type": "code", "source": "x = 2"}]}}, "not as it was saved"),
        ({"trouble": "TimeoutError: no server"}, "no server"),
    ],
)
def test_a_loss_is_seen(home, changes, says):
    (found,) = evidence.losses(home, record(**changes))
    assert says in found


def test_a_torn_notebook_is_seen(home):
    path = home.home("ada") / "my" / NOTEBOOK
    path.write_text(path.read_text()[:40])
    (found,) = evidence.losses(home, record())
    assert found.startswith("notebook:")


def test_two_of_a_class_have_bad_luck():
    assert [luck_of(place, 12) for place in range(9, 12)] == [
        Luck.ordinary,
        Luck.loops,
        Luck.killed,
    ]
    assert {luck_of(place, 2) for place in range(2)} == {Luck.ordinary}


def test_one_line_says_what_is_missing_and_how_to_get_it(monkeypatch, tmp_path):
    monkeypatch.setattr(hub, "find_spec", lambda name: None)
    monkeypatch.delenv("CLASSROOM_HUB", raising=False)
    for named in (None, str(tmp_path)):
        if named:
            monkeypatch.setenv("CLASSROOM_HUB", named)
        with pytest.raises(Unavailable, match="pip install jupyterhub && npm install") as missing:
            hub.installation()
        assert "\n" not in str(missing.value)
    minor = sys.version_info.minor
    (tmp_path / "lib" / f"python3.{minor}" / "site-packages" / "jupyterhub").mkdir(parents=True)
    with pytest.raises(Unavailable, match="configurable-http-proxy"):
        hub.installation()
