"""Rules on the routes by goal: their chapters exist, their stretches end at checkpoints."""

from collections.abc import Iterator

from labutils.authoring.lint.minutes import Guide
from labutils.authoring.pages.outlines import outlined
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.definitions import Definitions
from labutils.classroom.prepare.plans import parts_of
from labutils.workspace.routes import ROUTES, routes


def route_findings(course: Course, definitions: Definitions) -> Iterator[str]:
    """Findings on ``data/routes.json``; none where a course has no routes."""
    try:
        known = outlined(course)
    except ValueError:  # unpaired markers, an unknown need: other rules speak of them
        return
    try:
        found = routes(course.root / "data" / ROUTES, known)
    except (KeyError, TypeError, ValueError) as error:
        yield f"data/{ROUTES}: {error}"
        return
    guide = Guide(course, definitions, [])
    for route in found:
        for text in (part.text for part in route.parts if not part.is_drills):
            fault = guide.minutes_of(*parts_of(f"`{text}`"))
            if isinstance(fault, str):
                yield f"data/{ROUTES}, route {route.id!r}: {fault}"
