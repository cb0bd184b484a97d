"""What became of one chapter: shown at its end, and kept in ``my/recaps`` as a page to print."""

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain

from labutils.drills.catalog import templates
from labutils.drills.repetition.schedule import Schedule
from labutils.exercises import catalog
from labutils.exercises.definition.verdict import Status
from labutils.exercises.display.at_once import at_once
from labutils.exercises.display.card import Card, Link, Links, Prose, Table, wrapped
from labutils.exercises.journal.history import history
from labutils.exercises.predictions import told
from labutils.ground.files import overwrite_own
from labutils.ground.folder import my_folder
from labutils.home.home_card import following
from labutils.home.links import kept_at, to_chapter, to_own
from labutils.home.standing import Standing
from labutils.topics import all_topics
from labutils.workspace.outlines import Outline, outline

UNTRIED = Status.not_attempted
PAGE = """<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>
body {{ max-width: 52em; margin: 2em auto; padding: 0 1em; font: 15px/1.5 system-ui, sans-serif; }}
table {{ border-collapse: collapse; }} th, td {{ padding: 3px 12px 3px 0; vertical-align: top; }}
img {{ max-width: 100%; height: auto; }} tr, figure {{ break-inside: avoid; }}
@media (prefers-color-scheme: dark) {{ @media screen {{
  :root {{ color-scheme: dark; }} body {{ background: #181818; color: #ddd; }} }} }}
</style>
{card}
</html>
"""


@at_once
def recap(chapter: str) -> Card:
    """What you did in a chapter: predictions, sketch, exercises, and what follows from it.

    ``chapter`` is its number, such as ``"03"``. The card is kept in ``my/recaps`` as well.
    """
    about = outline(chapter)
    made, tried = told(about.everything), _tried(about)
    sketches = [*_sketches(about)]
    if not (made or tried or sketches):
        nothing = "Nothing yet. Work through the chapter, then run this cell again."
        return Card(about.heading, (Prose(nothing),), "neutral")
    hits = sum(one.is_hit for one in made)
    right = sum(how.startswith("right") for _, how, _ in tried)
    said = f"{hits} of {len(made)} predictions hit, {right} of {len(tried)} exercises right."
    rows = [(about.everything[one.id].heading, one.said, one.found, one.verdict) for one in made]
    tables = [*_table(("predicted", "you said", "it is", ""), rows), *sketches]
    tables += _table(("built and answered", "", "help"), tried)
    card = Card(about.heading, (Prose(said), *tables, *_drills(about), *_next(about)), "success")
    return Card(card.label, (*card.parts, *_kept(about, card)), card.accent)


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[Table]:
    return [Table(header, tuple(rows), dense=True)] if rows else []


@dataclass(frozen=True)
class Picture:
    """A sketch beside the real curve, as the chapter showed it: a ``SketchScore``."""

    score: object

    def plain(self) -> str:
        return wrapped(f"Your sketch, “{self.score.plot.title}” {self.score.text}")

    def html(self) -> str:
        from labutils.viz.picture import figure_html, png

        fig = self.score.figure()
        size, alt = fig.get_size_inches(), self.score.alt
        return figure_html(png(fig), inches=size, alt=alt, caption=self.score.text)


def _sketches(chapter: Outline) -> Iterator[Picture]:
    """The first that was drawn under each title, before the real curve was known."""
    for event in chain.from_iterable(history("sketch", title)[:1] for title in chapter.sketches):
        from labutils.viz.sketch_score import SketchScore  # it loads matplotlib

        with suppress(KeyError, TypeError, ValueError):  # of another version
            yield Picture(SketchScore.from_event(event))


def _tried(chapter: Outline) -> list[tuple[str, str, str]]:
    """The exercises that were answered: title, at which try, with what help."""
    rows = []
    for name in chapter.everything:
        answers = [one for one in history("check", name) if one.get("status") != UNTRIED]
        if answers:
            rows.append((catalog.exercise(name).title, _how(answers), _help(name)))
    return rows


def _how(tries: list[dict]) -> str:
    """At which try an exercise was right, if it was."""
    right = [at for at, event in enumerate(tries, start=1) if event.get("status") == Status.right]
    if not right:
        return f"open after {len(tries)} {'try' if len(tries) == 1 else 'tries'}"
    return f"right at try {right[0]}"


def _help(name: str) -> str:
    hints = len(history("hint", name))
    said = [f"{hints} {'hint' if hints == 1 else 'hints'}"] if hints else []
    return ", ".join(said + ["explained"] * bool(history("reveal", name))) or "none"


def _drills(chapter: Outline, most: int = 2) -> Iterator[Prose]:
    """Drills of the chapter's topics that were not met yet, the easiest first."""
    covered = {
        topic.id for topic in all_topics() if any(at.path == chapter.path for at in topic.places)
    }
    met = set(Schedule.read().due_at)
    fit = [item for item in templates() if item.topics and item.topics[0] in covered]
    fit.sort(key=lambda item: (item.id in met, item.level, -len(covered & set(item.topics))))
    if names := " and ".join(f'`drill("{item.id}")`' for item in fit[:most]):
        yield Prose(f"To keep it: {names}, after `from labutils.course import drill`.")


def _next(chapter: Outline) -> Iterator[Links]:
    standing = Standing()
    if after := following(chapter, standing):
        yield Links("Next:", (to_chapter(after),), f"{standing.minutes_left(after)} minutes.")


def _kept(chapter: Outline, card: Card) -> Iterator[Links]:
    """Keep the card as a page, and say where; nothing where the disk refuses."""
    path, without_links = kept_at(chapter), re.sub(r"</?a\b[^>]*>", "", card.html())
    page = PAGE.format(title=card.label, card=without_links)
    try:
        overwrite_own(my_folder() / path, page.encode())
    except OSError:
        return
    yield Links("Kept, to print:", (Link(f"my/{path}", to_own(path)),))
