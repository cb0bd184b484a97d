"""Import costs no compilation, the cache is used, and no folder or full disk stops a learner."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba.core.caching
import numpy as np
import pytest

import labutils
from labutils.simulation.queues.compiled import compiled

COUNT_COMPILATIONS = """
import sys
from numba.core import event
with event.install_recorder("numba:compile") as importing:
    import labutils.simulation as simulation
with event.install_recorder("numba:compile") as running:
    waits = simulation.waiting_times([0.0, 1.0, 1.5], [2.0, 1.0, 1.0]).tolist()
print(len(importing.buffer), len(running.buffer), waits, "simpy" in sys.modules)
"""


def run(code, *, root=Path(labutils.__file__).parent.parent, **environment):
    """Run ``code`` in a fresh interpreter whose ``labutils`` lies in ``root``."""
    finished = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(root), **environment},
        cwd=root,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout.split("\n")[0]


@pytest.mark.full
def test_import_compiles_nothing_and_the_second_session_finds_the_kernels(tmp_path):
    first = run(COUNT_COMPILATIONS, NUMBA_CACHE_DIR=str(tmp_path))
    second = run(COUNT_COMPILATIONS, NUMBA_CACHE_DIR=str(tmp_path))
    compiled_on_import, compiled_on_call, rest = first.split(" ", 2)
    assert compiled_on_import == "0"
    assert int(compiled_on_call) > 0
    assert rest == "[0.0, 1.0, 1.5] False"
    assert second == f"0 0 {rest}"


def test_a_package_without_any_folder_to_write_in_still_runs(tmp_path):
    package = Path(labutils.__file__).parent
    (tmp_path / "labutils/ground").mkdir(parents=True)
    for name in ("__init__.py", "moved.py", "ground/__init__.py", "ground/arguments.py"):
        shutil.copy(package / name, tmp_path / "labutils" / name)
    home = tmp_path / "labutils" / "simulation"
    shutil.copytree(package / "simulation", home, ignore=shutil.ignore_patterns("__pycache__"))
    # Files where folders should be: nobody can write in those, not even an administrator.
    for blocked in (home / "__pycache__", tmp_path / "home"):
        blocked.write_text("")
    nowhere = str(tmp_path / "home")
    line = run(
        COUNT_COMPILATIONS,
        root=tmp_path,
        HOME=nowhere,
        XDG_CACHE_HOME=nowhere,
        NUMBA_CACHE_DIR=nowhere,
        PYTHONDONTWRITEBYTECODE="1",
    )
    assert line.split(" ", 1)[0] == "0"
    assert line.endswith("[0.0, 1.0, 1.5] False")


LOOP = """
from labutils.simulation.queues.compiled import compiled
from .piece import piece

@compiled
def loop(x):
    return piece(x) + 1
"""
PIECE = """
from labutils.simulation.queues.compiled import inner

@inner
def piece(x):
    return {factor} * x
"""


@pytest.mark.full
def test_a_piece_in_another_file_that_changes_is_compiled_anew(tmp_path):
    room = tmp_path / "room"
    room.mkdir()
    for name, text in (("__init__", ""), ("loop", LOOP)):
        (room / f"{name}.py").write_text(text)
    code = "import sys; sys.path.insert(0, {!r}); from room.loop import loop; print(loop(5))"
    answers = []
    for factor in (2, 7):
        (room / "piece.py").write_text(PIECE.format(factor=factor))
        for _ in range(2):
            answers.append(run(code.format(str(tmp_path)), NUMBA_CACHE_DIR=str(tmp_path / "kept")))
    assert answers == ["11", "11", "36", "36"]
    assert len(list((tmp_path / "kept").rglob("*.nbi"))) == 2


def test_a_full_disk_costs_the_cache_and_nothing_else(tmp_path, monkeypatch):
    source = tmp_path / "loop.py"
    source.write_text("def double(x):\n    for i in range(x.size):\n        x[i] *= 2\n")
    namespace = {}
    exec(compile(source.read_text(), str(source), "exec"), namespace)
    refused = []

    def no_space(*_):
        refused.append(True)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(numba.core.caching.IndexDataCacheFile, "save", no_space)
    values = np.array([1.0, 2.0, 4.0])
    compiled(namespace["double"])(values)
    assert values.tolist() == [2, 4, 8]
    assert refused
