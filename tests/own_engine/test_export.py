"""An exported engine stands alone: no course, its own test, its own words."""

import inspect
import json
import os
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from labutils.serving.checkpoints.checkpoint import course_model
from labutils.serving.trials import Rates, memory_floor
from labutils.workload import RequestTrace
from labutils.workspace.my_engine.bench import (
    COURSE,
    NAIVE,
    SEATS,
    TOKEN_BUDGET,
    YOURS,
    Asked,
    bench,
)
from labutils.workspace.my_engine.export import export
from labutils.workspace.my_engine.store import Store
from labutils.workspace.my_engine.texts.course_engine import course_sources
from labutils.workspace.my_engine.texts.load_pieces import load

MINE = '''
def admits(self, request):
    """Mine."""
    return self.pool.fits(request) and len(self.running) < self.max_sequences
'''


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    store = Store(tmp_path_factory.mktemp("my") / "engine")
    store.keep("scheduler", "Scheduler.admits", MINE, "lab 4")
    return export(tmp_path_factory.mktemp("out") / "mine", store=store, name="Ada & Co")


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


@pytest.mark.full  # a race
def test_its_race_is_the_courses(exported):
    done = alone(exported, "bench.py", "--requests", "9", "--rounds", "1")
    assert done.returncode == 0 and not done.stderr, done.stderr
    rates = Rates(copy_bandwidth_bytes_per_s=1e9, matrix_flops_per_s=1e12)
    found = bench(load(course_sources()), requests=9, rounds=1, rates=rates)
    rows = {line[:14].strip(): line[14:].split() for line in done.stdout.splitlines()}
    for name, one in {"this engine": YOURS, "the course's": COURSE, "one at a time": NAIVE}.items():
        served = found.served[one]
        assert rows[name][2:4] == [str(served.steps), str(served.preemptions)]
    assert rows["floor"][2] == str(found.floor_steps) and "token-exact; " in done.stdout
    refused = alone(exported, "bench.py", "--rounds", "0")
    assert refused.returncode == 2 and "expected at least one" in refused.stderr


def test_its_floor_and_its_requests_are_the_courses(exported, monkeypatch):
    monkeypatch.syspath_prepend(str(exported))
    own = runpy.run_path(str(exported / "bench.py"))
    model, _ = course_model("target")
    asked = Asked.draw(23, vocabulary=model.spec.vocab_size, seed=3)
    drawn = own["requests_of"](23, model.spec.vocab_size, 3)
    assert [(tuple(prompt), length) for prompt, length in drawn] == [*zip(*vars(asked).values())]
    for rates in (Rates(copy_bandwidth_bytes_per_s=1e9, matrix_flops_per_s=1e12),
                  Rates(copy_bandwidth_bytes_per_s=1e13, matrix_flops_per_s=3e9)):  # fmt: skip
        sizes = [len(prompt) for prompt in asked.prompts]
        job = RequestTrace([0.0] * 23, sizes, asked.lengths)
        floor = memory_floor(model.spec, job, rates, max_sequences=SEATS, token_budget=TOKEN_BUDGET)
        time_s, steps = own["floor"](model, drawn, *vars(rates).values())
        assert time_s == pytest.approx(floor.time_s, rel=1e-12) and steps == floor.steps


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


def test_its_page_lies_beside_it_and_names_who_asked_for_it(exported, tmp_path):
    text = (exported / "index.html").read_text()
    assert "<title>Ada &amp; Co: A small LLM engine" in text and "Not run yet." in text
    nobody = export(tmp_path / "out", store=Store(tmp_path / "none")) / "index.html"
    assert "<title>A small LLM engine" in nobody.read_text()


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
