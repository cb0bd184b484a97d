"""What a learner reads about their function: the smallest failing call, or why none was made."""

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from labutils.exercises.checkers.code.naming import Explanation
from labutils.exercises.comparing import culprit
from labutils.exercises.comparing.compare import plain
from labutils.exercises.comparing.fault import OF_SHAPE, Fault
from labutils.exercises.comparing.literal import call_text, literal, shortened
from labutils.exercises.comparing.trial import Bench, Trial, parameter_names, takes
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.running.guard import is_async
from labutils.exercises.running.surroundings import MOST_PRINTED

NOT_REPEATABLE = Fault(
    Status.wrong,
    "Called twice with the same input, your function gives two answers. Does it keep something "
    "between calls (a global, a default argument that is a list), or draw random numbers?",
    "not-repeatable",
)
CONSTANT = Fault(
    Status.wrong,
    "Your function gives the same result whatever its input is. Is it computed from the arguments? "
    "If so, which step leaves nothing of them: a unit, a rounding, a test that always holds?",
    "constant",
)
_SMALLEST = "The smallest failing case found:"
_LONG = 240  # characters of two results that are still read as a whole


def right(*, printed: bool) -> Verdict:
    """The verdict on a function that agreed on every input."""
    note = "Your function also prints; the check kept that off the page." if printed else ""
    message = "Your function agrees with the workbook's on every input tried."
    return Verdict(Status.right, message, note=note)


def not_attempted() -> Verdict:
    """The verdict on a stub."""
    return Verdict(
        Status.not_attempted,
        "Replace the line that raises NotImplementedError by your code, and run again.",
    )


def misfit(answer, reference: Callable) -> Verdict | None:
    """Why the answer cannot be called as the exercise calls it, if it cannot."""
    names = parameter_names(reference)
    wanted = f"a function of ({', '.join(names)})"
    if not callable(answer):
        return Verdict(
            Status.unreadable,
            f"Expected: {wanted}; you handed in {handed_in(answer)}. Hand in the function "
            "itself: its name, without parentheses behind it.",
        )
    if is_async(answer) != is_async(reference):
        form = "async def" if is_async(reference) else "def, without async"
        return Verdict(Status.unreadable, f"Expected: {wanted}, defined with {form}.")
    if not takes(answer, (None,) * len(names)):
        own = ", ".join(parameter_names(answer))
        return Verdict(Status.unreadable, f"Expected: {wanted}; yours takes ({own}).")
    return None


LEFT_BEHIND = (
    "A part of it could not be stopped at once and may go on: where this notebook stays slow, "
    "restart its kernel."
)


_UNSTOPPABLE = (
    "One call that does not come back to Python (`sum`, a product of arrays) cannot be "
    "interrupted: if such a check ever hangs, restart the kernel."
)


def time_is_up(
    bench: Bench, trial: Trial, seconds: float, named: Explanation | None = None
) -> Verdict:
    """The verdict on a function that was still running when its time was over.

    ``named`` is the mistake that explains why, if one does.
    """
    detail = _detail(bench, trial, [])
    late = f"Your function did not come back within {seconds:g} s from the call below."
    late += f" {LEFT_BEHIND}" if trial.run.left_behind else ""
    if trial.run.seconds > 2 * seconds:
        late += f" It could be stopped only after {trial.run.seconds:.0f} s. {_UNSTOPPABLE}"
    if len(trial.run.printed) >= MOST_PRINTED:
        late += " It prints a great deal."
    if named:
        message = f"{named.message} {late}"
        return Verdict(Status.misconception, message, detail, diagnosis=named.item.name)
    if trial.run.seconds < 0.8 * seconds:
        return too_slow(seconds, trial.run.printed)
    return Verdict(Status.timed_out, f"{late} Does a loop lack its way out?", detail)


def too_slow(seconds: float, printed: str) -> Verdict:
    """The verdict on a function whose calls end, but take too long together."""
    return Verdict(
        Status.timed_out,
        f"Your function needs more than {seconds:g} s for the inputs of this check. "
        f"{_slow(printed)}",
    )


def _slow(printed: str) -> str:
    """Where the time may have gone; ``printed`` is what one call wrote."""
    if len(printed) >= MOST_PRINTED:
        return "It prints a great deal, which takes time: take the prints out first."
    return "Look for work that is done again and again, or for a sleep."


