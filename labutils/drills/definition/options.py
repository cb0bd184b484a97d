"""A choice inside a drill: pick the model, name the limit, find the panel that lies."""

from collections.abc import Mapping
from dataclasses import dataclass

from labutils.exercises.checkers import Choice
from labutils.exercises.definition.verdict import Verdict


@dataclass(frozen=True)
class Options:
    """Lettered options; ``against`` holds for each wrong letter what speaks against it.

    Where a drill has options and a number, the options come first. Make them with
    ``Draw.options``, which shuffles: a letter that is always right teaches the letter.
    """

    question: str
    texts: Mapping[str, str]
    right: str
    against: Mapping[str, str]

    def __post_init__(self):
        if set(self.against) != set(self.texts) - {self.right}:
            raise ValueError(
                f"against = {sorted(self.against)}: expected a message for each wrong option of "
                f"{sorted(self.texts)}"
            )

    def judge(self, answer) -> Verdict:
        """The verdict on a letter; each wrong one has its own message."""
        return Choice(self.texts, self.right, self.against).check(answer)

    def lines(self) -> list[str]:
        """The options as they are shown, one to a line."""
        return [f"({key}) {text}" for key, text in self.texts.items()]
