"""The preflight: a receipt that can be parsed, remedies that fit, and never an exception."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from labutils.workspace import preflight
from labutils.workspace.preflight import checks, machine

ROOT = Path(__file__).resolve().parents[2]
LINE = re.compile(r"(ok|warn|fail|n/a) +([a-z]+) +(\S.*)")
CODE = re.compile(
    r"receipt TIF1-[\d.]+-py[\d.]+-\w+-\d+c-\d+g-(cpu|cuda|mps)-([owfn]{10})-([0-9a-f]{8})"
)
NAMES = [
    "python",
    "packages",
    "machine",
    "timer",
    "numba",
    "drawing",
    "torch",
    "widgets",
    "progress",
    "notebook",
]


def read(text: str) -> dict[str, tuple[str, str]]:
    """Status and detail by check, from a printed receipt; fails on any line out of form."""
    title, *lines, last = text.splitlines()
    assert title.startswith("Tokens in Flight preflight: ")
    assert CODE.fullmatch(last), last
    parsed = [LINE.fullmatch(line) for line in lines]
    assert all(parsed), lines
    assert len(text.splitlines()) <= 15
    return {match[2]: (match[1], match[3]) for match in parsed}


def test_the_receipt_of_a_sound_machine(capsys):
    preflight.run()
    text = capsys.readouterr().out.strip()
    found = read(text)
    assert list(found) == NAMES
    assert {name for name, (status, _) in found.items() if status == "n/a"} == {
        "widgets",
        "notebook",
    }
    assert "fail" not in {status for status, _ in found.values()}
    assert "ready to go" in text.splitlines()[0]
    assert CODE.fullmatch(text.splitlines()[-1])[2][7] == "n"  # widgets: no notebook here


def test_two_receipts_of_one_machine_have_one_code():
    assert preflight.examine().code == preflight.examine().code


def test_nothing_personal_is_in_it(monkeypatch, tmp_path):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "secret-name" / "my"))
    monkeypatch.setenv("USER", "secret-name")
    assert "secret-name" not in str(preflight.examine())


@pytest.mark.parametrize("error", [RuntimeError("two\nlines"), SystemExit(3), MemoryError()])
def test_a_check_that_breaks_is_a_finding(monkeypatch, error):
    def check_torch():
        raise error

    monkeypatch.setattr(checks, "ALL", (*checks.ALL[:6], check_torch, *checks.ALL[7:]))
    receipt = preflight.examine()
    status, detail = read(str(receipt))["torch"]
    assert status == "fail"
    assert type(error).__name__ in detail and "make lab" in detail
    assert not receipt.ready


@pytest.mark.parametrize("module", ["psutil", "numba", "matplotlib", "packaging.requirements"])
def test_a_missing_package_is_named_and_nothing_raises(monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    text = str(preflight.examine())
    assert "fail" in text and "make lab" in text
    if "." not in module:
        assert f"{module} does not import" in text
    assert len(text.splitlines()) <= 15


def test_a_package_below_its_floor_is_named(monkeypatch):
    real = checks.version
    old = {"scipy": "1.12.1"}
    monkeypatch.setattr(checks, "version", lambda name: old.get(name) or real(name))
    status, detail = read(str(preflight.examine()))["packages"]
    assert status == "fail"
    assert "scipy 1.12.1 is not >=1.13" in detail


def test_a_kernel_that_computes_wrong_fails(monkeypatch):
    import labutils.simulation

    wrong = lambda arrival_s, service_s: np.zeros_like(service_s)  # noqa: E731
    monkeypatch.setattr(labutils.simulation, "waiting_times", wrong)
    assert read(str(preflight.examine()))["numba"][0] == "fail"


def test_an_empty_picture_fails(monkeypatch):
    from matplotlib.axes import Axes

    monkeypatch.setattr(Axes, "plot", lambda *_args, **_options: [])
    assert read(str(preflight.examine()))["drawing"][0] == "fail"


def test_progress_that_cannot_be_saved_fails_with_the_way_out(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "file" / "my"))
    status, detail = read(str(preflight.examine()))["progress"]
    assert status == "fail"
    assert "LABUTILS_MY" in detail


def test_the_check_leaves_no_trace(monkeypatch, tmp_path):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "my"))
    preflight.examine()
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_and_a_small_memory_warn(monkeypatch):
    monkeypatch.setattr(checks.shutil, "disk_usage", lambda _path: SimpleNamespace(free=1e8))
    assert read(str(preflight.examine()))["machine"][0] == "warn"
    monkeypatch.undo()
    monkeypatch.setattr(checks, "memory_bytes", lambda: 2e9)
    assert read(str(preflight.examine()))["machine"][0] == "warn"


def test_container_limits_count(monkeypatch, tmp_path):
    monkeypatch.setattr(machine, "_CGROUP", tmp_path)
    whole = machine.memory_bytes()
    assert whole > 1e8
    (tmp_path / "memory.max").write_text("123456789\n")
    (tmp_path / "cpu.max").write_text("100000 100000\n")
    assert machine.memory_bytes() == 123456789
    assert machine.usable_cores() == 1
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "cpu.max").write_text("max 100000\n")
    assert machine.memory_bytes() == whole
    assert machine.usable_cores() >= 1


def test_a_coarse_clock_warns(monkeypatch):
    ticks = iter(range(10**6))
    coarse = SimpleNamespace(perf_counter=lambda: next(ticks) // 100 * 0.015625)
    monkeypatch.setattr(machine, "time", coarse)
    assert machine.timer_resolution_s() == 0.015625
    assert read(str(preflight.examine()))["timer"][0] == "warn"


def test_an_accelerator_is_named_with_its_memory(monkeypatch):
    import torch

    card = SimpleNamespace(name="Some GPU", total_memory=80e9)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda _index: card)
    assert checks._device_name("cuda") == "Some GPU, 80 GB"
    arange = torch.arange
    monkeypatch.setattr(torch, "arange", lambda end, device: arange(end))
    receipt = preflight.examine()
    assert read(str(receipt))["torch"][1].endswith("computes on Some GPU, 80 GB")
    assert "-cuda-" in receipt.code


@pytest.mark.parametrize(
    ("script", "status"),
    [("echo 'GPU 0: Some GPU'", "warn"), ("echo 'No devices'", "ok"), ("exit 9", "ok")],
)
def test_a_gpu_that_torch_cannot_use_is_told(monkeypatch, tmp_path, script, status):
    tool = tmp_path / "nvidia-smi"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(checks, "torch_device", lambda: "cpu")
    found = read(str(preflight.examine()))["torch"]
    assert found[0] == status
    assert ("cannot use the NVIDIA GPU" in found[1]) == (status == "warn")


def test_a_torch_that_computes_wrong_fails(monkeypatch):
    import torch

    right = torch.arange
    monkeypatch.setattr(torch, "arange", lambda end, device: right(end, device=device) * 1.01)
    status, detail = read(str(preflight.examine()))["torch"]
    assert status == "fail" and "miscalculates" in detail


def test_without_torch_it_says_what_needs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    status, detail = read(str(preflight.examine()))["torch"]
    assert status == "warn" and "chapter 00" in detail and "make lab" in detail


@pytest.mark.gpu
def test_a_real_accelerator_computes():
    receipt = preflight.examine()
    assert read(str(receipt))["torch"][0] == "ok"
    assert "-cuda-" in receipt.code


RUN = "import os\nimport labutils.workspace.preflight as preflight\npreflight.run()"
UNHEARD, CLOSED = "set_state = lambda self, state: None", "open = lambda self: None"


@pytest.fixture(scope="module")
def in_notebook(tmp_path_factory):
    """Receipts from the cells of one notebook, by what is special about their kernel."""
    mine = tmp_path_factory.mktemp("course") / "my" / "notebooks"
    mine.mkdir(parents=True)
    (mine.parents[1] / "labutils").mkdir()
    cells = {
        "own copy": RUN,
        "the course's own edition": f"os.chdir({str(ROOT / 'notebooks')!r})\npreflight.run()",
        UNHEARD: _with_slider(UNHEARD),
        CLOSED: _with_slider(CLOSED),
    }
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells.values())])
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("LABUTILS_MY")
        patch.delenv("JPY_SESSION_NAME", raising=False)
        NotebookClient(notebook, resources={"metadata": {"path": str(mine)}}).execute()
    return dict(zip(cells, (read(cell.outputs[0]["text"].strip()) for cell in notebook.cells)))


def _with_slider(broken: str) -> str:
    """A cell in which a slider is broken while the preflight runs."""
    name = broken.partition(" ")[0]
    return f"""
from ipywidgets import IntSlider
IntSlider.{broken}
preflight.run()
del IntSlider.{name}
"""


@pytest.mark.full  # executes notebooks
def test_in_the_learners_copy_all_is_well(in_notebook):
    found = in_notebook["own copy"]
    assert found["widgets"][0] == "ok"
    assert found["notebook"] == ("ok", "this is your own copy")


@pytest.mark.full  # executes notebooks
@pytest.mark.parametrize(("broken", "said"), [(UNHEARD, "does not follow"), (CLOSED, "no channel")])
def test_dead_widgets_fail(in_notebook, broken, said):
    status, detail = in_notebook[broken]["widgets"]
    assert status == "fail" and said in detail


@pytest.mark.full  # executes notebooks
def test_in_the_courses_own_edition_it_warns(in_notebook):
    found = in_notebook["the course's own edition"]
    status, detail = found["notebook"]
    assert found["widgets"][0] == "ok"
    assert status == "warn"
    assert "open the one in my/" in detail
