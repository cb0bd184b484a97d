"""Where a chapter opens from the notebook that asks, if it opens from there at all."""

import json
import os
from pathlib import Path
from urllib.parse import quote

from labutils import datafile
from labutils.exercises.display.card import Link
from labutils.ground.folder import my_folder
from labutils.workspace import Workspace
from labutils.workspace.address import COLAB, github_name
from labutils.workspace.outlines import Outline


def to_chapter(chapter: Outline, *, cell: str = "") -> Link:
    """A link to the learner's copy, at a cell if one is named; elsewhere to the published one."""
    fragment = f"#cell-id={cell}" if cell else ""
    address = to_own(chapter.path)
    return Link(chapter.heading, address + fragment if address else _published(chapter.path))


def to_own(path: str) -> str:
    """The address of a file of ``my/``; empty where the front end does not serve it from here."""
    try:
        workspace, here = Workspace.here(), Path.cwd()
        file = (my_folder() / path).absolute()
    except OSError:
        return ""
    served = workspace.root if file.is_relative_to(workspace.root) else my_folder().absolute()
    if not here.is_relative_to(served) or not file.is_file():
        return ""
    return quote(Path(os.path.relpath(file, here)).as_posix())


def kept_at(chapter: Outline) -> str:
    """Where ``my/`` keeps the recap of a chapter."""
    return f"recaps/{chapter.name}.html"


def _published(path: str) -> str:
    repository = json.loads(datafile("course.json").read_text(encoding="utf-8"))["repository"]
    name = github_name(repository)
    return COLAB.format(name=name) + path if name else ""
