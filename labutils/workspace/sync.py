"""Bring the learner's folder up to date without touching anything that the learner changed.

For each chapter and lab, by what stands at the place of the learner's copy:

- nothing: a fresh copy is handed out (also when a copy was deleted);
- a copy that was never changed, only run perhaps: the course's update replaces it, and a copy
  that holds results goes to the backups first;
- anything else is the learner's: it stays, and an update is laid beside it, once per update.

Every file is placed whole and never on top of another (``labutils.ground.files``), so a crash, a
full disk or a second run at the same time costs nobody's work.
"""

import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from labutils.ground.files import overwrite_own, publish, swap, sweep
from labutils.workspace.folder import EDITION_FOLDERS, Workspace
from labutils.workspace.manifest import HandedOut, Manifest
from labutils.workspace.notebook import cell_ids, fingerprint, work_of

CARDS = "docs/cards.html"
BACK = "is back at an edition that you had before"


@dataclass(frozen=True)
class Step:
    """One thing that a run did: ``kind`` is new, again, updated, back, offered …"""

    kind: str
    name: str
    message: str


@dataclass(frozen=True)
class Edition:
    """One learner edition as the course has it now."""

    key: str
    name: str
    raw: bytes
    work: str

    @property
    def number(self) -> str:
        """What a learner calls it: ``03``, ``lab1``."""
        return self.name.partition("_")[0]

    @property
    def handed_out(self) -> HandedOut:
        cells = " ".join(sorted(cell_ids(json.loads(self.raw)["cells"])))
        return HandedOut(fingerprint(self.raw), self.work, cells)


def sync(workspace: Workspace | None = None) -> tuple[Step, ...]:
    """Hand out what is missing and offer what is new; tell what was done. Never raises OSError."""
    workspace = workspace or Workspace.here()
    manifest = Manifest.load(workspace.my)
    steps = [
        step
        for path in workspace.editions
        if (step := _safely(path, lambda path=path: _hand_out(workspace, path, manifest)))
    ]
    cards = _safely(workspace.root / CARDS, lambda: _copy_cards(workspace))
    saved = _safely(manifest.path, manifest.save)
    for folder in EDITION_FOLDERS:
        with suppress(OSError):
            sweep(workspace.my / folder)
    return (*steps, *filter(None, (cards, saved)))


def _copy_cards(workspace: Workspace) -> None:
    """Put the cards where a learner's browser reaches them: chapters say ``docs/cards.html``.

    A folder inside the checkout needs no copy: JupyterLab shows the whole checkout then.
    """
    source, copy = workspace.root / CARDS, workspace.my / CARDS
    if workspace.my.is_relative_to(workspace.root) or not source.is_file():
        return
    content = source.read_bytes()
    if not copy.is_file() or copy.read_bytes() != content:
        overwrite_own(copy, content)


def _safely(path: Path, action) -> Step | None:
    try:
        return action()
    except OSError as error:
        reason = error.strerror or str(error)
        return Step("problem", path.stem, f"{path.stem} could not be handed out: {reason}")


def _hand_out(workspace: Workspace, path: Path, manifest: Manifest) -> Step | None:
    edition = read_edition(workspace, path)
    if edition is None:
        return Step("damaged", path.stem, f"the course's {workspace.key(path)} is damaged")
    copy, entry = workspace.copy_of(path), manifest[edition.key]
    if not os.path.lexists(copy):
        if not publish(copy, edition.raw):
            return None  # another run was faster
        manifest[edition.key] = edition.handed_out
        kept = _last_backup(workspace, copy) if entry.bytes_hash else None
        if kept is None:
            return Step("new", edition.name, f"{edition.name} is ready")
        said = f"{edition.name} was gone and is fresh; your last backup of it is "
        return Step("again", edition.name, said + workspace.shown(kept))
    if entry.bytes_hash == fingerprint(edition.raw):
        return None
    raw = copy.read_bytes()
    work = None if copy.is_symlink() else work_of(raw)
    if work is not None and work == entry.work_hash:
        return _update(workspace, copy, edition, manifest, raw)
    if work == edition.work:
        manifest[edition.key] = edition.handed_out
        return None
    return _offer(workspace, copy, edition, manifest)


def read_edition(workspace: Workspace, path: Path) -> Edition | None:
    """The edition at ``path``; ``None`` if it is no notebook (a merge conflict, for one)."""
    raw = path.read_bytes()
    work = work_of(raw)
    return None if work is None else Edition(workspace.key(path), path.stem, raw, work)


def _update(workspace, copy, edition, manifest, raw) -> Step | None:
    """Replace a copy that nobody changed; keep a dated backup where it holds results."""
    aside = swap(copy, edition.raw, backup_of(workspace, copy), judged=raw)
    if aside is None:
        return None
    pristine = fingerprint(raw) == manifest[edition.key].bytes_hash
    is_back = manifest.had_before(edition.key, edition.handed_out.bytes_hash)
    manifest[edition.key] = edition.handed_out
    kind, done = ("back", BACK) if is_back else ("updated", "is updated")
    if pristine and aside.read_bytes() == raw:
        aside.unlink()
        return Step(kind, edition.name, f"{edition.name} {done}")
    kept = f"{edition.name} {done}; your run of it is kept as {workspace.shown(aside)}"
    return Step(kind, edition.name, kept)


def _offer(workspace, copy, edition, manifest) -> Step | None:
    """Lay the update beside a changed copy, under a name that nothing of the learner's bears."""
    entry = manifest[edition.key]
    offered_hash = fingerprint(edition.raw)
    if entry.offered_hash == offered_hash:
        return None
    withdraw_offer(copy, entry)
    for number in range(1, 1000):
        ending = f".{number}" if number > 1 else ""
        beside = copy.with_name(f"{edition.name}.updated{ending}.ipynb")
        if publish(beside, edition.raw) or _holds(beside, offered_hash):
            break  # a run that was killed before it wrote the manifest may have laid it there
    manifest[edition.key] = replace(entry, offered_hash=offered_hash, offered_as=beside.name)
    line = f"{edition.name} has an update: your copy has changes and stays, the new one is "
    line += (
        f"{workspace.shown(beside)}; labutils carry {edition.number} brings your answers into it"
    )
    return Step("offered", edition.name, line)


def _holds(path: Path, bytes_hash: str) -> bool:
    """Whether the file can be read and holds just these bytes."""
    with suppress(OSError):
        return fingerprint(path.read_bytes()) == bytes_hash
    return False


def withdraw_offer(copy: Path, entry: HandedOut) -> None:
    """Remove an earlier offer that nobody touched: its bytes are the course's own."""
    beside = copy.with_name(entry.offered_as) if entry.offered_as else None
    if beside and _holds(beside, entry.offered_hash):
        with suppress(OSError):
            beside.unlink()


def _last_backup(workspace: Workspace, copy: Path) -> Path | None:
    """The newest file among the backups of ``copy``: a kill may have left it there alone."""
    found = (workspace.my / "backups").glob(f"{copy.stem}.*{copy.suffix}")
    return max(found, key=lambda path: path.name, default=None)


def backup_of(workspace: Workspace, copy: Path) -> Path:
    """A dated name in the backups for what stands at ``copy``."""
    stamp = time.strftime("%Y-%m-%d_%H%M%S")
    return workspace.my / "backups" / f"{copy.stem}.{stamp}{copy.suffix}"
