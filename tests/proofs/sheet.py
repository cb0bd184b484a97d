"""Proofs as sheets: the mistakes of a chapter and its right answers of other styles, as text.

A sheet reads as ``tests/answer_sheet.py`` says. The label of a wrong answer is what it must be
told, a name or a ``Status``. ``equivalent: REASON`` stands above mutants that are right too: keys,
which go on in indented lines, or a statement and ``~ old => new`` for each change of it. The text
before the first exercise is code that runs first: what it defines all answers see.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from labutils.exercises.definition.verdict import Status
from labutils.ground.patches import patches
from tests.answer_sheet import NAMES, Entry, entries_of, exercises_in, preamble_of
from tests.proofs.planted import Code
from tests.proofs.proof import Proof
from tests.proofs.reference import run_cell

HERE = Path(__file__).parent


def proofs_in(slug: str) -> dict[str, Proof]:
    """Exercise -> its proof, of the sheets of a chapter: ``SLUG.txt``, or those in a folder."""
    return {
        exercise: proof
        for path in [*HERE.glob(f"{slug}.txt"), *sorted((HERE / slug).glob("*.txt"))]
        for exercise, proof in _proofs(path)
    }


def _proofs(path: Path) -> Iterator[tuple[str, Proof]]:
    names = {**NAMES, "__name__": f"proofs of {path.stem}"}
    run_cell(preamble_of(path), names, f"proofs of {path.stem}")
    for exercise in exercises_in(path):
        yield exercise, _proof(path, exercise, names)


def _proof(path: Path, exercise: str, names: Mapping) -> Proof:
    mistakes, alternatives, equivalent = {}, {}, {}
    for one in entries_of(path, exercise, names):
        if one.mark == "right":
            alternatives[one.what] = _given(one, names)
        elif one.mark == "equivalent":
            equivalent |= dict.fromkeys(_mutants(one.given), one.what)
        else:
            (label,) = one.labels
            name = label.removeprefix("Status.")
            mistakes[one.what] = _given(one, names), name if name == label else Status[name]
    return Proof(mistakes, alternatives, equivalent)


def _mutants(text: str) -> Iterator[str]:
    """Mutants by their keys, or a statement and below it what changes in each of its mutants."""
    statement = ""
    for part in re.split(r"\n(?=\S)", text):
        line = " ".join(part.split())
        old, arrow, new = line.removeprefix("~ ").partition(" => ")
        if line.startswith("~ "):
            yield f"{statement} => {statement.replace(old, new)}"
        elif arrow:
            yield line
        else:
            statement = line


def _given(one: Entry, names: Mapping) -> Any:
    if one.mark == "patch":
        changes = re.sub(r"^~ (.*?) => (.*)$", r"- \1\n+ \2", one.given, flags=re.MULTILINE)
        (patch,) = patches(f"{one.what}: {', '.join(one.labels)}\n{changes}")
        return patch
    return Code(one.given, names) if one.is_code else one.given
