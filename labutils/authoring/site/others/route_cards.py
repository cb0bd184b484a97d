"""Routes by goal, as ``data/routes.json`` has them; no section while there are none."""

from html import escape
from pathlib import Path

from labutils.authoring.site.markup import inline
from labutils.workspace.routes import Part, Route, routes


def routes_html() -> str:
    """One card a route: for whom, its parts, its minutes, what one can do afterwards."""
    found = "".join(map(_route, routes()))
    return f'<h2 id="routes">Which way is yours?</h2><ul class="map">{found}</ul>' if found else ""


def _route(route: Route) -> str:
    hours, minutes = divmod(route.minutes, 60)
    time = f"{hours} h {minutes} min" if hours else f"{minutes} min"
    return (
        f'<li id="route-{escape(route.id)}"><b>{inline(route.title)}</b>'
        f"<small>{time}</small><span>{inline(route.who)}</span>"
        f"<span>{', '.join(map(_part, route.parts))}</span>"
        f"<small>Afterwards: {inline(route.after)}</small></li>"
    )


def _part(part: Part) -> str:
    """A chapter, or a stretch of it, as a link."""
    if part.is_drills:
        return f'<a href="drills.html">drills</a> ({part.minutes} min)'
    page = f"{Path(part.chapter.path).stem}.html"
    label = part.chapter.label.replace(" ", "\N{NO-BREAK SPACE}")
    begins = f"from minute {part.first} " if part.first else ""
    stretch = "" if part.is_whole else f" {begins}to minute {part.last}"
    return f'<a href="{page}">{escape(label)}</a>{stretch}'
