"""The package's own functions as exercises: a directive in a source names one, the build shows it.

::

    ### INCLUDE labutils.engine.scheduler:Scheduler.schedule

stands for the code of that function or method, its body between solution markers: the solution
edition shows what the package runs, the learner edition keeps the signature and the docstring. So
no second copy of it exists. Several methods of a class may stand together in a class of their own::

    ### INCLUDE labutils.engine.pages:PagePool.take+drop+evict as Evicting

shows ``class Evicting(PagePool)`` with the three.
"""

import ast
import re
import textwrap
from importlib.util import find_spec
from pathlib import Path

from labutils.authoring.sources.solutions import BEGIN, END

DIRECTIVE = re.compile(r"^### INCLUDE\b *(.*)$")
_NAME = re.compile(r"([\w.]+):([\w.]+)((?:\+\w+)*)(?: as (\w+))?")


def expanded(source: str) -> str:
    """A cell with each directive replaced by the code that it names.

    Raises ``ValueError`` for a directive that names no function with a docstring and a body, or
    one whose decorators or relative imports would not survive in a notebook.
    """
    lines = []
    for line in source.splitlines():
        found = DIRECTIVE.match(line)
        lines.append(_exercise(found[1].strip()) if found else line)
    return "\n".join(lines)


def _exercise(name: str) -> str:
    named = _NAME.fullmatch(name)
    if named is None:
        raise ValueError(
            f"### INCLUDE {name}: expected module:function, module:Class.method or "
            "module:Class.one+other as Name"
        )
    module, first, others, title = named.groups()
    owner = first.rpartition(".")[0]
    if bool(others or title) and not (title and owner):
        raise ValueError(f"### INCLUDE {name}: expected methods of a class, and `as` a name")
    text = _source_file(module).read_text(encoding="utf-8")
    qualified = [first, *(f"{owner}.{other}" for other in others.split("+")[1:])]
    parts = [_blanked(text, module, one) for one in qualified]
    if title is None:
        return parts[0]
    methods = "\n\n".join(textwrap.indent(part, "    ") for part in parts)
    return f"class {title}({owner}):\n{methods}"


def _blanked(text: str, module: str, qualified: str) -> str:
    """One function, dedented, its body between markers."""
    node = _function(ast.parse(text), qualified, f"{module}:{qualified}")
    lines = text.splitlines()
    head = lines[node.lineno - 1 : node.body[0].end_lineno]
    body = lines[node.body[0].end_lineno : node.end_lineno]
    indent = " " * node.body[0].col_offset
    return textwrap.dedent("\n".join([*head, indent + BEGIN, *body, indent + END]))


def _source_file(module: str) -> Path:
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        spec = None
    if spec is None or not spec.origin:
        raise ValueError(f"### INCLUDE {module}: expected a module of the package")
    return Path(spec.origin)


def _function(tree: ast.Module, qualified: str, name: str) -> ast.FunctionDef:
    node = tree
    for part in qualified.split("."):
        members = getattr(node, "body", ())
        node = next((m for m in members if getattr(m, "name", None) == part), None)
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        raise ValueError(f"### INCLUDE {name}: expected a function or a method")
    if ast.get_docstring(node) is None or len(node.body) < 2:
        raise ValueError(f"### INCLUDE {name}: expected a docstring and a body below it")
    if node.decorator_list:
        raise ValueError(f"### INCLUDE {name}: expected a function without decorators")
    inner = [one for one in ast.walk(node) if isinstance(one, ast.ImportFrom) and one.level]
    if inner:
        raise ValueError(f"### INCLUDE {name}: expected absolute imports inside the function")
    return node
