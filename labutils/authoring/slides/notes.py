"""What only the speaker sees: the minutes, the question to ask, mistakes to expect, the prose."""

import re
from dataclasses import dataclass, field
from html import escape

from labutils.authoring.slides import markup
from labutils.exercises.definition.exercise import Exercise

LONGEST_QUESTION = 220
TO_THE_LEARNER = ("Stuck",)  # questions about the notebook, which nobody asks a class


@dataclass
class Notes:
    """The notes of one slide, in the order in which they are read."""

    minutes: str = ""
    ask: list[str] = field(default_factory=list)
    expect: list[str] = field(default_factory=list)
    say: list[str] = field(default_factory=list)

    def add_prose(self, markdown: str) -> None:
        """Keep a block of prose, and its questions among those to ask."""
        self.say.append(markdown)
        for sentence in markup.sentences(markdown):
            asks = sentence.endswith(("?", "?**")) and len(sentence) <= LONGEST_QUESTION
            if asks and not sentence.startswith(TO_THE_LEARNER):
                self.ask.append(sentence)

    def html(self) -> str:
        """The notes as HTML."""
        parts = [f"<p><strong>{escape(self.minutes)}</strong></p>"] if self.minutes else []
        parts += _labelled("Ask", dict.fromkeys(self.ask))
        parts += _labelled("Expect", self.expect)
        return "\n".join([*parts, *(markup.block_html(text) for text in self.say)])


def expected(exercise: Exercise) -> list[str]:
    """The misconceptions that an exercise diagnoses: name and message."""
    found = getattr(exercise.checker, "misconceptions", ())
    return [f"**{_spoken(one.name)}:** {one.message}" for one in found]


def _spoken(name: str) -> str:
    return re.sub(r"-", " ", name)


def _labelled(label: str, texts) -> list[str]:
    return [f"<p><em>{label}:</em> {markup.inline_html(text)}</p>" for text in texts]