def failure(bench: Bench, trial: Trial, fault: Fault) -> Verdict:
    """The verdict on a wrong or raising function, shown on one failing trial."""
    if fault.status is Status.raised:
        lines, message = culprit.describe(trial.run.error).splitlines(), _SMALLEST
    else:
        lines = _beside(bench, trial)
        opening = _opening(trial, fault)
        message = f"{opening} {_SMALLEST}"
    return Verdict(
        fault.status, message, _detail(bench, trial, lines), diagnosis=fault.name or None
    )


def _detail(bench: Bench, trial: Trial, lines: list[str]) -> str:
    names = getattr(bench.reference, "argument_names", ())  # of a function that is not theirs
    call = call_text(bench.learner, bench.reference, trial.args, names=names)
    printed = trial.run.printed.rstrip("\n").splitlines()
    return "\n".join([call, *lines, *(["it printed:", *printed] if printed else [])])


def _beside(bench: Bench, trial: Trial) -> list[str]:
    """What was expected and what came; of long results the first part that differs."""
    if trial.fault and trial.fault.name == "mutates-input":
        return ["the result is right; the argument is not as it was"]
    if not (sentences := _first_that_differ(trial)):
        expected, got = trial.expected, trial.run.value
        if _are_records(expected, got):
            expected, got = _apart(expected, got)
        where, expected, got = _nearest(bench, expected, got)
        return [f"expected  {where}{_result(expected)}", *_got(trial, got, where)]
    return [f"{name:9} {sentence}" for name, sentence in zip(("expected", "got"), sentences)]


def _opening(trial: Trial, fault: Fault) -> str:
    """What is wrong; of two stories the sentences that differ, not how many there are."""
    sentences = _first_that_differ(trial)
    if sentences and fault.name in ("", *OF_SHAPE):
        expected, got = sentences
        return f"The story goes on otherwise: expected `{expected}`; got `{got}`."
    return fault.message or "Your function gives another result than expected."


def _first_that_differ(trial: Trial) -> tuple[str, str] | None:
    """The first sentences in which two stories differ; None if they do not, or are no stories."""
    expected, got = trial.expected, trial.run.value
    if not (_is_story(expected) and _is_story(got)) or expected == got:
        return None
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(expected, got)))
    first, second = ("".join(story[same : same + 1]) for story in (expected, got))
    return first or "nothing more", second or "nothing more"


def _is_story(value) -> bool:
    """Whether it is a list of sentences, as walks return them; names are single words."""
    texts = isinstance(value, list) and all(isinstance(one, str) for one in value)
    return texts and any(" " in one for one in value)


def _are_records(expected, got) -> bool:
    """Whether both are dicts of the same keys, of which some differ."""
    both = isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys()
    return both and literal(expected) != literal(got)


def _apart(expected: dict, got: dict) -> tuple[dict, dict]:
    """What differs of two records."""
    keys = [key for key in expected if literal(expected[key]) != literal(got[key])]
    return {key: expected[key] for key in keys}, {key: got[key] for key in keys}


def _nearest(bench: Bench, expected, got) -> tuple[str, Any, Any]:
    """Of two long results the first part that differs, down to what is short; and where it is."""
    where = ""
    while len(literal(expected)) + len(literal(got)) > _LONG:
        expected, got = plain(expected), plain(got)
        if isinstance(expected, dict) and isinstance(got, dict) and expected.keys() == got.keys():
            places = list(expected)
        elif isinstance(expected, list | tuple) and isinstance(got, list | tuple):
            places = range(min(len(expected), len(got)))
        else:
            break
        differing = (at for at in places if not bench.agrees(got[at], expected[at]))
        if (at := next(differing, None)) is None:  # one is longer
            break
        where, expected, got = f"{where}[{at!r}]", expected[at], got[at]
    return f"result{where} = " if where else "", expected, got


def _got(trial: Trial, got, where: str) -> list[str]:
    if trial.run.error:
        return ["got       an error:", *culprit.describe(trial.run.error).splitlines()]
    return [f"got       {where}{_result(got)}"]


def _result(value) -> str:
    return shortened(literal(value))


def handed_in(answer) -> str:
    """What an answer is, for "you handed in …"."""
    if answer is None:
        return "None"
    name = type(answer).__name__
    return f"a value of type {name}"
