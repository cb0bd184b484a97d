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
        print(sealed.digest, sealed.verdict)
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
    def verdict(self) -> str:
        """Who keeps most according to the simulator: one policy, or several in a tie."""
        return _verdict(self.predicted)

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
    def winner_named(self) -> bool | None:
        """Whether the policy that the simulator put first came first; None if either is a tie.

        In a tie the ranking looks at a single tenant and a single wait, which is too little to
        judge a prediction by.
        """
        leaders = [table.leaders() for table in (self.predicted, self.measured)]
        return leaders[0] == leaders[1] if max(map(len, leaders)) == 1 else None

    @property
    def pairs(self) -> Pairs:
        """All pairs of policies on each workload."""
        return Pairs.of(self.predicted, self.measured)

    def __str__(self) -> str:
        said, measured = dict(self.predicted.ranking()), self.measured.ranking()
        lines = [f"{'place':<7}{'policy':<22}kept, predicted  measured"]
        for name, kept in measured:
            place = 1 + sum(more > kept for _, more in measured)
            told = [self.predicted.told(name, said[name]), self.measured.told(name, kept)]
            lines.append(f"{place:<7}{name:<22}{told[0]:>15}{told[1]:>10}")
        return "\n".join([*lines, self._says(), str(self.pairs)])

    def _says(self) -> str:
        if self.winner_named is None:
            said = f"Predicted: {_verdict(self.predicted)}. Measured: {_verdict(self.measured)}."
        else:
            said = f"The winner was named {'rightly' if self.winner_named else 'wrongly'}."
        return said + self._levels()

    def _levels(self) -> str:
        """How far off the predictions of single policies are, which no winner tells."""
        said = dict(self.predicted.ranking())
        off = [abs(said[name] - kept) for name, kept in self.measured.ranking()]
        known = [one for one in off if one == one]  # of a policy that was sent off nothing is kept
        if not known:
            return ""
        points = f"{100 * max(known):.0f} points"
        return f" What each keeps may be off all the same: here by up to {points}."


def _verdict(table: Table) -> str:
    leaders = table.leaders()
    if not leaders:
        return "nobody wins, all were sent off"
    if len(leaders) == 1:
        return f"{leaders[0]!r} wins"
    return f"a tie of {' and '.join(map(repr, leaders))}"
