"""How long somebody needs to say what happened."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Search:
    """Starts a clock. ``says`` is asked with a guess until one is right, then the clock stands."""

    replica: str
    from_s: float
    until_s: float
    clock: Callable[[], float] = time.monotonic
    seconds: float | None = None
    tries: int = 0
    _began_s: float = field(init=False)

    def __post_init__(self):
        self._began_s = self.clock()

    def says(self, replica: str, second: float) -> str:
        """Whether that is the replica, and a second at which it was slow."""
        self.tries += 1
        if replica != self.replica:
            return f"Not replica {replica}. The clock runs."
        if not self.from_s <= second <= self.until_s:
            return f"Replica {replica}, but not at second {second:g}. The clock runs."
        if self.seconds is None:
            self.seconds = self.clock() - self._began_s
        return f"Replica {replica}, from second {self.from_s:g} to {self.until_s:g}."
