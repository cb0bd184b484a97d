"""The home page: a question for a finger, what this is, the map, how to run it."""

from collections.abc import Iterable
from html import escape
from itertools import groupby
from pathlib import Path
from string import Template

from labutils.authoring.site.chapters.chapter_page import ChapterPage
from labutils.authoring.site.home_sketch import CHAPTER, home_sketch_html
from labutils.authoring.site.markup import inline
from labutils.authoring.site.others.route_cards import routes_html
from labutils.authoring.site.shell import counted
from labutils.authoring.sources.course import Course

HERE = Path(__file__).parent


def home_html(course: Course, pages: dict[str, ChapterPage]) -> str:
    """The body of the home page."""
    minutes = sum(page.chapter.header.minutes for page in pages.values())
    return Template((HERE / "home.html").read_text(encoding="utf-8")).substitute(
        sketch=home_sketch_html(f"{CHAPTER}.html"),
        pages=len(pages),
        hours=round(minutes / 60),
        routes=routes_html(pages),
        map="".join(_group(course, title, found) for title, found in _grouped(course, pages)),
        commands=_commands(course),
    )


def _commands(course: Course) -> str:
    """What brings the course and opens it; while it has no address, what opens it."""
    where = "" if course.cloning else "<p>In the folder that holds the course:</p>"
    return f'{where}<pre class="code">{escape(chr(10).join([*course.cloning, "make lab"]))}</pre>'


def _grouped(course: Course, pages: dict[str, ChapterPage]):
    """The parts of the map: their titles, and their pages in the order of the course."""
    return groupby(pages.values(), key=lambda page: course.group_of(page.chapter))


def _group(course: Course, title: str, found: Iterable[ChapterPage]) -> str:
    found = list(found)
    minutes = sum(page.chapter.header.minutes for page in found)
    rows = "".join(map(_row, found))
    return (
        f"<h3>{escape(title)} <small>{minutes / 60:.1f} hours</small></h3>"
        f'<ul class="map">{rows}</ul>'
    )


def _row(page: ChapterPage) -> str:
    chapter = page.chapter
    facts = [
        f"{chapter.header.minutes} min{', optional' * chapter.header.optional}",
        counted(len(page.predictions), "prediction"),
        counted(len(page.exercises), "exercise"),
    ]
    return (
        f'<li><a href="{chapter.name}.html"><b>{inline(chapter.heading)}</b>'
        f"<span>{inline(chapter.header.question)}</span>"
        f"<small>{escape(' · '.join(facts))}</small></a></li>"
    )
