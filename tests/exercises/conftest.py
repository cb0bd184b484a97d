"""A progress folder of its own for a test, and the toy exercises."""

from pathlib import Path

import pytest

from labutils.exercises import catalog

TOYS = Path(__file__).parent / "toys"


@pytest.fixture
def my(tmp_path, monkeypatch):
    """A folder of the learner's, empty at the beginning."""
    folder = tmp_path / "my"
    monkeypatch.setenv("LABUTILS_MY", str(folder))
    return folder


@pytest.fixture
def toys(monkeypatch, my):
    """The toy exercises, found beside the real chapters; progress goes to ``my``."""
    monkeypatch.setattr(catalog, "__path__", [*catalog.__path__, str(TOYS)])
    return my
