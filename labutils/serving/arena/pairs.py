"""Pairs of policies on the same workload: does the simulator name the better one?"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from .arena import Table
from .match import Score

DECISIVE = 0.05
"""Measured figures that differ by more, relative to the larger one, name a better policy."""
FIGURES = {"goodput_per_s": True, "p90_wait_s": False}
"""By which policies are compared, and whether more is better."""


class Pair(NamedTuple):
    """Two policies on one workload by one figure: (first, second) as predicted, and measured."""

    workload: str
    figure: str
    policies: tuple[str, str]
    predicted: tuple[float, float]
    measured: tuple[float, float]

    @property
    def is_decisive(self) -> bool:
        """Whether the measured figures are more than 5 % apart."""
        return apart(self.measured) > DECISIVE

    @property
    def better(self) -> str:
        """The policy that was measured better."""
        return self._better(self.measured)

    @property
    def named(self) -> str:
        """The policy that the simulator calls better; "neither" for equal figures."""
        return self._better(self.predicted)

    @property
    def is_right(self) -> bool:
        """Whether these are the same."""
        return self.named == self.better

    def _better(self, figures: tuple[float, float]) -> str:
        one, other = figures
        if one == other:
            return "neither"
        return self.policies[(one > other) != FIGURES[self.figure]]

    def __str__(self) -> str:
        told = " and ".join(f"{name} {said:.3g} → {found:.3g}" for name, said, found in
                            zip(self.policies, self.predicted, self.measured))  # fmt: skip
        return f"{self.workload}, {self.figure}: {told}"


@dataclass(frozen=True)
class Pairs:
    """All pairs of policies, on every workload, by goodput and by p90 TTFT."""

    pairs: tuple[Pair, ...]

    @classmethod
    def of(cls, predicted: Table, measured: Table) -> "Pairs":
        """The pairs of two tables of the same matches, without those of a policy sent off."""
        said = {(one.policy, one.workload): one for one in predicted.scores if not one.sent_off}
        found = {(one.policy, one.workload): one for one in measured.scores if not one.sent_off}
        both = [key for key in said if key in found]
        return cls(tuple(_pairs(both, said, found)))

    @property
    def decisive(self) -> list[Pair]:
        """Those whose measured figures differ by more than 5 %."""
        return [pair for pair in self.pairs if pair.is_decisive]

    @property
    def wrong(self) -> list[Pair]:
        """Decisive pairs of which the simulator names the worse one, or neither."""
        return [pair for pair in self.decisive if not pair.is_right]

    @property
    def right_share(self) -> float:
        """Of the decisive pairs, those whose better policy was named."""
        count = len(self.decisive)
        return 1 - len(self.wrong) / count if count else float("nan")

    def confusion(self) -> dict[str, tuple[int, int, int]]:
        """By figure, of its decisive pairs: how many were named rightly, wrongly, and neither."""
        table = {}
        for figure in FIGURES:
            own = [pair for pair in self.decisive if pair.figure == figure]
            right, neither = sum(one.is_right for one in own), sum(map(_says_neither, own))
            table[figure] = right, len(own) - right - neither, neither
        return table

    def __str__(self) -> str:
        lines = [f"{'of decisive pairs':<18}  rightly  wrongly  neither"]
        for figure, (right, wrong, neither) in self.confusion().items():
            lines.append(f"{figure:<18}{right:>9}{wrong:>9}{neither:>9}")
        of = f"{len(self.decisive) - len(self.wrong)} of {len(self.decisive)}"
        return "\n".join([*lines, f"The better policy was named in {of} pairs."])


def apart(figures: tuple[float, float]) -> float:
    """How far two figures of at least 0 are apart, relative to the larger one."""
    low, high = sorted(figures)
    return (high - low) / high if high > 0 else 0.0


def _says_neither(pair: Pair) -> bool:
    return pair.named == "neither"


def _pairs(keys, said: dict, found: dict) -> Iterator[Pair]:
    for (one, where), (other, there) in combinations(keys, 2):
        if where != there:
            continue
        for figure in FIGURES:
            yield Pair(
                where, figure, (one, other),
                *(_of(figure, scores[one, where], scores[other, where]) for scores in (said, found)),
            )  # fmt: skip


def _of(figure: str, *scores: Score) -> tuple[float, float]:
    return tuple(getattr(score, figure) for score in scores)
