"""Routes and map in the README are sums of what the chapters say; the lint knows their parts."""

import dataclasses
import json
from pathlib import Path

import pytest

from labutils.authoring.lint.routes import route_findings
from labutils.authoring.pages.readme import NO_BREAK, map_text, readme_text, routes_text
from labutils.authoring.sources.course import read_course
from tests.authoring.fake_course import definitions, header, write_course

ROOT = Path(__file__).resolve().parents[2]
CELLS = """\
# %% [markdown]
# *Checkpoint, 12 minutes. One idea.*
#
# *Checkpoint, 35 minutes.*
"""


@pytest.fixture
def course(tmp_path):
    sources = {
        "01_alpha": header("alpha", minutes=60) + CELLS,
        "01b_aside": header("aside", order=1.5, minutes="10, optional: true"),
        "lab2_beta": header("beta", order=2, minutes=75),
        "90_drills": header("drills", order=90, minutes=150),
    }
    root = write_course(tmp_path, **sources)
    return dataclasses.replace(read_course(root), groups={"01": "Chapters", "lab2": "The rest"})


def offer(course, *parts):
    entry = {"id": "short", "title": "Short", "who": "You.", "parts": parts, "after": "You can."}
    (course.root / "data/routes.json").write_text(json.dumps([entry]))


def test_a_route_says_its_stretches_and_their_sum(course):
    offer(course, "01@0-12", "01@12-35", "drills 20", "lab2")
    [*_, row] = routes_text(course).replace(NO_BREAK, " ").splitlines()
    assert row == (
        "| **Short.** You. | [01](notebooks/01_alpha.ipynb) to minute 12, "
        "[01](notebooks/01_alpha.ipynb) from 12 to minute 35, "
        "[drills](notebooks/90_drills.ipynb) for 20 min; "
        "[Lab 2](notebooks/lab2_beta.ipynb) | 2 h 10 min | You can. |"
    )


def test_the_map_sums_each_part_and_all(course):
    text = map_text(course).replace(NO_BREAK, " ")
    assert text.startswith("**Chapters**: 1 h 10 min, 10 min of it optional\n\n| chapter |")
    assert "\n\n**The rest**: 3 h 45 min\n\n| chapter |" in text
    assert text.endswith("\n\nIn all 4 h 55 min, 10 min of it optional.")
    readme = (course.root / "README.md").read_text() + "<!-- hours -->7<!-- /hours --> hours"
    assert readme_text(course, readme).endswith("<!-- hours -->5<!-- /hours --> hours")


def test_every_chapter_of_the_course_is_in_a_part_of_the_map():
    ours = read_course(ROOT)
    assert all(ours.group_of(chapter) for chapter in ours.chapters)


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        (["01", "01@12-35", "drills 20"], None),
        (["01@0-13"], ", route 'short': 01@0-13: stretches of 01 end at 0, 12, 35, 60"),
        (["03"], ": route 'short': '03': no chapter '03'; known are 01, 01b, lab2, 90"),
        (["01@35-12"], ", route 'short': 01@35-12: stretches of 01 end at 0, 12, 35, 60"),
    ],
)
def test_parts_exist_and_stretches_end_at_checkpoints(course, parts, fault):
    offer(course, *parts)
    wanted = [f"data/routes.json{fault}"] if fault else []
    assert list(route_findings(course, definitions())) == wanted


def test_a_source_that_cannot_be_built_is_left_to_the_rule_that_names_it(course):
    offer(course, "01")
    path = course.root / "solutions/01_alpha.py"
    path.write_text(path.read_text() + "\n# %%\n### BEGIN SOLUTION\nx = 1\n")
    assert list(route_findings(read_course(course.root), definitions())) == []
