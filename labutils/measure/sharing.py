"""One GPU for several learners: a share of its memory each, and turns for whatever is timed.

A class that shares a GPU sets two variables for every learner, before the kernels start:

``LABUTILS_GPU_LOCK``   a file that all of them can read: timed cells take turns on it
``LABUTILS_GPU_SHARE``  the share of the GPU's memory that a kernel may take, e.g. ``0.2``

Without them nothing here does anything. Turns keep timed cells apart from each other, not from
cells that compute untimed: who else was computing is asked of ``nvidia-smi`` afterwards, and a
warning says so. Cells that are timed on a processor wait for nobody.
"""

import os
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

LOCK, SHARE = "LABUTILS_GPU_LOCK", "LABUTILS_GPU_SHARE"
PATIENCE_S, TOLD_AFTER_S = 120.0, 1.0
_POLL_S = 0.05
_NOT_THE_CALLER = ("labutils", "contextlib")
_held: set[Path] = set()  # locks of this process: a timer inside a timer waits for nobody
_broken: set[Path] = set()  # locks that do not work, each named once


@dataclass(frozen=True)
class Turn:
    """A turn at the GPU: how long it was waited for, and whether it was got."""

    waited_s: float = 0.0
    is_ours: bool = True


class SharedGPUWarning(UserWarning):
    """A time was taken while somebody else used the GPU."""


@contextmanager
def turn(device: object = "cuda", *, patience_s: float = PATIENCE_S) -> Iterator[Turn]:
    """Hold the class's lock while the body is timed; warn where the GPU was not ours alone.

    Without ``LABUTILS_GPU_LOCK``, and on another ``device`` than a GPU, it is free. After
    ``patience_s`` seconds it goes on without the lock and says so: a forgotten run of a neighbour
    must not end a workshop, and neither must a lock that is missing.
    """
    path = _lock_path() if str(device).startswith("cuda") else None
    file = None if path is None or path in _held else _opened(path)
    if file is None:
        yield Turn()
        return
    with file:
        started = time.monotonic()
        got = _locked(file, patience_s)
        found = Turn(time.monotonic() - started, got)
        _held.add(path)
        try:
            yield found
            _warn_of(found, busy_neighbours())
        finally:
            _held.discard(path)
            if got:
                _unlock(file)


def why_unlockable() -> str | None:
    """Why the class's lock cannot be used; None if it can, or where none is set."""
    path = _lock_path()
    if path is None:
        return None
    try:
        with open(path, "rb"):
            return None
    except OSError as error:
        return f"{LOCK} = {path}: {error.strerror or error}"


def _opened(path: Path):
    """The lock, opened to be read, which is enough to hold it; None, said once, if it fails."""
    why = why_unlockable()
    if why is None:
        return open(path, "rb")
    if path not in _broken:
        _broken.add(path)
        _warn(f"{why}. Timed cells go on without turns: other learners may disturb times.")
    return None


def _warn_of(found: Turn, neighbours: int | None) -> None:
    if not found.is_ours:
        what = f"without a turn: another learner has held the GPU for {found.waited_s:.0f} s"
    elif neighbours:
        what = f"while {neighbours} other process{'es' * (neighbours > 1)} computed on this GPU"
    else:
        return
    _warn(f"Timed {what}. Compare ratios within this run, not times with other runs.")


def _warn(text: str) -> None:
    """Warn at the line that timed something: the first outside this package, however deep."""
    level, frame = 1, sys._getframe()
    while frame and frame.f_globals.get("__name__", "").partition(".")[0] in _NOT_THE_CALLER:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, SharedGPUWarning, stacklevel=level)


def claim_memory_share(device: str = "cuda") -> float | None:
    """Keep this process to its share of the GPU's memory; None where none is set.

    torch's allocator then raises out-of-memory beyond the share; it is a limit for the well
    behaved, not a wall. Raises ``ValueError`` for a share outside 0 to 1.
    """
    text = os.environ.get(SHARE, "")
    if not text:
        return None
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise ValueError(f"{SHARE} = {text!r}: expected a share above 0 and at most 1, e.g. 0.2")
    import torch

    if torch.cuda.is_available():
        torch.cuda.set_per_process_memory_fraction(share, device)
    return share


def busy_neighbours() -> int | None:
    """Other processes that computed on the GPU just now (``nvidia-smi pmon``); None if unknown.

    A learner whose kernel is idle is on the GPU too, and does not count.
    """
    query = ["nvidia-smi", "pmon", "-c", "1", "-s", "u"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=5, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    rows = [line.split() for line in done.stdout.splitlines() if not line.startswith("#")]
    busy = {row[1] for row in rows if len(row) > 3 and row[3].isdigit() and int(row[3]) > 0}
    return len(busy - {str(os.getpid())})


def _lock_path() -> Path | None:
    text = os.environ.get(LOCK, "")
    return Path(text).absolute() if text else None


def _locked(file, patience_s: float) -> bool:
    """Take the lock within ``patience_s`` seconds; False where that failed or locks are unknown.

    Who waits for more than a moment is told for whom.
    """
    try:
        import fcntl
    except ImportError:  # Windows: such a class does not share a GPU by files
        return False
    began, told = time.monotonic(), False
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except OSError:
            waited_s = time.monotonic() - began
            if waited_s >= patience_s:
                return False
            if waited_s >= TOLD_AFTER_S and not told:
                told = True
                print("Waiting for the GPU: another learner is measuring.", flush=True)
            time.sleep(_POLL_S)


def _unlock(file) -> None:
    import fcntl

    fcntl.flock(file, fcntl.LOCK_UN)
