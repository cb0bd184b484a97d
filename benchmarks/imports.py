"""What a learner waits for before the first result: imports and the first compilation."""

import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator

from .registry import Goal, Row, Settings, benchmark

HOME = "home().html()"
FIRST_RUN = "from labutils.simulation import waiting_times; waiting_times([0.0], [1.0])"


@benchmark
def import_time(settings: Settings) -> Iterator[Row]:
    """Import time in a fresh interpreter"""
    rounds = settings.choose(7, 2)
    for statement, goal in (("import labutils", Goal(0.2)), ("import labutils.simulation", None)):
        yield _row(statement, [_seconds(statement) for _ in range(rounds)], goal)


@benchmark
def first_simulation(settings: Settings) -> Iterator[Row]:
    """Import and first simulated wait in a fresh interpreter"""
    with tempfile.TemporaryDirectory() as folder:
        yield _row("first time on a machine, compiling", [_seconds(FIRST_RUN, cache=folder)])
        again = [_seconds(FIRST_RUN, cache=folder) for _ in range(settings.choose(5, 2))]
        yield _row("from then on", again)


@benchmark
def home_page(settings: Settings) -> Iterator[Row]:
    """The home in JupyterLab, of a fresh learner, drawn a second time"""
    once = f"from labutils.course import home; {HOME}"
    with tempfile.TemporaryDirectory() as folder:
        rounds = settings.choose(5, 2)
        yield _row("home", [_seconds(HOME, before=once, my=folder) for _ in range(rounds)], Goal(1))


def _row(name: str, seconds: list[float], goal: Goal | None = None) -> Row:
    return Row(name, min(seconds), "s", statistics.median(seconds), goal)


def _seconds(
    statement: str, *, before: str = "pass", cache: str | None = None, my: str | None = None
) -> float:
    """Time ``statement`` from within, without the interpreter's start and what is ``before``."""
    code = (
        f"{before}; import time; t = time.perf_counter(); {statement}; "
        "print(time.perf_counter() - t)"
    )
    given = {"NUMBA_CACHE_DIR": cache, "LABUTILS_MY": my}
    environment = {**os.environ, **{name: value for name, value in given.items() if value}}
    command = [sys.executable, "-c", code]
    return float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
