"""Proofs as sheets: the mistakes of a chapter and its right answers of other styles, as text.

A sheet reads as ``tests/answer_sheet.py`` says. The label of a wrong answer is what it must be
told, a name or a ``Status``; ``equivalent: REASON`` stands above a mutant that is right too. The
text before the first exercise is code that runs first: what it defines all answers see.
"""

from collections.abc import Mapping
from pathlib import Path

from labutils.exercises.definition.verdict import Status
from tests.answer_sheet import NAMES, entries_of, exercises_in, preamble_of
from tests.proofs.planted import Code
from tests.proofs.proof import Proof
from tests.proofs.reference import run_cell

HERE = Path(__file__).parent


def proofs_in(slug: str) -> dict[str, Proof]:
    """Exercise -> its proof, of the sheet of a chapter."""
    path = HERE / f"{slug}.txt"
    names = {**NAMES, "__name__": f"proofs of {slug}"}
    run_cell(preamble_of(path), names, f"proofs of {slug}")
    return {exercise: _proof(path, exercise, names) for exercise in exercises_in(path)}


def _proof(path: Path, exercise: str, names: Mapping) -> Proof:
    found = {"wrong": {}, "right": {}, "equivalent": {}}
    for one in entries_of(path, exercise, names):
        given = Code(one.given, names) if one.is_code else one.given
        if one.mark == "wrong":
            (label,) = one.labels
            name = label.removeprefix("Status.")
            found["wrong"][one.what] = given, name if name == label else Status[name]
        elif one.mark == "right":
            found["right"][one.what] = given
        else:
            found["equivalent"][" ".join(one.given.split())] = one.what
    return Proof(found["wrong"], found["right"], found["equivalent"])
