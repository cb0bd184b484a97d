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
from labutils.classroom.gathered import gather
from labutils.classroom.page import page
from labutils.files import publish, swap

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
        "from labutils.classroom import figure, gather, tables, tally\n"
        "from labutils.viz import show\n\n"
        f'found = tally(gather([Path("{GATHERED}")]))\n'
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
    ("markdown", "## Where did they want help?"),
    ("code", "tables.help_used(found)"),
    ("markdown", "## Do they know what they know?"),
    ("code", "tables.calibration(found)"),
)


class NothingToReport(ValueError):
    """No file held a line that can be read."""


@dataclass(frozen=True)
class Report:
    """What a merge found, and the files that it wrote."""

    found: Tally
    notebook: Path
    page: Path


def merge(paths: Iterable[Path], folder: Path) -> Report:
    """Gather class files and write the report into ``folder``.

    An earlier report there moves into ``backups/`` with its date. Raises ``OSError`` for a file
    that cannot be read or written, ``NothingToReport`` where no line is one of a class file.
    """
    gathered = gather(paths)
    if not gathered.learners:
        raise NothingToReport("No line of a class file in there: nothing was written.")
    folder = folder.absolute()
    _place(folder / GATHERED, gathered.text().encode())
    notebook = _executed(folder)
    _place(folder / NOTEBOOK, _as_bytes(notebook))
    _place(folder / PAGE, page(notebook, title="A class in numbers").encode())
    return Report(tally(gathered), folder / NOTEBOOK, folder / PAGE)


def blank():
    """The report's notebook before it is run; cell ids are the same in every report."""
    import nbformat.v4 as v4

    cells = [
        (v4.new_markdown_cell if kind == "markdown" else v4.new_code_cell)(text, id=f"class-{n}")
        for n, (kind, text) in enumerate(_CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def _executed(folder: Path):
    from nbclient import NotebookClient
    from traitlets.config import Config

    notebook = blank()
    with tempfile.TemporaryDirectory(prefix="class-") as scratch:
        sockets = {"transport": "ipc", "ip": f"{scratch}/socket"} if os.name == "posix" else {}
        client = NotebookClient(
            notebook,
            config=Config({"KernelManager": sockets}),
            timeout=EXECUTION_TIMEOUT_S,
            kernel_name="python3",
            record_timing=False,
            resources={"metadata": {"path": str(folder)}},
        )
        client.execute()
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
