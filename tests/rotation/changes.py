"""What has changed since all was proved: git's word, against the record of ``make test-full``."""

import json
import re
import subprocess
from pathlib import Path

RECORD = "tests/full_pass.json"
_HARMLESS = re.compile(
    r"data/figures/.*|"  # the authoring check compares them in each run
    r"(?!labutils/|tests/|data/)(.*\.md|docs/.*|\.github/.*|LICENSE\S*|NOTICE)"
)


class Unknown(Exception):
    """Nothing is known of what changed, so everything is in turn; the message says why."""


def git(root: Path, *arguments: str) -> str:
    """What git prints; ``Unknown`` where it does not run, or not here.

    In a container the folder may belong to somebody else, whom git would not trust.
    """
    command = ["git", "-C", str(root), "-c", f"safe.directory={root}", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        raise Unknown("this folder has no history that git can tell") from None
    return done.stdout


def commit_of(root: Path) -> str:
    """The commit that is checked out."""
    return git(root, "rev-parse", "HEAD").strip()


def is_clean(root: Path) -> bool:
    """Whether the folder holds what its commit holds and no more, but for the record itself."""
    return not git(root, "status", "--porcelain", "--", ".", f":(exclude){RECORD}")


def proved_commit(root: Path) -> str:
    """The commit that the record names: an ancestor of the one that is checked out."""
    try:
        commit = json.loads((root / RECORD).read_text(encoding="utf-8"))["commit"]
    except (OSError, ValueError, KeyError, TypeError):
        raise Unknown(f"{RECORD} names no commit that passed make test-full") from None
    if git(root, "rev-parse", "--is-shallow-repository").strip() != "false":
        raise Unknown("a shallow clone does not say what changed")
    try:
        git(root, "merge-base", "--is-ancestor", str(commit), "HEAD")
    except Unknown:
        raise Unknown(f"{RECORD} names {commit}, which is no ancestor of this commit") from None
    return str(commit)


def changed_since(root: Path, commit: str) -> set[str]:
    """Paths that differ from ``commit`` here and now, new and uncommitted ones included."""
    differing = git(root, "diff", "--no-renames", "--name-only", "-z", commit, "--")
    unknown = git(root, "ls-files", "--others", "--exclude-standard", "-z")
    found = {path for path in (differing + unknown).split("\0") if path}
    return {path for path in found if path != RECORD and not _HARMLESS.fullmatch(path)}
