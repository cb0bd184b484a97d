"""The record of a pass of ``make test-full``: from there on, changes say what has to be proved."""

import json
import os
import platform
import time
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from tests.rotation.changes import RECORD, Unknown, commit_of, is_clean

VERSIONS = ("numpy", "scipy", "numba", "torch", "transformers")


def clean_commit(root: Path) -> str:
    """The commit that ``root`` holds to the letter; empty where it differs, or is no checkout."""
    try:
        return commit_of(root) if is_clean(root) else ""
    except Unknown:
        return ""


def write_record(root: Path, outcomes: Mapping[str, Collection], begun: float, commit: str) -> str:
    """Record that all of ``commit`` passed, which is what ``root`` held when the run began.

    Returns a line about it: there is no record where the folder is, or was, no commit.
    """
    if not commit or clean_commit(root) != commit:
        return "No record of this pass: the folder differed from its commit."
    record = {
        "commit": commit,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "versions": {name: version(name) for name in VERSIONS},
        "passed": len(outcomes.get("passed", ())),
        "skipped": len(outcomes.get("skipped", ())),
        "seconds": round(time.time() - begun),
    }
    (root / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return f"All of {commit[:12]} passed: commit {RECORD}, and later checks rotate from here."
