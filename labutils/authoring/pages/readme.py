"""What the build writes into the README: how to get the course, its hours, routes and map."""

import re
from collections.abc import Iterable

from labutils.authoring.pages.outlines import outlined
from labutils.authoring.sources.course import Course
from labutils.authoring.sources.source import Chapter
from labutils.workspace.routes import ROUTES, Part, Route, duration, routes

README_PATH = "README.md"
NO_BREAK = "\N{NO-BREAK SPACE}"
HERE = """\
In a terminal, in the folder that holds this file (if you got a zip, unpack it and `cd` into it):"""


def readme_text(course: Course, readme: str) -> str:
    """``readme`` with fresh routes, map and hours, and the line that clones a published course.

    Raises ``ValueError`` when the markers of one of them are missing.
    """
    hours = round(sum(chapter.header.minutes for chapter in course.chapters) / 60)
    readme = re.sub("(<!-- hours -->).*?(<!-- /hours -->)", rf"\g<1>{hours}\g<2>", readme)
    made = {"map": map_text, "clone": clone_text, "routes": routes_text}
    for name, text in made.items():
        readme = _between(readme, f"<!-- {name}:begin -->", f"<!-- {name}:end -->", text(course))
    return readme


def map_text(course: Course) -> str:
    """The chapters, a table for each part of the course, with the minutes of each and in all."""
    groups: dict[str, list[Chapter]] = {}
    for chapter in course.chapters:
        groups.setdefault(course.group_of(chapter), []).append(chapter)
    tables = [_table(course, title, chapters) for title, chapters in groups.items()]
    return "\n\n".join([*tables, f"In all {_sum(course.chapters)}."])


def _table(course: Course, title: str, chapters: list[Chapter]) -> str:
    rows = ["| chapter | minutes | needs | the question it answers |", "| --- | --- | --- | --- |"]
    for chapter in chapters:
        needs = ", ".join(course.chapter(n).label for n in chapter.header.needs) or "–"
        link = f"[{chapter.heading}]({chapter.learner_path})"
        rows.append(f"| {link} | {chapter.minutes_text} | {needs} | {chapter.header.question} |")
    return "\n".join([f"**{title}**: {_sum(chapters)}", "", *rows] if title else rows)


def _sum(chapters: Iterable[Chapter]) -> str:
    minutes = sum(chapter.header.minutes for chapter in chapters)
    optional = sum(chapter.header.minutes for chapter in chapters if chapter.header.optional)
    left_out = f", {_time(optional)} of it optional" if optional else ""
    return _time(minutes) + left_out


def _time(minutes: int) -> str:
    return duration(minutes).replace(" ", NO_BREAK)


def routes_text(course: Course) -> str:
    """The routes by goal: their chapters, their minutes, what one can do afterwards."""
    rows = ["| your goal | chapters | time | afterwards |", "| --- | --- | --- | --- |"]
    found = routes(course.root / "data" / ROUTES, outlined(course))
    return "\n".join([*rows, *map(_row, found)])


def _row(route: Route) -> str:
    parts = " ".join(_said(part) + (";" if part.is_drills else ",") for part in route.parts)
    goal = f"**{route.title}.** {route.who}"
    return f"| {goal} | {parts[:-1]} | {_time(route.minutes)} | {route.after} |"


def _said(part: Part) -> str:
    label = "drills" if part.is_drills else part.chapter.label.replace(" ", NO_BREAK)
    return f"[{label}]({part.chapter.path}){part.stretch}"


def clone_text(course: Course) -> str:
    """How to get the course, and where to be while it has no address."""
    return "\n".join(["```sh", *course.cloning, "```"]) if course.cloning else HERE


def _between(readme: str, begin: str, end: str, wanted: str) -> str:
    before, found, rest = readme.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise ValueError(f"{README_PATH}: expected the lines {begin} and {end}")
    return f"{before}{begin}\n{wanted}\n{end}{after}"
