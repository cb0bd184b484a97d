"""The check of one exercise in a hurry, for the many wrong answers of its proof.

It judges as the exercise does. What all answers have in common is done once: the inputs or stories
are drawn once (anew for every ``QuickJudge``), and the workbook's own functions and classes meet
them once. A failing case is made smaller only where that is asked for, slow answers are given up
sooner, and without ``FULL`` there are fewer inputs.
"""

import contextlib
import copy
import dataclasses
import secrets
import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any
from unittest import mock

from labutils.exercises.checkers import Function, Piece, Rehearsals, Stories
from labutils.exercises.checkers.code import (
    function as function_checker,
    naming,
    rehearsals as rehearsals_checker,
    stories as stories_checker,
)
from labutils.exercises.checkers.code.rehearsals import Act
from labutils.exercises.comparing import draws, trial
from labutils.exercises.comparing.trial import Trial
from labutils.exercises.definition.exercise import Exercise
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.exercises.definition.workings import judged
from labutils.exercises.rehearsals.played import Played
from labutils.exercises.stories import stage
from labutils.exercises.stories.stage import Case
from labutils.exercises.stories.telling import Telling, reference_telling
from tests.conftest import FULL
from tests.proofs.reference import Reference

SLOWER = 20  # times slower than the reference answer is too slow ...
PATIENCE_SECONDS = 1.0  # ... and never sooner than this
INPUTS = 100 if FULL else 40  # of a function, at most; those that it always meets come on top
ROUNDS = 3  # of rehearsals, one less than in a check
IDLE = 4  # code that computes nothing is not slower than the reference answer by this factor


