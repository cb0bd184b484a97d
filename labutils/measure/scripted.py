"""A stream on a clock of its own, where every piece of work takes what a script says.

A timer that is right on it is right on any machine: nothing here is left to chance.
"""

from collections.abc import Callable
from dataclasses import dataclass

from labutils.ground.arguments import non_negative


@dataclass
class Job:
    """A call that takes so many seconds, one number after the other; the last one stays.

    >>> cold = Job(0.9, 0.1)  # 0.9 s the first time, 0.1 s ever after
    """

    seconds: tuple[float, ...]

    def __init__(self, *seconds: float):
        if not seconds:
            raise ValueError("seconds = (): expected at least one duration")
        self.seconds = tuple(non_negative("seconds", value) for value in seconds)

    def __call__(self, *args) -> float:
        """How long it takes this time, in seconds; only a stream makes that time pass."""
        first, *rest = self.seconds
        self.seconds = tuple(rest) or self.seconds
        return first

    def __repr__(self) -> str:
        return f"Job({', '.join(map(repr, self.seconds))})"


@dataclass
class ScriptedStream:
    """A device that is busy for ``busy_s`` already; each launch takes the host ``launch_s``.

    ``clock`` reads the host's time. The device begins a job when it has been launched and those
    before it are done.
    """

    busy_s: float = 0.0
    launch_s: float = 0.0

    def __post_init__(self):
        self._now_s, self._free_s = 0.0, non_negative("busy_s", self.busy_s)
        non_negative("launch_s", self.launch_s)

    def clock(self) -> float:
        """The host's time in seconds."""
        return self._now_s

    def launch(self, job: Callable[..., float], *args) -> None:
        """Queue a job, or a function that calls one and returns what it returns.

        Raises ``ValueError`` for what is none, such as the result of a call.
        """
        seconds = job(*args) if callable(job) else None
        if seconds is None:
            raise ValueError(f"job = {job!r}: expected the call itself, not its result")
        self._now_s += self.launch_s
        self._free_s = max(self._free_s, self._now_s) + seconds

    def synchronize(self) -> None:
        """Wait until the device is idle."""
        self._now_s = max(self._now_s, self._free_s)
