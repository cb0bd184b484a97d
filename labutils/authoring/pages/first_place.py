"""Where a topic is learned first: of all places that cover it the one that teaches it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from labutils.authoring.pages.index import Cover, covers
from labutils.authoring.pages.offers import HOME
from labutils.authoring.sources.course import Course


def first_places(course: Course, titles: Mapping[str, str]) -> dict[str, Cover]:
    """The best place of each topic that a chapter or lab teaches.

    The core of a chapter comes before a lab, and this before optional cells. Of several chapters
    the one is best that says most about the topic; in it, the heading that shares most words with
    the topic's title. Of equals, the first; a chapter's opening, without a heading, comes last.
    """
    taught: dict[str, list[Cover]] = {}
    for cover in covers(course):
        if cover.chapter.header.slug != HOME:
            taught.setdefault(cover.topic, []).append(cover)
    return {topic: _best(found, titles.get(topic, "")) for topic, found in taught.items()}


def _best(found: list[Cover], title: str) -> Cover:
    found = _least(found, lambda cover: (cover.optional, cover.chapter.header.folder == "labs"))
    chapters = Counter(cover.chapter.name for cover in found)
    found = _least(found, lambda cover: -chapters[cover.chapter.name])
    found = _least(found, lambda cover: found[0].chapter is not cover.chapter)
    found = _least(found, lambda cover: cover.heading == cover.chapter.header.title)
    return max(found, key=lambda cover: _shared(cover.heading, title))


def _least(found: list[Cover], key) -> list[Cover]:
    """Those that come first by ``key``."""
    least = min(map(key, found))
    return [cover for cover in found if key(cover) == least]


def _shared(*texts: str) -> int:
    """How many words the texts share, plurals and such aside."""
    return len(set.intersection(*(set(_stems(text)) for text in texts)))


def _stems(text: str) -> Iterable[str]:
    return (word[:6].lower() for word in re.findall(r"[^\W\d_]{4,}", text))
