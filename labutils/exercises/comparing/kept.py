"""Copies of results: a learner's code may change a list after it has returned it."""

import copy
from collections.abc import Sequence

MOST_ENTRIES = 20_000  # of a hundred results that are kept; nobody reads more


class Beginning(list):
    """The first entries of a result that has ``whole`` of them."""

    def __init__(self, entries: Sequence, whole: int):
        super().__init__(entries)
        self.whole = whole


def as_it_is_now(value, *, beside=None):
    """A copy of a result; of one that is very long, and longer than ``beside``, its beginning."""
    most = max(MOST_ENTRIES, _length(beside))
    if _length(value) > most:
        first = value[:most]
        return Beginning(first.tolist() if hasattr(first, "tolist") else first, len(value))
    try:  # a tensor may be a view into another one
        return value.detach().clone() if hasattr(value, "detach") else copy.deepcopy(value)
    except Exception:  # generators and locks have no copy
        return value


def length(sequence: Sequence) -> int:
    """How many entries a result has or had."""
    return getattr(sequence, "whole", len(sequence))


def _length(value) -> int:
    """Entries of what is surely counted at once; 0 for anything else."""
    arrays = type(value).__module__ in ("numpy", "torch") and getattr(value, "ndim", 0)
    return len(value) if arrays or type(value) in (list, tuple) else 0
