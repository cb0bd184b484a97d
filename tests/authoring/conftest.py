"""The fake course, built once for all tests that only look at it."""

import shutil

import pytest

from labutils.authoring.build import build
from labutils.authoring.sources.course import read_course
from tests.authoring.fake_course import write_course


@pytest.fixture(scope="session")
def pristine(tmp_path_factory):
    """A built course that no test may change."""
    course = read_course(write_course(tmp_path_factory.mktemp("course")))
    assert build(course) == []
    return course


@pytest.fixture
def built(pristine, tmp_path):
    """A copy of the built course that a test may spoil."""
    shutil.copytree(pristine.root, tmp_path / "course")
    return read_course(tmp_path / "course")
