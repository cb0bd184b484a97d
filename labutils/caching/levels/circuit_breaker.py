"""Whether to ask a dependency that failed lately."""

import time
from collections.abc import Callable

from labutils.ground.arguments import positive, whole


class CircuitBreaker:
    """Closed, all calls pass; open, none does; half-open, one at a time passes as a probe.

    ``failures`` in a row open it. After ``rest_s`` seconds it is half-open: a probe that succeeds
    closes it, one that fails opens it for another rest. ``openings`` counts how often it opened.
    (Nygard, *Release It!*, 2007.)

    Invariant: a permit counts only while the state lasts in which it was given, so that an old
    call which comes back late neither closes nor opens anything.

    >>> now = [0.0]
    >>> breaker = CircuitBreaker(failures=1, rest_s=5, clock=lambda: now[0])
    >>> breaker.enter().failed()
    >>> breaker.state, breaker.enter()
    ('open', None)
    >>> now[0] = 5.0
    >>> breaker.enter().succeeded()
    >>> breaker.state
    'closed'
    """

    def __init__(
        self,
        *,
        failures: int = 5,
        rest_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.failures = whole("failures", failures)
        self.rest_s = positive("rest_s", rest_s)
        self._clock = clock
        self._opened_s: float | None = None
        self._failed_in_a_row = self._era = self.openings = 0
        self._is_probing = False

    @property
    def state(self) -> str:
        """``"closed"``, ``"open"`` or ``"half-open"``."""
        if self._opened_s is None:
            return "closed"
        return "open" if self._clock() < self._opened_s + self.rest_s else "half-open"

    def enter(self) -> "Permit | None":
        """A permit for one call; ``None`` if the caller has to do without the store."""
        state = self.state
        if state == "open" or (state == "half-open" and self._is_probing):
            return None
        self._is_probing = state == "half-open"
        return Permit(self, self._era)

    def _succeeded(self) -> None:
        self._failed_in_a_row = 0
        if self._opened_s is not None:
            self._opened_s = None
            self._turn()

    def _failed(self) -> None:
        self._failed_in_a_row += 1
        if self._opened_s is not None or self._failed_in_a_row == self.failures:
            self._opened_s = self._clock()
            self.openings += 1
            self._turn()

    def _turn(self) -> None:
        self._era += 1
        self._failed_in_a_row = 0
        self._is_probing = False

    def _left(self) -> None:
        self._is_probing = False


class Permit:
    """One call's leave to pass. It says how the call ended, once; ``release`` if it never will."""

    def __init__(self, breaker: CircuitBreaker, era: int):
        self._breaker, self._era = breaker, era

    def succeeded(self) -> None:
        """The call was answered."""
        self._settle(self._breaker._succeeded)

    def failed(self) -> None:
        """The call was not answered, or not sensibly."""
        self._settle(self._breaker._failed)

    def release(self) -> None:
        """The call was cancelled: it counts as neither success nor failure, and another may probe.

        A permit that has said how its call ended does not change.
        """
        self._settle(self._breaker._left)

    def _settle(self, tell: Callable[[], None]) -> None:
        era, self._era = self._era, None
        if era == self._breaker._era:
            tell()
