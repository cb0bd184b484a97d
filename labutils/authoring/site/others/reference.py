"""The cards, the glossary, and the page for what is not found."""

from html import escape

from labutils.authoring.pages.card_page import card_html
from labutils.authoring.site import markup
from labutils.authoring.site.shell import chapter_link
from labutils.authoring.sources.course import Course
from labutils.cards import all_cards, glossary

NOT_FOUND = """\
<main id="main"><h1>There is no such page</h1>
<p>Perhaps a chapter has a new name: search above, or begin at the
<a href="index.html">list of chapters</a>.</p></main>"""


def cards_html() -> str:
    """The body of the page of reference cards."""
    cards = all_cards()
    contents = "".join(f'<li><a href="#{card.id}">{escape(card.title)}</a>' for card in cards)
    sections = "".join(map(card_html, cards)).replace("<table", '<div class="wide"><table')
    sections = sections.replace("</table>", "</table></div>")
    return (
        '<main id="main" class="wider"><h1>Reference cards</h1><p>Figures are computed by the '
        "course's own package, or cited.</p>"
        f'<ul class="columns">{contents}<li><a href="glossary.html">Glossary</a></ul>\n'
        f"{sections}</main>"
    )


def glossary_html(course: Course) -> str:
    """The body of the glossary; each word says in which chapter it is first used."""
    rows = "\n".join(
        f'<dt id="{markup.slug(term.word)}">{escape(term.word)}</dt>'
        f"<dd>{markup.inline(term.meaning)} <small>{_home(course, term.chapter)}</small></dd>"
        for term in glossary()
    )
    return f'<main id="main"><h1>Glossary</h1><dl class="glossary">{rows}</dl></main>'


def _home(course: Course, label: str) -> str:
    try:
        return chapter_link(course.chapter(label.replace("lab ", "Lab ")))
    except ValueError:
        return escape(label)
