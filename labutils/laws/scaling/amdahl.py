"""One part becomes faster and the rest stays: what the same work gains (Amdahl 1967)."""

import math
from collections.abc import Iterable

from labutils.ground import arguments


def amdahl_speedup(share: float, factor: float) -> float:
    """Old time over new time when ``share`` of the old time becomes ``factor`` times faster.

    1 / ((1 - share) + share / factor), with share from 0 to 1 and factor above 0; below 1 the part
    becomes slower (Amdahl 1967, "Validity of the single processor approach"; the formula as in
    Hennessy and Patterson, "Computer Architecture", section 1.9).
    """
    part, times = _share("share", share), arguments.positive("factor", factor)
    return 1 / (1 - part + part / times)


def amdahl_ceiling(share: float) -> float:
    """The speed-up that no factor exceeds, 1 / (1 - share): the part takes no time at all."""
    part = _share("share", share)
    return 1 / (1 - part) if part < 1 else math.inf


def combined_speedup(parts: Iterable[tuple[float, float]]) -> float:
    """The speed-up when several parts change, given as (share of the old time, factor) pairs.

    The shares count against the same old time and may sum to less than 1: the rest stays as it is.
    Raises ``ValueError`` if they sum to more.
    """
    pairs = [(_share("share", s), arguments.positive("factor", f)) for s, f in parts]
    total = math.fsum(share for share, _ in pairs)
    if total > 1 + 1e-12:
        raise ValueError(f"parts = shares that sum to {total:.6g}: expected at most 1")
    return 1 / (max(0.0, 1 - total) + math.fsum(share / factor for share, factor in pairs))


def factor_for_speedup(share: float, speedup: float) -> float:
    """How much faster the part must become for the whole to be ``speedup`` times as fast.

    share / (1 / speedup - (1 - share)). Raises ``ValueError`` from the ceiling on, where no factor
    is enough.
    """
    part, wanted = arguments.positive("share", _share("share", share)), speedup
    left = 1 / arguments.positive("speedup", wanted) - (1 - part)
    if left <= 0:
        raise ValueError(
            f"speedup = {speedup!r}: expected less than {amdahl_ceiling(part):.6g}, "
            f"which a part of {part:.6g} allows at most"
        )
    return part / left


def share_from_speedup(speedup: float, factor: float) -> float:
    """The share of the old time that became ``factor`` times faster, from the measured speed-up.

    (1 - 1 / speedup) / (1 - 1 / factor), the law solved for the share (as Karp and Flatt 1990 do
    for the serial part). Raises ``ValueError`` unless 1 <= speedup <= factor and factor > 1.
    """
    times, gained = arguments.positive("factor", factor), arguments.positive("speedup", speedup)
    if times <= 1:
        raise ValueError(f"factor = {factor!r}: expected more than 1")
    if not 1 <= gained <= times:
        raise ValueError(f"speedup = {speedup!r}: expected 1 to factor = {factor!r}")
    return (1 - 1 / gained) / (1 - 1 / times)


def share_after(share: float, factor: float) -> float:
    """The part's share of the *new* time: what is left to gain from it."""
    return (
        _share("share", share)
        / arguments.positive("factor", factor)
        * amdahl_speedup(share, factor)
    )


def _share(name: str, value: float) -> float:
    number = arguments.non_negative(name, value)
    if number > 1:
        raise ValueError(f"{name} = {value!r}: expected a share from 0 to 1")
    return number
