"""What a learner reads about their class: how many stories it survives, the next in few lines."""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from labutils.exercises.checkers.code.feedback import handed_in
from labutils.exercises.comparing import culprit
from labutils.exercises.comparing.fault import Fault
from labutils.exercises.comparing.literal import literal, name_for, shortened
from labutils.exercises.comparing.trial import parameter_names, takes
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.running.guard import is_async
from labutils.exercises.stories.script import Call, New, Step, lines, variable_for
from labutils.exercises.stories.stage import Case, Stage
from labutils.exercises.stories.story import Story

NOT_REPEATABLE = Fault(
    Status.wrong,
    "Told twice, the same story ends in two ways. Does an object know what another one recorded "
    "(a list as a class attribute or as a default argument), or does it draw random numbers?",
    "not-repeatable",
)
CONSTANT = Fault(
    Status.wrong,
    "Your class gives the same result whatever happened before. Compute it from what it was told.",
    "constant",
)
_WIDTH = 88


@dataclass(frozen=True)
class Score:
    """How many of the stories are survived, and the number of the first that is not."""

    stories: Sequence[Story]
    survived: int
    number: int

    @property
    def words(self) -> str:
        """The score, and what was seen in the first story that is not survived."""
        story = self.stories[self.number]
        failed = len(self.stories) - self.survived
        several = "One flaw can end several, and one story can have several flaws. " * (failed > 1)
        return (
            f"{self.survived} of {len(self.stories)} stories survived. {several}"
            f'The next one is "{story.name}". {story.saw}'
        )


def right(stories: Sequence[Story], *, printed: bool) -> Verdict:
    """The verdict on a class that survives everything."""
    note = "Your class also prints; the check kept that off the page." if printed else ""
    names = "the story" if len(stories) == 1 else f"all {len(stories)} stories"
    message = f"Your class survives {names}, with other numbers each time."
    return Verdict(Status.right, message, note=note)


def not_attempted() -> Verdict:
    """The verdict on a class that still holds a stub."""
    return Verdict(
        Status.not_attempted,
        "Replace every line that raises NotImplementedError by your code, and run again.",
    )


def untouched(stage: Stage, case: Case, score: Score) -> Verdict:
    """The verdict on the class as it was handed out: what is to be done."""
    message = f"Your class still does what the one handed out does. {score.words}"
    return Verdict(Status.not_attempted, message, _detail(stage, case, _ending(case)))


def misfit(answer, reference: Callable, scripts: Sequence[Sequence[Step]]) -> Verdict | None:
    """Why no object can be made of the answer, if that is so."""
    steps = [step for script in scripts for step in script]
    methods = sorted({step.method for step in steps if isinstance(step, Call)})
    if _is_no_maker(answer, methods):
        named = ", ".join(f"`{name}`" for name in methods)
        return Verdict(
            Status.unreadable,
            f"Expected: a class with the methods {named}; you handed in {handed_in(answer)}. Hand "
            "in the class itself: its name, without parentheses behind it.",
        )
    for step in steps:
        if isinstance(step, New) and not takes(answer, step.args, step.kwargs):
            made = lines([step], _class_name(answer, reference), "it")[0].removeprefix("it = ")
            own = ", ".join(parameter_names(answer))
            return Verdict(Status.unreadable, f"Objects are made by `{made}`; yours takes ({own}).")
    return None


def time_is_up(stage: Stage, case: Case, score: Score, seconds: float) -> Verdict:
    """The verdict on a class that was still busy when its time was over."""
    return Verdict(
        Status.timed_out,
        f"Your class did not come back within {seconds:g} s from the last call below, in the "
        f'story "{score.stories[score.number].name}". Does a loop lack its way out?',
        _detail(stage, case, []),
    )


def too_slow(seconds: float) -> Verdict:
    """The verdict on a class whose calls end, but take too long together."""
    return Verdict(
        Status.timed_out,
        f"Your class needs more than {seconds:g} s for a few short stories. Look for work that is "
        "done again and again, or for a sleep.",
    )


def unusable(fault: Fault, score: Score) -> Verdict:
    """The verdict on a class whose objects lack what the stories call, from the first or later."""
    if score.survived:
        return Verdict(Status.wrong, f"{score.words} {fault.message}", diagnosis=fault.name)
    return Verdict(fault.status, fault.message, diagnosis=fault.name)


def failure(stage: Stage, case: Case, score: Score, fault: Fault) -> Verdict:
    """The verdict on a class that fails, shown on the shortest script found."""
    message = " ".join(filter(None, (score.words, fault.message, "The shortest script found:")))
    detail = _detail(stage, case, _ending(case))
    return Verdict(fault.status, message, detail, diagnosis=fault.name or None)


def _detail(stage: Stage, case: Case, ending: list[str]) -> str:
    """The script as lines to paste, up to the step that fails; the rest stands in comments."""
    name = _class_name(stage.learner, stage.reference)
    written = lines(case.script[: case.at + 1], name, variable_for(name))
    if len(ending) == 1 and len(written[-1]) + len(ending[0]) + 4 <= _WIDTH:
        written[-1] += f"  # {ending.pop()}"
    printed = case.got.run.printed.rstrip("\n").splitlines()
    comments = [*ending, *(["it printed:", *printed] if printed else [])]
    return "\n".join([*written, *(f"# {line}".rstrip() for line in comments)])


def _ending(case: Case) -> list[str]:
    """What should have come of the last step, and what came."""
    if case.fault.name == "mutates-input":
        return ["this changes its argument"]
    if case.fault.status is Status.raised:
        return culprit.describe(case.got.run.error).splitlines()
    expected, got = (_shown(telling.results[case.at]) for telling in (case.wanted, case.got))
    if len(expected) + len(got) < _WIDTH // 2:
        return [f"expected {expected}, got {got}"]
    return [f"expected  {expected}", f"got       {got}"]


def _is_no_maker(answer, methods: Sequence[str]) -> bool:
    if not callable(answer) or is_async(answer):
        return True
    return not inspect.isclass(answer) and all(_has(answer, name) for name in methods)


def _has(thing, name: str) -> bool:
    try:
        return hasattr(thing, name)
    except Exception:  # a learner's own __getattr__
        return False


def _class_name(learner, reference: Callable) -> str:
    return name_for(learner, reference, "YourClass")


def _shown(value) -> str:
    """A result as it stands in a comment."""
    return re.sub(r"float\('(-?\w+)'\)", r"\1", shortened(literal(value)))
