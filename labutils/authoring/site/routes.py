"""Routes by goal, as ``data/routes.json`` has them; no section while there is no such file."""

import json
import re
from html import escape

from labutils.authoring.site.markup import inline
from labutils.authoring.site.shell import chapter_link
from labutils.authoring.sources.course import Course


def routes_html(course: Course) -> str:
    """One card a route: for whom, its parts, what one can do afterwards."""
    path = course.root / "data/routes.json"
    if not path.exists():
        return ""
    routes = json.loads(path.read_text(encoding="utf-8"))
    return (
        '<h2 id="routes">Which way is yours?</h2><ul class="map">'
        f"{''.join(_route(course, route) for route in routes)}</ul>"
    )


def _route(course: Course, route: dict) -> str:
    parts = ", ".join(_part(course, part) for part in route["parts"])
    return (
        f'<li id="route-{escape(route["id"])}"><b>{inline(route["title"])}</b>'
        f"<span>{inline(route['who'])}</span><span>{parts}</span>"
        f"<small>{inline(route['after'])}</small></li>"
    )


def _part(course: Course, part: str) -> str:
    """A chapter, or a stretch of it (``03@0-36``), as a link."""
    name, _, stretch = part.partition("@")
    lab = re.fullmatch(r"lab(\w+)", name)
    chapter = course.chapter(f"Lab {lab[1]}" if lab else name)
    minutes = f" (minutes {stretch.replace('-', ' to ')})" if stretch else ""
    return chapter_link(chapter) + minutes
