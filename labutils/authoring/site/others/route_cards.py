"""Routes by goal, as ``data/routes.json`` has them; no section while there are none."""

from html import escape

from labutils.authoring.site.markup import inline
from labutils.workspace.routes import Part, Route, duration, routes


def routes_html() -> str:
    """One card a route: for whom, its parts, its minutes, what one can do afterwards."""
    found = "".join(map(_route, routes()))
    return f'<h2 id="routes">Which way is yours?</h2><ul class="map">{found}</ul>' if found else ""


def _route(route: Route) -> str:
    return (
        f'<li id="route-{escape(route.id)}"><b>{inline(route.title)}</b>'
        f"<small>{duration(route.minutes)}</small><span>{inline(route.who)}</span>"
        f"<span>{', '.join(map(_part, route.parts))}</span>"
        f"<small>Afterwards: {inline(route.after)}</small></li>"
    )


def _part(part: Part) -> str:
    """A chapter, or a stretch of it, as a link."""
    page = "drills" if part.is_drills else part.chapter.name
    label = "drills" if part.is_drills else part.chapter.label.replace(" ", "\N{NO-BREAK SPACE}")
    return f'<a href="{page}.html">{escape(label)}</a>{part.stretch}'
