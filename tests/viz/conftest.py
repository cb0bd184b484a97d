"""An explorer takes long to draw first and little to move: the tests of a file share theirs."""

import pytest


@pytest.fixture(autouse=True)
def moved_back(request):
    """The next test finds the explorer where this one found it."""
    if "explorer" not in request.fixturenames:
        yield
        return
    explorer = request.getfixturevalue("explorer")
    before = explorer.values
    yield
    if explorer.values != before:
        explorer(**before)
