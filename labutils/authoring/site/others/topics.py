"""Where each topic is learned, with links to the very heading; findings stay untold."""

import json
from html import escape
from itertools import groupby

from labutils.authoring.pages.first_place import first_places
from labutils.authoring.pages.index import covers
from labutils.authoring.pages.topic_page import SECTIONS
from labutils.authoring.site import markup
from labutils.authoring.site.chapters.chapter_page import ChapterPage, Part
from labutils.authoring.sources.course import Course


class Topics:
    """The topics of the course, and the part of a page that teaches each best."""

    def __init__(self, course: Course, pages: dict[str, ChapterPage]):
        self.titles = json.loads((course.root / "data/topics.json").read_text(encoding="utf-8"))
        self.first: dict[str, tuple[ChapterPage, Part]] = {}
        self.also: dict[str, list[ChapterPage]] = {}
        for topic, cover in first_places(course, self.titles).items():
            page = pages[cover.chapter.name]
            self.first[topic] = page, part_called(page, cover.heading)
        for cover in covers(course):
            found = self.also.setdefault(cover.topic, [])
            if pages[cover.chapter.name] not in found:
                found.append(pages[cover.chapter.name])

    def taught_in(self, page: ChapterPage, part: Part) -> list[str]:
        """The titles of the topics for which this part is the best place."""
        here = (page, part)
        return [self.titles[t] for t, at in self.first.items() if at == here and t in self.titles]


def part_called(page: ChapterPage, heading: str) -> Part:
    """The part of a page under this heading; its beginning where there is none."""
    return next((part for part in page.parts if part.title == heading), page.parts[0])


def topics_html(topics: Topics) -> str:
    """The body of the page of topics."""
    rows = [
        '<main id="main"><h1>Topics</h1><p>Where to learn a topic first, and which other chapters '
        "take it up.</p>"
    ]
    for letter, ids in groupby(topics.titles, key=lambda topic: topic[0]):
        rows.append(f'<h2 id="{letter}">{escape(SECTIONS[letter])}</h2><ul class="topics">')
        rows += [_row(topics, topic) for topic in ids]
        rows.append("</ul>")
    return "\n".join([*rows, "</main>"])


def _row(topics: Topics, topic: str) -> str:
    title = markup.inline(topics.titles[topic])
    if topic not in topics.first:
        return f'<li id="{topic}"><b>{title}</b></li>'
    page, part = topics.first[topic]
    told = markup.inline(part.told.title) or "its beginning"
    others = [one.chapter for one in topics.also[topic] if one is not page]
    links = ", ".join(f'<a href="{c.name}.html">{escape(c.label)}</a>' for c in others)
    label = escape(page.chapter.label)
    first = f'<a href="{page.chapter.name}.html#{part.told.anchor}">{label}, {told}</a>'
    return f'<li id="{topic}"><b>{title}</b> {first}{f"; also {links}" * bool(links)}</li>'
