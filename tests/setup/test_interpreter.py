"""Which Python the set-up picks, and the one line it says when none will do."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))

import interpreter  # noqa: E402


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A path that holds only the interpreters named: ``name="version venv"``."""
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "absent"))

    def install(**versions: str) -> Path:
        for name, words in versions.items():
            version, _, venv = words.partition(" ")
            path = tmp_path / name.replace("_", ".")
            says = f"echo {version}; echo {path}; echo {venv or 'venv'}"
            path.write_text("#!/bin/sh\n" + ("exit 127\n" if version == "broken" else says))
            path.chmod(0o755)
        return tmp_path

    return install


def found(folder: Path) -> str:
    path = interpreter.find_python(avoid=str(folder / ".venv"))
    return Path(path).name


def test_an_old_python3_is_passed_over(machine):
    assert found(machine(python3="3.9.18", python3_12="3.12.1", python="2.7.18")) == "python3.12"


def test_one_without_venv_is_passed_over(machine):
    assert found(machine(python3="3.11.2 no-venv", python3_13="3.13.0")) == "python3.13"


def test_one_that_does_not_run_is_passed_over(machine):
    assert found(machine(python3="broken", python3_11="3.11.9")) == "python3.11"


def test_one_that_was_tried_wins_over_a_newer_one(machine):
    assert found(machine(python3="3.17.0", python3_13="3.13.1")) == "python3.13"
    assert found(machine(python3="3.17.0", python3_13="broken")) == "python3"


def test_the_named_one_is_the_only_candidate(machine, monkeypatch):
    folder = machine(python3="3.12.0", python3_11="3.11.2", python="3.8.10")
    monkeypatch.setenv("PYTHON", str(folder / "python3.11"))
    assert found(folder) == "python3.11"
    monkeypatch.setenv("PYTHON", str(folder / "python"))
    with pytest.raises(interpreter.Trouble, match=r"3\.11 or newer as PYTHON; found 3\.8\.10"):
        found(folder)


def test_the_environment_itself_is_no_candidate(machine):
    folder = machine(python3="3.12.0", python3_11="3.11.2")
    fake = folder / ".venv" / "python"
    (folder / "python3").write_text(f"#!/bin/sh\necho 3.12.0; echo {fake}; echo venv")
    assert found(folder) == "python3.11"


@pytest.mark.parametrize(
    ("versions", "said"),
    [
        ({}, "found none that runs"),
        ({"python3": "3.9.18", "python": "2.7.18"}, "found 3.9.18 at"),
        ({"python3": "3.11.2 no-venv"}, "sudo apt install python3.11-venv"),
        ({"python3": "3.8.1", "python3_12": "3.12.4 no-venv"}, "Python 3.12.4 at"),
    ],
)
def test_what_is_missing_is_said_in_one_line(machine, versions, said):
    with pytest.raises(interpreter.Trouble) as trouble:
        found(machine(**versions))
    assert said in str(trouble.value)
    assert "\n" not in str(trouble.value)


@pytest.mark.parametrize(
    ("system", "remedy"), [("darwin", "brew install python@3.12"), ("linux", "sudo apt install")]
)
def test_the_remedy_for_an_old_python_is_that_of_the_system(machine, monkeypatch, system, remedy):
    monkeypatch.setattr(sys, "platform", system)
    with pytest.raises(interpreter.Trouble, match=r"3\.11 or newer; found 3\.9\.6") as trouble:
        found(machine(python3="3.9.6"))
    assert remedy in str(trouble.value)


@pytest.mark.parametrize("path", sorted(SCRIPTS.glob("*.py")), ids=lambda path: path.name)
def test_the_scripts_are_written_in_old_syntax(path):
    newer = (ast.JoinedStr, ast.AnnAssign, ast.NamedExpr, ast.Nonlocal, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text())):
        assert not isinstance(node, newer), f"line {node.lineno}"
        if isinstance(node, ast.FunctionDef):
            assert node.returns is None and not node.args.kwonlyargs
            assert not any(argument.annotation for argument in node.args.args)
    path.read_bytes().decode("ascii")  # without a coding line, old interpreters read no more


def make(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess:
    """Run make in a copy of the Makefile and scripts alone, with only ``environment``."""
    (folder / "scripts").mkdir(exist_ok=True)
    for path in (ROOT / "Makefile", *SCRIPTS.glob("*.py")):
        target = folder / path.relative_to(ROOT)
        target.write_bytes(path.read_bytes())
    return subprocess.run(
        ["/usr/bin/make", *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_make_alone_lists_the_targets(tmp_path):
    said = make(tmp_path, PATH="/usr/bin:/bin").stdout
    names = ("lab", "style", "test", "test-full", "bench", "solutions", "slides", "site", "clean")
    assert [line.split()[:2] for line in said.splitlines()] == [["make", name] for name in names]


def test_without_any_python_make_says_so(tmp_path):
    done = make(tmp_path, "lab", "SHELL=/bin/sh", PATH=str(tmp_path))
    assert done.returncode != 0
    assert "No Python found: install Python 3.11 or newer" in done.stderr


def test_clean_spares_the_learners_folder(tmp_path):
    for name in ("my/notebooks", ".venv/bin", ".venv.old", "build", "labutils/__pycache__"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "my" / "notebooks" / "03.ipynb").write_text("mine")
    done = make(tmp_path, "clean", PATH="/usr/bin:/bin")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "my" / "notebooks" / "03.ipynb").read_text() == "mine"
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"my", "labutils", "Makefile", "scripts"}
    assert not (tmp_path / "labutils" / "__pycache__").exists()
