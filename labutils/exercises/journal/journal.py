"""What the learner did, kept where nothing can overwrite it.

Every kernel process appends to a file of its own under ``<my>/progress/``; reading merges them
all. The file's name holds the day, a random part and the process id, so two kernels never write
one file, not even on a network file system, where appends from two hosts can overwrite each other.
An event is one line, written in one step and pushed to the disk before ``record`` returns.

Invariant: a line that is on the disk is never touched again. A half line (a kill, a full disk)
costs that line alone: the next record starts on a fresh line and writes the lost one again.
Where the disk refuses, one printed line says so, and the events stay in memory until it relents.
The disk is the truth: a progress folder that somebody deletes stays deleted.
"""

import errno
import json
import math
import os
import secrets
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from enum import Enum
from itertools import chain
from pathlib import Path

import numpy as np

from labutils.exercises.journal.set_back import MARK, UP_TO, ahead, in_order, iso, next_moment
from labutils.ground.files import append
from labutils.ground.folder import my_folder

VERSION = 1
MOST_ITEMS = 1000  # of one list: a learner's array of a million belongs in no diary
MOST_CHARACTERS = 10_000  # of one string
MOST_LEVELS = 8  # of nesting

_NEVER = datetime.min.replace(tzinfo=UTC)


def record(event: Mapping) -> None:
    """Append ``event`` to this process's progress file.

    The store adds ``v`` (format version), ``at`` (UTC, ISO 8601, microseconds, strictly rising
    within a process whose clock is not set back) and ``by`` (the writing process's random name);
    where the event brings a field of that name, its own stands. Values that JSON lacks are put into
    words: NaN and infinity become ``"nan"``, ``"inf"``, ``"-inf"`` (``float`` reads them back),
    paths and times strings, numpy scalars and arrays numbers and lists, anything else its ``repr``,
    shortened.

    Never raises for what the disk does. Raises ``ValueError`` if ``event`` is no mapping.
    """
    _journal().record(event)


def events() -> list[dict]:
    """Return every event of every process, sorted by ``at``; equal lines count once."""
    return _journal().events()


class Journal:
    """One process's progress file, and a reader of all that lie beside it."""

    def __init__(self, folder: Path | None):
        self.folder = folder
        self.damaged = 0
        self._by = secrets.token_hex(6)
        self._name = f"{datetime.now():%Y%m%d}-{self._by}-{os.getpid()}.jsonl"
        self._waiting: list[bytes] = []  # lines that have not reached the disk
        self._ragged = False  # our file may end in a half line
        self._told = False
        self._last_at = _NEVER
        self._lock = threading.Lock()
        self._known: dict[str, tuple[tuple, list[bytes]]] = {}  # file name -> stamp, its lines

    def record(self, event: Mapping) -> None:
        """Append one event; see the module's ``record``."""
        if not isinstance(event, Mapping):
            raise ValueError(f"event = {event!r}: expected a dict of fields")
        with self._lock:
            fields = {"v": VERSION, **self._now(), "by": self._by, **event}
            self._waiting.append(json.dumps(_plain(fields)).encode() + b"\n")
            try:
                self._write_waiting()
            except OSError as error:
                self._tell(error)

    def events(self) -> list[dict]:
        """Return all events, on disk and still in memory, sorted by ``at``."""
        with self._lock:
            lines = dict.fromkeys(chain(self._lines_on_disk(), self._waiting))
        parsed = [_parsed(line) for line in lines]
        self.damaged = sum(event is None for event in parsed)
        return in_order([event for event in parsed if event is not None], datetime.now(UTC))

    def _write_waiting(self) -> None:
        if self.folder is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
        while self._waiting:
            self._write_line(self.folder / self._name, self._waiting[0])
            self._waiting.pop(0)

    def _write_line(self, file: Path, line: bytes) -> None:
        whole = b"\n" + line if self._ragged else line
        self._ragged = True  # until all of it is down; a network disk may refuse as late as here
        append(file, whole)
        self._ragged = False

    def _lines_on_disk(self) -> list[bytes]:
        if self.folder is None:
            return []
        try:
            files = sorted(self.folder.glob("*.jsonl"))
        except OSError as error:
            self._tell(error)
            return []
        return list(chain.from_iterable(map(self._lines_of, files)))

    def _lines_of(self, file: Path) -> list[bytes]:
        """Return a file's lines; one that has not changed since the last look is not read again."""
        try:
            stat = file.stat()
            stamp = (stat.st_size, stat.st_mtime_ns)
            if self._known.get(file.name, (None,))[0] != stamp:
                self._known[file.name] = (stamp, _whole_lines(file.read_bytes()))
        except OSError:  # gone meanwhile, or not for us to read: what we know of it still holds
            pass
        return self._known.get(file.name, (None, []))[1]

    def _now(self) -> dict:
        now, is_first = _utc_now(), self._last_at == _NEVER
        self._last_at, is_set_back = next_moment(now, self._last_at)
        mark = MARK if is_set_back else {}
        if is_first:
            known = [event for event in map(_parsed, self._lines_on_disk()) if event]
            mark = {**MARK, UP_TO: found[-1]["at"]} if (found := ahead(known, now)) else {}
        return {"at": iso(self._last_at), **mark}

    def _tell(self, error: OSError) -> None:
        if not self._told:
            print(
                f"Your progress cannot be saved here ({error.strerror or error}). "
                "It is kept in memory until this kernel stops."
            )
        self._told = True


