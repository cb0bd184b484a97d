"""Asyncio code, a method or a function, that has to survive stories, played in virtual time."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from labutils.exercises.checkers.code import rehearsal_feedback as feedback
from labutils.exercises.checkers.code.naming import Explanation, first_of
from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.comparing.fault import is_stub
from labutils.exercises.comparing.shortest import needed
from labutils.exercises.definition.exercise import (
    Checker,
    CheckerError,
    Misconception,
    named_apart,
    trusted,
)
from labutils.exercises.definition.verdict import Verdict
from labutils.exercises.rehearsals.played import End, Played
from labutils.exercises.rehearsals.rehearsal import rehearse
from labutils.exercises.rehearsals.scene import AsyncStory, Scene
from labutils.exercises.running.assembly import assembled
from labutils.ground.arguments import positive

ROUNDS = 4  # every story is told as often, each time with other numbers
SHORTEN_SECONDS = 0.8
SLACK_MS = 0.01
NOTHING = End("nothing")  # of a request or a computation that never began


@dataclass(frozen=True)
class Act:
    """One scene, as the workbook's class and the learner's played it; ``story`` is its number.

    ``is_house`` where the learner's could not be played, and the workbook's took its place.
    """

    story: int
    wanted: Played
    got: Played
    is_house: bool = False

    @property
    def scene(self) -> Scene:
        """What was played."""
        return self.got.scene

    @property
    def wrong(self) -> tuple[str, ...]:
        """The clients whose requests ended otherwise than the reference's."""
        return _differing(self.got, self.wanted)

    @property
    def failed(self) -> bool:
        """Whether anything went wrong at all."""
        return bool(self.wrong or self.got.deaths or self.got.run.timed_out or self.got.error)

    @property
    def kinds(self) -> set[tuple[str, str]]:
        """What came and what should have come, of those that went wrong."""
        got, wanted = self.got.outcome, self.wanted.outcome
        return {(got.get(n, NOTHING).kind, wanted.get(n, NOTHING).kind) for n in self.wrong}

    def fails_as(self, other: "Act") -> bool:
        """Whether this fails in the way of another act, or in a part of it."""
        same_error = type(self.got.error) is type(other.got.error)
        return self.failed and self.kinds <= other.kinds and same_error


