"""The statements of a chapter that one call rests on, and no others."""

import ast
import io
import os
from contextlib import redirect_stdout
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from unittest.mock import patch

from labutils.authoring.sources.python import parse
from labutils.authoring.sources.source import Chapter


@dataclass(frozen=True)
class Excerpt:
    """``statements`` of a chapter, in order, and the ``call`` that they lead to."""

    statements: tuple[str, ...]
    call: str

    def run(self):
        """Execute the statements; return what the call returns."""
        return eval(self.call, self.names())

    def names(self) -> dict:
        """Execute the statements, silently, in a namespace of their own, and return that.

        The learner's folder is an empty one meanwhile: what an author has in it does not count.
        """
        found: dict = {"__name__": "excerpt"}
        with (
            TemporaryDirectory() as empty,
            patch.dict(os.environ, LABUTILS_MY=empty),
            redirect_stdout(io.StringIO()),
        ):
            exec("\n".join(self.statements), found)
        return found


def excerpt(chapter: Chapter, function: str) -> Excerpt:
    """The first call of ``function`` in a chapter, with what binds the names that it uses.

    A statement that only moves an object, such as a draw from a generator that nobody keeps, is
    left out; so whoever relies on an excerpt compares what comes out with the executed edition.
    Raises ``ValueError`` where the chapter never calls the function.
    """
    code = [cell.source for cell in chapter.cells if cell.kind == "code"]
    statements = [node for source in code for node in parse(source).body]
    for at, statement in enumerate(statements):
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == function:
                kept = _behind(statements[:at], _used(node))
                return Excerpt(tuple(map(ast.unparse, kept)), ast.unparse(node))
    raise ValueError(f"{chapter.source_path}: expected a call of {function}")


def _behind(statements: list[ast.stmt], needed: set[str]) -> list[ast.stmt]:
    kept = []
    for statement in reversed(statements):
        if _bound(statement) & needed:
            kept.append(statement)
            needed = needed | _used(statement)
    return kept[::-1]


def _used(node: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement binds, or into whose object it puts something."""
    found = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add((node.asname or node.name).partition(".")[0])
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            found |= _used(node)
    return found
