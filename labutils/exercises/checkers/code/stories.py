"""A class that has to survive stories: what happens to an object of it, and what it then says."""

import secrets
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from labutils.exercises.checkers.code import story_feedback as feedback
from labutils.exercises.checkers.code.naming import Explanation, first_of
from labutils.exercises.comparing.compare import Comparison
from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.comparing.fault import OF_SHAPE, UNREADABLE, Fault, beside_all
from labutils.exercises.definition.exercise import Checker, Misconception, named_apart, trusted
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.stories.script import Step
from labutils.exercises.stories.stage import Case, Stage
from labutils.exercises.stories.story import Story
from labutils.exercises.stories.telling import Telling, reference_telling, tell
from labutils.ground.arguments import non_negative, positive

ROUNDS = 5  # every story is told as often, each time with other numbers
SHORTEN_SECONDS = 1.2
_ENDLESS_SECONDS = 0.1  # what runs longer, in a part of a script that never ended, is endless too

Drawn = tuple[int, tuple[Step, ...]]
"""The number of a story and its script, with the numbers of one round."""


@dataclass(frozen=True)
class Stories(Checker):
    """A checker for a class (or a function that makes objects) that must survive all ``stories``.

    What each ``Read`` returns must equal, within ``tolerance`` (relative) or ``absolute``, what an
    object of ``reference`` returns; NaN equals NaN. Nothing may raise, and arguments must end as
    the reference leaves them. A failing story is shown with the steps that the failure needs.

    ``start`` is the class as it is handed out in a repair exercise: an answer that does in every
    story what it does is not attempted. A misconception's ``answer`` is a wrong class: it is named
    if it explains every failure: of all stories, or else of the one that is shown, the first that
    it fails. It is named as the cause if no other one does so, too.
    ``seconds`` bounds the learner's code in one check.

    How to write one: let each story make one point, and tell those of empty and tiny objects
    first. Learners mend the stories in their order, and a script that is shortened must not end in
    a flaw that has not had its story yet. Draw what a result depends on, or it can be known by
    heart; keep away from an edge (who counts at exactly ``now_s``?) unless the story is about it.
    Give one misconception per story, the flaw of ``start`` alone. None of these classes may keep
    anything from one object to the next (a list as a class attribute), or one check taints the
    next. In the source the whole class stands between the solution markers, the class handed out
    in STUB lines.
    """

    stories: tuple[Story, ...]
    reference: Callable
    start: Callable | None = None
    misconceptions: tuple[Misconception, ...] = ()
    tolerance: float = 1e-9
    absolute: float = 1e-12
    seconds: float = 5.0

    def __post_init__(self):
        names = [getattr(story, "name", None) for story in self.stories]
        if not names or None in names or len(set(names)) < len(names):
            raise ValueError(f"stories = {names!r}: expected stories with names that differ")
        for name in ("reference", "start"):
            value = getattr(self, name)
            if not callable(value) and (name, value) != ("start", None):
                raise ValueError(f"{name} = {value!r}: expected a class")
        non_negative("tolerance", self.tolerance)
        non_negative("absolute", self.absolute)
        positive("seconds", self.seconds)
        named_apart(self.misconceptions)

    @property
    def reference_answer(self) -> Callable:
        return self.reference

    def check(self, answer) -> Verdict:
        rounds = self._drawn(ROUNDS)
        scripts = [script for _, script in rounds]
        if problem := feedback.misfit(answer, self.reference, scripts):
            return problem
        # numpy's warnings about a learner's division by zero would come once per script
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self._judged(answer, rounds)

    def _drawn(self, rounds: int) -> list[Drawn]:
        """Number and script of every story, all of them once before one comes again."""
        seed = secrets.randbits(64)
        return [
            (number, trusted(f"story {story.name!r}", lambda s=story, d=draw: s.told(d)))
            for told in range(rounds)
            for number, story in enumerate(self.stories)
            for draw in [Draw(f"{seed} {told} {number}")]
        ]

    def _judged(self, learner: Callable, rounds: list[Drawn]) -> Verdict:
        stage = Stage(learner, self.reference, Comparison(self.tolerance, self.absolute))
        cases = self._played(stage, rounds)
        failing = [case for case in cases if case.fault]
        if not failing:
            return self._passed(cases)
        if any(case.fault.status is Status.not_attempted for case in failing):
            return feedback.not_attempted()
        case = min(failing, key=lambda case: (case.story, len(case.script)))
        score = feedback.Score(self.stories, _survived(cases), case.story)
        if case.fault.name != UNREADABLE and self.start and _does_as(self.start, stage, cases):
            return feedback.untouched(stage, _shortened(stage, case), score)
        if case.fault.status is Status.timed_out:
            if case.got.waited_s < 0.5 * self.seconds:
                return feedback.too_slow(self.seconds)
            return feedback.time_is_up(stage, _shortened(stage, case), score, self.seconds)
        return self._failure(stage, cases, case, score)

    def _played(self, stage: Stage, rounds: list[Drawn]) -> list[Case]:
        """Play the scripts until time is up; then the last case says so."""
        cases: list[Case] = []
        left = self.seconds
        for number, script in rounds:
            cases.append(stage.play(number, script, seconds=left))
            left -= cases[-1].got.run.seconds
            if cases[-1].got.run.timed_out or left <= 0:
                break
        return cases

    def _passed(self, cases: list[Case]) -> Verdict:
        if len(cases) < len(self.stories):
            return feedback.too_slow(self.seconds)
        return feedback.right(self.stories, printed=any(case.got.run.printed for case in cases))

    def _failure(self, stage: Stage, cases: list[Case], case: Case, score) -> Verdict:
        """What explains the failure best: no result at all, something kept between objects, a
        known misconception, a constant, or just this case."""
        fault, like = _beside_all(case, cases), _anything
        if fault.status is Status.unreadable:
            return feedback.unusable(fault, score)
        if not fault.final:
            if not _repeats(stage, cases):
                fault = feedback.NOT_REPEATABLE
            elif found := self._named(stage, cases, case):
                fault, like = found.fault, partial(_explains, found.item, stage)
            elif _is_constant(stage, cases):
                fault = feedback.CONSTANT
        return feedback.failure(stage, _shortened(stage, case, like), score, fault)

    def _named(self, stage: Stage, cases: list[Case], case: Case) -> Explanation | None:
        """The mistake that explains all stories, or else all tellings of the one shown.

        A class to be repaired has other flaws, for other stories; of any other class a mistake
        that explains one story may be the cause. A wrong class that fails an earlier story makes
        another mistake, which is mended here.
        """
        told = [other for other in cases if other.story == case.story]
        earlier = [other for other in cases if other.story < case.story]
        able = [item for item in self.misconceptions if _explains(item, stage, case)]
        whole = [i for i in able if all(_accounts_for(i, stage, other) for other in cases)]
        if whole:
            return first_of(whole)
        mended = [i for i in able if all(_survives(i, stage, other) for other in earlier)]
        part = [i for i in mended if all(_accounts_for(i, stage, other) for other in told)]
        return first_of(part, sure=self.start is not None)


