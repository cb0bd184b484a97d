"""How long somebody needs to say which fault it is, and which faults are to come."""

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from .live_faults import FAULTS, known

WRONG_S = 10.0
"""What a wrong answer costs: in an incident it is a remedy that does not help."""


def faults_to_come(seed: int) -> Iterator[str]:
    """Names of faults without end, drawn by the seed; none comes twice before all have come."""
    drawn = random.Random(seed)
    while True:
        yield from drawn.sample(sorted(FAULTS), len(FAULTS))


@dataclass
class Hunt:
    """Starts a clock. ``says`` is asked until the fault is named, then ``seconds`` stands.

    Each wrong answer adds ``WRONG_S``. ``ValueError`` for a fault that there is not.
    """

    fault: str
    clock: Callable[[], float] = time.monotonic
    seconds: float | None = None
    wrong: int = 0
    _began_s: float = field(init=False)

    def __post_init__(self):
        known(self.fault)
        self._began_s = self.clock()

    def says(self, fault: str) -> bool:
        """Whether ``fault`` is the one that is on; a wrong name is counted."""
        if known(fault) != self.fault:
            self.wrong += 1
            return False
        if self.seconds is None:
            self.seconds = self.so_far()
        return True

    def so_far(self) -> float:
        """Seconds since the fault began, and the penalty of each wrong answer on top."""
        return self.clock() - self._began_s + WRONG_S * self.wrong
