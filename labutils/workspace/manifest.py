"""Remember what was handed out, so that a learner's change can be told from the course's."""

import json
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from labutils.ground.files import locked, overwrite_own

NAME = ".handed_out.json"
MOST_EARLIER = 20  # editions of one name that are remembered


@dataclass(frozen=True)
class HandedOut:
    """What the learner last got under one name.

    ``bytes_hash`` and ``work_hash`` describe the edition that was copied; ``offered_hash`` and
    ``offered_as`` the updated edition that was last laid beside a changed copy, and its file name.
    ``cells`` are the ids of the cells that were copied, in one text ("" where nobody noted them).
    """

    bytes_hash: str = ""
    work_hash: str = ""
    cells: str = ""
    offered_hash: str = ""
    offered_as: str = ""


@dataclass
class Manifest:
    """Entries by edition; a manifest that cannot be read counts as empty: all is unknown then.

    ``earlier`` are the hashes of the editions that each entry described before.
    """

    path: Path
    entries: dict[str, HandedOut] = field(default_factory=dict)
    earlier: dict[str, list[str]] = field(default_factory=dict)
    news: dict[str, HandedOut] = field(default_factory=dict)

    @classmethod
    def load(cls, my: Path) -> "Manifest":
        path = my / NAME
        return cls(path, *_read(path))

    def __getitem__(self, key: str) -> HandedOut:
        return self.entries.get(key, HandedOut())

    def __setitem__(self, key: str, entry: HandedOut) -> None:
        if self[key] != entry:
            if (before := self[key].bytes_hash) not in ("", entry.bytes_hash):
                known = [one for one in self.earlier.get(key, ()) if one != before]
                self.earlier[key] = [*known, before][-MOST_EARLIER:]
            self.entries[key] = self.news[key] = entry

    def had_before(self, key: str, bytes_hash: str) -> bool:
        """Whether the learner got this edition once, and another one after it."""
        return bytes_hash in self.earlier.get(key, ())

    def save(self) -> None:
        """Write the news over what is on disk by now, so that two runs at once both count."""
        if not self.news:
            return
        with locked(self.path.parent):
            entries, earlier = _read(self.path)
            merged = {**entries, **self.news}
            files = {key: asdict(merged[key]) for key in sorted(merged)}
            ours = {key: self.earlier[key] for key in self.news if key in self.earlier}
            stored = {"version": 1, "files": files, "earlier": {**earlier, **ours}}
            text = json.dumps(stored, indent=1) + "\n"
            overwrite_own(self.path, text.encode())
        self.news = {}


def _read(path: Path) -> tuple[dict[str, HandedOut], dict[str, list[str]]]:
    try:
        stored = json.loads(path.read_bytes())
        entries = {key: _entry(entry) for key, entry in stored["files"].items()}
        earlier = {key: list(map(str, each)) for key, each in stored.get("earlier", {}).items()}
        return (entries, earlier) if all(map(_is_sound, entries.values())) else ({}, {})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}, {}


def _entry(stored: dict) -> HandedOut:
    """The fields of an entry that this version knows; a newer course may have written more."""
    known = {one.name: stored[one.name] for one in fields(HandedOut) if one.name != "cells"}
    return HandedOut(**known, cells=stored.get("cells", ""))


def _is_sound(entry: HandedOut) -> bool:
    """Whether all are texts, and the name is one of a file beside the edition, or none."""
    name = entry.offered_as
    texts = all(isinstance(text, str) for text in asdict(entry).values())
    return texts and (not name or (Path(name).name == name != ".." and name.isprintable()))
