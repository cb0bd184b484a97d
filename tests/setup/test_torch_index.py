"""torch alone comes from an index that the learner names, all else from the usual one."""

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADDRESS = "https://wheels.invalid/cpu"


@pytest.fixture
def bootstrap(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    return importlib.import_module("bootstrap")


@pytest.fixture
def ran(bootstrap, monkeypatch):
    """The commands that would have run; each succeeds."""
    commands = []
    monkeypatch.setattr(bootstrap, "run", lambda command, root: commands.append(command) or True)
    return commands


def test_torch_alone_comes_from_its_index(bootstrap, ran, monkeypatch):
    monkeypatch.setenv("TORCH_INDEX_URL", ADDRESS)
    assert bootstrap.torch_installed(["pip"], str(ROOT), ["lab", "torch"], ("--quiet",))
    ((*start, pinned, last),) = ran
    assert start == ["pip", "--no-deps", "--index-url", ADDRESS]
    assert pinned.startswith("torch==2.") and last == "--quiet"


@pytest.mark.parametrize(("address", "extras"), [("", ["torch"]), (ADDRESS, ["lab"])])
def test_without_an_address_or_without_torch_nothing_runs(
    bootstrap, ran, monkeypatch, address, extras
):
    monkeypatch.setenv("TORCH_INDEX_URL", address)
    assert bootstrap.torch_installed(["pip"], str(ROOT), extras, ())
    assert ran == []


def test_an_installation_fails_where_torch_was_not_to_be_had(bootstrap, monkeypatch, tmp_path):
    monkeypatch.setenv("TORCH_INDEX_URL", ADDRESS)
    monkeypatch.setattr(bootstrap, "run", lambda command, root: "--no-deps" not in command)
    venv = tmp_path / "venv"
    venv.mkdir()
    assert not bootstrap.install(str(ROOT), str(venv), ["torch"])
    assert not list(venv.iterdir())  # no stamp, no marker
