"""The numbers of one drill: drawn from a seed, and round enough to be said aloud."""

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from labutils.drills.definition import sheet
from labutils.drills.definition.drill import Drill
from labutils.drills.definition.options import Options

T = TypeVar("T")


class Redraw(Exception):
    """These numbers make no good question; others are drawn."""


class Draw:
    """A source of parameters: the same ``seed`` and ``attempt`` give the same numbers, always.

    Values are drawn evenly on a log scale unless the name says otherwise, and rounded to
    ``digits`` significant digits: what a drill computes with is exactly what it prints.
    """

    def __init__(self, seed: int, attempt: int = 0):
        self.random = random.Random(f"{seed}/{attempt}")

    def number(self, low: float, high: float, digits: int = 2) -> float:
        """A positive number between ``low`` and ``high``, log-uniform."""
        value = math.exp(self.random.uniform(math.log(low), math.log(high)))
        return min(max(_rounded(value, digits), low), high)

    def share(self, low: float, high: float, digits: int = 2) -> float:
        """A number between ``low`` and ``high``, uniform, with ``digits`` decimals."""
        return min(max(round(self.random.uniform(low, high), digits), low), high)

    def whole(self, low: int, high: int, digits: int = 2) -> int:
        """A whole number between ``low`` and ``high``, log-uniform."""
        return round(self.number(low, high, digits))

    def one_of(self, values: Sequence[T]) -> T:
        """One of ``values``, each as likely as the others."""
        return self.random.choice(list(values))

    def require(self, condition: bool) -> None:
        """Have other numbers drawn unless ``condition`` holds."""
        if not condition:
            raise Redraw

    def apart(self, *values: float, by: float) -> None:
        """Have other numbers drawn where two of ``values`` differ by a share of ``by`` or less."""
        for one, other in itertools.combinations(values, 2):
            self.require(abs(one - other) > by * max(abs(one), abs(other)))

    def drill(self, text: str, **more) -> Drill:
        """The drill of a sheet (see ``sheet``): options are shuffled, too few mistakes redrawn."""
        return sheet.drill(text, self, **more)

    def options(self, right: str, wrong: Mapping[str, str], *, question: str = "") -> Options:
        """Options in random order; ``wrong`` says for each wrong text what speaks against it."""
        texts = [right, *wrong]
        self.random.shuffle(texts)
        keys = dict(zip(texts, "abcdefgh"))
        return Options(
            question=question,
            texts={keys[text]: text for text in texts},
            right=keys[right],
            against={keys[text]: message for text, message in wrong.items()},
        )


def _rounded(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")
