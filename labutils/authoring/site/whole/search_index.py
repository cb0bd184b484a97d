"""What a search looks through: a script that pages load when somebody begins to search."""

import json
from collections.abc import Iterator

from labutils.authoring.site import markup
from labutils.authoring.site.chapters.chapter_page import ChapterPage
from labutils.authoring.site.others.topics import Topics
from labutils.cards import all_cards, glossary

Row = list[str | list[str]]


def index_script(pages: dict[str, ChapterPage], topics: Topics) -> str:
    """``window.searchRows``: address, page, title, text, and the topics taught there.

    A part behind an outcome bears the title of its question, and its text stays unshown.
    """
    rows = [*_parts(pages, topics), *_reference()]
    return f"window.searchRows = {json.dumps(rows, ensure_ascii=False, separators=(',', ':'))};\n"


def _parts(pages: dict[str, ChapterPage], topics: Topics) -> Iterator[Row]:
    for page in pages.values():
        for part in (part for part in page.parts if part.title != "Sources"):
            address = f"{page.chapter.name}.html#{part.told.anchor}".rstrip("#")
            title = markup.words(part.told.title)
            taught = topics.taught_in(page, part)
            kind = "hidden" if part.question else ""
            text = " ".join(" ".join(part.words).split())
            yield [address, page.chapter.heading, title, text, taught, kind]


def _reference() -> Iterator[Row]:
    for term in glossary():
        address = f"glossary.html#{markup.slug(term.word)}"
        yield [address, "Glossary", term.word, markup.words(term.meaning), [], "word"]
    for card in all_cards():
        text = " ".join(markup.words(cell) for row in card.rows for cell in row)
        yield [f"cards.html#{card.id}", "Cards", card.title, text, [], ""]
