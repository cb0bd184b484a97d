"""How often mocks ask what: ``python -m labutils.drills.interview.simulated [MOCKS]``."""

import random
import sys
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from labutils.drills.catalog import templates
from labutils.drills.definition.template import Template
from labutils.drills.interview.interview import QUESTIONS
from labutils.drills.interview.lineup import DEEP, HARD, Story, lineup
from labutils.drills.interview.sitting import MINUTES


@dataclass(frozen=True)
class Mocks:
    """Line-ups of a candidate who takes one mock after the other."""

    lineups: tuple[tuple[Story, ...], ...]

    @classmethod
    def simulated(cls, number: int, candidates: Sequence[Template] = ()) -> "Mocks":
        """So many mocks, seeds 0 and up, none of which asks what the two before asked."""
        found, before = [], deque(maxlen=2)
        for seed in range(number):
            recent = {story.template.id for one in before for story in one}
            draw = random.Random(f"mock/{seed}")
            pool = candidates or templates()
            before.append(tuple(lineup(pool, QUESTIONS, draw, minutes=MINUTES, recent=recent)))
            found.append(before[-1])
        return cls(tuple(found))

    @property
    def shares(self) -> dict[str, float]:
        """Template id -> share of the mocks that ask it, the most frequent first."""
        asked = Counter(story.template.id for one in self.lineups for story in one)
        return {name: count / len(self.lineups) for name, count in asked.most_common()}

    def minutes(self) -> list[float]:
        """The minutes that each mock plans, rising."""
        return sorted(sum(story.minutes for story in one) for one in self.lineups)

    def each(self, count) -> list[int]:
        """What ``count`` says of each mock."""
        return [count(one) for one in self.lineups]

    def table(self) -> str:
        """What was asked how often, and what every mock holds."""
        shares, known = self.shares, {item.id for item in templates()}
        minutes = self.minutes()
        lines = [
            f"{len(self.lineups)} mocks of {QUESTIONS} questions, {len(known)} templates",
            f"never asked: {', '.join(sorted(known - set(shares))) or 'none'}",
            f"minutes: {minutes[0]:.1f} to {minutes[-1]:.1f}",
        ]
        for words, count in COUNTED.items():
            found = sorted(Counter(self.each(count)).items())
            lines.append(f"{words}: " + ", ".join(f"{n} in {mocks}" for n, mocks in found))
        rows = list(shares.items())
        rare = [f"  {100 * share:5.1f} %  {name}" for name, share in (*rows[:8], *rows[-5:])]
        return "\n".join([*lines, "share of mocks, the most frequent and the rarest:", *rare])


COUNTED = {
    "questions of level 4": lambda one: sum(s.template.level == HARD for s in one),
    "stories in depth": lambda one: sum(s.questions >= DEEP for s in one),
    "questions that follow up": lambda one: sum(s.questions - 1 for s in one),
    "letters alone": lambda one: sum(s.num_letters for s in one),
    "trivia": lambda one: sum(s.template.trivia for s in one),
}

if __name__ == "__main__":
    print(Mocks.simulated(int(sys.argv[1]) if len(sys.argv) > 1 else 1000).table())
