"""Bring what a learner wrote in a chapter into the chapter's new edition, and lose none of it.

Editors keep the id of a cell that is edited, and the course derives its ids from the text
(``notebook.cell_id``). So an id that no longer fits the text marks a cell that the learner changed,
and one that the new edition has too marks its place there. What has no such place:

- a cell of the course whose text the new edition changed: the learner's goes behind the new one,
  which is known by the function, the exercise or the name that both are about; where there is none,
  it is kept in the notebook as text, which does not run, and is listed;
- a cell of the learner's own: behind the cell that it followed.

An editor may drop the ids, or give all cells new ones. Then a text that was handed out is the
course's, and any other one is looked for by what it is about.
"""

import json
import re
from collections import defaultdict
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from labutils.ground.files import publish, swap
from labutils.workspace.folder import Workspace
from labutils.workspace.manifest import Manifest
from labutils.workspace.notebook import cell_id, fingerprint, text_of, work_of
from labutils.workspace.reset import find_edition, sound_edition
from labutils.workspace.sync import Step, backup_of, withdraw_offer

CHANGED = "# Yours, from your earlier copy: the task above has changed since.\n"
NO_PLACE = "Yours, from your earlier copy: the new edition has no such cell.\n\n"
_COURSE_ID = re.compile(r"[0-9a-f]{10}(-\d+)?")
_SUBJECT = re.compile(
    r'^(?:async )?(?:def|class) (\w+)|\b(?:check|predict)\(\s*"([\w.]+)"|^(\w+) = ', re.MULTILINE
)


def carry(name: str, workspace: Workspace | None = None) -> Step:
    """Replace the learner's copy of ``name`` by the new edition with the learner's cells in it.

    ``name`` is what ``reset`` takes, or the path of a copy that lies elsewhere. The copy as it was
    goes to the backups, dated, or stays beside the new one where it lies elsewhere. Raises
    ``ValueError`` for a name that no chapter has and for a copy that is no notebook, ``OSError``
    when it cannot be written; nothing has changed then.
    """
    workspace = workspace or Workspace.here()
    path = find_edition(re.sub(r"^copy of ", "", Path(name).name, flags=re.I), workspace)
    edition = sound_edition(path, workspace)
    elsewhere = Path(name).suffix == ".ipynb" and Path(name).is_file()
    copy = Path(name).absolute() if elsewhere else workspace.copy_of(path)
    manifest = Manifest.load(workspace.my)
    shown = workspace.shown(copy)
    if not elsewhere and publish(copy, edition.raw):
        manifest[edition.key] = edition.handed_out
        manifest.save()
        return Step("new", edition.name, f"{shown} is fresh: there was no copy")
    if copy.is_symlink():
        raise ValueError(f"{shown} is a link: put the file itself there, then run this again")
    raw = copy.read_bytes()
    if work_of(raw) is None:
        raise ValueError(f"{shown} cannot be read as a notebook: reset keeps it, and starts over")
    if not elsewhere and manifest[edition.key].bytes_hash == edition.handed_out.bytes_hash:
        return Step("same", edition.name, f"{shown} is of the newest edition already")
    new = json.loads(edition.raw)
    handed_out = frozenset(manifest[edition.key].cells.split())
    carried = Carried(new["cells"], json.loads(raw)["cells"], handed_out)
    new["cells"] = carried.cells
    merged = (json.dumps(new, indent=1, sort_keys=True) + "\n").encode()
    backup = backup_of(workspace, copy)
    if elsewhere:  # Drive, say: a file moves in one step only within a disk
        backup = copy.with_name(backup.name)
    aside = swap(copy, merged, backup, judged=raw)
    if aside is None:
        raise OSError(f"{shown} was saved in this moment: run the command again")
    if not elsewhere:
        withdraw_offer(copy, manifest[edition.key])
        manifest[edition.key] = edition.handed_out
        with suppress(OSError):  # done it is: whoever runs it again gets the same
            manifest.save()
    return Step("carried", edition.name, _told(carried, shown, workspace.shown(aside)))


def waiting(workspace: Workspace | None = None) -> list[str]:
    """Names of the chapters that have an update which lies beside the learner's changed copy."""
    workspace = workspace or Workspace.here()
    manifest = Manifest.load(workspace.my)
    entries = {path.stem: (path, manifest[workspace.key(path)]) for path in workspace.editions}
    return [
        name
        for name, (path, entry) in entries.items()
        if entry.offered_hash and entry.offered_hash == fingerprint(path.read_bytes())
    ]


