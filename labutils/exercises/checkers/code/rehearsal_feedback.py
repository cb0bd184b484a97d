"""What a learner reads about asyncio code: the story that fails, as a timeline."""

import inspect
from collections.abc import Callable, Sequence

from labutils.exercises.checkers.code.feedback import LEFT_BEHIND, handed_in
from labutils.exercises.checkers.code.naming import Explanation
from labutils.exercises.comparing import culprit
from labutils.exercises.comparing.trial import parameter_names
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.rehearsals.event_lines import event_lines
from labutils.exercises.rehearsals.scene import AsyncStory
from labutils.exercises.running.clocks import clock_read_by
from labutils.exercises.running.guard import is_async

MOST_LINES = 24  # of a timeline; a loop that goes on for ever would fill the page
_SPINS = (
    "It wakes again and again and no time passes: it waits for what has happened already, or until "
    "a moment that is past. A moment, or a duration? `>` or `>=`?"
)


def right(stories: Sequence[AsyncStory], noun: str, *, printed: bool) -> Verdict:
    """The verdict on code that survives everything."""
    note = "Your code also prints; the check kept that off the page." if printed else ""
    names = "the story" if len(stories) == 1 else f"all {len(stories)} stories"
    return Verdict(
        Status.right,
        f"Your {noun} survives {names}, with other numbers each time: everybody hears what they "
        "should, when they should.",
        note=note,
    )


def not_attempted() -> Verdict:
    """The verdict on a stub."""
    return Verdict(
        Status.not_attempted,
        "Replace the line that raises NotImplementedError by your code, and run again.",
    )


def misfit(answer, wanted: Callable) -> Verdict | None:
    """Why the answer cannot stand for the method, if that is so."""
    if not inspect.isfunction(answer):
        return Verdict(
            Status.unreadable,
            f"Expected: the function `{wanted.__name__}`; you handed in {handed_in(answer)}.",
        )
    if is_async(wanted) != is_async(answer):
        word = "`async def`" if is_async(wanted) else "a plain `def`, without `async`"
        return Verdict(Status.unreadable, f"`{wanted.__name__}` begins with {word}: keep that.")
    own, expected = parameter_names(answer), parameter_names(wanted)
    if len(own) < len(expected) and not _takes_any(answer):
        return Verdict(
            Status.unreadable,
            f"`{wanted.__name__}` takes ({', '.join(expected)}); yours takes ({', '.join(own)}).",
        )
    return None


def failure(
    stories: Sequence[AsyncStory], survived: int, act, named: Explanation | None, answer
) -> Verdict:
    """The verdict on a method that fails a story, with the shortest timeline found."""
    story = stories[act.story]
    score = (
        f"{survived} of {len(stories)} stories survived. "
        f'The next one is "{story.name}". {story.saw}'
    )
    if act.got.run.timed_out:
        parts = (
            f"{score} Your code keeps the loop busy and does not come back.",
            _unawaited(act)
            or (_SPINS if act.got.spins else "Does a loop lack an `await` that lets time pass?"),
            LEFT_BEHIND if act.got.run.left_behind else "",
        )
        return Verdict(Status.timed_out, " ".join(filter(None, parts)))
    status = Status.misconception if named else Status.raised if act.got.error else Status.wrong
    parts = (
        score,
        named.message if named else "",
        _clock(answer, act.scene.opens.clock),
        _unawaited(act),
    )
    said = " ".join(filter(None, parts))
    lines = _shortened(event_lines(act.got, act.wanted))
    if act.got.error is not None:
        lines += ["", *culprit.describe(act.got.error).splitlines()]
    if act.got.run.printed:
        lines += ["", "it printed:", *act.got.run.printed.rstrip("\n").splitlines()]
    return Verdict(status, said, "\n".join(lines), diagnosis=named.item.name if named else None)


def _shortened(lines: list[str]) -> list[str]:
    """The first lines and the last, where there are too many."""
    left_out = len(lines) - MOST_LINES
    if left_out <= 0:
        return lines
    half = MOST_LINES // 2
    return [*lines[:half], f"{'':11}  … {left_out} more like these …", *lines[-half:]]


def _clock(answer, clock: str) -> str:
    """A word on the clock, where the code seems to read one that does not jump."""
    read = clock_read_by(answer)
    return f"Your code reads `{read}`: ask {clock}." if read else ""


def _unawaited(act) -> str:
    """A word on a call whose ``await`` was forgotten: nothing of it has happened."""
    if not act.got.unawaited:
        return ""
    name = act.got.unawaited[0]
    return f"Your code calls `{name}` and does not await it, so nothing of it happens."


def _takes_any(answer) -> bool:
    parameters = inspect.signature(answer).parameters.values()
    return any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters)
