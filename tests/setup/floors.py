"""The rule of the house, checked: arrows between rooms run down, and no files run in a circle."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

BENEATH = "moved"  # the one room that the package's own door imports; it imports nothing itself
_FLOOR = re.compile(r"^\d+\. [^:]+:((?:[ \n]*``\w+``,?)+)", flags=re.M)
_HOLDS_IMPORTS = (ast.stmt, ast.ExceptHandler, ast.match_case)


@dataclass(frozen=True)
class Arrow:
    """One import statement: the file that holds it, its line, the module that it names."""

    source: str
    line: int
    target: str


@dataclass(frozen=True)
class House:
    """A package as its files say it: ``doors`` are the modules that are an ``__init__``."""

    name: str
    modules: Mapping[str, Path]

    @classmethod
    def at(cls, folder: Path) -> "House":
        """The package that ``folder`` holds."""
        found = {}
        for path in sorted(folder.rglob("*.py")):
            parts = (folder.name, *path.relative_to(folder).with_suffix("").parts)
            found[".".join(parts).removesuffix(".__init__")] = path
        return cls(folder.name, found)

    def rooms(self) -> list[str]:
        """The rooms in the order in which the package's docstring lists them."""
        text = ast.get_docstring(ast.parse(self._text(self.name))) or ""
        return [room for floor in _FLOOR.findall(text) for room in re.findall(r"\w+", floor)]

    def room_of(self, module: str) -> str:
        """The first name below the package; the package itself stands on the ground."""
        return f"{module}.".split(".")[1]

    def is_door(self, module: str) -> bool:
        return self.modules[module].name == "__init__.py"

    @cached_property
    def arrows(self) -> tuple[Arrow, ...]:
        """Every import of this package's own modules, inside functions and for types included."""
        return tuple(
            Arrow(module, node.lineno, found)
            for module in self.modules
            for node in _statements(ast.parse(self._text(module)))
            for target in self._named(module, node)
            if (found := self.resolve(target)) and found != module
        )

    def unlisted(self) -> set[str]:
        """Rooms that the docstring leaves out."""
        return {self.room_of(module) for module in self.modules} - {"", *self.rooms()}

    def upward(self) -> list[str]:
        """Imports of a room that does not stand before the importing one, a line each.

        The package's own door stands beneath all rooms, so it may import none of them but
        ``BENEATH``.
        """
        order = {room: place for place, room in enumerate(["", *self.rooms()])}

        def runs_down(arrow: Arrow) -> bool:
            one, other = self.room_of(arrow.source), self.room_of(arrow.target)
            if not one:
                return other == BENEATH
            return one == other or order.get(other, len(order)) < order.get(one, -1)

        return [
            f"{self.modules[arrow.source]}:{arrow.line} imports {arrow.target}"
            for arrow in self.arrows
            if not runs_down(arrow)
        ]

    def circles(self) -> list[tuple[str, ...]]:
        """Sets of files that import each other, directly or by way of others."""
        return _circles({(arrow.source, arrow.target) for arrow in self.arrows})

    def circles_of_rooms(self) -> list[tuple[str, ...]]:
        """The same between folders: a door that gathers what its rooms offer counts as none."""
        between = {
            (self._folder(arrow.source), self._folder(arrow.target))
            for arrow in self.arrows
            if not self.is_door(arrow.source)
        }
        return _circles({(one, other) for one, other in between if one != other})

    def _folder(self, module: str) -> str:
        alone = module.count(".") < 2  # a room that is one file
        return module if self.is_door(module) or alone else module.rpartition(".")[0]

    def _text(self, module: str) -> str:
        return self.modules[module].read_text(encoding="utf-8")

    def _named(self, module: str, node: ast.AST) -> Iterator[str]:
        """The dotted names that a statement imports, relative ones made absolute."""
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module if self.is_door(module) else module.rpartition(".")[0]
                above = package.split(".")[: package.count(".") + 2 - node.level]
                base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)

    def resolve(self, dotted: str) -> str | None:
        """The module that a dotted name is, or is a name of; ``None`` for another package."""
        while dotted and dotted not in self.modules:
            dotted = dotted.rpartition(".")[0]
        return dotted or None


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every statement inside ``node``: a fifth of the nodes that ``ast.walk`` would visit."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _HOLDS_IMPORTS):
            yield child
            yield from _statements(child)


def _circles(edges: set[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The strongly connected sets of more than one: who reaches each other, both ways."""
    beyond: dict[str, set[str]] = {}
    for one, other in edges:
        beyond.setdefault(one, set()).add(other)
    reached = {one: reach(one, beyond) for one in beyond}
    found = {
        tuple(sorted(other for other in reached[one] if one in reached.get(other, ())))
        for one in beyond
        if one in reached[one]
    }
    return sorted(found)


def reach(start: str, beyond: Mapping[str, set[str]]) -> set[str]:
    """Everything that is met on the way from ``start``; ``start`` only where a way leads back."""
    met, waiting = set(), [start]
    while waiting:
        new = beyond.get(waiting.pop(), set()) - met
        met |= new
        waiting += new
    return met
