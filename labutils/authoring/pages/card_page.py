"""The reference cards and the glossary as one HTML page that prints well and loads nothing."""

import html
from pathlib import Path

from labutils.authoring.pages.offers import CARDS_PATH, has_offers
from labutils.authoring.slides.markup import inline_html
from labutils.authoring.sources.course import Course
from labutils.cards import ReferenceCard, all_cards, glossary

STYLE = Path(__file__).with_name("cards.css")


def printed(course: Course) -> dict[str, str]:
    """The pages to write, by path; none for a course without cards."""
    return {CARDS_PATH: card_page(course.title)} if has_offers(course) else {}


def card_page(title: str) -> str:
    """``docs/cards.html``: every card, then the glossary; formulas are MathML."""
    cards = all_cards()
    contents = "".join(f'<li><a href="#{card.id}">{card.title}</a></li>' for card in cards)
    name = f"{html.escape(title)}: reference cards"
    return paper(
        name,
        STYLE,
        f"<h1>{name}</h1>",
        "<p>Figures are computed by the course's own package, or cited. "
        "In a notebook: <code>from labutils.cards import card, glossary</code>. "
        "Made to be printed.</p>",
        f'<nav aria-label="Cards"><ul>{contents}<li><a href="#glossary">Glossary</a></li>'
        "</ul></nav>",
        *map(card_html, cards),
        _glossary(),
    )


def paper(name: str, style: Path, *parts: str) -> str:
    """A page that prints well and loads nothing: ``name`` and ``parts`` are ready HTML."""
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{name}</title>",
            f"<style>\n{style.read_text(encoding='utf-8')}</style></head><body>",
            *parts,
            "</body></html>\n",
        ]
    )


def card_html(card: ReferenceCard) -> str:
    """A card as a section of a page."""
    head = "".join(f'<th scope="col">{inline_html(cell)}</th>' for cell in card.header)
    body = "\n".join(map(_row, card.rows))
    note = f'<p class="note">{inline_html(card.note)}</p>' if card.note else ""
    sources = "; ".join(map(inline_html, card.sources))
    cited = f'<p class="sources">Sources: {sources}.</p>' if sources else ""
    return (
        f'<section id="{card.id}">\n<h2>{html.escape(card.title)}</h2>\n'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>\n"
        f"{note}{cited}\n</section>"
    )


def _row(row: tuple[str, ...]) -> str:
    first, *rest = map(inline_html, row)
    cells = "".join(f"<td>{cell}</td>" for cell in rest)
    return f'<tr><th scope="row">{first}</th>{cells}</tr>'


def _glossary() -> str:
    terms = "\n".join(
        f"<dt>{html.escape(term.word)}</dt>"
        f"<dd>{inline_html(term.meaning)} <small>[{html.escape(term.chapter)}]</small></dd>"
        for term in glossary()
    )
    return (
        f'<section id="glossary" class="glossary"><h2>Glossary</h2><dl>\n{terms}\n</dl></section>'
    )
