"""A learner's folder, and what they did in it: events as the notebooks record them."""

import pytest

from labutils.exercises.journal.journal import record
from labutils.workspace.outlines import outline


@pytest.fixture
def my(tmp_path, monkeypatch):
    """A learner's folder, served by itself, with the notebooks of two chapters in it."""
    folder = tmp_path / "my"
    for name in ("03", "04"):
        copy = folder / outline(name).path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("{}")
    monkeypatch.setenv("LABUTILS_MY", str(folder))
    monkeypatch.chdir(folder)
    return folder


def answered(name: str, *statuses: str) -> None:
    for status in statuses:
        record({"event": "check", "id": name, "status": status, "diagnosis": None, "seconds": 0.1})


def finished(number: str) -> None:
    """Every task of a chapter done: ``reveal`` counts for what is no exercise, too."""
    for name in outline(number).tasks:
        record({"event": "reveal", "id": name})
