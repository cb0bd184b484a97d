"""Leave out of a list what is not needed (delta debugging; Zeller and Hildebrandt, 2002)."""

import time
from collections.abc import Callable, Sequence
from itertools import combinations

_FEW = 20


def needed(items: Sequence, still: Callable[[list], bool], *, seconds: float) -> list:
    """A part of ``items``, in their order, for which ``still`` holds as it holds for all of them.

    Whole halves are tried first, single items later, pairs last (a median stays where it is when
    one value above it goes with one below). Given time, no single item of the result can be left
    out, nor two of a few; when ``seconds`` are over, the result is what was found so far.
    """
    ends = time.monotonic() + seconds

    def fits(part: list) -> bool:
        return time.monotonic() < ends and still(part)

    kept = list(items)
    size = max(len(kept) // 2, 1)
    while True:
        rest = _without_runs(kept, size, fits)
        if size == 1 and len(rest) == len(kept):
            rest = _without_a_pair(kept, fits)
            if len(rest) == len(kept):
                return kept
        kept, size = rest, max(size // 2, 1)


def _without_runs(kept: list, size: int, fits: Callable[[list], bool]) -> list:
    """Leave out every run of ``size`` items that can go."""
    at = 0
    while at < len(kept):
        rest = kept[:at] + kept[at + size :]
        if fits(rest):
            kept = rest
        else:
            at += size
    return kept


def _without_a_pair(kept: list, fits: Callable[[list], bool]) -> list:
    """Leave out the first pair that can go, if there are few enough to try all."""
    pairs = combinations(range(len(kept)), 2) if len(kept) <= _FEW else ()
    parts = ([x for k, x in enumerate(kept) if k not in pair] for pair in pairs)
    return next((part for part in parts if fits(part)), kept)
