"""The words of the course in alphabetical order, each with the place where it is earned."""

import json
from dataclasses import dataclass
from functools import cache

from labutils import datafile
from labutils.cards.plain import plain


@dataclass(frozen=True, repr=False)
class Term:
    """A word, what it means here, and the chapter or lab that builds it."""

    word: str
    meaning: str
    chapter: str

    def __repr__(self) -> str:
        return f"{self.word}: {plain(self.meaning)} [{self.chapter}]"


class Glossary(tuple):
    """Several terms; ``print`` shows each word with its meaning, one under the other."""

    def __repr__(self) -> str:
        return "\n".join(map(repr, self)) or "no such word"

    def _repr_markdown_(self) -> str:
        lines = [f"**{term.word}** ({term.chapter}): {term.meaning}" for term in self]
        return "\n\n".join(lines) or "no such word"


def glossary(word: str = "") -> Glossary:
    """All terms, or those that hold ``word`` in their name or meaning, in any case.

    >>> glossary("goodput")
    goodput: requests per second that meet every objective [04]
    """
    wanted = word.lower()
    return Glossary(t for t in terms() if wanted in f"{t.word} {t.meaning}".lower())


@cache
def terms() -> Glossary:
    """Every term, from ``data/glossary.json``."""
    table = json.loads(datafile("glossary.json").read_text(encoding="utf-8"))
    return Glossary(Term(word, row["meaning"], row["chapter"]) for word, row in table.items())
