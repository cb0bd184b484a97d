"""The home: where you are, what comes next, and everything that opens from there."""

import re
from collections.abc import Iterator
from contextlib import suppress
from textwrap import shorten

from labutils.drills.repetition.schedule import Schedule
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Beside, Card, Link, Links, Prose, Table
from labutils.exercises.predictions import told
from labutils.exercises.summary import updates
from labutils.ground.folder import my_folder
from labutils.home.links import kept_at, to_chapter, to_own
from labutils.home.standing import Standing
from labutils.workspace import Workspace
from labutils.workspace.outlines import Outline, outline, outlines
from labutils.workspace.routes import DRILLS, duration, routes

SHOWN, LONGEST = 3, 100  # predictions, and news; characters of one of these


@at_once
def home() -> Card:
    """Where you are, what comes next, all chapters and labs, what is due and what is new."""
    standing = Standing()
    parts = (_so_far(standing), *_go_on(standing), _drills(), _all(standing))
    news = _news() if standing.last else ()
    return Card("Tokens in Flight", (*parts, *_predictions(), *_engine(), *news))


def _so_far(standing: Standing) -> Prose:
    done = sum(not standing.open_tasks(one) for one in outlines())
    left = sum(standing.minutes_left(one) for one in outlines() if not one.is_optional)
    return Prose(f"{done} of {len(outlines())} chapters and labs done, {duration(left)} left.")


def _go_on(standing: Standing) -> Iterator[Prose | Links]:
    last, chapters = standing.last, outlines()
    if last is None:
        yield Links("Begin with", (to_chapter(chapters[0]),), f"{chapters[0].minutes} minutes.")
        return
    if tasks := standing.open_tasks(last):
        at, minutes = last.tasks[tasks[0]], standing.minutes_left(last)
        left = f"{minutes} of {last.minutes} minutes left, at “{at.heading}”."
        yield Links("Continue:", (to_chapter(last, cell=at.cell),), left)
    if after := following(last, standing):
        minutes = f"{standing.minutes_left(after)} minutes."
        yield Links("Then" if tasks else "Continue:", (to_chapter(after),), minutes)


def following(chapter: Outline, standing: Standing) -> Outline | None:
    """The next chapter in the order of the course that is not optional, and not done."""
    behind = outlines()[outlines().index(chapter) + 1 :]
    wanted = (one for one in behind if not one.is_optional and standing.open_tasks(one))
    return next(wanted, None)


def _all(standing: Standing) -> Beside:
    """Chapters, and beside them labs and routes, each with what is left of it."""
    rows = {"chapter": [], "lab": []}
    for one in outlines():
        rows["lab" if one.is_lab else "chapter"].append((to_chapter(one), _left(one, standing)))
    chapters, labs = (
        Table((kind, "minutes"), tuple(found), dense=True) for kind, found in rows.items()
    )
    return Beside(((chapters,), (labs, *_routes(standing))))


def _routes(standing: Standing) -> Iterator[Table]:
    rows = []
    for route in routes():
        left = standing.parts_left(route.parts)
        here = next((part for part, minutes in zip(route.parts, left) if minutes), None)
        at = to_chapter(here.chapter).href if here else ""
        rows.append((Link(route.title, at), duration(sum(left)) if here else "done"))
    if rows:
        yield Table(("route, open where you are on it", "left"), tuple(rows), dense=True)


def _left(chapter: Outline, standing: Standing) -> str:
    if not standing.open_tasks(chapter):
        return Link("done", to_own(kept_at(chapter)))
    if standing.is_begun(chapter):
        return f"{standing.minutes_left(chapter)} left"
    return str(chapter.minutes)


def _drills() -> Links:
    return Links(f"{Schedule.read().coming}:", (to_chapter(outline(DRILLS)),))


def _predictions() -> Iterator[Table]:
    places = {task: place for one in outlines() for task, place in one.everything.items()}
    rows = [
        (places[one.id].heading, one.said, one.found, one.verdict)
        for one in reversed(told(places, most=SHOWN))
    ]
    if rows:
        yield Table(("your last predictions", "you said", "it is", ""), tuple(rows), dense=True)


def _engine() -> Iterator[Prose]:
    with suppress(OSError):  # no such home
        if not (my_folder() / "engine").is_dir():
            return
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
    first = (shorten(re.split(r"(?<=\.) ", item)[0], LONGEST, placeholder=" …") for item in items)
    yield Prose("\n".join([f"New in {version}:", *list(first)[:SHOWN]]))
