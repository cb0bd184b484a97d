"""The home: where you are, what comes next, and everything that opens from there."""

import re
from collections.abc import Iterator
from itertools import zip_longest

from labutils.drills.repetition.schedule import Schedule
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Links, Prose, Table
from labutils.exercises.predictions import told
from labutils.exercises.summary import updates
from labutils.ground.folder import my_folder
from labutils.home.links import to_chapter
from labutils.home.outlines import Outline, outline, outlines, routes
from labutils.home.standing import Standing
from labutils.workspace import Workspace

SHOWN = 3  # predictions, and news


@at_once
def home() -> Card:
    """Where you are, what comes next, all chapters and labs, what is due and what is new."""
    standing = Standing()
    parts = [*_go_on(standing), *_routes(standing), _all(standing), *_drills(), *_predictions()]
    return Card("Tokens in Flight", (*parts, *_engine(), *_news()))


def _go_on(standing: Standing) -> Iterator[Prose | Links]:
    last, chapters = standing.last, outlines()
    if last is None:
        yield Links("Begin with", (to_chapter(chapters[0]),), f"{chapters[0].minutes} minutes.")
        return
    if tasks := standing.open_tasks(last):
        under = last.tasks[tasks[0]]
        left = f"{standing.minutes_left(last)} of {last.minutes} minutes left, at “{under}”."
        yield Links("Continue:", (to_chapter(last, under=under),), left)
    if after := following(last, standing):
        minutes = f"{standing.minutes_left(after)} minutes."
        yield Links("Then" if tasks else "Continue:", (to_chapter(after),), minutes)


def following(chapter: Outline, standing: Standing) -> Outline | None:
    """The next chapter in the order of the course that is not optional, and not done."""
    behind = outlines()[outlines().index(chapter) + 1 :]
    wanted = (one for one in behind if not one.is_optional and standing.open_tasks(one))
    return next(wanted, None)


def _routes(standing: Standing) -> Iterator[Table]:
    rows = []
    for route in routes():
        left = {part: standing.part_left(part) for part in route["parts"]}
        part = next((part for part, minutes in left.items() if minutes), "")
        then = to_chapter(outline(part.partition("@")[0])) if part else "done"
        rows.append((route["title"], then, duration(sum(left.values()))))
    if rows:
        yield Table(("route", "next on it", "left"), tuple(rows))


def _all(standing: Standing) -> Table:
    """Chapters and labs side by side, each with what is left of it."""
    columns = [[one for one in outlines() if one.is_lab == is_lab] for is_lab in (False, True)]
    cells = [[(to_chapter(one), _left(one, standing)) for one in column] for column in columns]
    rows = (one + other for one, other in zip_longest(*cells, fillvalue=("", "")))
    return Table(("chapter", "minutes", "lab", "minutes"), tuple(rows))


def _left(chapter: Outline, standing: Standing) -> str:
    if not standing.open_tasks(chapter):
        return "done"
    if standing.is_begun(chapter):
        return f"{standing.minutes_left(chapter)} of {chapter.minutes} left"
    return str(chapter.minutes)


def duration(minutes: int) -> str:
    """Minutes as a person says them: ``45 min``, ``3 h 20 min``."""
    hours, rest = divmod(minutes, 60)
    return " ".join([f"{hours} h"] * bool(hours) + [f"{rest} min"] * bool(rest or not hours))


def _drills() -> Iterator[Prose]:
    yield Prose(f"Drills: {Schedule.read().in_words} `labutils drill` asks them in a terminal.")


def _predictions() -> Iterator[Table]:
    rows = tuple(one.cells for one in told(most=SHOWN))
    if rows:
        yield Table(("your last predictions", "you said", "it is", ""), rows[::-1])


def _engine() -> Iterator[Prose]:
    if (my_folder() / "engine").is_dir():
        from labutils.workspace.my_engine import engine_map  # it reads the whole engine
        from labutils.workspace.my_engine.texts.assemble import NotKept

        try:
            yield Prose(f"Your engine: {engine_map().finding}")
        except NotKept as broken:
            yield Prose(f"Your engine: {broken}")


def _news() -> Iterator[Prose]:
    yield from updates()
    try:
        text = (Workspace.here().root / "CHANGELOG.md").read_text(encoding="utf-8")
    except OSError:
        return
    version, _, rest = text.partition("\n## ")[2].partition("\n")
    items = re.findall(r"^- (.+(?:\n  .+)*)", rest.partition("\n## ")[0], flags=re.M)
    first = (re.split(r"(?<=[.:]) ", " ".join(item.split()))[0] for item in items[:SHOWN])
    yield Prose(f"New in {version}: {' '.join(first)}")
