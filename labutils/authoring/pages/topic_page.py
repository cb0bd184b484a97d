"""The page that leads from every topic to the best place to learn it, and names the others."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from itertools import groupby

from labutils.authoring.pages.first_place import first_places
from labutils.authoring.sources.course import Course

PAGE_PATH = "INDEX.md"

SECTIONS = {
    "A": "Definitions and metrics",
    "B": "Laws, models, formulas",
    "C": "Worked examples and stories",
    "D": "Phases, attention, KV cache, memory",
    "E": "Batching",
    "F": "Caching",
    "G": "Levers",
    "H": "Techniques for TTFT and TPOT",
    "I": "Scheduling, routing, admission",
    "J": "KV memory management",
    "K": "Parallelism",
    "L": "Measurement and instrumentation",
    "M": "Targets, defaults, playbooks, checklists",
    "N": "Cost and energy",
    "O": "Failure modes, pitfalls, mistakes",
    "P": "Production architecture and operations",
    "Q": "Use cases and outlook",
    "R": "Interview questions",
    "S": "Exercises",
    "T": "Code samples",
    "U": "Resources, figures, quotes, analogies",
}
OPENING = """\
# {course}: the index

Where to learn a topic first, one line each, and which other chapters, labs, drills, whiteboard
prompts and reference cards take it up. In a notebook, `labutils.topics.find("hedge")` searches the
same index and shows every place with its heading. {covered} of {all} topics have a place; the
others are listed as open. `make solutions` writes this page."""
OPEN = "*open*"
KINDS = ("", "card", "drill", "prompt")  # of topics that no chapter teaches the last is the best
Place = dict[str, str]


def topic_page(course: Course, index: str) -> str:
    """``INDEX.md``: a table for each section of the topics, from the JSON text of the index."""
    titles = json.loads((course.root / "data/topics.json").read_text(encoding="utf-8"))
    places: dict[str, list[Place]] = json.loads(index)
    best = {
        topic: {"path": cover.chapter.learner_path, "heading": cover.heading}
        for topic, cover in first_places(course, titles).items()
    }
    covered = sum(topic in places for topic in titles)
    lines = [OPENING.format(course=course.title, covered=covered, all=len(titles))]
    for letter, topics in groupby(titles, key=lambda topic: topic[0]):
        lines += ["", f"## {letter} · {SECTIONS[letter]}", ""]
        lines += ["| | topic | learn it first in | also in |", "| --- | --- | --- | --- |"]
        for topic in topics:
            first, also = _first_and_others(places.get(topic, []), best.get(topic))
            lines.append(f"| {topic} | {_cell(titles[topic])} | {first} | {also} |")
    return "\n".join(lines) + "\n"


def _first_and_others(places: list[Place], best: Place | None) -> tuple[str, str]:
    """A link to the best place, and the labels of the others."""
    if not places:
        return OPEN, ""
    if best is None:
        best = max(places, key=lambda place: KINDS.index(_kind(place)))
    here = next(one for one in places if best.items() <= one.items())
    drilled = {one["path"] for one in places if _call(one)}  # a chapter that is its calls alone
    others = [one for one in places if one != here and (_kind(one) or one["path"] not in drilled)]
    others = [one for one in others if _kind(one) or one["path"] != here["path"]]
    said = _call(here) or here["heading"].removeprefix("Card: ")
    return f"[{_label(here)}, {_cell(said)}]({here['path']})", ", ".join(_labels(others))


def _labels(places: Iterable[Place]) -> list[str]:
    """Chapters and labs by their numbers; drills, prompts and cards counted."""
    kinds = Counter(_kind(place) for place in places)
    labels = dict.fromkeys(_label(place) for place in places if not _kind(place))
    return [*labels, *(f"{n} {kind}{'s' * (n > 1)}" for kind, n in kinds.items() if kind)]


def _label(place: Place) -> str:
    """``03`` of a chapter, ``Lab 2`` of a lab, ``Card`` of a card."""
    return "Card" if _kind(place) == "card" else place["title"].partition(" · ")[0]


def _kind(place: Place) -> str:
    """``drill``, ``prompt`` or ``card``; empty for a chapter or lab."""
    named = re.match(r"(drill|prompt)\(|(Card): ", place["heading"])
    return (named[1] or named[2]).lower() if named else ""


def _call(place: Place) -> str:
    """The call that opens a drill or prompt, without its title: the answer stays unnamed."""
    call = place["heading"].partition("): ")[0]
    return f"`{call})`" if _kind(place) in ("drill", "prompt") else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
