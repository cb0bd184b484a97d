"""Remember what was handed out, so that a learner's change can be told from the course's."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from labutils.files import locked, overwrite_own

NAME = ".handed_out.json"


@dataclass(frozen=True)
class HandedOut:
    """What the learner last got under one name.

    ``bytes_hash`` and ``work_hash`` describe the edition that was copied; ``offered_hash`` and
    ``offered_as`` the updated edition that was last laid beside a changed copy, and its file name.
    """

    bytes_hash: str = ""
    work_hash: str = ""
    offered_hash: str = ""
    offered_as: str = ""


@dataclass
class Manifest:
    """Entries by edition; a manifest that cannot be read counts as empty: all is unknown then."""

    path: Path
    entries: dict[str, HandedOut] = field(default_factory=dict)
    news: dict[str, HandedOut] = field(default_factory=dict)

    @classmethod
    def load(cls, my: Path) -> "Manifest":
        path = my / NAME
        return cls(path, _read(path))

    def __getitem__(self, key: str) -> HandedOut:
        return self.entries.get(key, HandedOut())

    def __setitem__(self, key: str, entry: HandedOut) -> None:
        if self[key] != entry:
            self.entries[key] = self.news[key] = entry

    def save(self) -> None:
        """Write the news over what is on disk by now, so that two runs at once both count."""
        if not self.news:
            return
        with locked(self.path.parent):
            merged = {**_read(self.path), **self.news}
            files = {key: asdict(merged[key]) for key in sorted(merged)}
            text = json.dumps({"version": 1, "files": files}, indent=1) + "\n"
            overwrite_own(self.path, text.encode())
        self.news = {}


def _read(path: Path) -> dict[str, HandedOut]:
    try:
        files = json.loads(path.read_bytes())["files"]
        entries = {key: HandedOut(**entry) for key, entry in files.items()}
        return entries if all(map(_is_sound, entries.values())) else {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _is_sound(entry: HandedOut) -> bool:
    """Whether all are texts, and the name is one of a file beside the edition, or none."""
    name = entry.offered_as
    texts = all(isinstance(text, str) for text in asdict(entry).values())
    return texts and (not name or (Path(name).name == name != ".." and "\0" not in name))
