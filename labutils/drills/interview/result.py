"""One question of a mock, and how it went."""

from dataclasses import dataclass

from labutils.drills.asking.asking import Asking
from labutils.drills.repetition.attempts import QUICK_S
from labutils.exercises.definition.verdict import Verdict


@dataclass(frozen=True)
class Result:
    """One question of a mock: its verdict (``None`` where it was skipped) and the seconds spent.

    ``typed`` is what was handed in. ``is_asked_again`` says that it was asked for once more,
    ``is_late`` that it came behind the last second, and does not count.
    """

    asking: Asking
    verdict: Verdict | None
    seconds: float
    typed: str = ""
    is_asked_again: bool = False
    is_late: bool = False

    @property
    def is_right(self) -> bool:
        return self.verdict is not None and self.verdict.passed and not self.is_late

    @property
    def may_be_a_guess(self) -> bool:
        """Whether a letter alone was right, and sooner than it can be worked out."""
        is_letter = self.asking.drill.answer is None
        return self.is_right and is_letter and self.seconds < QUICK_S
