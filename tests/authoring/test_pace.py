"""The minutes that a stretch asks for, summed by hand from small chapters."""

import pytest

from labutils.authoring.lint.pace import pace_findings, stretch_minutes
from labutils.authoring.sources.definitions import Definitions
from tests.authoring.fake_course import FakeExercise, one_chapter

KNOWN = Definitions(
    {"alpha": (FakeExercise("alpha.one", 7), FakeExercise("alpha.two", 9, optional=True))}, {}
)
PROSE = "# %% [markdown]\n# {}\n\n"
BUILD = """\
# %%
import numpy as np
from os import path

def f(x):
    ### BEGIN SOLUTION
    return x
    ### END SOLUTION

check("alpha.one", f)
check("alpha.one", 7)
check("alpha.two", f)
"""


def minutes(tmp_path, cells, **changes):
    return stretch_minutes(one_chapter(tmp_path, cells, **changes).chapters[0], KNOWN)


@pytest.mark.parametrize(
    ("cells", "wanted"),
    [
        (PROSE.format("word " * 250), 2),
        (PROSE.format("$\\mu + \\nu$ [two words](some/where/far) | 17 — " * 15), 30 / 125),
        ('# %% [markdown] tags=["optional"]\n# word word\n', 0),
        (BUILD, 7 + 5 / 12),
        ('# %%\npredict("alpha.p", ...)\n', 1 + 1 / 12),
        ("# %%\nload_explorer(seed=1)\nviz.Sketch(x=1)\n", 8 + 2 / 12),
        (PROSE.format("## Sources") + PROSE.format("word " * 250) + PROSE.format("## On"), 1 / 125),
    ],
)
def test_what_a_cell_takes(cells, wanted, tmp_path):
    assert minutes(tmp_path, cells) == [pytest.approx(wanted)]


def test_a_stretch_that_holds_too_little_is_named(tmp_path):
    first = PROSE.format("word " * 1250) + PROSE.format("*Checkpoint, 9 minutes.*")
    course = one_chapter(tmp_path, first + BUILD, minutes=17)
    (finding,) = pace_findings(course.chapters[0], KNOWN)
    assert "minutes 0 to 9 ask for 10.0" in finding


def test_a_chapter_has_an_end(tmp_path):
    course = one_chapter(tmp_path, PROSE.format("word " * 76 * 125), minutes=80)
    (finding,) = pace_findings(course.chapters[0], KNOWN)
    assert "asks for 76 minutes; a chapter's core has at most 75" in finding


def test_what_states_far_more_than_it_asks_for_is_named(tmp_path):
    whole = PROSE.format("word " * 1250) + PROSE.format("*Checkpoint, 10 minutes.*")
    last = PROSE.format("word " * 1250)
    (finding,) = pace_findings(one_chapter(tmp_path, whole + last, minutes=26).chapters[0], KNOWN)
    assert "states 26 minutes and asks for 20" in finding
