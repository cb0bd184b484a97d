"""The course's text in passages, for ``labutils.retrieval`` to search: ``data/corpus.jsonl``.

Taken in are the words of chapters and labs as a learner sees them (no solution, no code, no
output), the guides under ``docs/``, the cards row by row, and the glossary.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from labutils.authoring.pages.offers import has_offers
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.solutions import blanked
from labutils.authoring.sources.source import Chapter
from labutils.cards import all_cards, glossary
from labutils.cards.plain import plain
from labutils.retrieval.corpus import CORPUS, Passage, corpus_text

CORPUS_PATH = f"data/{CORPUS}"
SHORT, LONG = 100, 900  # characters: below, a paragraph joins the next; above, a list is divided
_HEADING = re.compile(r"#+ +(.+)")


def corpus_file(course: Course) -> dict[str, str]:
    """The file to write, by its path; nothing for a course without the cards."""
    return {CORPUS_PATH: corpus_text(passages(course))} if has_offers(course) else {}


def passages(course: Course) -> list[Passage]:
    """Every passage, each with an id of its own."""
    pieces = [piece for chapter in course.chapters for piece in _of_chapter(chapter)]
    for path in sorted((course.root / "docs").rglob("*.md")):
        pieces += _of_page(path, path.relative_to(course.root).as_posix())
    pieces += [*_of_cards(), *_of_glossary()]
    return list(_numbered(pieces))


def _of_chapter(chapter: Chapter) -> Iterator[tuple[str, str, str]]:
    cells = [
        blanked(cell.source)
        for cell in chapter.cells
        if cell.kind == "markdown" and "solution-only" not in cell.tags
    ]
    return _cut(chapter.name, chapter.header.title, cells)


def _of_page(path: Path, name: str) -> Iterator[tuple[str, str, str]]:
    text = re.sub(r"```.*?(```|\Z)", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return _cut(name, name, [text])


def _of_cards() -> Iterator[tuple[str, str, str]]:
    for card in all_cards():
        for row in card.rows:
            first, *rest = map(plain, row)
            cells = [f"{name}: {text}" for name, text in zip(card.header[1:], rest) if text]
            yield f"card/{card.id}", f"{card.title}: {first}", f"{first}. {'; '.join(cells)}"
        if card.note:
            yield f"card/{card.id}", card.title, plain(card.note)


def _of_glossary() -> Iterator[tuple[str, str, str]]:
    for term in glossary():
        yield "glossary", term.word, f"{term.word}: {plain(term.meaning)}."


def _cut(source: str, title: str, texts: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Pieces (source, heading, text): paragraphs, short ones joined to the next under a heading."""
    heading, kept = title, ""
    for text in texts:
        for part in re.split(r"\n\s*\n", text):
            if found := _HEADING.match(part.strip()):
                if kept:
                    yield source, heading, kept
                heading, kept = _one_line(found[1]), ""
                part = part.strip()[found.end() :]
            for piece in _divided(part):
                kept = f"{kept}\n{piece}".strip()
                if len(kept) >= SHORT:
                    yield source, heading, kept
                    kept = ""
    if kept:
        yield source, heading, kept


def _divided(part: str) -> list[str]:
    """A paragraph as one piece; a long list or table as pieces of whole lines below ``LONG``."""
    lines = re.split(r"\n(?=[ ]*(?:[-*|]|\d+\.) ?)", part.strip())
    lines = [_one_line(line) for line in lines if not re.fullmatch(r"[-|: ]*", line.strip())]
    pieces = [""]
    for line in lines:
        if pieces[-1] and len(pieces[-1]) + len(line) > LONG:
            pieces.append("")
        pieces[-1] = f"{pieces[-1]}\n{line}".strip()
    return [piece for piece in pieces if piece]


def _one_line(markdown: str) -> str:
    """Text without link addresses and marks of emphasis, in one line; formulas stay as they are."""
    text = re.sub(r"!?\[([^]]*)\]\([^)]*\)", r"\1", markdown)
    text = re.sub(r"<[^>\n]+>", " ", text).replace("**", "").replace("`", "")
    return re.sub(r"\s+", " ", text).strip()


def _numbered(pieces: Iterable[tuple[str, str, str]]) -> Iterator[Passage]:
    counts: Counter[str] = Counter()
    for source, heading, text in pieces:
        slug = "-".join(re.findall(r"[a-z0-9]+", heading.lower())[:8])
        counts[f"{source}#{slug}"] += 1
        number = counts[f"{source}#{slug}"]
        yield Passage(f"{source}#{slug}.{number}", source, heading, text)
