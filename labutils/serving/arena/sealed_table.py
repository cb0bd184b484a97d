"""Who wins, said before the match: a table from the simulator, sealed, and then opened."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from .arena import Table, contest
from .match import Policy
from .pairs import Pairs
from .small_engine import SmallEngine
from .workload import Workload


@dataclass(frozen=True)
class SealedTable:
    """What the simulator says of matches that no engine has played yet.

    ``digest`` are eight letters that no other predictions have. Note them down, let the engine
    play, and ``open`` what it did:

        engine = SmallEngine()
        mine = engine.scaled(workloads(150, seed=11))
        sealed = SealedTable.of({"mine": my_policy, **RIVALS}, mine, engine)
        print(sealed.digest, sealed.winner)
        print(sealed.open(contest(policies, mine, play=engine.play)))
    """

    predicted: Table

    @classmethod
    def of(
        cls, policies: Mapping[str, Policy], workloads: Mapping[str, Workload], engine: SmallEngine
    ) -> "SealedTable":
        """Play all matches in the simulator, with the engine's fitted step cost."""
        return cls(contest(policies, workloads, play=engine.simulated))

    @property
    def digest(self) -> str:
        """The beginning of the SHA-256 of all predicted scores, and of what they were made for."""
        told = repr((self.predicted.played, self.predicted.scores))
        return hashlib.sha256(told.encode()).hexdigest()[:8]

    @property
    def winner(self) -> str:
        """The policy that the simulator puts first."""
        return self.predicted.ranking()[0][0]

    def open(self, measured: Table) -> "Opened":
        """Put what was measured beside the predictions.

        ``ValueError`` if it was measured on other workloads or with other policies.
        """
        if measured.played != self.predicted.played:
            raise ValueError(
                f"measured was played on {measured.played!r}: expected {self.predicted.played!r}, "
                "the workloads that were sealed"
            )
        names = [{name for name, _ in table.ranking()} for table in (self.predicted, measured)]
        if names[0] != names[1]:
            raise ValueError(
                f"measured has policies {sorted(names[1])}: expected those that were sealed, "
                f"{sorted(names[0])}"
            )
        return Opened(self.predicted, measured)


@dataclass(frozen=True)
class Opened:
    """Predicted and measured tables side by side; ``pairs`` says how often the better one was
    named rightly.
    """

    predicted: Table
    measured: Table

    @property
    def winner_named(self) -> bool:
        """Whether the policy that the simulator put first came first."""
        return self.predicted.ranking()[0][0] == self.measured.ranking()[0][0]

    @property
    def pairs(self) -> Pairs:
        """All pairs of policies on each workload."""
        return Pairs.of(self.predicted, self.measured)

    def __str__(self) -> str:
        said = dict(self.predicted.ranking())
        lines = [f"{'place':<7}{'policy':<22}kept, predicted  measured"]
        for place, (name, kept) in enumerate(self.measured.ranking(), 1):
            lines.append(f"{place:<7}{name:<22}{said[name]:>15.1%}{kept:>10.1%}")
        verdict = "named rightly" if self.winner_named else "named wrongly"
        return "\n".join([*lines, f"The winner was {verdict}.", str(self.pairs)])
