"""Functions in a file of source text: where they stand, how long they are, what replaces them."""

import ast
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

MARK = "# "
YOURS = "yours"


@dataclass(frozen=True)
class Function:
    """A function or method ``name`` (``Class.method``) of a file; lines count from 0, end excluded.

    ``mark`` is the comment right above it that says whose it is, None without one; its line belongs
    to the function.
    """

    name: str
    first: int
    end: int
    indent: str
    mark: str | None
    node: ast.FunctionDef
    body_lines: int
    """Lines of code in its body: no docstring, no comments, no empty lines."""

    @property
    def meaning(self) -> str:
        """Its code without comments, docstring and layout: equal texts do the same."""
        node = ast.parse(ast.unparse(self.node)).body[0]
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        return ast.dump(node)


@lru_cache(maxsize=64)
def functions_of(text: str) -> Mapping[str, Function]:
    """The functions of a file and the methods of its classes, by name, in order."""
    lines = text.splitlines()
    return MappingProxyType({one.name: one for one in _functions(ast.parse(text), "", lines)})


def put_in(text: str, name: str, source: str, mark: str) -> str:
    """``text`` with ``source`` for its function ``name``, below the comment ``mark``."""
    old, lines = functions_of(text)[name], text.splitlines()
    new = [MARK + mark, *textwrap.dedent(source).strip("\n").splitlines()]
    lines[old.first : old.end] = [(old.indent + line).rstrip() for line in new]
    return "\n".join(lines) + "\n"


def source_of(text: str, name: str) -> str:
    """The source of one function, without its mark and indent."""
    found = functions_of(text)[name]
    lines = text.splitlines()[found.first + (found.mark is not None) : found.end]
    return textwrap.dedent("\n".join(lines)) + "\n"


def _functions(tree: ast.AST, prefix: str, lines: list[str]) -> Iterator[Function]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef) and not prefix:
            yield from _functions(node, f"{node.name}.", lines)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)]) - 1
            indent = " " * node.col_offset
            above = lines[first - 1].strip() if first else ""
            mark = above.removeprefix(MARK) if _is_mark(above) else None
            start = first - (mark is not None)
            body = code_lines(lines[_begin_of_code(node) : node.end_lineno])
            yield Function(prefix + node.name, start, node.end_lineno, indent, mark, node, body)


def _is_mark(line: str) -> bool:
    return line.startswith((f"{MARK}{YOURS}", f"{MARK}the course's"))


def code_lines(lines: list[str]) -> int:
    """How many lines hold code: not empty, and not a comment alone."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in lines)


def code_lines_of(text: str) -> int:
    """Lines of code of a whole file, docstrings left out."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    tree, lines = ast.parse(text), text.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node) is not None:
            for line in range(node.body[0].lineno - 1, node.body[0].end_lineno):
                lines[line] = ""
    return code_lines(lines)


def _begin_of_code(node: ast.FunctionDef) -> int:
    """The first line behind signature and docstring."""
    first = node.body[0]
    return first.end_lineno if ast.get_docstring(node) is not None else first.lineno - 1