class QuickJudge:
    """A call judges an answer (and its workings), all of them on the same fresh inputs."""

    def __init__(self, exercise: Exercise, reference: Reference):
        self.exercise = exercise
        self._seed, self._inputs, self._rounds, self._tellings = None, {}, {}, {}
        self._played: dict[tuple, Played] = {}
        self._known = {id(args): args for args in getattr(exercise.checker, "always", ())}
        self._house: dict[tuple, Any] = {}
        if isinstance(exercise.checker, Function | Stories | Rehearsals):
            if isinstance(exercise.checker, Function):
                self._changed(num_inputs=min(exercise.checker.num_inputs, INPUTS))
            self._changed(seconds=min(exercise.checker.seconds, self._limit(reference)))

    def __call__(self, answer, workings=None, *, search_seconds: float = 0.0) -> Verdict:
        with self._hurry(search_seconds):
            return judged(self.exercise, answer, workings or {})

    def status(self, answer, workings=None) -> Status:
        """The verdict's status; the first wrong result decides, and no cause is looked for."""
        with contextlib.ExitStack() as patches:
            for where, name, instead in (
                (Function, "_trials", _tried_until_wrong),
                (naming, "named", lambda *_: None),
                (naming, "named_endless", lambda *_: None),
                (Stories, "_played", _told_until_wrong),
                (Stories, "_failure", lambda *_: Verdict(Status.wrong, "")),
                (Rehearsals, "acts", _rehearsed_until_wrong),
                (Rehearsals, "_named", lambda *_: None),
                (Rehearsals, "shortest", lambda _checker, _answer, act, **_: act),
            ):
                patches.enter_context(mock.patch.object(where, name, instead))
            return self(answer, workings).status

    def is_right(self, answer, workings=None) -> bool:
        return self.status(answer, workings) is Status.right

    def _changed(self, **options) -> None:
        checker = dataclasses.replace(self.exercise.checker, **options)
        self.exercise = dataclasses.replace(self.exercise, checker=checker)

    def idle(self) -> "QuickJudge":
        """This judge for code that computes nothing: it is given up soon."""
        judge, checker = copy.copy(self), self.exercise.checker
        if hasattr(checker, "seconds"):
            brief = dataclasses.replace(checker, seconds=checker.seconds * IDLE / SLOWER)
            judge.exercise = dataclasses.replace(self.exercise, checker=brief)
        return judge

    def _limit(self, reference: Reference) -> float:
        """The time that a wrong answer gets, by what the reference answer takes."""
        right, spent_s = reference.answer, []

        def tried(*given) -> list[Trial]:
            trials = _tried(*given)
            spent_s.append(sum(one.run.seconds for one in trials))
            return trials

        with (
            mock.patch.object(Piece, "_kept", lambda *_: ("", "")),
            mock.patch.object(Function, "_trials", tried),
        ):
            self(right.value, right.workings)
            if not spent_s:  # of stories: those that are drawn already
                started = time.perf_counter()
                self(right.value, right.workings)
                spent_s.append(time.perf_counter() - started)
        return max(PATIENCE_SECONDS, SLOWER * spent_s[0])

    @contextlib.contextmanager
    def _hurry(self, search_seconds: float) -> Iterator[None]:
        drawing = SimpleNamespace(draw=self._draw, smallest=draws.smallest)
        with contextlib.ExitStack() as patches:
            if not search_seconds:
                patches.enter_context(mock.patch.object(Function, "_smallest", lambda *_: None))
            for where, name, instead in (
                (function_checker, "SHRINK_SECONDS", search_seconds),
                (function_checker, "secrets", SimpleNamespace(randbits=self._one_seed)),
                (function_checker, "draws", drawing),
                (stories_checker, "SHORTEN_SECONDS", search_seconds),
                (rehearsals_checker, "SHORTEN_SECONDS", search_seconds / 3),
                (trial, "expected_of", self._each_input_once(trial.expected_of)),
                (naming, "_wrong_value", self._each_input_once(naming._wrong_value)),
                (rehearsals_checker, "ROUNDS", ROUNDS),
                (rehearsals_checker, "secrets", SimpleNamespace(randbits=self._one_seed)),
                (rehearsals_checker.Rehearsals, "_wrong", self._once(_wrong)),
                (rehearsals_checker.Rehearsals, "_wanted", self._once(_wanted)),
                (stories_checker, "reference_telling", self._reference_telling),
                (stories_checker.Stories, "_drawn", self._drawn()),
                (stage, "reference_telling", self._reference_telling),
            ):
                patches.enter_context(mock.patch.object(where, name, instead))
            yield

    def _one_seed(self, bits: int) -> int:
        if self._seed is None:
            self._seed = secrets.randbits(bits)
        return self._seed

    def _draw(self, strategy, **options) -> list[tuple]:
        key = tuple(options.items())
        if key not in self._inputs:
            self._inputs[key] = draws.draw(strategy, **options)
            self._known |= {id(args): args for args in self._inputs[key]}
        return self._inputs[key]

    def _each_input_once(self, finds: Callable[[Any, tuple], Any]):
        """What stands in for a function that asks the workbook's ``whose`` about an input."""

        def found(whose, args: tuple):
            if self._known.get(id(args)) is not args:  # of the search: not met again
                return finds(whose, args)
            key = finds, id(whose), id(args)
            if key not in self._house:
                self._house[key] = whose, finds(whose, args)
            return self._house[key][1]

        return found

    def _drawn(self):
        """What stands in for ``Stories._drawn``: the scripts of the first answer for all."""

        def drawn(checker: Stories, rounds: int) -> list[stories_checker.Drawn]:
            if rounds not in self._rounds:
                self._rounds[rounds] = _drawn(checker, rounds)
                self._tellings |= {id(script): {} for _, script in self._rounds[rounds]}
            return self._rounds[rounds]

        return drawn

    def _reference_telling(self, script, make, what: str) -> Telling:
        """The workbook's own classes play a script once; one that was shortened, each time."""
        known = self._tellings.get(id(script), {})
        if make not in known:
            known[make] = reference_telling(script, make, what)
        return known[make]

    def _once(self, plays: Callable[..., Played]):
        """What stands in for a method that plays a scene with an answer of the workbook's own."""

        def played(checker: Rehearsals, *given) -> Played:
            *item, scene = given
            key = *(one.name for one in item), repr(scene)
            if key not in self._played:
                self._played[key] = plays(checker, *given)
            return self._played[key]

        return played


_drawn, _told, _tried = Stories._drawn, Stories._played, Function._trials
_wrong, _wanted = Rehearsals._wrong, Rehearsals._wanted


def _tried_until_wrong(checker: Function, bench, inputs: list[tuple]) -> list[Trial]:
    trials: list[Trial] = []
    for args in inputs:
        trials += _tried(checker, bench, [args])
        if trials[-1].fault or sum(t.run.seconds for t in trials) > checker.seconds:
            break
    return trials


def _told_until_wrong(checker: Stories, stage, rounds: list[stories_checker.Drawn]) -> list[Case]:
    if checker.start:  # what does as the class handed out in all of them is no attempt
        return _told(checker, stage, rounds)
    cases: list[Case] = []
    for drawn in rounds:
        cases += _told(checker, stage, [drawn])
        if cases[-1].fault or sum(c.got.run.seconds for c in cases) > checker.seconds:
            break
    return cases


def _rehearsed_until_wrong(checker: Rehearsals, answer) -> list[Act]:
    acts: list[Act] = []
    for act in checker.each_act(answer):
        acts.append(act)
        if act.failed:
            break
    return acts


_latest: list = []  # exercise, reference and the judge of both


def shared(exercise: Exercise, reference: Reference) -> QuickJudge:
    """The judge that the parts of one proof share."""
    if not (_latest and _latest[0] is exercise and _latest[1] is reference):
        _latest[:] = exercise, reference, QuickJudge(exercise, reference)
    return _latest[2]