@dataclass(frozen=True)
class Rehearsals(Checker):
    """A checker for the function that stands for ``method`` of ``reference`` in all ``stories``.

    Without a ``method`` the ``reference`` is a function itself. Everybody's request (and every
    computation that requests share) must end as with the reference: in the same way, at the same
    (virtual) moment. A failing story is shown with the events that the failure needs, as a
    timeline.

    A misconception's ``answer`` is a wrong function: it is named if it ends every story as the
    learner's does, as possible only if it does so in the failing story alone. ``seconds`` bounds
    the learner's code in one check.
    """

    stories: tuple[AsyncStory, ...]
    reference: Callable
    method: str = ""
    misconceptions: tuple[Misconception, ...] = ()
    seconds: float = 4.0

    def __post_init__(self):
        names = [getattr(story, "name", None) for story in self.stories]
        if not names or None in names or len(set(names)) < len(names):
            raise ValueError(f"stories = {names!r}: expected stories with names that differ")
        if self.method and not callable(getattr(self.reference, self.method, None)):
            raise ValueError(f"method = {self.method!r}: expected a method of {self.reference!r}")
        positive("seconds", self.seconds)
        named_apart(self.misconceptions)

    @property
    def reference_answer(self) -> Callable:
        return getattr(self.reference, self.method) if self.method else self.reference

    def check(self, answer) -> Verdict:
        if problem := feedback.misfit(answer, self.reference_answer):
            return problem
        acts = self.acts(answer)
        failing = [act for act in acts if act.failed]
        if not failing:
            printed = any(act.got.run.printed for act in acts)
            return feedback.right(self.stories, acts[0].scene.opens.noun, printed=printed)
        if any(is_stub(error) for act in failing for error in _errors(act)):
            return feedback.not_attempted()
        act = min(failing, key=lambda act: (act.story, len(act.scene.events)))
        found = self._named(acts, act)
        act = self.shortest(answer, act, like=found.item if found else None)
        survived = len({act.story for act in acts} - {act.story for act in failing})
        return feedback.failure(self.stories, survived, act, found, answer)

    def act(self, answer, *, seed: int = 0, story: str | None = None) -> Act:
        """What to look at: the first failure, with no more events than it needs; else ``story``.

        ``seed`` gives the numbers. An answer that cannot be played is replaced by the workbook's.
        """
        is_house = bool(feedback.misfit(answer, self.reference_answer)) or self._is_stub(
            answer, seed
        )
        answer = self.reference_answer if is_house else answer
        scenes = [story.told(Draw(f"{seed} {k}")) for k, story in enumerate(self.stories)]
        acts = [self.play(answer, k, scene, seconds=1.0) for k, scene in enumerate(scenes)]
        failing = next((act for act in acts if act.failed), None)
        names = [one.name for one in self.stories]
        act = self.shortest(answer, failing) if failing else acts[names.index(story or names[0])]
        return replace(act, is_house=is_house)

    def _is_stub(self, answer, seed: int) -> bool:
        act = self.play(answer, 0, self.stories[0].told(Draw(seed)), seconds=1.0)
        return any(is_stub(error) for error in _errors(act))

    def acts(self, answer) -> list[Act]:
        """Both classes in every story, with fresh numbers, until the learner's time is up."""
        return [*self.each_act(answer)]

    def each_act(self, answer) -> Iterator[Act]:
        """One act after the other."""
        seed, left = secrets.randbits(64), self.seconds
        for told in range(ROUNDS):
            for number, story in enumerate(self.stories):
                draw = Draw(f"{seed} {told} {number}")
                scene = trusted(f"story {story.name!r}", lambda s=story, d=draw: s.told(d))
                act = self.play(answer, number, scene, seconds=left)
                yield act
                left -= act.got.run.seconds
                if act.got.run.timed_out or left <= 0:
                    return

    def play(self, answer, number: int, scene: Scene, *, seconds: float) -> Act:
        """Play one scene with the workbook's class and with the learner's."""
        wanted = self._wanted(scene)
        return Act(number, wanted, rehearse(self._with(answer), scene, seconds=seconds))

    def _wanted(self, scene: Scene) -> Played:
        """The scene as the workbook's class plays it."""
        wanted = rehearse(self.reference, scene)
        if wanted.error or wanted.run.timed_out or wanted.deaths:
            raise CheckerError(
                f"The workbook's own {scene.opens.noun} failed in its story ({wanted.error!r}). "
                "This is a fault of the workbook, not of your answer."
            )
        return wanted

    def shortest(self, answer, act: Act, *, like: Misconception | None = None) -> Act:
        """The same failure with no more events than it needs, as far as time allows."""
        found = [act]

        def still(events: list) -> bool:
            scene = act.scene.with_events(events)
            if not scene.events:
                return False
            tried = self.play(answer, act.story, scene, seconds=SHORTEN_SECONDS)
            good = tried.fails_as(act) and (like is None or self._explains(like, tried))
            if good and len(scene.events) < len(found[-1].scene.events):
                found.append(tried)
            return good

        if not act.got.run.timed_out:
            needed(act.scene.events, still, seconds=SHORTEN_SECONDS)
        return found[-1]

    def _named(self, acts: list[Act], failing: Act) -> Explanation | None:
        """The mistake that does all that the learner's does; or else does so in this story."""
        if failing.got.run.timed_out:
            return None
        told = [act for act in acts if act.story == failing.story]
        able = [item for item in self.misconceptions if self._explains(item, failing)]
        for some, sure in ((acts, True), (told, False)):
            alike = [
                i for i in able if all(_alike(self._wrong(i, act.scene), act.got) for act in some)
            ]
            if alike:
                return first_of(alike, sure=sure)
        return None

    def _explains(self, item: Misconception, act: Act) -> bool:
        """Whether the wrong function ends the scene as the learner's does, and wrongly."""
        wrong = self._wrong(item, act.scene)
        fails = _differing(wrong, act.wanted) or wrong.error
        return bool(fails) and _alike(wrong, act.got)

    def _wrong(self, item: Misconception, scene: Scene) -> Played:
        return rehearse(self._with(item.answer), scene)

    def _with(self, answer) -> Callable:
        return assembled(self.reference, **{self.method: answer}) if self.method else answer


def _differing(one: Played, other: Played) -> tuple[str, ...]:
    """Whose requests, and which computations, ended otherwise."""
    mine, theirs = one.outcome, other.outcome
    return tuple(
        name
        for name in dict.fromkeys((*mine, *theirs))
        if not mine.get(name, NOTHING).same(theirs.get(name, NOTHING), SLACK_MS)
    )


def _alike(one: Played, other: Played) -> bool:
    return not _differing(one, other) and type(one.error) is type(other.error)


def _errors(act: Act) -> list[BaseException]:
    errors = [death.error for death in act.got.deaths]
    errors += [end.error for end in act.got.ends.values() if end.error is not None]
    errors += [error.__cause__ for error in errors if error.__cause__ is not None]
    return errors
