"""Where the course explains what a drill asks."""

from functools import cache

from labutils.drills.definition.template import Template
from labutils.topics import Place, Topic, all_topics


def section(template: Template, *, first: str = "") -> str:
    """The section of a chapter or lab on most topics of ``template``; empty where none is.

    With ``first``, a topic's id, one on that topic, if there is one.
    """
    wanted = (first, *template.topics) if first in _topics() else template.topics
    shared: dict[Place, list[str]] = {}
    for topic in wanted:
        for place in _topics()[topic].places if topic in _topics() else ():
            if _explains(place):
                shared.setdefault(place, []).append(topic)
    if not shared:
        return ""
    best = max(shared, key=lambda place: (first in shared[place], len(shared[place])))
    return f"{best.title}, “{best.heading.removeprefix('Card: ')}”"


def topic_in_words(topic: str) -> str:
    """A topic's id and what it is about, up to the first colon."""
    known = _topics().get(topic)
    return f"{topic} {known.title.partition(':')[0]}" if known else topic


def _explains(place: Place) -> bool:
    """Whether it is a section of a chapter: no drill, and no title page."""
    return "interview_drills" not in place.path and not place.title.endswith(place.heading)


@cache
def _topics() -> dict[str, Topic]:
    return {topic.id: topic for topic in all_topics()}
