"""The names of a trace's blocks as numbers: equal names, equal numbers."""

from collections.abc import Hashable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np


class KeyNumbers(NamedTuple):
    """Row r's names are ``numbers[starts[r] : starts[r + 1]]``, from 0 to below ``count``."""

    starts: np.ndarray
    numbers: np.ndarray
    count: int

    @classmethod
    def of(cls, names: Sequence[Sequence[Hashable]]) -> "KeyNumbers":
        """Numbers in order of first appearance.

        >>> starts, numbers, count = KeyNumbers.of([("a", "b"), (), ("a", "c", "b")])
        >>> starts.tolist(), numbers.tolist(), count
        ([0, 2, 2, 5], [0, 1, 0, 2, 1], 3)
        """
        starts = np.zeros(len(names) + 1, dtype=np.int64)
        np.cumsum([len(one) for one in names], out=starts[1:])
        number_of: dict[Hashable, int] = {}
        numbers = (
            number_of.setdefault(name, len(number_of)) for name in chain.from_iterable(names)
        )
        return cls(starts, np.fromiter(numbers, np.int32, count=starts[-1]), len(number_of))
