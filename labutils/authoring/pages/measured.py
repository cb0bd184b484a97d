"""The figures that ``INSTRUCTOR_CHAPTERS.md`` quotes from measuring cells, filled in by the build.

A row of the table between the marks names a prediction; its last cell is what the prediction's
outcome was when the solution edition was run::

    <!-- measured:begin -->
    | prediction | what was measured | there |
    | --- | --- | --- |
    | `start.batch_ratio` | 16 vectors at once against one | 3.6 |
    <!-- measured:end -->
"""

import re

import nbformat

from labutils.authoring.sources.course import Course

GUIDE_PATH = "INSTRUCTOR_CHAPTERS.md"
BEGIN, END = "<!-- measured:begin -->", "<!-- measured:end -->"
_ROW = re.compile(r"^\| `([\w.]+)` \| (.+?) \| (.*?) ?\|$", flags=re.M)
_CALL = re.compile(r"\boutcome\(\s*\"([\w.]+)\"")
_SAID = re.compile(r"\bIt is ((?:[^.]|\.\d)+)\.")


def measured_text(course: Course, guide: str) -> str:
    """``guide`` with the figures of its table taken from the solution editions.

    Raises ``ValueError`` for a prediction whose outcome no edition prints.
    """
    before, found, rest = guide.partition(BEGIN)
    table, closed, after = rest.partition(END)
    if not found or not closed:
        return guide
    known = outcomes(course)

    def filled(row: re.Match) -> str:
        if row[1] not in known:
            raise ValueError(f"{GUIDE_PATH}: `{row[1]}`: no solution edition prints its outcome")
        return f"| `{row[1]}` | {row[2]} | {known[row[1]]} |"

    return f"{before}{BEGIN}{_ROW.sub(filled, table)}{END}{after}"


def outcomes(course: Course) -> dict[str, str]:
    """Prediction id -> its outcome in words, as the solution editions print it."""
    found: dict[str, str] = {}
    for chapter in course.chapters:
        path = course.root / chapter.solution_path
        for cell in nbformat.read(path, 4).cells if path.exists() else ():
            outputs = cell.get("outputs", ())
            told = "\n".join(one.get("data", {}).get("text/plain", "") for one in outputs)
            found |= dict(zip(_CALL.findall(cell.source), _SAID.findall(told)))
    return found