class Carried:
    """``cells``, those of a new edition, with what a learner wrote in ``old``.

    ``handed_out`` are the ids of the edition that ``old`` was made from, as far as they are known.
    ``placed`` counts the learner's cells in it; ``as_text`` holds the first line of each that found
    no place.
    """

    def __init__(self, new: list[dict], old: list[dict], handed_out: frozenset[str] = frozenset()):
        self.placed, self.as_text, self._handed_out = 0, [], handed_out
        self._new, self._behind, self._taken = list(new), defaultdict(list), set()
        self._by_id = {_id(cell): place for place, cell in enumerate(new)}
        self._names = set(self._by_id)
        self._by_text = {_written(cell): place for place, cell in enumerate(new)}
        known, last = {_id(cell) for cell in old}, -1
        self._has_ids = any(map(_COURSE_ID.fullmatch, known))
        self._subjects = {place: _subjects(cell) for place, cell in enumerate(new)}
        self._fresh = {n: self._subjects[n] for n, c in enumerate(new) if _id(c) not in known}
        for cell in old:
            last = self._take(cell, last)

    @property
    def cells(self) -> list[dict]:
        """The cells of the notebook, in order."""
        pairs = ([cell, *self._behind[place]] for place, cell in enumerate(self._new))
        return [*self._behind[-1], *(cell for pair in pairs for cell in pair)]

    def _take(self, cell: dict, last: int) -> int:
        """Find a cell's place, behind ``last`` if it is the learner's own; where it is now."""
        found, source, kind = _id(cell), text_of(cell), cell["cell_type"]
        is_courses = bool(_COURSE_ID.fullmatch(found))
        if _written(cell) in self._by_text:
            return self._by_text[_written(cell)]
        if cell_id(kind, source) in {*self._handed_out, found.partition("-")[0]}:
            return self._by_id.get(found, last)
        if not source.strip() and not cell.get("attachments"):
            return last
        if found in self._by_id and self._by_id[found] not in self._taken:
            return self._replace(self._by_id[found], cell)
        was_changed = source.startswith(CHANGED)
        if is_courses or was_changed or not found or not self._has_ids:
            places = self._subjects if was_changed else self._fresh
            place = _likest(_subjects(cell), places)
            if place is not None:
                return self._add(place, cell, source=CHANGED + source.removeprefix(CHANGED))
        if not is_courses or was_changed:
            return self._add(last, cell)
        self.as_text.append(source.strip().splitlines()[0] if source.strip() else "a picture")
        self.placed -= 1
        text = NO_PLACE + source.removeprefix(NO_PLACE)
        return self._add(last, {**cell, "cell_type": "raw"}, source=text)

    def _replace(self, place: int, cell: dict) -> int:
        self._new[place] = _clean(cell, _id(cell))
        self._taken.add(place)
        self.placed += 1
        return place

    def _add(self, place: int, cell: dict, **changes) -> int:
        self.placed += 1
        wanted = chain([_id(cell)], map("carried-{}".format, count()))
        name = next(one for one in wanted if one and one not in self._names)
        self._names.add(name)
        self._behind[place].append(_clean({**cell, **changes}, name))
        return place


def _id(cell: dict) -> str:
    """A cell's id; Colab keeps it in the metadata."""
    return str(cell.get("id") or cell.get("metadata", {}).get("id") or "")


def _written(cell: dict) -> tuple[str, str]:
    return cell["cell_type"], text_of(cell).strip()


def _clean(cell: dict, name: str) -> dict:
    """A cell under this id without the results of a run: they are of the old edition."""
    kept = {key: cell[key] for key in ("cell_type", "source", "attachments") if key in cell}
    tags = {"tags": found} if (found := cell.get("metadata", {}).get("tags")) else {}
    empty = {"outputs": [], "execution_count": None} if cell["cell_type"] == "code" else {}
    return {**kept, **empty, "id": name, "metadata": tags}


def _subjects(cell: dict) -> set[str]:
    """What a cell of code is about: functions, classes, exercises and names that it sets."""
    if cell["cell_type"] != "code":
        return set()
    return {next(filter(None, found)) for found in _SUBJECT.findall(text_of(cell))}


def _likest(wanted: set[str], subjects: dict[int, set[str]]) -> int | None:
    """The place that shares most with ``wanted``, the first of several; None if none shares."""
    most = max(subjects, key=lambda place: len(wanted & subjects[place]), default=None)
    return most if most is not None and wanted & subjects[most] else None


def _told(carried: Carried, shown: str, aside: str) -> str:
    cells = "1 cell" if carried.placed == 1 else f"{carried.placed} cells"
    said = f"{shown} is the new edition with {cells} of yours; your copy as it was is {aside}"
    if carried.as_text:
        listed = "; ".join(carried.as_text)
        said += f". No place was found for, and kept in it as text that does not run: {listed}"
    return said
