"""The chapter that the simulated class works through: what each cell becomes, wrong and right."""

import re
from dataclasses import dataclass
from pathlib import Path

from labutils.authoring.editions.editions import solution_edition
from labutils.authoring.sources.course import read_course

ROOT = Path(__file__).resolve().parents[1]
SLUG, NOTEBOOK = "mm1_explosion", "notebooks/03_mm1_explosion.ipynb"

WRONG = {
    "mm1.recursion": "def waiting_times(arrivals, services):\n    return [0.0 for _ in arrivals]",
    "mm1.load_for_ten": "load_for_ten = 0.5",
    "mm1.least_servers": (
        "def least_servers(arrival_rate, mean_service_time, max_mean_wait):\n"
        "    return 1 + int(arrival_rate * mean_service_time)"
    ),
    "mm1.launch": "last_wait = 1200",
    "mm1.story": "sentence = 'a'",
    "mm1.peak": "everyday_load = 0.8",
    "mm1.measure_variable": "waits = [0.01] * 5000",
}
"""A wrong answer to each exercise, as somebody might type it."""

_ANSWERS = re.compile(r'^def (\w+)\(|^(?:check|predict)\("([\w.]+)"', re.MULTILINE)
_CHECK = re.compile(r'^check\("([\w.]+)", (\w+)\)', re.MULTILINE)


@dataclass(frozen=True)
class Attempt:
    """An exercise: a wrong answer, the right one, and the call that checks either."""

    id: str
    wrong: str
    right: str
    check: str


def right_sources() -> dict[str, str]:
    """The answered cells of the solution edition, by the function or exercise that they answer."""
    course = read_course(ROOT)
    chapter = next(one for one in course.chapters if one.header.slug == SLUG)
    sources = (cell.source for cell in solution_edition(course, chapter).cells)
    return {key: source for source in sources for key in _keys(source)}


def answered(source: str, right: dict[str, str]) -> str:
    """A learner's cell with the answer in place of its stub."""
    stub = "raise NotImplementedError" in source or re.search(r"= \.\.\.$|, \.\.\.\)", source, re.M)
    return next((right[key] for key in _keys(source) if key in right), source) if stub else source


def attempt(source: str, functions: dict[str, str]) -> Attempt | None:
    """The exercise that a cell checks, if it checks one; ``functions`` were defined before."""
    found = _CHECK.search(source)
    if found is None or found[1] not in WRONG:
        return None
    own = source[: found.start()].rstrip()
    return Attempt(found[1], WRONG[found[1]], functions.get(found[2], own), found[0])


def _keys(source: str) -> list[str]:
    return [function or exercise for function, exercise in _ANSWERS.findall(source)]
