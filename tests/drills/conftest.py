"""A progress folder of its own for a test."""

import pytest


@pytest.fixture
def my(tmp_path, monkeypatch):
    """A folder of the learner's, empty at the beginning."""
    folder = tmp_path / "my"
    monkeypatch.setenv("LABUTILS_MY", str(folder))
    return folder