def _beside_all(case: Case, cases: list[Case]) -> Fault:
    """The fault of a case, as it reads beside everything that the same method returned."""
    method = getattr(case.script[case.at], "method", "")
    steps = [
        (other, number)
        for other in cases
        for number in other.got.results.keys() & other.wanted.results.keys()
        if other.script[number].method == method
    ]
    got = [other.got.results[number] for other, number in steps]
    return beside_all(case.fault, got, [other.wanted.results[number] for other, number in steps])


def _survived(cases: list[Case]) -> int:
    """How many stories are survived each time that they are told."""
    return len({case.story for case in cases} - {case.story for case in cases if case.fault})


def _anything(case: Case) -> bool:
    return True


def _shortened(stage: Stage, case: Case, like: Callable[[Case], bool] = _anything) -> Case:
    if case.got.run.timed_out:
        return stage.shortest(case, like, seconds=2 * SHORTEN_SECONDS, each=_ENDLESS_SECONDS)
    return stage.shortest(case, like, seconds=SHORTEN_SECONDS, each=SHORTEN_SECONDS)


def _repeats(stage: Stage, cases: list[Case]) -> bool:
    """Whether the scripts end the same way again, after the other objects have lived."""
    for case in cases:
        if not case.got.run.timed_out:
            again = tell(case.script, stage.learner, seconds=1 + 3 * case.got.run.seconds)
            if stage.differing(again, case.got):
                return False
    return True


def _does_as(start: Callable, stage: Stage, cases: list[Case]) -> bool:
    """Whether the learner's class does in every script what ``start`` does."""
    return not any(
        stage.differing(case.got, reference_telling(case.script, start, "handed-out class"))
        for case in cases
    )


def _explains(item: Misconception, stage: Stage, case: Case) -> bool:
    """Whether the wrong class goes wrong where the learner's does, in the same way."""
    wrong = _wrong_telling(item, case)
    return case.at in stage.differing(wrong, case.wanted) - stage.differing(wrong, case.got)


def _accounts_for(item: Misconception, stage: Stage, case: Case) -> bool:
    """Whether the learner's class fails where the wrong one does and nowhere before, like it."""
    wrong = _wrong_telling(item, case)
    wrongly = stage.differing(wrong, case.wanted)
    alike = not wrongly & stage.differing(wrong, case.got)
    return alike and (case.fault is None or case.at in wrongly)


def _survives(item: Misconception, stage: Stage, case: Case) -> bool:
    """Whether the wrong class does right in this story."""
    return not stage.differing(_wrong_telling(item, case), case.wanted)


def _wrong_telling(item: Misconception, case: Case) -> Telling:
    return reference_telling(case.script, item.answer, f"misconception {item.name!r}")


def _is_constant(stage: Stage, cases: list[Case]) -> bool:
    """Whether all results of the learner's class are the same although they should differ.

    Only results of the right kind and length count: of others, that is what to say first.
    """
    got = [value for case in cases for value in case.got.results.values()]
    wanted = [value for case in cases for value in case.wanted.results.values()]
    shapeless = any(case.fault and case.fault.name in OF_SHAPE for case in cases)
    if len(got) < 3 or shapeless or any(case.got.run.error for case in cases):
        return False
    return all(stage.same(got[0], value) for value in got) and not all(
        stage.same(wanted[0], value) for value in wanted
    )
