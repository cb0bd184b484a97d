"""How JupyterLab is started: on this machine alone, on the learner's copy, quietly."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from importlib import import_module
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from jupyterlab_server.config import get_page_config

import labutils
from labutils.__main__ import main
from labutils.workspace import Workspace, server, sync
from labutils.workspace.folder import HOME
from labutils.workspace.server import open_lab

from .conftest import CH03, notebook


@pytest.fixture
def started(monkeypatch):
    """What would have been executed instead of this process."""
    seen = {}

    def execve(program, command, environment):
        seen.update(program=program, command=command, environment=environment)

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.setattr(subprocess, "call", lambda *_a, **_o: 0)
    return seen


def test_it_opens_the_learners_start_page_on_this_machine_alone(workspace, started):
    open_lab(("--no-browser", "--port=9999"), workspace)
    command = started["command"]
    assert started["program"] == sys.executable
    assert command[:3] == [sys.executable, "-m", "jupyterlab"]
    assert "--ip=127.0.0.1" in command
    assert f"--ServerApp.root_dir={workspace.root}" in command
    assert "--LabApp.default_url=/lab/tree/my/notebooks/00_start_here.ipynb" in command
    assert command[-2:] == ["--no-browser", "--port=9999"]
    # Its manager of extensions would ask the package index as soon as its panel is opened.
    assert "--LabApp.extension_manager=readonly" in command


@pytest.fixture
def with_home(workspace):
    """The checkout with the course's home in it."""
    (workspace.root / HOME).write_bytes((Path(labutils.__file__).parents[1] / HOME).read_bytes())
    return workspace


def test_it_opens_a_home_that_shows_itself_before_any_cell_has_run(
    with_home, started, monkeypatch, tmp_path
):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))  # signatures
    with_home.my.mkdir()
    (with_home.my / "random.py").write_text("raise ImportError('a file of the learner wins')")
    open_lab((), with_home)
    assert "--LabApp.default_url=/lab/tree/my/home.ipynb" in started["command"]
    (cell,) = json.loads((with_home.my / HOME).read_bytes())["cells"]
    assert "Begin with" in cell["outputs"][0]["data"]["text/plain"]


def test_a_home_that_cannot_be_drawn_keeps_nobody_out(with_home, started, monkeypatch):
    def late(*_args, **_options):
        raise subprocess.TimeoutExpired("python", 30)

    monkeypatch.setattr(subprocess, "run", late)
    open_lab((), with_home)
    assert "--LabApp.default_url=/lab/tree/my/home.ipynb" in started["command"]
    assert (with_home.my / HOME).read_bytes() == (with_home.root / HOME).read_bytes()


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_only_root_allows_root_and_hears_of_it(
    workspace, started, monkeypatch, capsys, user, allowed
):
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)
    open_lab((), workspace)
    assert ("--allow-root" in started["command"]) is allowed
    assert ("You are root" in capsys.readouterr().out) is allowed


def test_a_folder_elsewhere_is_served_from_there(workspace, started, tmp_path):
    elsewhere = Workspace(workspace.root, tmp_path / "with space" / "mine")
    open_lab((), elsewhere)
    assert f"--ServerApp.root_dir={elsewhere.my}" in started["command"]
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in started["command"]


def test_what_is_new_is_told_in_one_line_each(workspace, learner, started, capsys):
    open_lab((), workspace)
    assert "3 new in my/\n" in capsys.readouterr().out
    learner.write(CH03, "rho = 0.9")
    (workspace.root / CH03).write_bytes(notebook("import labutils", "# new\nrho = ..."))
    open_lab((), workspace)
    lines = [line for line in capsys.readouterr().out.splitlines() if "update" in line]
    assert len(lines) == 1
    assert "03_mm1_explosion.updated.ipynb" in lines[0]
    open_lab((), workspace)
    assert "update" not in capsys.readouterr().out


def test_on_a_read_only_disk_it_says_so_and_opens_the_courses_own_page(
    workspace, started, capsys, monkeypatch
):
    def refuse(*_args, **_options):
        raise OSError(errno.EROFS, "Read-only file system")

    for name in ("link", "replace", "mkdir", "open"):
        monkeypatch.setattr(os, name, refuse)
    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    open_lab((), workspace)
    said = capsys.readouterr().out
    assert said.count("Read-only file system") == 1
    assert "LABUTILS_MY" in said
    assert "--LabApp.default_url=/lab/tree/notebooks/00_start_here.ipynb" in started["command"]
    assert "JUPYTERLAB_WORKSPACES_DIR" not in started["environment"]
    assert not workspace.my.exists()


