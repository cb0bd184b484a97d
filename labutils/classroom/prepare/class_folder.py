"""A folder for a class: the copies, the sheet, and all of it as one zip."""

import io
import json
import re
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

from labutils.classroom.prepare.class_links import Links
from labutils.classroom.prepare.copies import Edition, Lesson, class_copies
from labutils.classroom.prepare.handout import handout
from labutils.classroom.prepare.plans import GUIDE_PATH, find_plan
from labutils.classroom.prepare.set_up import PLATFORMS
from labutils.classroom.prepare.sittings import labels
from labutils.ground.files import publish
from labutils.workspace.address import checked, github_name
from labutils.workspace.folder import Workspace
from labutils.workspace.reset import find_edition

SHEET, ALL = "handout.html", "class.zip"
PLAN, FOLDER = "half a day in the cloud", "class"
ZIPPED = "course.zip"


@dataclass(frozen=True)
class Prepared:
    """What was written: the folder, the notebooks, and where they are read once pushed."""

    folder: Path
    notebooks: tuple[str, ...]
    lesson: Lesson


def prepare(
    address: str = "",
    *,
    plan: str = PLAN,
    to: str = "colab",
    drive: bool = False,
    start: str = "0:00",
    out: Path | None = None,
    workspace: Workspace | None = None,
) -> Prepared:
    """Write the folder ``out`` (default: ``class`` in the checkout), which must not exist.

    ``address`` is where learners find the course: your copy's, or your hub's. Raises ``ValueError``
    for what cannot be, ``OSError`` where it cannot be written; nothing is written then.
    """
    workspace = workspace or Workspace.here()
    folder = (out or workspace.root / FOLDER).absolute()
    _possible(address, to, drive)
    guide = (workspace.root / GUIDE_PATH).read_text(encoding="utf-8")
    links = Links.on(to, address, _published(folder, workspace.root, address))
    lesson = Lesson(find_plan(plan, guide), to, address, drive, _minutes(start), links)
    editions = {label: _edition(label, workspace) for label in labels(lesson.plan)}
    files = class_copies(lesson, editions.values())
    files[SHEET] = handout(lesson, editions, _uploads(lesson)).encode()
    files[ALL] = _zipped(files)
    if to == "zip":
        files[ZIPPED] = _whole_course(workspace.root)
    if folder.exists():
        raise FileExistsError(f"{folder} is there already: remove it, or choose another with --out")
    for name, content in files.items():
        publish(folder / name, content)
    return Prepared(folder, tuple(edition.file for edition in editions.values()), lesson)


def _possible(address: str, to: str, drive: bool) -> None:
    if to not in PLATFORMS:
        raise ValueError(f"to = {to!r}: expected one of {', '.join(PLATFORMS)}")
    if address:
        checked(address)
    elif to != "zip":
        raise ValueError(
            "address: expected that of your copy, or of your hub; without one take --to zip"
        )
    if drive and to not in ("colab", "zip"):
        raise ValueError(f"drive: Google Drive belongs to Colab, not to {to}")


def _minutes(start: str) -> int:
    found = re.fullmatch(r"([01]?\d|2[0-3]):([0-5]\d)", start)
    if not found:
        raise ValueError(f"start = {start!r}: expected a time of the day, such as 13:30")
    return 60 * int(found[1]) + int(found[2])


def _published(folder: Path, root: Path, address: str) -> str:
    """Where the folder lies in the repository at the address; empty where it is no part of one."""
    inside = folder.is_relative_to(root) and github_name(address)
    return folder.relative_to(root).as_posix() if inside else ""


def _edition(label: str, workspace: Workspace) -> Edition:
    path = find_edition(label, workspace)
    return Edition(path.name, path.parent.name, label, json.loads(path.read_bytes()))


def _uploads(lesson: Lesson) -> tuple[str, ...]:
    if lesson.platform != "zip":
        return ()
    if lesson.drive:
        return (f"Put <code>{ZIPPED}</code> into <i>My Drive</i>, not into a folder there.",)
    return (f"In each notebook, upload <code>{ZIPPED}</code> in Colab’s <i>Files</i> panel first.",)


def _zipped(files: dict[str, bytes]) -> bytes:
    """Files as a zip, the same bytes for the same files."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}")
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return whole.getvalue()


def _whole_course(root: Path) -> bytes:
    """What is committed of the course, as ``course.zip``."""
    command = ["git", "archive", "--format=zip", "--prefix=course/", "HEAD"]
    try:
        return subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"").decode(errors="replace").strip() or error
        raise ValueError(f"{ZIPPED} is made by git from what is committed: {said}") from None
