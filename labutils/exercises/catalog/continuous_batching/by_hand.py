"""A schedule of thirty steps, filled in by hand and checked step by step."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

from labutils.exercises.definition.exercise import Checker
from labutils.exercises.definition.sheet import exercise
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.laws.batching import seats

LAST_STEP = 30
_ASK = {
    "too-early": "Can it be admitted before it is there?",
    "overtakes": "Nobody overtakes here: who comes first is admitted first, or in the same step.",
    "no-seat": "How many seats are there? An answer of n tokens that starts in step s has its "
    "seat up to and including step s + n - 1.",
    "no-memory": "An answer grows by a token in every step. Who could be admitted later?",
}


def _is_step(step) -> bool:
    return isinstance(step, Real) and step == step // 1 and step >= 1


@dataclass(frozen=True)
class Schedule(Checker):
    """A checker for the steps in which the requests of a ``problem`` are admitted.

    Right is every possible schedule without overtaking that ends by ``last_step``.
    """

    problem: seats.SeatProblem
    last_step: int

    @property
    def reference_answer(self) -> dict[str, int]:
        return self.problem.continuous_starts()

    @property
    def diagnoses(self) -> dict[str, str]:
        """What each mistake is asked, for a report on a class."""
        return {
            **_ASK,
            "waits-for-the-batch": "Where is an empty cell above a request that waits?",
            "too-late": "What keeps the next request out of the first empty cell?",
        }

    def check(self, answer) -> Verdict:
        names = [r.name for r in self.problem.requests]
        if not isinstance(answer, Mapping) or set(answer) != set(names):
            return Verdict(
                Status.unreadable,
                f"Expected a step for each of {', '.join(names)}, as in {{'A': 1, 'B': 1, …}}.",
            )
        if any(answer[name] is ... for name in names):
            return Verdict(Status.not_attempted, "Replace every `...` by a step, and run again.")
        for name in names:
            if not _is_step(answer[name]):
                text = f"{name}: {answer[name]!r} is no step; expected a whole number from 1 on."
                return Verdict(Status.unreadable, text)
        return self._judged({name: int(answer[name]) for name in names})

    def _judged(self, starts: dict[str, int]) -> Verdict:
        if max(starts.values()) > 10 * self.last_step:
            return Verdict(Status.wrong, f"The clock stops after step {self.last_step}.")
        if fault := self.problem.fault(starts):
            text = f"{fault.text} {_ASK[fault.kind]}"
            return Verdict(Status.misconception, text, diagnosis=fault.kind)
        ends, idle = self.problem.last_step(starts), self.problem.idle(starts)
        seen = f"the last answer ends in step {ends}, and {idle} slot-steps stay empty"
        if ends <= self.last_step:
            return Verdict(Status.right, f"A possible schedule: {seen}.")
        if self._waits_for_the_batch(starts):
            text = (
                f"Possible, and {seen}. You refill the seats when all of them are free. Look at "
                "the picture: where is an empty cell above a request that waits?"
            )
            return Verdict(Status.misconception, text, diagnosis="waits-for-the-batch")
        text = (
            f"Possible, and {seen}. Find the first empty cell while somebody waits: what keeps "
            "the next request out of it, a seat, the memory, or you?"
        )
        return Verdict(Status.misconception, text, diagnosis="too-late")

    def _waits_for_the_batch(self, starts: dict[str, int]) -> bool:
        """Whether requests start only when no earlier one runs any more, as in a static batch."""
        return all(
            starts[other.name] == step
            for step in starts.values()
            for other in self.problem.running(starts, step)
        )


_problem = seats.by_hand()
_static = _problem.last_step(_problem.static_starts())
_continuous = _problem.last_step(_problem.continuous_starts())
BY_HAND = exercise(
    f"""
    continuous.by_hand · A schedule by hand · 8 minutes

    > Go step by step. A request that ends in step s frees its seat, and its memory, in step s + 1.
    > A ends first. In the step after that D can sit down. Check the memory: the prompts of all who
      run, and a token for each step that they have been running before this one.
    > Admit the head of the line in the first step in which it is there and finds a seat and memory
      for its prompt. H finds a seat when G has ended, and no memory until B ends; I and J wait
      behind it.

    Static batches let three sit down together and stand up together: the last answer ends in step
    {_static}. Refilling each seat in the very step in which it comes free ends by step
    {_continuous}, and nobody who keeps the order of arrival can do better here. What is left empty
    has other reasons than the dispersion of lengths: nobody waits (step 9, and the end), or memory
    keeps H out for four steps, and with it I and J, who stand behind it.
    """,
    Schedule(_problem, LAST_STEP),
)
