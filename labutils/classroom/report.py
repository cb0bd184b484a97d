"""Many class files as one report: the gathered lines, an executed notebook, and a page.

The notebook computes every figure from ``class.jsonl`` beside it, so an instructor can go on
asking: it is a starting point, not a printout.
"""

import os
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from labutils.classroom.counts import Tally, tally
from labutils.classroom.gathered import Gathered, gather
from labutils.classroom.page import page
from labutils.ground.files import publish, swap

GATHERED, NOTEBOOK, PAGE = "class.jsonl", "class.ipynb", "class.html"
EXECUTION_TIMEOUT_S = 300

_CELLS = (
    (
        "markdown",
        "# A class in numbers\n\nCounts of learners, each with the number it is taken from. No "
        "percentages: in a small class they would say more than is known. The data hold no "
        "names, no answers and no times of day.",
    ),
    (
        "code",
        "from pathlib import Path\n\n"
        "from labutils.classroom import days, figure, gather, tables, tally\n"
        "from labutils.viz import show\n\n"
        f'gathered = gather([Path("{GATHERED}")])\n'
        "found = tally(gathered)\n"
        "tables.opening(found)",
    ),
    ("markdown", "## Which exercises did they miss?"),
    ("code", "picture, words = figure.standing(found)\nshow(picture, alt=words)"),
    ("code", "tables.most_missed(found)"),
    ("code", "tables.most_missed_drills(found)"),
    ("markdown", "## Which question takes it up?"),
    ("code", "tables.to_teach_again(found)"),
    ("markdown", "## How long did they take?"),
    ("code", "tables.times(found)"),
    ("markdown", "## What was each day like?"),
    ("code", "days.card(days.by_day(gathered))"),
    ("markdown", "## Where did they want help?"),
    ("code", "tables.help_used(found)"),
    ("markdown", "## Do they know what they know?"),
    ("code", "tables.calibration(found)"),
)


class NothingToReport(ValueError):
    """No file held a line that can be read, or the report would lie among the hand-ins."""


@dataclass(frozen=True)
class Report:
    """What a merge gathered and found, and the files that it wrote."""

    gathered: Gathered
    found: Tally
    notebook: Path
    page: Path


def merge(paths: Iterable[Path], folder: Path) -> Report:
    """Gather class files and write the report into ``folder``.

    An earlier report there moves into ``backups/`` with its date. Raises ``OSError`` for a file
    that cannot be read or written, and ``NothingToReport`` where no line is one of a class file,
    or where ``folder`` holds hand-ins: a notebook imports what lies beside it.
    """
    paths, folder = [Path(path).absolute() for path in paths], folder.absolute()
    if any(folder in (path, path.parent) for path in paths):
        raise NothingToReport(
            f"folder = {folder}: the hand-ins lie there, and the report's notebook would import a "
            "labutils.py among them. Choose a folder of its own: nothing was written."
        )
    gathered = gather(paths)
    if not gathered.learners:
        said = ["No line of a class file in there: nothing was written.", *gathered.remarks]
        raise NothingToReport(" ".join(said))
    content = gathered.text().encode()
    _place(folder / GATHERED, content)
    notebook = _executed(content)
    _place(folder / NOTEBOOK, _as_bytes(notebook))
    _place(folder / PAGE, page(notebook, title="A class in numbers").encode())
    return Report(gathered, tally(gathered), folder / NOTEBOOK, folder / PAGE)


def blank():
    """The report's notebook before it is run; cell ids are the same in every report."""
    import nbformat.v4 as v4

    cells = [
        (v4.new_markdown_cell if kind == "markdown" else v4.new_code_cell)(text, id=f"class-{n}")
        for n, (kind, text) in enumerate(_CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _executed(content: bytes):
    """The report's notebook, run on these lines in a folder that holds nothing else.

    Its kernel imports from nowhere but the environment and this package: not from the folder in
    which it runs, nor from the one in which the command was typed.
    """
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = blank()
    course = str(Path(__file__).resolve().parents[2])
    safe = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": course}
    with tempfile.TemporaryDirectory(prefix="class-") as scratch:
        publish(Path(scratch) / GATHERED, content)
        sockets = {"transport": "ipc", "ip": f"{scratch}/socket"} if os.name == "posix" else {}
        client = NotebookClient(
            notebook,
            config=Config({"KernelManager": sockets}),
            timeout=EXECUTION_TIMEOUT_S,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": scratch}},
        )
        client.execute(env=safe)
    return notebook


def _as_bytes(notebook) -> bytes:
    import nbformat

    return nbformat.writes(notebook).encode() + b"\n"


def _place(path: Path, content: bytes) -> None:
    """Put a file in place; what stood there is kept among the backups."""
    if publish(path, content) or path.read_bytes() == content:
        return
    stamp = time.strftime("%Y-%m-%d_%H%M%S")
    backup = path.parent / "backups" / f"{path.stem}.{stamp}{path.suffix}"
    swap(path, content, backup)
