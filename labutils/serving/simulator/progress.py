"""How far a run has come, on one line of the terminal or of a cell."""

import sys
import time

EVERY_S = 0.2


class Progress:
    """Counts requests (or what ``said`` names) that end; where ``shown``, rewrites one line."""

    def __init__(self, total: int, *, shown: bool, said: str = "requests have ended"):
        self.total, self.shown, self.said, self.ended = total, shown, said, 0
        self._told_s = 0.0

    def update(self, more: int = 1) -> None:
        """Count ``more`` that have ended."""
        self.ended += more
        if self.shown and time.monotonic() - self._told_s > EVERY_S:
            self._told_s = time.monotonic()
            self._tell()

    def close(self) -> None:
        """Tell where the run ended, and leave the line."""
        if self.shown:
            self._tell("\n")

    def _tell(self, end: str = "") -> None:
        line = f"\r{self.ended:,} of {self.total:,} {self.said}"
        print(line, end=end, file=sys.stderr, flush=True)
