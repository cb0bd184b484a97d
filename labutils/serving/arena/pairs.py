"""Pairs of policies on the same workload: does the simulator name the better one?"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from labutils import datafile

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

    @classmethod
    def recorded(cls, scores: Sequence[Mapping] | None = None) -> "Pairs":
        """The pairs that ``benchmarks/arena_pairs.py`` kept; by default those in ``data``.

        Measured is the mean of its rounds.
        """
        if scores is None:
            scores = json.loads(datafile("arena_pairs.json").read_text("utf-8"))["scores"]
        return cls._from(scores, lambda told: (told[0], sum(told[1:]) / len(told[1:])))

    @classmethod
    def between_rounds(cls, scores: Sequence[Mapping]) -> "Pairs":
        """The same with the first round in the place of the prediction, the second measured."""
        return cls._from(scores, lambda told: (told[1], told[2]))

    @classmethod
    def _from(cls, scores: Sequence[Mapping], choose: Callable) -> "Pairs":
        tables = [
            Table(tuple(
                Score(row["policy"], row["workload"], **{f: choose(row[f])[at] for f in FIGURES})
                for row in scores
            ))
            for at in (0, 1)
        ]  # fmt: skip
        return cls.of(*tables)

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

    def by_policy(self) -> str:
        """The confusion table: in each row the policy that was measured better, in each column the
        one that the simulator named, in the same pairs; what is not on the diagonal is wrong.

        A number of a row and another column counts pairs of these two that were named wrongly.
        """
        names = list(dict.fromkeys(name for pair in self.pairs for name in pair.policies))
        names += ["neither"] * any(map(_says_neither, self.decisive))
        counts = Counter((pair.better, pair.named) for pair in self.decisive)
        head = "".join(f"{f'({at})':>5}" for at in range(1, len(names) + 1))
        lines = [f"{'better, measured':<28}{head}  named, by number"]
        for at, row in enumerate(names, 1):
            cells = "".join(f"{counts[row, name] or '.':>5}" for name in names)
            lines.append(f"{f'({at}) {row}':<28}{cells}")
        return "\n".join(lines)

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
            figures = [_of(figure, table[one, where], table[other, where])
                       for table in (said, found)]  # fmt: skip
            yield Pair(where, figure, (one, other), *figures)


def _of(figure: str, *scores: Score) -> tuple[float, float]:
    return tuple(getattr(score, figure) for score in scores)
