"""Which sentences of the prose stand on a slide: the telling ones, or those that were chosen."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from labutils.authoring.slides import markup

CHOICES_PATH = "data/slides.json"
SHORTEST = 28  # characters of a first sentence that says something
ASIDE = re.compile(
    r"(Stuck|Here (is|are)|The next cell|Put it|Both work|Now |The cell|Read a row|"
    r"\(|"
    r".*(hint|reveal|check)\(\")"
)
"""Sentences about the notebook, which a slide does without."""

MOST_SENTENCES, MOST_CHARACTERS = 3, 330


@dataclass
class Choice:
    """What ``data/slides.json`` says of one chapter.

    ``show``: sentences (by their first words) that stand on the slide in place of the automatic
    choice for their stretch of prose, and printed lines that else only the speaker sees. ``hide``:
    headings, paragraphs, alternatives of pictures or printed texts (by their first words) that
    stay off the slides. Words that match nothing are ``stale``: the chapter has changed since.
    """

    show: tuple[str, ...] = ()
    hide: tuple[str, ...] = ()
    used: set[str] = field(default_factory=set)

    def hides(self, text: str) -> bool:
        """Whether this text is to stay off the slides."""
        return bool(self._matching(self.hide, text))

    def shows(self, text: str) -> bool:
        """Whether this sentence was chosen."""
        return bool(self._matching(self.show, text))

    @property
    def stale(self) -> list[str]:
        """The words that have matched nothing so far."""
        return [words for words in (*self.show, *self.hide) if words not in self.used]

    def _matching(self, wanted: tuple[str, ...], text: str) -> list[str]:
        found = [words for words in wanted if _flat(text).startswith(_flat(words))]
        self.used |= set(found)
        return found


def _flat(text: str) -> str:
    return " ".join(text.split())


def read_choices(root: Path) -> dict[str, Choice]:
    """The choices by chapter name; none where there is no such file."""
    path = root / CHOICES_PATH
    if not path.exists():
        return {}
    entries = json.loads(path.read_text(encoding="utf-8"))
    return {
        name: Choice(tuple(entry.get("show", ())), tuple(entry.get("hide", ())))
        for name, entry in entries.items()
    }


def telling(paragraphs: list[str], choice: Choice, leading: set[str] = frozenset()) -> list[str]:
    """The sentences that a slide shows of these paragraphs.

    Those chosen by hand; else the first one and those with a bold term, as far as there is room.
    Sentences that are ``leading`` to a formula or a list are always among them.
    """
    said = [sentence for text in paragraphs for sentence in markup.sentences(text)]
    chosen = [sentence for sentence in said if choice.shows(sentence)]
    if chosen or not said:
        return [sentence for sentence in said if sentence in chosen or sentence in leading]
    told = [s for s in said if not ASIDE.match(s) and s.count("(") == s.count(")")]
    opening = [sentence for sentence in told[:1] if len(sentence) >= SHORTEST]
    picked = [*opening, *(s for s in told if "**" in s and s not in opening)]
    kept = _fitting(picked or told[:1])
    return [sentence for sentence in said if sentence in kept or sentence in leading]


def _fitting(picked: list[str]) -> list[str]:
    shown, room = [], MOST_CHARACTERS
    for sentence in picked[:MOST_SENTENCES]:
        room -= len(sentence)
        if shown and room < 0:
            break
        shown.append(sentence)
    return shown
