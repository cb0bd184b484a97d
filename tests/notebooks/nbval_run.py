"""One strict run of nbval over a notebook, in a process and a learner's folder of its own."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import nbformat

from labutils.exercises.journal.journal import Journal

SANITIZE = Path(__file__).with_name("sanitize.cfg")
CELL_TIMEOUT_S = 300  # a measuring cell is to take 20 s: a busy machine may need ten times that


@dataclass(frozen=True)
class NbvalRun:
    """How many cells passed and failed, the verdicts of each exercise, and the output to show."""

    passed: int
    failed: int
    statuses: dict[str, set[str]]
    output: str


def statuses_in(my: Path, *, after: int = 0) -> dict[str, set[str]]:
    """Every verdict that each exercise met, as a learner's folder tells it.

    ``after`` leaves out so many events, the oldest: those of what ran there before.
    """
    found: dict[str, set[str]] = {}
    for event in Journal(my / "progress").events()[after:]:
        if event.get("event") == "check":
            found.setdefault(event["id"], set()).add(event["status"])
    return found


def attempted(ids: Collection[str], statuses: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The exercises that did not say, or not alone, that nothing was attempted; what they said."""
    heard = {exercise_id: statuses.get(exercise_id, set()) for exercise_id in ids}
    return {
        exercise_id: said
        for exercise_id, said in heard.items()
        if "not_attempted" not in said or "right" in said
    }


def run_nbval(root: Path, path: str, *, scratch: Path) -> NbvalRun:
    """Run a notebook under ``root`` and compare what it shows with what it holds.

    It begins with an empty folder for the learner's work in ``scratch``, as at the build: what a
    notebook shows must not depend on those that ran before it.
    """
    report, my = scratch / "report.xml", scratch / "my"
    options = ["-p", "labutils.authoring.lean", "-p", "nbval.plugin", "--nbval"]
    options += [f"--nbval-sanitize-with={SANITIZE}", "--nbval-current-env"]
    options += [f"--nbval-cell-timeout={CELL_TIMEOUT_S}", "--rootdir=."]
    options += ["-p", "no:cacheprovider", "--override-ini=addopts=", f"--junitxml={report}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, path],
        cwd=root,
        env={**_environment(), "LABUTILS_MY": str(my)},
        capture_output=True,
        text=True,
    )
    output = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    assert report.exists(), output
    cases = xml.parse(report).iter("testcase")
    failed = Counter(len(case) > 0 for case in cases)
    return NbvalRun(failed[False], failed[True], statuses_in(my), output)


def with_code(notebook) -> list:
    """The code cells that hold code (nbval leaves empty ones out)."""
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.strip()]


def code_cells(path: Path) -> list:
    """Those of the notebook in a file."""
    return with_code(nbformat.read(path, as_version=4))


def uncompared(path: Path) -> list[int]:
    """Numbers of code cells whose outputs nbval would pass over in silence.

    It compares nothing where the execution count is missing. Cells that say so by their tag
    (they measure, and hold an assert) do not count.
    """
    return [
        number
        for number, cell in enumerate(code_cells(path))
        if not cell.execution_count and "nbval-ignore-output" not in cell.metadata.get("tags", ())
    ]


def _environment() -> dict[str, str]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "MPLBACKEND"))}
    return {**ours, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # nbval is named; others cost seconds
