"""A new chapter or lab: its source, its entry in the catalog, its guide section."""

import re

from labutils.authoring.new.draft import Draft
from labutils.authoring.sources.course import Course

CHAPTER = re.compile(r"(?P<number>\d\d)(?P<letter>[b-z]?)_(?P<slug>[a-z][a-z0-9_]*)")
LAB = re.compile(r"lab(?P<number>\d+)_(?P<slug>[a-z][a-z0-9_]*)")
FIRST_LAB = 10  # lab 1 has order 11: labs come after the chapters, before chapter 90


def chapter(course: Course, name: str) -> Draft:
    """The chapter ``03c_my_topic``."""
    found = CHAPTER.fullmatch(name)
    if not found:
        raise ValueError(f"name = {name!r}: expected NN_slug or NNb_slug, such as 03c_my_topic")
    order = order_of(int(found["number"]), found["letter"])
    return _draft(course, name, found["slug"], "notebooks", order, name.partition("_")[0])


def lab(course: Course, name: str) -> Draft:
    """The lab ``lab7_my_lab``."""
    found = LAB.fullmatch(name)
    if not found:
        raise ValueError(f"name = {name!r}: expected labN_slug, such as lab7_my_lab")
    number = int(found["number"])
    return _draft(course, name, found["slug"], "labs", FIRST_LAB + number, f"Lab {number}")


def order_of(number: int, letter: str) -> float:
    """The place of a chapter: 03 is 3, 03b 3.5, 03c 3.75, …, so that each has room behind it.

    >>> order_of(3, ""), order_of(3, "b"), order_of(3, "c")
    (3.0, 3.5, 3.75)
    """
    return number + 1 - 0.5 ** "abcdefghijklmnopqrstuvwxyz".index(letter or "a")


def _draft(course: Course, name: str, slug: str, folder: str, order: float, place: str) -> Draft:
    for other in course.chapters:
        if other.header.slug == slug or other.header.order == order:
            raise ValueError(f"name = {name!r}: its slug or place is that of {other.source_path}")
    title = slug.replace("_", " ").capitalize()
    words = {"slug": slug, "title": title, "folder": folder, "order": f"{order:g}"}
    words |= {"label": f"{place} · {title}", "topic": "A01"}
    steps = (
        "move the last section of INSTRUCTOR_CHAPTERS.md to its place",
        f"python -m labutils.authoring build {name}: both editions, index, map",
        "build the chapters beside it, too: their links to it change, their outputs stay",
    )
    draft = Draft(course.root, words, steps)
    draft.create(f"solutions/{name}.py", "chapter")
    draft.create(f"labutils/exercises/catalog/{slug}/__init__.py", "chapter_catalog")
    draft.append("INSTRUCTOR_CHAPTERS.md", "chapter_guide")
    return draft
