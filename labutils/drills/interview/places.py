"""Where the course explains what a drill asks."""

from functools import cache
from textwrap import shorten

from labutils.drills.definition.template import Template
from labutils.topics import Place, Topic, all_topics


def section(template: Template, *, first: str = "") -> str:
    """The section of a chapter or lab on the main topic of ``template``, or on two of its others.

    The main topic is ``first``, a topic's id, or else the first of the template's. Where no section
    is about it, the one on another of its topics, said to be the nearest; empty without any.
    """
    wanted = (
        dict.fromkeys((first or template.topics[0], *template.topics)) if template.topics else ()
    )
    shared: dict[Place, list[str]] = {}
    for topic in wanted:
        for place in _topics()[topic].places if topic in _topics() else ():
            if _explains(place):
                shared.setdefault(place, []).append(topic)
    main = next(iter(wanted), "")
    if not shared:
        return ""
    best = max(shared, key=lambda place: (main in shared[place], len(shared[place])))
    is_on_it = main in shared[best] or len(shared[best]) > 1
    near = "" if is_on_it else "nearest: "
    return f"{near}{best.title}, “{best.heading.removeprefix('Card: ')}”"


def topic_in_words(topic: str) -> str:
    """A topic's id and what it is about, up to the first colon and 44 characters."""
    known = _topics().get(topic)
    about = known.title.partition(":")[0] if known else ""
    return f"{topic} {shorten(about, 44, placeholder=' …')}".strip()


def _explains(place: Place) -> bool:
    """Whether it is a section of a chapter: no drill, and no title page."""
    return "interview_drills" not in place.path and not place.title.endswith(place.heading)


@cache
def _topics() -> dict[str, Topic]:
    return {topic.id: topic for topic in all_topics()}
