"""What a learner's server on a hub does before it serves."""

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from labutils.workspace import Workspace, hub

ROOT = Path(__file__).resolve().parents[2]

SERVE = """
import os, sys, numpy
def main():
    made = open("made", "w"); made.close()
    print(oct(os.stat("made").st_mode & 0o777), sys.argv[1:], os.environ["LABUTILS_MY"])
    print(os.environ["PATH"].split(os.pathsep)[0], os.environ["JUPYTER_CONFIG_PATH"])
    try:
        bytes(2 * 10**9)
    except MemoryError:
        print("too much")
"""


@pytest.fixture
def hub_folder(tmp_path) -> Path:
    """A hub's environment whose single-user server says what it was given."""
    package = tmp_path / f"hub/lib/python3.{sys.version_info.minor}/site-packages/jupyterhub"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "singleuser.py").write_text(SERVE)
    (package.parent / "numpy.py").write_text("raise ImportError('the hub wins')")
    return tmp_path / "hub"


def test_it_hands_out_chapters_and_serves_with_the_courses_settings(hub_folder, tmp_path):
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("LABUTILS", "JUPYTER"))}
    environment = {**kept, "HOME": str(tmp_path), "MEM_LIMIT": str(10**9), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-P", "-m", "labutils.workspace.hub", str(hub_folder), "--port=1"]
    for name in ("random", "json", "labutils"):  # made in two clicks in JupyterLab
        (tmp_path / f"{name}.py").write_text("raise ImportError('a file of the home wins')")
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    first, second, third = run.stdout.splitlines()
    assert first == f"0o600 ['--port=1'] {tmp_path / 'my'}"
    assert second.split() == [
        str(Path(sys.executable).parent),
        str(ROOT / "labutils" / "workspace" / "jupyter"),
    ]
    assert third == "too much"
    assert (tmp_path / "my/notebooks/00_start_here.ipynb").is_file()
    assert "new in" in run.stderr


def test_a_hub_of_another_python_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(SystemExit, match=rf"no jupyterhub for python3.* in {tmp_path}"):
        hub.packages_of(tmp_path)


def test_without_a_promise_memory_has_no_new_limit(monkeypatch):
    monkeypatch.delenv("MEM_LIMIT", raising=False)
    monkeypatch.setattr(resource, "setrlimit", lambda *_: pytest.fail("a limit was set"))
    hub.limit_memory()


def test_a_package_without_its_course_finds_the_checkout_that_python_runs_in(monkeypatch, tmp_path):
    monkeypatch.delenv("LABUTILS_MY", raising=False)
    monkeypatch.setattr("labutils.workspace.folder.__file__", str(tmp_path / "a/b/c/folder.py"))
    monkeypatch.chdir(ROOT / "tests")
    assert Workspace.here().root == ROOT
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match="without the course's notebooks"):
        Workspace.here()
