"""Hand every answer to its check and print the figures: ``python -m tests.answers [SLUG ...]``."""

import argparse
import importlib
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from labutils.exercises.definition.workings import judged
from tests.answers.answer import Answer
from tests.answers.outcome import Outcome, figures
from tests.proofs.planted import planted_answer
from tests.proofs.reference import references

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
MACHINERY = ("__init__", "__main__", "answer", "outcome", "test_outcome", "flights")


def main(arguments: list[str]) -> int:
    """Print each answer whose outcome somebody has to look at, then the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.answers", description=__doc__)
    known = sorted(_name(path) for path in HERE.rglob("*.py") if path.stem not in MACHINERY)
    parser.add_argument("slugs", nargs="*", metavar="SLUG", help=f"of {', '.join(known)}")
    parser.add_argument("--all", action="store_true", help="print what every check said")
    options = parser.parse_args(arguments)
    outcomes = []
    for slug in options.slugs or known:
        for outcome in trial(slug):
            outcomes.append(outcome)
            if options.all or outcome.asks_for_eyes:
                print(_line(outcome), flush=True)
    print()
    for name, number, of, bar in figures(outcomes):
        print(f"{name:26} {number:5} of {of:5}  {100 * number / max(of, 1):6.2f} %   {bar}")
    return 0


def trial(slug: str) -> Iterator[Outcome]:
    """The outcome of every answer to the exercises of one chapter, from one writer."""
    answers: list[Answer] = importlib.import_module(f"tests.answers.{slug}").ANSWERS
    of_chapter = slug.rpartition(".")[2]
    chapter = next(c for c in read_course(ROOT).chapters if c.header.slug == of_chapter)
    exercises = {one.id: one for one in read_definitions().exercises[of_chapter]}
    with tempfile.TemporaryDirectory() as scratch:
        os.environ.update(MPLBACKEND="agg", LABUTILS_MY=str(Path(scratch) / "my"))
        os.chdir(ROOT / "solutions")
        chapters = references(chapter)
        ranks: Counter[str] = Counter()
        for answer in answers:
            ranks[answer.exercise] += not answer.is_right
            exercise, reference = exercises[answer.exercise], chapters[answer.exercise]
            try:
                given = planted_answer(exercise, reference, answer.given)
                verdict = judged(exercise, given, answer.workings)
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                yield Outcome(answer, ranks[answer.exercise], None, said)
            else:
                yield Outcome(answer, ranks[answer.exercise], verdict)


def _name(path: Path) -> str:
    """``littles_law``, or ``second.littles_law`` for the second writer's."""
    return ".".join(path.relative_to(HERE).with_suffix("").parts)


def _line(outcome: Outcome) -> str:
    answer, verdict = outcome.answer, outcome.verdict
    said = outcome.error if verdict is None else " ".join(verdict.message.split())
    side = "right" if answer.is_right else f"wrong {outcome.rank}"
    return (
        f"{answer.exercise} ({side}: {answer.what})\n"
        f"    {outcome.kind} [{outcome.label}] {said[:300]}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
