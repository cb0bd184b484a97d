"""The files that a class hands in, read with limits: they are strangers' files.

Nothing in them is believed that cannot be checked, and one that is too large, a link, or no file
at all, is named and left out; the others count. Where all are too much, the largest are left out.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from labutils.classroom.line import MOST_LINES, Line, read
from labutils.ground.characters import printable
from labutils.ground.files import read_ordinary

MOST_BYTES = 20_000_000
MOST_BYTES_IN_ALL = 60_000_000
MOST_LEARNERS = 500  # in one file: a report of several classes, gathered again


_TOO_MUCH = f"all files are more than {MOST_BYTES_IN_ALL // 10**6} MB"


@dataclass(frozen=True)
class HandedIn:
    """What was read: a line for each text, None for what is no line, and remarks on files."""

    lines: Mapping[str, Line | None]
    num_files: int
    remarks: tuple[str, ...] = ()


def read_files(paths: Iterable[Path]) -> HandedIn:
    """Read these files; of a folder the files that lie in it, by name.

    Raises ``OSError`` for a file that is missing, and for one that was named and may not be read.
    """
    lines: dict[str, Line | None] = {}
    places: dict[str, set[Path]] = defaultdict(set)
    remarks, num_files, left_bytes = [], 0, MOST_BYTES_IN_ALL
    for path, is_named in sorted(_files(paths).items(), key=lambda one: (_size(one[0]), one[0])):
        left_bytes -= _size(path)
        found = _read_file(path, is_named) if left_bytes >= 0 else _TOO_MUCH
        if isinstance(found, str):
            remarks.append(f"{printable(path.name)}: {found}: left out.")
            continue
        num_files += 1
        lines |= found
        tokens = {line.learner for line in found.values() if line is not None}
        for token in tokens:
            places[token].add(path)
        if len(tokens) > 1:
            remarks.append(f"{printable(path.name)} holds {len(tokens)} learners.")
    for token, holders in sorted(places.items()):
        if len(holders) > 1:
            names = ", ".join(sorted(printable(path.name) for path in holders))
            remarks.append(f"Learner {token} is in {len(holders)} files ({names}).")
    return HandedIn(lines, num_files, tuple(remarks))


def _files(paths: Iterable[Path]) -> dict[Path, bool]:
    """Each file once, and in place of a folder the files in it; whether it was named itself."""
    found: dict[Path, bool] = {}
    for path in map(Path, paths):
        is_named = path.is_symlink() or not path.is_dir()
        inside = [path] if is_named else path.iterdir()
        found |= dict.fromkeys((x for x in inside if x.is_symlink() or not x.is_dir()), is_named)
    return found


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _read_file(path: Path, is_named: bool) -> dict[str, Line | None] | str:
    """The lines of one file by their text, or why it is left out."""
    try:
        content = read_ordinary(path, MOST_BYTES + 1)
    except OSError as error:
        if path.is_symlink():
            return "a link"
        if is_named:
            raise
        return error.strerror or "cannot be read"
    if content is None:
        return "no ordinary file"
    if len(content) > MOST_BYTES:
        return f"larger than {MOST_BYTES // 10**6} MB"
    texts = content.decode("utf-8", errors="replace").removeprefix("\ufeff").splitlines()
    if len(texts) > MOST_LINES:
        return f"more than {MOST_LINES:,} lines"
    found = {text: read(text) for text in texts if text.strip()}
    learners = {line.learner for line in found.values() if line is not None}
    if len(learners) > MOST_LEARNERS:
        return f"{len(learners):,} learners in one file; {MOST_LEARNERS} at most"
    return found
