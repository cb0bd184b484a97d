"""A tail, and the time at which it has fallen to a given share."""

from collections.abc import Callable

from labutils.ground import arguments

Tail = Callable[[float], float]
"""P(T > t) for a time t in seconds: never rises, and falls to 0."""

_LONGEST_S = 1e300


def tail_quantile(tail: Tail, q: float) -> float:
    """The time in seconds that a share ``q`` of all T does not exceed.

    It is the first time at which ``tail`` is at most 1 - q; where the tail jumps past that
    level, the time of the jump. Raises ``ValueError`` if the tail never falls so low.
    """
    level = 1 - arguments.fraction("q", q)
    if tail(0.0) <= level:
        return 0.0
    high = _doubled_until(lambda t: tail(t) <= level, q)
    low = high / 2
    while tail(low) <= level:
        low, high = low / 2, low
    return _first_time(lambda t: tail(t) <= level, low, high)


def _doubled_until(is_reached, q: float) -> float:
    t = 1.0
    while not is_reached(t):
        t *= 2
        if t > _LONGEST_S:
            raise ValueError(f"q = {q!r}: expected a quantile that the tail reaches")
    return t


def _first_time(is_reached, low: float, high: float) -> float:
    """Halve [low, high] down to neighbouring numbers; a tail may jump, and slopes mislead."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (low, middle) if is_reached(middle) else (middle, high)
    return high
