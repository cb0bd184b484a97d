"""One question of a mock, and how it went."""

from dataclasses import dataclass

from labutils.drills.asking.asking import Asking
from labutils.exercises.definition.verdict import Verdict


@dataclass(frozen=True)
class Result:
    """One question of a mock: its verdict (``None`` where it was skipped) and the seconds spent."""

    asking: Asking
    verdict: Verdict | None
    seconds: float

    @property
    def is_right(self) -> bool:
        return self.verdict is not None and self.verdict.passed
