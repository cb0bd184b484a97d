"""Routes by goal, as ``data/routes.json`` has them; no section while there are none."""

from collections.abc import Mapping
from html import escape

from labutils.authoring.site.chapters.chapter_page import ChapterPage
from labutils.authoring.site.markup import inline
from labutils.workspace.routes import Part, Route, duration, routes


def routes_html(pages: Mapping[str, ChapterPage]) -> str:
    """One card a route: for whom, its parts, its minutes, what one can do afterwards."""
    found = "".join(_route(route, pages) for route in routes())
    return f'<h2 id="routes">Which way is yours?</h2><ul class="map">{found}</ul>' if found else ""


def _route(route: Route, pages: Mapping[str, ChapterPage]) -> str:
    parts = "".join(f"<li>{_part(part, pages)}" for part in route.parts)
    return (
        f'<li id="route-{escape(route.id)}"><b>{inline(route.title)}</b>'
        f"<small>{duration(route.minutes)}</small><span>{inline(route.who)}</span>"
        f'<ol class="parts">{parts}</ol>'
        f"<small>Afterwards: {inline(route.after)}</small></li>"
    )


def _part(part: Part, pages: Mapping[str, ChapterPage]) -> str:
    """A chapter as a link, and where a stretch of it begins and ends, linked where that is open."""
    if part.is_drills:
        return f'<a href="drills.html">Drills</a>{part.stretch}'
    page = pages[part.chapter.name]
    label, _, title = part.chapter.heading.partition(" · ")
    label = label.replace(" ", "\N{NO-BREAK SPACE}")
    begins = f" from {_minute(page, part.first)}" if part.first else ""
    stretch = "" if part.is_whole else f"{begins} to {_minute(page, part.last)}"
    return f'<a href="{page.chapter.name}.html">{escape(label)} {escape(title)}</a>{stretch}'


def _minute(page: ChapterPage, minute: int) -> str:
    """A checkpoint by its minute: a link, unless it lies behind a prediction."""
    words = f"minute\N{NO-BREAK SPACE}{minute}"
    at = f"{page.chapter.name}.html#minute-{minute}"
    return f'<a href="{at}">{words}</a>' if minute in page.checkpoints else words
