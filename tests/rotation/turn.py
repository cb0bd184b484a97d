"""Whose turn it is: the sixth that the commit chooses, and always what a change reaches."""

import hashlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tests.rotation.changes import Unknown, changed_since, commit_of, proved_commit
from tests.rotation.reach import Graph

ROOT = Path(__file__).resolve().parents[2]
SHARE = 6  # a unit is in turn in one of so many commits
UNTRACED = ("tests/conftest.py", "tests/rotation/", "tests/setup/floors.py")  # decide what runs


@dataclass(frozen=True)
class Turn:
    """What is in turn in this run, and why: everything, or a share and what a change reaches."""

    everything: bool
    reason: str
    commit: str = ""
    reached: Collection[str] = frozenset()

    def has(self, unit: str, files: Collection[str]) -> bool:
        """Whether ``unit``, which rests on ``files``, is proved in this run."""
        return self.everything or not {*files}.isdisjoint(self.reached) or self._draws(unit)

    def _draws(self, unit: str) -> bool:
        digest = hashlib.sha256(f"{self.commit} {unit}".encode()).digest()
        return int.from_bytes(digest) % SHARE == 0


def turn_at(root: Path) -> Turn:
    """The turn of the commit that is checked out under ``root``, with what was changed since."""
    try:
        commit, proved = commit_of(root), proved_commit(root)
        changed = changed_since(root, proved)
    except Unknown as unknown:
        return Turn(True, str(unknown))
    graph = Graph(root)
    for path in sorted(changed):
        if path.startswith(UNTRACED) or path not in graph.needs:
            return Turn(True, f"{path} changed, which may reach everything")
    reason = f"Changed since {proved[:12]} passed make test-full: {len(changed)} files"
    return Turn(False, reason, commit, frozenset(graph.reached(changed)))


class Now:
    """The turn of this run (``hooks`` sets it), and the units at small sizes, by file."""

    turn: Turn | None = None  # None: no rotation, the quick run
    small: ClassVar[Counter] = Counter()


def path_of(file: str) -> str:
    """A module's ``__file__`` as git writes it."""
    return Path(file).resolve().relative_to(ROOT).as_posix()


def in_turn(*files: str, unit: str = "") -> bool:
    """Whether a proof runs at its full sizes now.

    ``files`` (each a ``__file__``) are what it rests on beside their imports, its own first; it is
    chosen as ``unit``, by default its file. True in ``make test-full``, False in a quick run.
    """
    if Now.turn is None:
        return False
    paths = [path_of(file) for file in files]
    chosen = Now.turn.has(f"{paths[0]} {unit}".strip(), paths)
    Now.small[Path(paths[0]).stem] += not chosen
    return chosen
