"""Small plausible changes to a piece of code: each is a wrong answer that a check must reject."""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

OPERATORS = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
OPPOSITES = [
    ("max", "min"),
    ("maximum", "minimum"),
    ("argmax", "argmin"),
    ("floor", "ceil"),
    ("any", "all"),
    ("log", "exp"),
    ("append", "extend"),
]
NAMES = dict(OPPOSITES) | {two: one for one, two in OPPOSITES}
SYMMETRIC = ("max", "min", "maximum", "minimum", "add", "multiply", "hypot", "gcd")
ROUNDING = ("int", "abs", "round", "floor", "ceil", "sqrt", "sorted", "reversed", "cumsum", "diff")


@dataclass(frozen=True)
class Mutant:
    """A changed piece of code; ``name`` says what changed, and stays the same between runs."""

    name: str
    source: str


def mutants(source: str, lines: set[int] | None = None) -> list[Mutant]:
    """Every single change of ``source``, in the given lines (from 1) where they are given.

    Changes: an operator swapped for a neighbour, operands or arguments exchanged, a term dropped,
    a number one more or less, an index or a range one off, max for min, a rounding left out, a
    statement left out, a loop that returns early or runs once. Not asked for, since they always
    mean the same: exchanged operands of a sum or product, ``zip(b, a)`` under ``x * y`` or
    ``x + y``, and whole numbers without their ``int``.
    """
    tree = ast.parse(source)
    commuting = _commuting_zips(tree)
    before, found = ast.unparse(tree), {}
    for position, node in enumerate(ast.walk(tree)):
        if lines is not None and getattr(node, "lineno", None) not in lines:
            continue
        if node in commuting:
            continue
        for number, _ in enumerate(_changes(node)):
            mutant = _mutant(before, _applied(tree, position, number))
            if mutant and mutant.source != before:
                found.setdefault(mutant.source, mutant)
    return list(found.values())


Change = Callable[[ast.AST], ast.AST | list | None]
"""Takes a copy of a node, returns what stands in its place (None: leave the statement out)."""


def _changes(node: ast.AST) -> list[Change]:
    return [change for rule in RULES for change in rule(node)]


def _operators(node) -> Iterator[Change]:
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        for other in OPERATORS.get(type(node.op), ()):
            yield lambda n, other=other: _with(n, op=other())
    if isinstance(node, ast.Compare):
        for other in OPERATORS.get(type(node.ops[0]), ()):
            yield lambda n, other=other: _with(n, ops=[other(), *n.ops[1:]])
    if isinstance(node, ast.UnaryOp):
        yield lambda n: n.operand


def _operands(node) -> Iterator[Change]:
    if isinstance(node, ast.BinOp):
        yield lambda n: n.left
        yield lambda n: n.right
        if not isinstance(node.op, ast.Add | ast.Mult):
            yield lambda n: _with(n, left=n.right, right=n.left)


def _arguments(node) -> Iterator[Change]:
    if not isinstance(node, ast.Call):
        return
    called = node.func
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    for k in range(len(node.args) - 1) if name not in SYMMETRIC else ():
        yield lambda n, k=k: _with(n, args=_exchanged(n.args, k))
    if name in NAMES:
        yield lambda n: _with(n, func=_renamed(n.func, NAMES[name]))
    if name in ROUNDING and len(node.args) == 1 and not (name == "int" and _whole(node.args[0])):
        yield lambda n: n.args[0]
    if name == "range":
        for step in (1, -1):
            yield lambda n, step=step: _with(n, args=_shifted_end(n.args, step))


def _whole(node: ast.AST) -> bool:
    """Whether an expression is a whole number already: a length, or math's rounding."""
    return isinstance(node, ast.Call) and (
        ast.unparse(node.func) in ("len", "ceil", "floor", "math.ceil", "math.floor")
        or (ast.unparse(node.func) == "round" and len(node.args) == 1)
    )


def _commuting_zips(tree: ast.AST) -> set[ast.AST]:
    """Calls of ``zip`` with two arguments whose pairs are only multiplied or added."""
    found: set[ast.AST] = set()
    for node in ast.walk(tree):
        match node:
            case (
                ast.GeneratorExp(elt=ast.BinOp(op=ast.Add() | ast.Mult()) as pair, generators=[one])
                | ast.ListComp(elt=ast.BinOp(op=ast.Add() | ast.Mult()) as pair, generators=[one])
            ) if not one.ifs and isinstance(one.target, ast.Tuple):
                both = {ast.unparse(pair.left), ast.unparse(pair.right)}
                if _is_zip_of_two(one.iter) and both == {ast.unparse(n) for n in one.target.elts}:
                    found.add(one.iter)
    return found


def _is_zip_of_two(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "zip" and len(node.args) == 2


def _numbers(node) -> Iterator[Change]:
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield lambda n: ast.Constant(not n.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        for step in (1, -1):
            yield lambda n, step=step: ast.Constant(n.value + step)


def _indices(node) -> Iterator[Change]:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
        for step in (1, -1):
            yield lambda n, step=step: _with(n, slice=_plus(n.slice, step))


def _statements(node) -> Iterator[Change]:
    if isinstance(node, ast.AugAssign) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield lambda n: ast.Pass()
    if isinstance(node, ast.While | ast.For):
        yield lambda n: _with(n, body=[*n.body, ast.Break()])
    if isinstance(node, ast.If):
        yield lambda n: [*n.body]


RULES = (_operators, _operands, _arguments, _numbers, _indices, _statements)


def _applied(tree: ast.Module, position: int, number: int) -> ast.Module:
    """A copy of the tree with one change at one node."""
    fresh = copy.deepcopy(tree)
    target = next(node for at, node in enumerate(ast.walk(fresh)) if at == position)
    replacement = _changes(target)[number](target)
    return ast.fix_missing_locations(_Replace(target, replacement).visit(fresh))


class _Replace(ast.NodeTransformer):
    """Puts something else in the place of one node."""

    def __init__(self, target, replacement):
        self.target, self.replacement = target, replacement

    def visit(self, node):
        return self.replacement if node is self.target else super().generic_visit(node)


def _mutant(before: str, changed: ast.Module) -> Mutant | None:
    after = ast.unparse(changed)
    try:
        compile(after, "mutant", "exec")
    except SyntaxError:
        return None
    return Mutant(_difference(before.splitlines(), after.splitlines()), after)


def _difference(before: list[str], after: list[str]) -> str:
    """The changed lines as ``old => new``; a purely added line is named with the one before it."""
    shorter = min(len(before), len(after))
    head = next((k for k in range(shorter) if before[k] != after[k]), shorter)
    rest = shorter - head
    tail = next((k for k in range(rest) if before[-1 - k] != after[-1 - k]), rest)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if not old:
        old, new = [before[head - 1]], [before[head - 1], *new]
    return " => ".join("; ".join(line.strip() for line in lines) for lines in (old, new))


def _with(node, **fields):
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _exchanged(items: list, at: int) -> list:
    return [*items[:at], items[at + 1], items[at], *items[at + 2 :]]


def _renamed(function, name: str):
    if isinstance(function, ast.Attribute):
        return _with(function, attr=name)
    return ast.Name(name, ast.Load())


def _plus(expression, step: int):
    operator = ast.Add() if step > 0 else ast.Sub()
    return ast.BinOp(expression, operator, ast.Constant(abs(step)))


def _shifted_end(arguments: list, step: int) -> list:
    at = 0 if len(arguments) == 1 else 1
    return [*arguments[:at], _plus(arguments[at], step), *arguments[at + 1 :]]
