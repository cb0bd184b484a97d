"""What learners' copies of earlier editions import is there, under its former name or today's."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import labutils
from labutils import moved
from labutils.authoring.sources.python import with_todays_imports, without_comments

ROOT = Path(__file__).resolve().parents[2]
RECORD = Path(__file__).with_name("imports_of_editions.txt")


def recorded() -> dict[str, list[str]]:
    """Module -> names, as all notebooks of an edition imported them; a record is only added to."""
    lines = RECORD.read_text(encoding="utf-8").replace("\n    ", " ").splitlines()
    return {module: names.split() for module, _, names in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("module", recorded())
def test_what_an_earlier_edition_imports_is_still_there(module):
    try:
        found, names = import_module(module), {}
        exec("\n".join(f"from {module} import {name}" for name in recorded()[module]), names)
    except ModuleNotFoundError as error:
        if error.name == "torch":
            pytest.skip("needs torch")
        raise
    assert found is import_module(moved.today(module))


def test_a_former_name_is_the_same_module_whichever_way_it_is_imported():
    for former in moved.MOVED:
        if not former.startswith("exercises.catalog"):  # a chapter may need torch
            now = import_module(moved.today(f"labutils.{former}"))
            assert import_module(f"labutils.{former}") is now
            parent, _, leaf = f"labutils.{former}".rpartition(".")
            assert getattr(import_module(parent), leaf) is now


def test_no_file_stands_under_a_former_name():
    for former in moved.MOVED:
        path = Path(labutils.__file__).parent.joinpath(*former.split("."))
        assert not path.with_suffix(".py").exists() and not (path / "__init__.py").exists()


def imported(file: Path):
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def test_the_course_itself_uses_no_former_name():
    package = Path(labutils.__file__).parent
    files = [*package.rglob("*.py"), *ROOT.glob("solutions/*.py"), *ROOT.glob("benchmarks/*.py")]
    used = [(file.name, name) for file in files for name in imported(file)]
    assert [pair for pair in used if moved.today(pair[1]) != pair[1]] == []


def test_a_cell_that_imports_from_a_former_name_counts_as_the_same_code(monkeypatch):
    monkeypatch.setitem(moved.MOVED, "old", "new.place")
    former = "from labutils import old, viz  # both\nfrom labutils.old.file import a as b\nb(old)"
    now = "from labutils import viz\nfrom labutils.new import place as old\n"
    now += "from labutils.new.place.file import (\n    a as b,\n)\n\nb(old)"

    def code(cell):
        return without_comments(with_todays_imports(cell))

    assert code(former) == code(now)
    assert code(former) != code(now.replace("b(old)", "b(viz)"))
    assert code(former) != code(now.replace("a as b", "c as b"))
    assert code(former) != code(former.replace("viz", "llm"))
