"""Names that load when they are first used, and are known to type checkers nevertheless."""

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path

import pytest

import labutils

INIT = """
from labutils.ground.lazy import lazily
_HOME = {"answer": "inner"}
__all__ = sorted(_HOME)
__getattr__, __dir__ = lazily(__name__, _HOME)
plain = 7
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    folder = tmp_path / "lazy_toy"
    folder.mkdir()
    (folder / "__init__.py").write_text(INIT)
    (folder / "inner.py").write_text("answer = object()\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("lazy_toy")
    for name in ("lazy_toy", "lazy_toy.inner"):
        sys.modules.pop(name, None)


def test_a_name_loads_its_module_when_it_is_asked_for(package):
    assert "lazy_toy.inner" not in sys.modules
    assert {"answer", "plain"} <= set(dir(package))
    assert "lazy_toy.inner" not in sys.modules
    assert package.answer is sys.modules["lazy_toy.inner"].answer


def test_an_unknown_name_is_no_attribute_of_the_package(package):
    with pytest.raises(AttributeError, match="module 'lazy_toy' has no attribute 'question'"):
        package.question  # noqa: B018
    with pytest.raises(ImportError, match="question"):
        from lazy_toy import question  # noqa: F401


class Door:
    """A door that loads names lazily, as its text says it: nothing is imported to read it."""

    def __init__(self, package: str, text: str):
        self.package, self.tree = package, ast.parse(text)

    @property
    def is_lazy(self) -> bool:
        return bool(self._calls())

    def table(self) -> dict[str, str]:
        """Name -> module, from the table that ``lazily`` is given."""
        given = [ast.literal_eval(self._literal(call.args[1])) for call in self._calls()]
        return {
            name: resolve_name(f".{home}", self.package)
            for table in given
            for name, home in table.items()
        }

    def types(self) -> dict[str, str]:
        """Name -> module, from what is imported for type checkers alone."""
        found = {}
        for block in self.tree.body:
            if isinstance(block, ast.If) and ast.unparse(block.test).endswith("TYPE_CHECKING"):
                for node in block.body:
                    found |= {alias.asname or alias.name: self._home(node) for alias in node.names}
        return found

    def _calls(self) -> list[ast.Call]:
        calls = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]
        return [call for call in calls if getattr(call.func, "id", "") == "lazily"]

    def _literal(self, value: ast.expr) -> ast.expr:
        if not isinstance(value, ast.Name):
            return value
        (made,) = (
            node.value
            for node in self.tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == value.id
        )
        return made

    def _home(self, node: ast.ImportFrom) -> str:
        return resolve_name("." * node.level + node.module, self.package)


def lazy_doors() -> list[Door]:
    root = Path(labutils.__file__).parent
    doors = [
        Door(".".join(path.parent.relative_to(root.parent).parts), path.read_text("utf-8"))
        for path in sorted(root.rglob("__init__.py"))
    ]
    return [door for door in doors if door.is_lazy]


@pytest.mark.parametrize("door", lazy_doors(), ids=lambda door: door.package)
def test_a_lazy_door_shows_type_checkers_what_it_loads(door):
    assert door.table() and door.types() == door.table()
    package = import_module(door.package)
    assert {name: getattr(package, name) for name in door.table()}
    assert set(door.table()) <= set(package.__all__)


def test_a_difference_between_table_and_types_is_seen():
    text = (
        "if TYPE_CHECKING:\n    from .one import a\n    from room.two import b, c\n"
        "_HOME = {'a': 'one', 'b': 'one', 'd': 'one'}\n"
        "__getattr__, __dir__ = lazily(__name__, _HOME)\n"
    )
    door = Door("room", text)
    assert door.table() == {"a": "room.one", "b": "room.one", "d": "room.one"}
    assert door.types() == {"a": "room.one", "b": "room.two", "c": "room.two"}


def test_whoever_builds_reads_notebooks_without_grammars_of_addresses():
    code = "import labutils.authoring, nbformat, sys; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
