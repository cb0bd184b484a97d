"""An exported engine stands alone: no course, its own test, its own words."""

import inspect
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from labutils.serving.checkpoints.checkpoint import course_model
from labutils.workspace.my_engine.export import export
from labutils.workspace.my_engine.store import Store

MINE = '''
def admits(self, request):
    """Mine."""
    return self.pool.fits(request) and len(self.running) < self.max_sequences
'''


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("my") / "engine")
    store.keep("scheduler", "Scheduler.admits", MINE, "lab 4")
    return export(tmp_path_factory.mktemp("out") / "mine", store=store)


def alone(folder, *command):
    """Run Python in ``folder`` with a labutils and a numpy that cannot be imported."""
    absent = [folder / f"{name}.py" for name in ("labutils", "numpy")]
    for file in absent:
        file.write_text("raise ModuleNotFoundError('not here')\n")
    env = {**os.environ, "PYTHONPATH": str(folder), "OMP_NUM_THREADS": "1"}
    try:
        return subprocess.run(
            [sys.executable, *command], cwd=folder, env=env, capture_output=True, text=True
        )
    finally:
        for file in absent:
            file.unlink()


@pytest.mark.full
def test_its_own_test_passes_and_can_fail(exported):
    done = alone(exported, "test_engine.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("passed:") == 3 and not done.stderr
    recorded = exported / "expected.json"
    kept = recorded.read_text()
    wrong = json.loads(kept)
    wrong["answers"][4]["tokens"][3] += 1
    recorded.write_text(json.dumps(wrong))
    try:
        assert alone(exported, "test_engine.py").returncode != 0
    finally:
        recorded.write_text(kept)


def breaks(self, chunks):
    """Mine, and wrong."""
    raise LookupError("no such row")


@pytest.mark.full
@pytest.mark.parametrize("flags, status", (((), 1), (("--unproved",), 0)))
def test_an_engine_whose_proof_fails_is_exported_and_says_so(flags, status, tmp_path, monkeypatch):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "my"))
    Store().keep(
        "loop", "Engine._forward", inspect.getsource(breaks).replace("breaks", "_forward"), "lab 6"
    )
    done = subprocess.run(
        [sys.executable, "-m", "labutils", "engine", "export", str(tmp_path / "out"), *flags],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status
    assert "THE PROOF DOES NOT HOLD" in done.stderr and "LookupError" in done.stderr
    assert "THE PROOF DOES NOT HOLD" in (tmp_path / "out" / "README.md").read_text()
    if status:  # and the test of its own shows why a request failed, not only that it did
        test = alone(tmp_path / "out", "test_engine.py")
        assert test.returncode != 0 and "LookupError: no such row" in test.stderr


@pytest.mark.full  # two processes that import torch
def test_it_writes_from_a_prompt(exported):
    done = alone(exported, "-m", "my_engine", "A queue grows", "--tokens", "7")
    assert done.returncode == 0 and not done.stderr, done.stderr
    assert done.stdout.startswith("A queue grows") and len(done.stdout) > 18
    refused = alone(exported, "-m", "my_engine", "A queue", "--tokens", "9999")
    assert refused.returncode != 0 and "context" in refused.stderr


def test_the_readme_says_whose_lines_are_whose(exported):
    text = (exported / "README.md").read_text()
    assert "| scheduler.py | 93 | 1 |" in text or "| scheduler.py | 92 | 1 |" in text
    assert text.count("token-exact") == 3 and "{" not in text
    assert "labutils" not in "".join(p.read_text() for p in exported.rglob("*.py"))


def test_it_can_be_installed_and_brings_the_courses_licence(exported):
    root = Path(__file__).parents[2]
    asked = tomllib.loads((exported / "pyproject.toml").read_text())
    course = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    floors = {*course["dependencies"], *course["optional-dependencies"]["torch"]}
    assert len(asked["project"]["dependencies"]) == 2
    assert floors.issuperset(asked["project"]["dependencies"])
    folders = {file.parent.name for file in (exported / "my_engine").rglob("*.*")}
    assert folders == {"my_engine", "model"}  # what the package and its data are
    assert asked["tool"]["setuptools"]["package-data"] == {"my_engine": ["model/*"]}
    assert (exported / "LICENSE").read_bytes() == (root / "LICENSE").read_bytes()
    for name in asked["project"]["license-files"]:
        assert (exported / name).exists()


def test_its_tokenizer_is_the_checkpoints(exported, monkeypatch):
    monkeypatch.syspath_prepend(str(exported))
    from my_engine.weights import load

    own, (_, theirs) = load()[1], course_model("target")
    texts = [
        "A batch that's closed, at 80 % of 1,024 tokens!\n\n  x_y  = f(a[3]) → µs  ",
        "naïve 😀 γ² \t tabs\nand '''quotes'''", "", " ", "it'll they've 12ab34",
    ]  # fmt: skip
    for text in texts:
        numbers = theirs.encode(text)
        assert own.encode(text) == numbers
        assert own.decode(numbers) == theirs.decode(numbers) == text


def test_nothing_is_written_on_top_of_something(exported, tmp_path):
    (tmp_path / "precious").write_text("x")
    with pytest.raises(ValueError, match="expected one that is empty"):
        export(tmp_path, store=Store(tmp_path / "none"))
    assert [one.name for one in tmp_path.iterdir()] == ["precious"]


def test_code_that_needs_the_course_is_named(tmp_path):
    store = Store(tmp_path / "engine")
    needy = MINE.replace("    return", "    from labutils import llm\n    return")
    store.keep("scheduler", "Scheduler.admits", needy, "lab 4")
    with pytest.raises(ValueError, match=r"my/engine/scheduler.py, line \d+ needs the course"):
        export(tmp_path / "out", store=store)
    assert not (tmp_path / "out").exists()
