"""Fixtures for tests in a real browser: one JupyterLab and one Chromium for this folder.

Every test of this folder carries the marker ``browser``; ``tests/conftest.py`` says when such a
test may be skipped. The fixtures end with the last test of this folder: Playwright keeps an event
loop running, which tests of asynchronous code cannot bear.
"""

import shutil
from pathlib import Path

import pytest

from .lab_page import LabPage, launched
from .lab_server import running_lab


def pytest_configure(config):
    line = "only_in(name): of the chapters that the test is parametrized with, only this one"
    config.addinivalue_line("markers", line)


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if _in_its_chapter(item)]
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


def _in_its_chapter(item) -> bool:
    only = item.get_closest_marker("only_in")
    return only is None or item.callspec.params["chapter"].name in only.args


@pytest.fixture(scope="package")
def lab_server(tmp_path_factory):
    """A running JupyterLab; put notebooks into ``lab_server.root``."""
    with running_lab(tmp_path_factory.mktemp("root"), tmp_path_factory.mktemp("lab")) as server:
        yield server


@pytest.fixture(scope="package")
def chromium():
    """A running headless Chromium, driven by Playwright."""
    with launched(shutil.which("chromium")) as browser:
        yield browser


@pytest.fixture
def lab(lab_server, chromium):
    """A fresh browser tab on the running JupyterLab: a ``LabPage``."""
    page = chromium.new_page()
    yield LabPage(page, lab_server)
    page.close()
