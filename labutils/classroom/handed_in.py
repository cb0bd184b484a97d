"""The files that a class hands in, read with limits: they are strangers' files.

Nothing in them is believed that cannot be checked, and one that is too large, or no file at all,
is named and left out; the others count.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from labutils.classroom.line import MOST_LINES, Line, read

MOST_BYTES = 20_000_000
MOST_LEARNERS = 500  # in one file: a report of several classes, gathered again


@dataclass(frozen=True)
class HandedIn:
    """What was read: a line for each text, None for what is no line, and remarks on files."""

    lines: Mapping[str, Line | None]
    num_files: int
    remarks: tuple[str, ...] = ()


def read_files(paths: Iterable[Path]) -> HandedIn:
    """Read these files; of a folder the files that lie in it, by name.

    Raises ``OSError`` for a file that is missing or may not be read.
    """
    lines: dict[str, Line | None] = {}
    places: dict[str, set[Path]] = defaultdict(set)
    remarks, num_files = [], 0
    for path in _files(paths):
        found = _read_file(path)
        if isinstance(found, str):
            remarks.append(f"{path.name}: {found}: left out.")
            continue
        num_files += 1
        lines |= found
        tokens = {line.learner for line in found.values() if line is not None}
        for token in tokens:
            places[token].add(path)
        if len(tokens) > 1:
            remarks.append(f"{path.name} holds {len(tokens)} learners.")
    for token, holders in sorted(places.items()):
        if len(holders) > 1:
            names = ", ".join(sorted(path.name for path in holders))
            remarks.append(f"Learner {token} is in {len(holders)} files ({names}).")
    return HandedIn(lines, num_files, tuple(remarks))


def _files(paths: Iterable[Path]) -> list[Path]:
    """Each file once, and in place of a folder the files in it."""
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        inside = sorted(path.iterdir()) if path.is_dir() else [path]
        found |= dict.fromkeys(one for one in inside if not one.is_dir())
    return list(found)


def _read_file(path: Path) -> dict[str, Line | None] | str:
    """The lines of one file by their text, or why it is left out."""
    if path.exists() and not path.is_file():  # a pipe would wait for somebody to write
        return "no ordinary file"
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
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
