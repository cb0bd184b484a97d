"""Numbers for a story: new ones in every check, short enough to be read in a script."""

import random
from collections.abc import Sequence


class Draw:
    """Draws what a story needs, from a seed; every value is a plain Python number or item."""

    def __init__(self, seed: int | str):
        self._random = random.Random(seed)

    def whole(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return self._random.randint(low, high)

    def number(self, low: float, high: float, digits: int = 3) -> float:
        """A number between ``low`` and ``high``, with ``digits`` decimals; whole with none."""
        return round(self._random.uniform(low, high), digits or None)

    def numbers(self, count: int, low: float, high: float, digits: int = 3) -> list[float]:
        """``count`` numbers between ``low`` and ``high``, in the order in which they fall."""
        return [self.number(low, high, digits) for _ in range(count)]

    def times(self, count: int, low: float, high: float, digits: int = 3) -> list[float]:
        """``count`` moments between ``low`` and ``high``, ascending and all different.

        Raises ``ValueError`` where ``digits`` decimals leave no room for that many.
        """
        scale = 10**digits
        grid = range(round(low * scale), round(high * scale) + 1)
        if len(grid) < count:
            raise ValueError(
                f"count = {count}: expected at most {len(grid)} moments of {digits} digits"
            )
        ticks = sorted(self._random.sample(grid, count))
        return [tick / scale for tick in ticks] if digits else ticks

    def pick(self, options: Sequence):
        """One of ``options``."""
        return self._random.choice(options)

    def shuffled(self, items: Sequence) -> list:
        """``items`` in another order."""
        return self._random.sample(list(items), len(items))
