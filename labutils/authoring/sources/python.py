"""Read the code of a cell as Python, notebook magics left aside."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from labutils.moved import today

MAGIC = re.compile(r"^(\s*)[%!].*$", flags=re.M)


def without_magics(source: str) -> str:
    """The cell with each ``%magic`` or ``!command`` line replaced by ``pass``."""
    if source.lstrip().startswith("%%"):
        first, _, rest = source.lstrip().partition("\n")
        return rest if first.split()[0] in ("%%time", "%%capture") else ""
    return MAGIC.sub(r"\1pass", source)


def without_comments(source: str) -> str:
    """The cell without its comments and blank lines; as it is where it cannot be read."""
    lines = source.splitlines()
    try:
        for token in tokenize.generate_tokens(io.StringIO(without_magics(source)).readline):
            if token.type == tokenize.COMMENT:
                row, column = token.start
                lines[row - 1] = lines[row - 1][:column].rstrip()
    except (tokenize.TokenError, SyntaxError):
        return source
    return "\n".join(line for line in lines if line.strip())


def with_todays_imports(source: str) -> str:
    """The cell with its imports of the course in front, sorted, each by the name of today.

    So two cells are equal that import the same things from where they stood before a move and
    after it (``labutils.moved``). To be compared, not to be run.
    """
    lines: list[str] = source.splitlines()
    found: list[str] = []
    for node in parse(source).body if not source.lstrip().startswith("%%") else ():
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("labutils."):
            found += [
                f"{today(f'{node.module}.{one.name}')} as {one.asname or one.name}"
                for one in node.names
            ]
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join([*sorted(found), *lines])


def without_asserts(source: str) -> str:
    """The cell without the assertions that stand at its top level, and their comments."""
    lines: list[str | None] = list(source.splitlines())
    for node in parse(source).body:
        if isinstance(node, ast.Assert):
            lines[node.lineno - 1 : node.end_lineno] = [None] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line for line in lines if line is not None).strip("\n")


def parse(source: str) -> ast.Module:
    """The syntax tree of a cell; an empty one where the code does not parse."""
    try:
        return ast.parse(without_magics(source))
    except SyntaxError:
        return ast.Module(body=[], type_ignores=[])


def syntax_fault(source: str) -> str:
    """What keeps a cell from compiling, or empty; top-level ``await`` is allowed."""
    try:
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        compile(without_magics(source), "cell", "exec", flags=flags, dont_inherit=True)
    except SyntaxError as error:
        return f"{error.msg}, line {error.lineno}"
    return ""


def calls(source: str, names: tuple[str, ...], room: str) -> Iterator[tuple[str, ast.Call]]:
    """Calls of ``name(...)`` or ``room.name(...)`` in a cell, in reading order."""
    found = [node for node in ast.walk(parse(source)) if isinstance(node, ast.Call)]
    for node in sorted(found, key=lambda call: (call.lineno, call.col_offset)):
        function = node.func
        if isinstance(function, ast.Name) and function.id in names:
            yield function.id, node
        elif (
            isinstance(function, ast.Attribute)
            and function.attr in names
            and isinstance(function.value, ast.Name)
            and function.value.id == room
        ):
            yield function.attr, node
