"""A toy course in a repository of its own, where rotation can be watched."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.rotation.changes import RECORD
from tests.rotation.reach import Graph

LAZY = """
from typing import TYPE_CHECKING
from labutils.ground.lazy import lazily
if TYPE_CHECKING:
    from .lamp import light
__getattr__, __dir__ = lazily(__name__, {"light": "lamp"})
"""
CATALOG = "from importlib import import_module\ndef chapter(name): return import_module(name)"
HEADER = "# ---\n# jupyter:\n#   course:\n#     slug: {}\n# ---\n# %%\n"
TOY = {
    "labutils/__init__.py": "",
    "labutils/ground/lazy.py": (
        "from importlib import import_module\ndef lazily(*_): import_module('x')"
    ),
    "labutils/leaf.py": "x = 1",
    "labutils/rope.py": "def pull():\n    from labutils.leaf import x\n    return x",
    "labutils/room/__init__.py": LAZY,
    "labutils/room/lamp.py": "light = 'data/prices.json'",
    "labutils/room/chair.py": "seat = 1",
    "labutils/kinds/__init__.py": "from importlib import import_module\nimport_module('.a')",
    "labutils/kinds/a.py": "# data/models",
    "labutils/pieces.py": "class Pool: folder = 'models'",
    "data/prices.json": "{}",
    "data/models/small/weights.bin": "",
    "labutils/alone.py": "",
    "labutils/drills/__init__.py": "from labutils.drills.catalog import templates",
    "labutils/drills/catalog/__init__.py": CATALOG + "\ntemplates = 1",
    "labutils/drills/catalog/queue.py": "",
    "labutils/exercises/__init__.py": "from labutils.exercises import catalog\nprogress = 1",
    "labutils/exercises/catalog/__init__.py": CATALOG,
    "labutils/exercises/catalog/alpha/__init__.py": "from .one import EXERCISE",
    "labutils/exercises/catalog/alpha/one.py": "EXERCISE = 1",
    "labutils/exercises/catalog/beta.py": "",
    "labutils/exercises/catalog/gamma.py": 'EXERCISE = exercise(id="gamma.deep")',
    "tests/__init__.py": "",
    "tests/conftest.py": "",
    "tests/proofs/__init__.py": "",
    "tests/proofs/alpha.txt": "",
    "tests/proofs/alpha/one.txt": "",
    "tests/answers/alpha.txt": "",
    "tests/browser/__init__.py": "",
    "tests/browser/conftest.py": "from labutils.kinds import a",
    "tests/browser/test_pages.py": "",
    "tests/test_command.py": "COMMAND = ['-m', 'labutils.rope', 'scripts']",
    "scripts/build.py": "",
    "solutions/01_alpha.py": HEADER.format("alpha")
    + "from labutils.exercises import check\nfrom labutils import rope, room\nroom.light\n"
    + 'piece("gamma.deep")',
    "solutions/02_beta.py": HEADER.format("beta")
    + "from labutils.exercises import progress\nprogress()\n"
    + "# %%\nfrom labutils.drills import templates\n### INCLUDE labutils.pieces:Pool\n",
}
ALPHA, BETA, PAGES = "solutions/01_alpha.py", "solutions/02_beta.py", "tests/browser/test_pages.py"


def built(root: Path, files: Mapping[str, str] = TOY) -> Graph:
    """The files written under ``root``, and its graph."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return Graph(root)


def git(root: Path, *arguments: str) -> str:
    """What git says in the toy's own repository."""
    names = ["-c", "user.name=a", "-c", "user.email=a@a.example", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(root), *names, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def commit(root: Path, files: Mapping[str, str] | None = None) -> str:
    """Commit the files and whatever else was changed; returns the commit."""
    built(root, files or {})
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "a change")
    return git(root, "rev-parse", "HEAD")


def proved(root: Path, files: Mapping[str, str] = TOY) -> Path:
    """A repository of the files in which a first commit has passed everything."""
    built(root, files)
    git(root, "init", "-q", "-b", "main")
    first = commit(root)
    commit(root, {RECORD: json.dumps({"commit": first})})
    return root
