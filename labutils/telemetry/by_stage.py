"""Many traces as one table: how long each request waited for each stage."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labutils.telemetry.critical import critical_path
from labutils.telemetry.span import Span, root_of


@dataclass(frozen=True)
class StageTable:
    """``seconds[request, stage]``: what the request waited for, along its critical path.

    A row adds up to the duration of its request, since at each moment it waits for one span. What
    ran beside the critical path is not in it.
    """

    stages: tuple[str, ...]
    seconds: np.ndarray

    @property
    def total_s(self) -> np.ndarray:
        """The duration of each request."""
        return self.seconds.sum(axis=1)

    def mean_s(self) -> dict[str, float]:
        """The mean time that a request waited for each stage."""
        return dict(zip(self.stages, self.seconds.mean(axis=0).tolist()))

    def shares(self, rows: np.ndarray | slice = slice(None)) -> dict[str, float]:
        """Each stage's part of the time of these requests (default: all)."""
        chosen = self.seconds[rows]
        return dict(zip(self.stages, (chosen.sum(axis=0) / chosen.sum()).tolist()))


def stage_table(traces: Sequence[Sequence[Span]]) -> StageTable:
    """The table of ``traces``; stages in the order in which they are first waited for.

    Raises ``ValueError`` for no trace, and for one with an open span or without a root.
    """
    if not traces:
        raise ValueError("traces = []: expected at least one")
    rows = []
    for spans in traces:
        root_of(spans)
        row = Counter()
        for span, start_s, end_s in critical_path(spans):
            row[span.name] += end_s - start_s
        rows.append(row)
    stages = tuple(dict.fromkeys(name for row in rows for name in row))
    return StageTable(stages, np.array([[row[name] for name in stages] for row in rows]))
