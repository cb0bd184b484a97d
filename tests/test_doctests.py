"""The examples in docstrings are true: each is run, and prints what it says."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import labutils

ROOT = Path(labutils.__file__).parents[1]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def with_examples() -> list[str]:
    """The modules whose text holds an example; the others need not be imported."""
    paths = [path for path in Path(labutils.__file__).parent.rglob("*.py") if _holds_one(path)]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    return sorted(name.removesuffix(".__init__") for name in names)


def _holds_one(path: Path) -> bool:
    return ">>> " in path.read_text(encoding="utf-8")


def untrue(module) -> str:
    """What the examples of a module print in the place of what they say; empty if all hold."""
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    for test in doctest.DocTestFinder().find(module):
        runner.run(test, out=said.append)
    assert runner.tries, f"{module.__name__} holds examples that are no docstring's"
    return "".join(said)


@pytest.mark.parametrize("name", with_examples())
def test_examples_print_what_they_say(name, tmp_path, monkeypatch):
    monkeypatch.setenv("LABUTILS_MY", str(tmp_path))
    found = untrue(import_module(name))
    assert not found, found


def test_a_wrong_example_is_found():
    module = type(doctest)("toy", ">>> 1 + 1\n3\n")
    assert "Got:\n    2" in untrue(module)
