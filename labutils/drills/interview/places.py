"""Where the course explains what a drill asks."""

from functools import cache

from labutils.drills.definition.template import Template
from labutils.topics import Place, Topic, all_topics


def section(template: Template) -> str:
    """The first section of a chapter or lab on a topic of ``template``; empty where none is."""
    for topic in template.topics:
        for place in _topics()[topic].places if topic in _topics() else ():
            if _explains(place):
                return f"{place.title}, “{place.heading.removeprefix('Card: ')}”"
    return ""


def _explains(place: Place) -> bool:
    """Whether it is a section of a chapter: no drill, and no title page."""
    return "interview_drills" not in place.path and not place.title.endswith(place.heading)


@cache
def _topics() -> dict[str, Topic]:
    return {topic.id: topic for topic in all_topics()}
