"""Hand out a fresh copy of one chapter or lab, and keep what the learner had."""

import difflib
import os
from contextlib import suppress
from pathlib import Path

from labutils.ground.files import publish, swap
from labutils.workspace.folder import Workspace
from labutils.workspace.manifest import Manifest
from labutils.workspace.sync import Edition, Step, backup_of, read_edition, withdraw_offer


def reset(name: str, workspace: Workspace | None = None) -> Step:
    """Put the learner's copy of ``name`` aside, dated, and hand out a fresh one.

    ``name`` is a number (``"03"``, ``"3"``, ``"lab1"``), a slug (``"mm1_explosion"``) or a file
    name. Raises ``ValueError`` for a name that no chapter has, ``OSError`` when ``my/`` cannot be
    written; nothing has changed then.
    """
    workspace = workspace or Workspace.here()
    path = find_edition(name, workspace)
    edition = sound_edition(path, workspace)
    manifest, copy = Manifest.load(workspace.my), workspace.copy_of(path)
    message = f"{workspace.shown(copy)} is fresh"
    if os.path.lexists(copy):
        aside = swap(copy, edition.raw, backup_of(workspace, copy))
        message += f"; your version is kept as {workspace.shown(aside)}"
    else:
        publish(copy, edition.raw)
    withdraw_offer(copy, manifest[edition.key])
    manifest[edition.key] = edition.handed_out
    with suppress(OSError):  # done it is: the next run finds out by itself
        manifest.save()
    return Step("reset", edition.name, message)


def sound_edition(path: Path, workspace: Workspace) -> Edition:
    """The edition at ``path``; ``ValueError`` says what to do about one that is no notebook."""
    edition = read_edition(workspace, path)
    if edition is None:
        raise ValueError(
            f"{workspace.key(path)} of the course is damaged: git status says how to restore it"
        )
    return edition


def find_edition(name: str, workspace: Workspace) -> Path:
    """The edition that a learner means by ``name``; ``ValueError`` names what comes close."""
    wanted = Path(name.strip().lower()).name.removesuffix(".ipynb")
    by_name = {alias: path for path in workspace.editions for alias in _aliases(path.stem.lower())}
    if wanted in by_name:
        return by_name[wanted]
    known = sorted({path.stem for path in workspace.editions})
    close = difflib.get_close_matches(wanted, by_name, n=3, cutoff=0.5)
    meant = sorted({by_name[alias].stem for alias in close}) or known
    raise ValueError(f"name = {name!r}: expected a chapter or lab, such as {', '.join(meant)}")


def _aliases(stem: str) -> tuple[str, ...]:
    number, _, slug = stem.partition("_")
    return stem, slug or stem, number, number.lstrip("0") or "0"
