"""One slide: its title, its blocks of HTML, and what only the speaker sees."""

import re
from dataclasses import dataclass, field

from labutils.authoring.slides import room
from labutils.authoring.slides.notes import Notes
from labutils.authoring.slides.room import ROOM

MUCH = 3.5  # lines of text below a picture, beyond which they stand beside it


@dataclass
class Slide:
    """One slide: ``body`` is a list of HTML blocks, ``lines`` an estimate of their height."""

    kind: str
    title: str
    kicker: str = ""
    body: list[str] = field(default_factory=list)
    notes: Notes = field(default_factory=Notes)
    lines: float = 0.0
    tall: bool = False  # its picture leaves room beside it, not below

    @property
    def sits_beside(self) -> bool:
        """Whether the text of a picture stands beside it instead of above and below."""
        much = self.kind == "figure" and self.lines - ROOM > MUCH
        return len(self.body) > 1 and (self.tall or much)

    def words_with(self, text: str) -> int:
        """Characters of text on this slide, with ``text`` added."""
        return len(re.sub(r"<[^>]+>", "", "".join(self.body))) + len(text)

    def has_room(self, html: str, lines: float) -> bool:
        """Whether a block fits below the others; an empty slide takes any."""
        return not self.body or (self.lines + lines <= ROOM and self.has_words(html))

    def has_words(self, html: str) -> bool:
        """Whether a block leaves the slide with no more words than a class reads at once."""
        return room.words("\n".join([*self.body, html])) <= room.WORDS

    def add(self, html: str, lines: float = 0.0) -> None:
        """Put a block below the others."""
        self.body.append(html)
        self.lines += lines
