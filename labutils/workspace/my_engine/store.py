"""``my/engine/``: the learner's engine, file by file as the course's, each function marked.

A file holds the course's text with the learner's functions in their places. It belongs to the
learner, who may edit it by hand: a function counts as theirs if its mark says so, or if it does
something else than the course's function that once stood there (``.course.json`` remembers that).
Nothing is replaced without a backup in ``my/backups/``.
"""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from labutils.ground.files import locked, make_folder, overwrite_own, publish, swap
from labutils.ground.folder import my_folder

from .texts.assemble import NotKept
from .texts.course_engine import FILES, GIVEN_FILES, course_sources, lab_of
from .texts.functions import YOURS, Function, code_lines_of, functions_of, put_in, source_of

FOLDER, RECORD = "engine", ".course.json"


class BrokenFile(NotKept):
    """A file of ``my/engine`` that Python cannot read; ``where`` names file, line and reason."""

    def __init__(self, file: str, error: Exception):
        line = f", line {error.lineno}" if getattr(error, "lineno", None) else ""
        self.where = f"my/engine/{file}.py{line}: {getattr(error, 'msg', error)}"
        way = f"labutils engine reset {file} keeps yours in the backups"
        super().__init__(f"{self.where}. Repair it, or give it back to the course: {way}.")


@dataclass(frozen=True)
class Row:
    """One function of the engine: where it stands, whose it is, how many lines its body has."""

    file: str
    function: str
    yours: bool
    lab: str | None
    lines: int


class Store:
    """The engine in ``folder`` (default ``my/engine``); files that are missing are the course's."""

    def __init__(self, folder: Path | None = None):
        self.folder = folder or my_folder() / FOLDER

    def texts(self) -> dict[str, str]:
        """The text of each file, as ``text`` gives it."""
        return {name: self.text(name) for name in FILES}

    def text(self, file: str) -> str:
        """A file: the learner's functions, and today's course for the rest.

        ``BrokenFile`` where Python cannot read it, here and wherever a file is taken apart.
        """
        text = self._merged(file)
        try:
            compile(text, str(self.path(file)), "exec")
        except _UNREADABLE as error:
            raise BrokenFile(file, error) from None
        return text

    def keep(self, file: str, function: str, source: str, label: str) -> Path:
        """Put ``source`` in the place of ``function``; returns the file. ``label`` says whence."""
        mark = f"{YOURS} ({label})"
        return self._change(file, lambda: put_in(self._merged(file), function, source, mark))

    def reset(self, file: str, function: str | None = None) -> Path:
        """Give one function, or a whole file, back to the course; the old file is kept."""
        course = course_sources()[file]
        if function is None:
            return self._change(file, lambda: _marked(file, course))
        given, mark = source_of(course, function), _mark(file, function)
        return self._change(file, lambda: put_in(self._merged(file), function, given, mark))

    def rows(self) -> list[Row]:
        """Every function of the engine, in reading order; the model's own stand apart."""
        return [
            Row(file, name, name in self._yours(file), lab_of(file, name), found.body_lines)
            for file in FILES
            if file not in GIVEN_FILES
            for name, found in functions_of(self._merged(file)).items()
        ]

    def code_lines(self) -> int:
        """Lines of code of the whole engine, docstrings left out, the given files apart."""
        return sum(code_lines_of(self._merged(file)) for file in FILES if file not in GIVEN_FILES)

    def yours(self, file: str, function: str) -> bool:
        """Whether a function is the learner's."""
        return function in self._yours(file)

    def path(self, file: str) -> Path:
        """Where a file lies, or would lie."""
        return self.folder / f"{file}.py"

    @cached_property
    def _record(self) -> Path:
        return self.folder / RECORD

    def _raw(self, file: str) -> bytes | None:
        path = self.path(file)
        return path.read_bytes() if path.is_file() else None

    def _read(self, file: str) -> str | None:
        """The text of a file; bytes of another encoding become characters that are no code."""
        raw = self._raw(file)
        return None if raw is None else raw.decode("utf-8-sig", "replace").replace("\r\n", "\n")

    def _yours(self, file: str) -> dict[str, Function]:
        """The learner's functions in a file."""
        text = self._read(file)
        if text is None:
            return {}
        once = self._remembered().get(file, {})
        return {
            name: one
            for name, one in _functions(file, text).items()
            if (one.mark or "").startswith(YOURS) or once.get(name, _digest(one)) != _digest(one)
        }

    def _merged(self, file: str) -> str:
        """What stands in the folder; where the course has moved on, its text with yours put in."""
        text, course = self._read(file), _marked(file, course_sources()[file])
        if text is None:
            return course
        _functions(file, text)  # a file that cannot be taken apart cannot be merged either
        if self._remembered().get(file, {}).get("") == _sha(course):
            return text
        merged, known = course, functions_of(course)
        for name, one in self._yours(file).items():
            if name in known:
                mark = one.mark if (one.mark or "").startswith(YOURS) else f"{YOURS} (by hand)"
                merged = put_in(merged, name, source_of(text, name), mark)
        return merged

    def _change(self, file: str, text: Callable[[], str]) -> Path:
        """Write what ``text`` makes of a file, anew where another kernel wrote it meanwhile."""
        make_folder(self.folder)
        with locked(self.folder):
            while not self._write(file, self._raw(file), text()):
                pass
        return self.path(file)

    def _write(self, file: str, old: bytes | None, text: str) -> bool:
        """Write a file whole unless it is not ``old`` any more, which goes into the backups."""
        path, content = self.path(file), text.encode()
        if old == content:
            return True
        if old is None:
            is_done = publish(path, content)
        else:
            day = time.strftime("%Y-%m-%d_%H%M%S")
            backup = self.folder.parent / "backups" / FOLDER / f"{file}_{day}.py"
            is_done = bool(swap(path, content, backup, judged=old)) and self._raw(file) == content
        if is_done:
            self._remember(file)
        return is_done

    def _remember(self, file: str) -> None:
        course = _marked(file, course_sources()[file])
        digests = {name: _digest(one) for name, one in functions_of(course).items()}
        record = {**self._remembered(), file: {"": _sha(course), **digests}}
        overwrite_own(self._record, json.dumps(record, indent=1, sort_keys=True).encode())

    def _remembered(self) -> dict[str, dict[str, str]]:
        try:
            found = json.loads(self._record.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        is_sound = isinstance(found, dict) and all(isinstance(one, dict) for one in found.values())
        return found if is_sound else {}


_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
"""What Python raises for a text that is no program; ``ValueError`` for one with a zero byte."""


def _functions(file: str, text: str) -> Mapping[str, Function]:
    try:
        return functions_of(text)
    except _UNREADABLE as error:
        raise BrokenFile(file, error) from None


def _marked(file: str, text: str) -> str:
    """The course's text, each function that a lab writes under a comment that says so."""
    for name in functions_of(text):
        if lab_of(file, name):
            text = put_in(text, name, source_of(text, name), _mark(file, name))
    return text


def _mark(file: str, function: str) -> str:
    lab = lab_of(file, function)
    return f"the course's; {lab} writes it" if lab else "the course's"


def _digest(function: Function) -> str:
    return _sha(function.meaning)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]
