"""What a learner can meet of each exercise and prediction, written out and as short digests.

``texts`` is every text and number that an exercise holds. ``verdicts`` is what its check says, on
inputs that the exercise's id decides, to each planted answer of its ``Proof`` and to each declared
mistake; for a function also what the mistakes return. Where a clock has a say (rehearsals, calls
that do not come back), status and diagnosis alone are kept.

    python -m tests.exercises.digests record              writes digests.json anew
    python -m tests.exercises.digests record ID ...       the lines of these alone
    python -m tests.exercises.digests show FOLDER ID ...  all of it to read, a file an exercise
"""

import copy
import dataclasses
import hashlib
import json
import os
import random
import secrets
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from labutils.authoring.sources.definitions import read_definitions
from labutils.exercises.checkers import Estimate, Function, Number, Rehearsals
from labutils.exercises.comparing import draws
from labutils.exercises.comparing.literal import literal
from labutils.exercises.definition.exercise import Exercise, NeverReturns, Prediction
from labutils.exercises.definition.verdict import Status
from tests.proofs import prove, quick_judge
from tests.proofs.planted import planted_answer
from tests.proofs.quick_judge import QuickJudge

RECORD = Path(__file__).with_name("digests.json")
OUTCOMES = 30  # drawn inputs on which the mistakes of a function are tried
INPUTS, SECONDS = 40, 5.0  # of a check, on any machine and in any run
PATIENT_SECONDS = 30.0
DEFINITIONS = read_definitions()


def chapters() -> dict[str, str]:
    """Exercise or prediction -> the slug of its chapter."""
    kinds = DEFINITIONS.exercises, DEFINITIONS.predictions
    return {one.id: slug for kind in kinds for slug, group in kind.items() for one in group}


def item(wanted: str) -> Exercise | Prediction:
    """The exercise or prediction with this id."""
    kinds = DEFINITIONS.exercises, DEFINITIONS.predictions
    return next(
        one for kind in kinds for group in kind.values() for one in group if one.id == wanted
    )


def texts(value) -> object:
    """All texts and numbers of a definition; of what is code only that it is there."""
    if value is None or isinstance(value, str | int | float):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {name: texts(held) for name, held in fields.items()}
    if isinstance(value, Mapping):
        return [[texts(key), texts(held)] for key, held in value.items()]
    if isinstance(value, list | tuple):
        return [texts(one) for one in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return type(value).__name__ if not callable(value) else "code"


def verdicts(exercise: Exercise, reference, proof) -> dict[str, object]:
    """What is said of every planted and declared answer, and what they are worth."""
    judge, checker = QuickJudge(exercise, reference), exercise.checker
    found: dict[str, object] = {}
    for name, given in {**proof.alternatives, **proof.mistakes}.items():
        given = given[0] if name in proof.mistakes else given
        found[f"planted {name}"] = _said(judge, planted_answer(exercise, reference, given))
    for name, answer in prove._declared_answers(exercise, reference):
        found[f"declared {name}"] = _said(judge, answer)
    if isinstance(checker, Number | Estimate):
        found["values"] = [repr(checker.reference_answer)]
        found["values"] += [repr(float(one.answer())) for one in checker.misconceptions]
    if isinstance(checker, Function):
        found["outcomes"] = _outcomes(checker)
    return found


def _said(judge: QuickJudge, answer) -> list[str]:
    verdict = judge(answer)
    if verdict.status is Status.timed_out:  # perhaps the machine is slow
        verdict = _patient(judge)(answer)
    timed = isinstance(judge.exercise.checker, Rehearsals) or verdict.status is Status.timed_out
    timed = timed or "did not come back" in verdict.message
    told = [] if timed else [verdict.message, verdict.note]
    return [str(verdict.status), verdict.diagnosis or "", *told]


def _patient(judge: QuickJudge) -> QuickJudge:
    checker = dataclasses.replace(judge.exercise.checker, seconds=PATIENT_SECONDS)
    patient = copy.copy(judge)
    patient.exercise = dataclasses.replace(judge.exercise, checker=checker)
    return patient


def _outcomes(checker: Function) -> dict[str, str]:
    drawn = draws.draw(checker.inputs(), number=OUTCOMES, seed=1)
    steady = [one for one in checker.misconceptions if one.shows is None]  # the others are chance
    codes = {"": checker.reference, **{one.name: one.answer for one in steady}}
    return {name: _digest([_outcome(code, args) for args in drawn]) for name, code in codes.items()}


def _outcome(code, args: tuple) -> str:
    given = copy.deepcopy(args)
    try:
        return literal(code(*given))
    except NeverReturns:
        return "never"
    except Exception as error:
        return type(error).__name__


def digest_of_texts(wanted: str) -> str:
    """A short digest of an exercise's texts."""
    return _digest(texts(item(wanted)))


def digest_of_verdicts(wanted: str) -> str:
    """A short digest of an exercise's verdicts; an empty text for a prediction."""
    found = verdicts_of(wanted)
    return _digest(found) if found else ""


def verdicts_of(wanted: str) -> dict[str, object]:
    """The verdicts of an exercise with this id, on inputs that the id decides."""
    from tests import test_exercise_proofs as proofs

    exercise = item(wanted)
    if isinstance(exercise, Prediction):
        return {}
    slug = chapters()[wanted]
    with _at_home():
        _, reference, proof = proofs.evidence(slug, exercise)
        seeds = random.Random(f"digest of {wanted}").getrandbits
        with (
            mock.patch.object(secrets, "randbits", seeds),
            mock.patch.object(quick_judge, "INPUTS", INPUTS),
            mock.patch.object(QuickJudge, "_limit", lambda *_: SECONDS),
        ):
            return verdicts(exercise, reference, proof)


def _digest(value) -> str:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


@contextmanager
def _at_home() -> Iterator[None]:
    """Chapters run where their notebooks stand, draw to files and keep progress to themselves."""
    from tests.test_exercise_proofs import ROOT

    before = Path.cwd()
    with (
        tempfile.TemporaryDirectory() as my,
        mock.patch.dict(os.environ, {"MPLBACKEND": "agg", "LABUTILS_MY": my}),
    ):
        os.chdir(ROOT / "solutions")
        try:
            yield
        finally:
            os.chdir(before)


def record(wanted: list[str]) -> None:
    """Write the digests of these, or of all, into the record."""
    known = json.loads(RECORD.read_text(encoding="utf-8")) if wanted else {}
    for one in wanted or chapters():
        known[one] = f"{digest_of_texts(one)} {digest_of_verdicts(one)}".strip()
    ordered = {one: known[one] for one in sorted(known)}
    RECORD.write_text(json.dumps(ordered, indent=0) + "\n", encoding="utf-8")


def show(folder: Path, wanted: list[str]) -> None:
    """Write everything that the digests are of, to be read and compared."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in wanted or chapters():
        whole = {"texts": texts(item(one)), "verdicts": verdicts_of(one)}
        told = json.dumps(whole, ensure_ascii=False, indent=1)
        (folder / f"{one}.json").write_text(told + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "record":
        record(sys.argv[2:])
    else:
        show(Path(sys.argv[2]), sys.argv[3:])
