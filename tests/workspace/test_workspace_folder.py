"""Where the learner's folder is found, from wherever a notebook or a terminal stands."""

import os
import subprocess
import sys

import pytest

from labutils.workspace import my_folder


@pytest.fixture(autouse=True)
def _unset(monkeypatch):
    monkeypatch.delenv("LABUTILS_MY", raising=False)


@pytest.fixture
def course(tmp_path):
    (tmp_path / "course" / "labutils").mkdir(parents=True)
    (tmp_path / "course" / "pyproject.toml").write_text('[project]\nname = "labutils"\n')
    (tmp_path / "course" / "my" / "notebooks").mkdir(parents=True)
    (tmp_path / "course" / "notebooks").mkdir()
    return tmp_path / "course"


@pytest.mark.parametrize("inside", [".", "my", "my/notebooks", "notebooks", "labutils"])
def test_anywhere_inside_the_course(course, monkeypatch, inside):
    monkeypatch.chdir(course / inside)
    assert my_folder() == course / "my"


def test_my_beside_labutils_needs_no_pyproject(course, monkeypatch):
    (course / "pyproject.toml").unlink()
    monkeypatch.chdir(course / "my" / "notebooks")
    assert my_folder() == course / "my"


@pytest.mark.parametrize("text", ['name = "other"\n', "labutils\n", 'names = "labutils"\n', ""])
def test_another_project_is_not_the_course(tmp_path, monkeypatch, text):
    (tmp_path / "my").mkdir()
    (tmp_path / "pyproject.toml").write_text(text)
    (tmp_path / "deep").mkdir()
    monkeypatch.chdir(tmp_path / "deep")
    assert my_folder() == tmp_path / "deep" / "my"


def test_a_folder_called_my_elsewhere_is_not_it(tmp_path, monkeypatch):
    (tmp_path / "my").mkdir()
    monkeypatch.chdir(tmp_path / "my")
    assert my_folder() == tmp_path / "my" / "my"
    assert not my_folder().exists()  # found, never created


@pytest.mark.parametrize("named", ["~/mine", "/somewhere/mine", "mine"])
def test_the_environment_wins(course, monkeypatch, named):
    monkeypatch.chdir(course)
    monkeypatch.setenv("HOME", "/home/learner")
    monkeypatch.setenv("LABUTILS_MY", named)
    expected = {"~/mine": "/home/learner/mine", "mine": str(course / "mine")}
    assert str(my_folder()) == expected.get(named, named)


def test_a_home_that_nobody_has_is_named(course, monkeypatch):
    monkeypatch.chdir(course)
    monkeypatch.setenv("LABUTILS_MY", "~no_such_user/my")
    with pytest.raises(FileNotFoundError, match="LABUTILS_MY = ~no_such_user/my: no such home"):
        my_folder()


def test_an_empty_variable_counts_as_none(course, monkeypatch):
    monkeypatch.chdir(course)
    monkeypatch.setenv("LABUTILS_MY", "  ")
    assert my_folder() == course / "my"


def test_a_deleted_working_directory_does_not_raise(tmp_path):
    code = (
        "import os, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone');"
        "from labutils.workspace import my_folder; print(my_folder())"
    )
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    environment = {**os.environ, "PYTHONPATH": root}
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.stdout.strip() == "my", run.stderr
