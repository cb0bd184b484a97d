"""What a learner does with an exercise: check, hint, reveal; and the piece that later cells use."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from labutils.exercises import catalog
from labutils.exercises.comparing.literal import shortened
from labutils.exercises.definition.exercise import CheckerError, Exercise
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.definition.workings import judged
from labutils.exercises.display.at_once import ShownOnce, at_once
from labutils.exercises.display.card import Card, Prose, wrapped
from labutils.exercises.journal.history import history
from labutils.exercises.journal.journal import record
from labutils.exercises.running import guard
from labutils.exercises.running.surroundings import restore_builtins

MOST_SECONDS = 60.0  # each step of a check has a limit of its own; only what escapes these is left

AFTER = {
    Status.unit: "Your last answer measures something else: begin with the unit.",
    Status.scale: "Your last answer is off by a factor that units explain: begin with the units.",
    Status.close: "Your last answer was close: the way is right, look at the figures in it.",
    Status.raised: "Your code stopped with an error: read the line that the check showed.",
    Status.timed_out: "Your code did not come back: look at what ends its loop.",
    Status.too_noisy: "Your last run was too short: make it longer before you change anything.",
}


@at_once
def check(exercise_id: str, answer, **workings) -> Verdict:
    """Judge an answer and record the verdict.

    ``answer`` is whatever the exercise asks for: a number, text with a unit, a function, a choice,
    a sample; ``...`` is no attempt. ``workings`` are intermediate quantities, by the names that
    the exercise gives them. Nothing that a learner hands in raises; an unknown id is a
    ``ValueError`` that names close ones. What never ends is stopped, but for one call that never
    comes back to Python (``sum(range(10**12))``, a product of huge arrays): there only a restart of
    the kernel helps.
    """
    restore_builtins()
    exercise = catalog.exercise(exercise_id)
    started = time.perf_counter()
    verdict, value = _looked_at(exercise, answer, workings)
    event = {
        "event": "check",
        "id": exercise.id,
        "status": verdict.status.value,
        "diagnosis": verdict.diagnosis,
        "seconds": round(time.perf_counter() - started, 3),
    }
    record(event if value is None else {**event, "value": value})
    return _with_way_on(verdict, exercise)


def _looked_at(exercise: Exercise, answer, workings) -> tuple[Verdict, float | None]:
    """The verdict, and the number worth recording; even where the answer breaks when looked at."""

    def look():
        return judged(exercise, answer, workings), exercise.checker.given_value(answer)

    run = guard.run(look, seconds=MOST_SECONDS)
    if isinstance(run.error, CheckerError):
        raise run.error
    if run.error is None and not run.timed_out:
        return run.value
    how = f"raises {shortened(repr(run.error))}" if run.error else "does not come to an end"
    message = f"Your answer is a {type(answer).__name__}, and looking into it {how}."
    return Verdict(Status.unreadable, message), None


@at_once
def hint(exercise_id: str) -> Card:
    """Show the next hint, with those before it; the first reacts to the last wrong answer."""
    exercise = catalog.exercise(exercise_id)
    seen = len(history("hint", exercise.id))
    level = min(seen + 1, len(exercise.hints))
    opening = _reaction(exercise)
    record({"event": "hint", "id": exercise.id, "level": level})
    parts = [Prose(f"{opening} {exercise.hints[0]}".lstrip())]
    parts += [Prose(f"Hint {n} of 3. {exercise.hints[n - 1]}") for n in range(2, level + 1)]
    if seen >= len(exercise.hints):
        parts.append(Prose(f"There are no more hints; `reveal({exercise.id!r})` explains."))
    return Card("Hint 1 of 3", tuple(parts), "info")


@dataclass(frozen=True, repr=False)
class Explanation(ShownOnce):
    """An exercise's explanation: Markdown in a notebook, the same text elsewhere."""

    title: str
    markdown: str

    def __repr__(self) -> str:
        return f"{self.title}\n\n{wrapped(self.markdown)}"

    def _repr_markdown_(self) -> str:
        return f"**{self.title}**\n\n{self.markdown}"


@at_once
def reveal(exercise_id: str) -> Explanation:
    """Explain the exercise. It stays open: a check afterwards counts as it does before."""
    exercise = catalog.exercise(exercise_id)
    record({"event": "reveal", "id": exercise.id})
    return Explanation(exercise.title, exercise.explanation)


def piece(exercise_id: str, mine):
    """The learner's own function (or value) if it passes its check, else the workbook's.

    Prints one line that says which. Cells further on build on the result, so an exercise that was
    skipped stops nothing.
    """
    exercise = catalog.exercise(exercise_id)
    verdict = exercise.judge(mine)
    if verdict.passed:
        print(f"{exercise.title}: using yours.")
        return mine
    untried = verdict.status is Status.not_attempted
    why = "yours is not there yet" if untried else "yours does not pass its check yet"
    print(f"{exercise.title}: {why}; using the workbook's.")
    return exercise.checker.reference_answer


def tried(exercise_id: str, mine) -> Callable:
    """The function by which the check of an engine's piece tries it, with yours in the engine.

    To paste a call that a check has shown: ``walk_decode = tried("scheduler.decode", _decode)``,
    then ``walk_decode(...)``. ``ValueError`` says what was expected in the place of ``mine``.
    """
    from labutils.exercises.checkers import Piece  # few exercises have one, and it loads much

    checker = catalog.exercise(exercise_id).checker
    if not isinstance(checker, Piece):
        raise ValueError(f"exercise_id = {exercise_id!r}: expected that of a piece of the engine")
    functions = checker.functions(mine)
    if isinstance(functions, Verdict):
        raise ValueError(functions.message)
    return checker.mine(functions)


def _with_way_on(verdict: Verdict, exercise: Exercise) -> Verdict:
    """Add where help is to be had, unless the verdict has a note or needs none."""
    if verdict.note or verdict.status in (Status.right, Status.not_attempted):
        return verdict
    return replace(verdict, note=f"If you are stuck: `hint({exercise.id!r})`")


def _reaction(exercise: Exercise) -> str:
    """A sentence on the last answer, if there was one and it was not right."""
    *_, last = {}, *history("check", exercise.id)
    known = {item.name: item.message for item in getattr(exercise.checker, "misconceptions", ())}
    if last.get("diagnosis") in known:
        return f"About your last answer: {known[last['diagnosis']]}"
    return AFTER.get(last.get("status"), "")
