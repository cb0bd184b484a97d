"""What a check said to an answer, sorted."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from labutils.exercises.definition.verdict import Status, Verdict
from tests.answers.answer import Answer

LIKELIEST = 5
SAYS_ONLY_WHAT_DIFFERS = ("wrong-length", "wrong-keys")
SAYS_NO_CAUSE = (Status.wrong, Status.close, Status.raised, Status.timed_out, Status.too_noisy)


@dataclass(frozen=True)
class Outcome:
    """An answer beside its verdict, or the exception that the check let through."""

    answer: Answer
    verdict: Verdict | None
    error: str = ""

    def __str__(self) -> str:
        """One line, as ``failures.txt`` lists it."""
        side = "right" if self.answer.is_right else "wrong"
        label = f" [{self.label}]" if self.label else ""
        return f"{self.answer.exercise}: {side}: {self.answer.what}: {self.kind}{label}"

    @property
    def said(self) -> str:
        """What the check said, or the exception."""
        return self.error if self.verdict is None else " ".join(self.verdict.message.split())

    @property
    def label(self) -> str:
        """What the verdict names: a mistake, or a kind of mistake; empty if only a case."""
        if self.verdict is None or self.verdict.diagnosis in SAYS_ONLY_WHAT_DIFFERS:
            return ""
        by_kind = "" if self.verdict.status in SAYS_NO_CAUSE else self.verdict.status.value
        return self.verdict.diagnosis or by_kind

    @property
    def kind(self) -> str:
        """What became of it: ``accepted``, ``rejected`` (though right), ``check raised``, or of the
        cause that was named: ``nothing``, ``true``, ``false``, ``unjudged``."""
        if self.verdict is None:
            return "check raised"
        if self.verdict.passed:
            return "accepted"
        if self.answer.is_right:
            return "rejected"
        if not self.label:
            return "nothing"
        if self.label in self.answer.true:
            return "true"
        return "false" if self.label in self.answer.false else "unjudged"

    @property
    def asks_for_eyes(self) -> bool:
        """Whether it is a fault, or something that nobody has judged."""
        is_refused = self.kind in ("false", "unjudged", "check raised", "rejected")
        return is_refused or (self.kind == "accepted" and not self.answer.is_right)


def figures(outcomes: Iterable[Outcome]) -> list[tuple[str, int, int, str]]:
    """The figures: name, how many, of how many, and the bar."""
    outcomes = list(outcomes)
    wrong = [one for one in outcomes if not one.answer.is_right]
    likely = [one for one in wrong if one.answer.rank <= LIKELIEST]
    right = [one for one in outcomes if one.answer.is_right]

    def count(kind: str, among: list[Outcome]) -> int:
        return Counter(one.kind for one in among)[kind]

    return [
        ("wrong answers accepted", count("accepted", wrong), len(wrong), "at most 0.3 %"),
        ("a false cause named", count("false", wrong), len(wrong), "at most 0.5 %"),
        ("cause named truly", count("true", wrong), len(wrong), "at least 75 %"),
        ("… of the five likeliest", count("true", likely), len(likely), "at least 92 %"),
        ("right answers accepted", count("accepted", right), len(right), "at least 99.5 %"),
        ("check raised", count("check raised", outcomes), len(outcomes), "never"),
        ("named, not yet judged", count("unjudged", wrong), len(wrong), "none"),
    ]