_journals: dict[tuple, Journal] = {}


def _journal() -> Journal:
    """Return this process's journal.

    A forked child has a new process id, so it opens a file of its own. The folder stays the one
    found first: a notebook that changes the working directory keeps its progress.
    """
    key = (os.getpid(), os.environ.get("LABUTILS_MY"))
    if key not in _journals:
        _journals[key] = Journal(_progress_folder())
    return _journals[key]


def _progress_folder() -> Path | None:
    try:
        return (my_folder() / "progress").absolute()
    except OSError:  # the working directory itself is gone
        return None


def _whole_lines(content: bytes) -> list[bytes]:
    """Split a file into lines, blank ones and a half last one left out."""
    *lines, last = content.split(b"\n")
    if _parsed(last) is not None:  # a copy by hand may lack only the line's end
        lines.append(last)
    return [line + b"\n" for line in lines if line.strip()]


def _parsed(line: bytes) -> dict | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _plain(value, levels: int = MOST_LEVELS):
    """Return ``value`` in terms of JSON; whatever the learner's value is, this does not raise."""
    try:
        return _in_json(value, levels)
    except Exception:  # a method of the learner's own class
        return _in_words(value)


def _in_json(value, levels: int):
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if isinstance(value, Enum):
        value = value.value
    if value is None or isinstance(value, bool | int):
        return value if _is_short(value) else _in_words(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(float(value))
    if isinstance(value, str):
        return str(value[:MOST_CHARACTERS])
    if isinstance(value, Mapping) and levels:
        return {_key(key): _plain(value[key], levels - 1) for key in list(value)[:MOST_ITEMS]}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray) and levels:
        return _plain_list(value, levels)
    if isinstance(value, datetime) and value.tzinfo:
        return iso(value)
    return str(value) if isinstance(value, Path | datetime) else _in_words(value)


def _plain_list(values, levels: int) -> list:
    if isinstance(values, np.ndarray):
        values = (values if values.size <= MOST_ITEMS else values.ravel()[:MOST_ITEMS]).tolist()
    elif isinstance(values, set | frozenset):
        values = sorted(values, key=repr)
    return [_plain(value, levels - 1) for value in values[:MOST_ITEMS]]


def _key(key) -> str:
    return key if isinstance(key, str) else str(_plain(key, 0))


def _is_short(value) -> bool:
    return not isinstance(value, int) or abs(value) < 2**1024  # json would choke on longer ones


def _in_words(value) -> str:
    try:
        return repr(value)[:200]
    except Exception:  # a learner's own __repr__, or an integer of a million digits
        return f"<{type(value).__name__}>"


def _utc_now() -> datetime:
    return datetime.now(UTC)
