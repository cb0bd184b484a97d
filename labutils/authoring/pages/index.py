"""What the build collects: the topic index over chapters, drills and cards."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from labutils.authoring.pages.offers import offers
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import Chapter

INDEX_PATH = "data/topic_index.json"


def index_text(course: Course) -> str:
    """The topic index as JSON text: topic id to the places that cover it, in course order.

    Drills, whiteboard prompts and reference cards stand behind the chapters.
    """
    places: dict[str, list[dict[str, str]]] = {}
    for topic, entry in chain(_in_chapters(course), offers(course)):
        if entry not in places.setdefault(topic, []):
            places[topic].append(entry)
    ordered = {topic: places[topic] for topic in sorted(places)}
    return json.dumps(ordered, indent=1, ensure_ascii=False) + "\n"


def _in_chapters(course: Course) -> Iterator[tuple[str, dict[str, str]]]:
    for cover in covers(course):
        chapter = cover.chapter
        place = {"path": chapter.learner_path, "title": chapter.heading, "heading": cover.heading}
        yield cover.topic, place


def headings(markdown: str) -> list[tuple[int, str]]:
    """Level and text of every heading in a markdown text, code fences left out."""
    prose = re.sub(r"^(```|~~~).*?^\1\s*$", "", markdown, flags=re.S | re.M)
    found = re.findall(r"^(#{1,6})[ \t]+(.+?)[ \t#]*$", prose, flags=re.M)
    return [(len(marks), text) for marks, text in found]


@dataclass(frozen=True)
class Cover:
    """A cell of ``chapter`` that covers ``topic``, by the heading under which it stands."""

    topic: str
    chapter: Chapter
    heading: str
    optional: bool


def covers(course: Course) -> Iterator[Cover]:
    """Every cell that covers a topic, in reading order."""
    for chapter in course.chapters:
        heading = chapter.header.title
        for cell in chapter.cells:
            found = headings(cell.source) if cell.kind == "markdown" else []
            heading = found[0][1] if found else heading
            if "solution-only" not in cell.tags:
                for topic in cell.topics:
                    yield Cover(topic, chapter, heading, "optional" in cell.tags)
            heading = found[-1][1] if found else heading
