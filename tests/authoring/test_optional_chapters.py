"""An optional chapter between two others: order 3.5, file 03b, found by every name it has."""

import pytest

from labutils.authoring.build import build
from labutils.authoring.editions.opening import closing_text, title_text
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.source import SourceError
from labutils.workspace import Workspace, reset
from tests.authoring.fake_course import header, write_course

ASIDE = header("delta", order=3.5, minutes=30, needs="[gamma]", gpu="no, optional: true")


@pytest.fixture
def course(tmp_path):
    files = {
        "04_beta": header("beta", order=4, needs="[gamma]"),
        "03b_delta": ASIDE + "# %%\nprint(6 * 7)\n",
        "03_gamma": header("gamma", order=3),
    }
    return read_course(write_course(tmp_path, **files))


def test_it_stands_between_its_neighbours(course):
    assert [chapter.label for chapter in course.chapters] == ["03", "03b", "04"]
    names = ("03b", "delta", "03b_delta")
    assert {course.chapter(name).header.order for name in names} == {3.5}


def test_title_map_and_closing_links_say_that_it_is_optional(course):
    gamma, delta, beta = course.chapters
    facts = title_text(course, delta, solution=False).splitlines()[2]
    assert facts == "30 min · optional · needs [03 · Gamma](03_gamma.ipynb) · CPU"
    assert "optional" not in title_text(course, beta, solution=False)
    assert closing_text(course, gamma, solution=False) == (
        "---\nNext: [03b · Delta](03b_delta.ipynb) (optional)"
    )
    assert closing_text(course, beta, solution=True).endswith(
        "[03b · Delta](03b_delta.ipynb) (optional)"
    )
    assert build(course, ["03b"]) == []
    rows = [row for row in (course.root / "README.md").read_text().splitlines() if ".ipynb" in row]
    assert rows[1] == "| [03b · Delta](notebooks/03b_delta.ipynb) | 30, optional | 03 | How much? |"
    assert [" 20 |" in row for row in rows] == [True, False, True]


@pytest.mark.full
@pytest.mark.parametrize("name", ["03b", "3b", "03B", "delta", "03b_delta.ipynb"])
def test_a_reset_finds_it(course, name):
    assert build(course) == []
    step = reset(name, Workspace(course.root, course.root / "my"))
    assert "03b_delta.ipynb is fresh" in step.message


def test_anything_but_yes_and_no_is_refused(tmp_path):
    text = ASIDE.replace("optional: true", "optional: perhaps")
    with pytest.raises(SourceError, match="optional = 'perhaps': expected yes or no"):
        read_course(write_course(tmp_path, **{"03b_delta": text}))