def test_a_full_disk_is_told_once_and_not_for_each_notebook(
    workspace, started, capsys, monkeypatch
):
    def refuse(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    # The door of the room names the function like its file.
    monkeypatch.setattr(import_module("labutils.workspace.sync"), "publish", refuse)
    open_lab((), workspace)
    lines = [line for line in capsys.readouterr().out.splitlines() if "No space" in line]
    assert lines == ["3 files could not be handed out: No space left on device"]


def test_without_jupyterlab_it_says_what_to_do(workspace, started, capsys, monkeypatch):
    monkeypatch.setattr(server, "find_spec", lambda _name: None)
    assert open_lab((), workspace) == 1
    assert "make lab" in capsys.readouterr().err
    assert started == {}


def test_news_is_off_for_this_process_and_the_learners_settings_stay(workspace, monkeypatch):
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/theirs")
    monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", "/their/layouts")
    sync(workspace)
    environment = server.lab_environment(workspace)
    ours, theirs = environment["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    assert theirs == "/theirs"
    assert environment["JUPYTERLAB_WORKSPACES_DIR"] == "/their/layouts"
    assert environment["JUPYTER_PREFER_ENV_PATH"] == "1"  # a stray kernel in HOME must not win
    assert environment.get("JUPYTER_CONFIG_DIR") == os.environ.get("JUPYTER_CONFIG_DIR")
    assert json.loads(next(Path(ours).rglob("*.json")).read_text())
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", environment["JUPYTER_CONFIG_PATH"])
    disabled = get_page_config([])["disabledExtensions"]
    assert "@jupyterlab/apputils-extension:announcements" in disabled


@pytest.mark.full
def test_a_real_server_answers_and_leaves_the_learners_configuration_alone(tmp_path):
    home, mine = tmp_path / "home", tmp_path / "mine"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "LABUTILS_MY": str(mine)}
    environment = {n: v for n, v in environment.items() if not n.startswith("JUPYTER")}
    command = [sys.executable, "-m", "labutils", "lab", "--no-browser", "--port-retries=200"]
    process = subprocess.Popen(
        command,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    guard = threading.Timer(60, process.kill)
    guard.start()
    try:
        address, token = wait_for_address(process)
        assert address.startswith("http://127.0.0.1:")
        assert answer(f"{address}/api/status?token={token}")["kernels"] == 0
    finally:
        guard.cancel()
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=30)
    written = {path.name for path in (home / ".jupyter").rglob("*")}
    assert written <= {"migrated"}  # Jupyter's own note to itself, no setting


def wait_for_address(process) -> tuple[str, str]:
    for line in process.stdout:
        if found := re.search(r"(http://127\.0\.0\.1:\d+)/lab\S*token=(\w+)", line):
            return found[1], found[2]
    raise AssertionError("the server ended without naming its address")


def answer(url: str) -> dict:
    for _ in range(200):
        try:
            with urllib.request.urlopen(url) as response:
                return json.load(response)
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server does not answer")


def test_the_terminal_commands(capsys, monkeypatch, workspace):
    assert main([]) == 0
    usage = capsys.readouterr().out
    assert all(word in usage for word in ("lab", "reset", "preflight", "progress"))
    monkeypatch.setattr(Workspace, "here", classmethod(lambda _cls: workspace))
    assert main(["reset", "03", "lab1"]) == 0
    assert capsys.readouterr().out.count("is fresh") == 2
    assert main(["reset", "77"]) == 1
    assert "expected a chapter or lab" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["reset", "03", "--hard"])


@pytest.mark.parametrize(("theirs", "expected"), [(None, "PASSIVE"), ("ACTIVE", "ACTIVE")])
def test_waiting_threads_sleep_unless_the_learner_says_otherwise(
    workspace, monkeypatch, theirs, expected
):
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    if theirs:
        monkeypatch.setenv("OMP_WAIT_POLICY", theirs)
    assert server.lab_environment(workspace)["OMP_WAIT_POLICY"] == expected


def test_terminals_find_the_courses_commands_and_no_profile_takes_them_away(workspace, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin")
    environment = server.lab_environment(workspace)
    commands = Path(sys.executable).parent
    assert environment["PATH"] == f"{commands}{os.pathsep}/usr/bin"
    settings = Path(server.__file__).parent / "jupyter" / "jupyter_server_config.py"
    monkeypatch.setenv("SHELL", "/bin/zsh")
    c = MagicMock()
    exec(settings.read_text(encoding="utf-8"), {"c": c, "__file__": str(settings)})
    assert c.ServerApp.terminado_settings == {"shell_command": ["/bin/zsh"]}  # no login shell


def test_a_learners_own_style_sheet_goes_before_the_courses(monkeypatch, tmp_path):
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    settings = Path(server.__file__).parent / "jupyter" / "jupyter_server_config.py"
    c = MagicMock()
    exec(settings.read_text(encoding="utf-8"), {"c": c, "__file__": str(settings)})
    (given,) = c.ServerApp.tornado_settings.update.call_args.args
    theirs, ours = map(Path, given["static_custom_path"])
    assert theirs == tmp_path / "custom" and (ours / "custom.css").is_file()
