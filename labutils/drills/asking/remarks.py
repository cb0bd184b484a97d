"""Sentences on how an asking stands: what the last answer was, where help is, where to go on."""

from typing import Protocol

from labutils.drills.asking.commitments import Commitments
from labutils.drills.definition.drill import Drill
from labutils.drills.judging.rough import SECONDS
from labutils.exercises.actions import AFTER
from labutils.exercises.definition.verdict import Status, Verdict


class Standing(Protocol):
    """What a remark has to know of a question that is being asked; ``Asking`` knows it."""

    terminal: bool
    drill: Drill
    tries: int
    last: Verdict | None
    committed: Commitments
    is_rough: bool
    is_revealed: bool

    @property
    def is_done(self) -> bool: ...

    @property
    def has_follow_up(self) -> bool: ...

    @property
    def seconds(self) -> float: ...


def spelled(asking: Standing, action: str) -> str:
    """How an action is called here: ``.hint()`` in a notebook, ``hint`` in a terminal."""
    return f"`{action.replace('_', ' ')}`" if asking.terminal else f"`.{action}()`"


def reaction(asking: Standing) -> str:
    """A sentence on the last answer, if there was one and it was not right."""
    last = asking.last
    if last is None:
        return ""
    if last.status is Status.misconception:
        return f"About your last answer: {last.message}"
    return AFTER.get(last.status, "")


def help_line(asking: Standing) -> str:
    """Where help is to be had after an answer that is not right."""
    if asking.is_done:
        return ""
    steps = asking.drill.named_steps
    first = next(iter(steps), "")
    said = f"If you are stuck: {spelled(asking, 'hint')}."
    if asking.tries < 2 or len(steps) < 2:
        return said
    how = f"`steps {first}=…`" if asking.terminal else f"`.check(answer, {first}=…)`"
    return f"{said} Hand in what you have on the way, and the first wrong step is named: {how}."


def range_in_words(asking: Standing) -> str:
    """How the range that was predicted did; nothing where there was none."""
    guess, answer = asking.committed.guess, asking.drill.answer
    if guess is None or answer is None:
        return ""
    said = f"You had said {guess.in_words(asking.drill.unit)}"
    if guess.is_point:
        return f"{said}."
    return f"{said}: your range {'held it' if guess.holds(answer) else 'missed it'}."


def late(asking: Standing) -> str:
    """What to say of a right answer to a rough question that took too long."""
    if not asking.is_rough or asking.seconds <= SECONDS:
        return ""
    return f"It took {asking.seconds:.0f} s; the aim is {SECONDS:.0f} s, in the head."


def onward(asking: Standing) -> str:
    """What can be done once the answer is known."""
    said = f"{spelled(asking, 'again')} draws new numbers."
    if asking.has_follow_up:
        said = f"{spelled(asking, 'follow_up')} moves the story on; {said}"
    if asking.terminal:
        said += " Enter asks another drill."
    if not asking.is_revealed:
        said += f" {spelled(asking, 'reveal')} shows the worked steps."
    return said


def step_names(drill: Drill) -> str:
    """The names of the steps that may be handed in, in their order."""
    return ", ".join(f"`{name}`" for name in drill.named_steps)
