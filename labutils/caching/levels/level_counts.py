"""What became of the questions to each level."""

from dataclasses import asdict, dataclass, field


@dataclass
class LevelCounts:
    """Each question to a level ends in one of these; ``asked`` is their sum.

    ``skipped``: not put, since the breaker was open. ``garbage``: answered with something that is
    not this key's value.
    """

    hits: int = 0
    misses: int = 0
    errors: int = 0
    timeouts: int = 0
    skipped: int = 0
    garbage: int = 0

    @property
    def asked(self) -> int:
        """Questions that have ended."""
        return sum(asdict(self).values())


@dataclass
class Counts:
    """Of the computations and of the writes into the shared store, hits are those that worked."""

    process: LevelCounts = field(default_factory=LevelCounts)
    shared: LevelCounts = field(default_factory=LevelCounts)
    compute: LevelCounts = field(default_factory=LevelCounts)
    writes: LevelCounts = field(default_factory=LevelCounts)

    def __str__(self) -> str:
        """A small table, a level a line."""
        rows = asdict(self)
        names = list(rows["process"])
        lines = ["".join([" " * 8, *(f"{name:>10}" for name in names)])]
        for level, counts in rows.items():
            lines.append("".join([f"{level:<8}", *(f"{counts[name]:>10,}" for name in names)]))
        return "\n".join(lines)
