"""The page that leads from every topic to where it is taught, drilled or looked up."""

import json
from itertools import groupby

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
OPEN = "*open*"


def topic_page(course: Course, index: str) -> str:
    """``INDEX.md``: a table for each section of the topics, from the JSON text of the index."""
    titles = json.loads((course.root / "data/topics.json").read_text(encoding="utf-8"))
    places = json.loads(index)
    covered = sum(topic in places for topic in titles)
    lines = [
        f"# {course.title}: the index",
        "",
        f"Every topic and where it is taught, built, drilled or looked up: {covered} of "
        f"{len(titles)} have a place, the others are listed as open. In a notebook, "
        '`labutils.topics.find("hedge")` searches the same index. This page is generated: '
        "`make solutions` writes it.",
    ]
    for letter, topics in groupby(titles, key=lambda topic: topic[0]):
        lines += ["", f"## {letter} · {SECTIONS[letter]}", "", "| | topic | where |"]
        lines += ["| --- | --- | --- |"]
        lines += [_row(topic, titles[topic], places.get(topic, [])) for topic in topics]
    return "\n".join(lines) + "\n"


def _row(topic: str, title: str, places: list[dict[str, str]]) -> str:
    grouped = groupby(places, key=lambda place: (place["title"], place["path"]))
    where = "<br>".join(_file(title, path, list(group)) for (title, path), group in grouped)
    return f"| {topic} | {_cell(title)} | {where or OPEN} |"


def _file(title: str, path: str, places: list[dict[str, str]]) -> str:
    """One file, and all that it says on the topic."""
    headings = "; ".join(_cell(_short(place["heading"])) for place in places)
    return f"[{_cell(title)}]({path}): {headings}"


def _short(heading: str) -> str:
    """The call that opens a drill or prompt, without its title: the answer stays unnamed."""
    call, colon, _ = heading.partition("): ")
    opens = heading.startswith(("drill(", "prompt("))
    return f"`{call})`" if colon and opens else heading.removeprefix("Card: ")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
