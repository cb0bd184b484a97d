"""What became of the drafts, place by place."""

from dataclasses import dataclass, field


@dataclass
class Tally:
    """Counts over all verifications of drafts.

    ``tried[i]`` drafts at place i were looked at, since all before them stayed, and ``stayed[i]``
    of them were accepted. ``verifications`` counts requests verified, ``tokens`` what they got.
    """

    tried: list[int] = field(default_factory=list)
    stayed: list[int] = field(default_factory=list)
    verifications: int = 0
    tokens: int = 0

    def note(self, drafted: int, run: int) -> None:
        """One request: ``drafted`` tokens were proposed, and it got ``run`` of them and its own."""
        grown = drafted - len(self.tried)
        self.tried += [0] * grown
        self.stayed += [0] * grown
        for place in range(min(drafted, run)):
            self.tried[place] += 1
            self.stayed[place] += place < run - 1
        self.verifications += 1
        self.tokens += run

    @property
    def by_place(self) -> list[float]:
        """Share of the drafts at each place that stayed, of those that were looked at."""
        return [stay / tried for stay, tried in zip(self.stayed, self.tried) if tried]

    @property
    def acceptance(self) -> float:
        """The share α of all drafts looked at that stayed: its likeliest value if it is constant.

        NaN before the first draft.
        """
        return sum(self.stayed) / sum(self.tried) if sum(self.tried) else float("nan")

    @property
    def tokens_per_verification(self) -> float:
        """Tokens that a request got from a step that verified drafts of it; NaN without any."""
        return self.tokens / self.verifications if self.verifications else float("nan")
