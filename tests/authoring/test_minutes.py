"""The instructor's guide: its minutes come from the notebooks, and it says so when they change."""

import dataclasses
from pathlib import Path

import nbformat
import pytest

from labutils.authoring.lint import lint
from labutils.authoring.lint.minutes import guide_findings
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import Definitions, read_definitions
from labutils.authoring.sources.stretches import boundaries, stretch_of
from labutils.classroom.prepare.plans import read_plans
from labutils.exercises.checkers import Number
from labutils.exercises.definition.exercise import Exercise, Misconception
from tests.authoring.fake_course import header, write_course

CHECKOUT = Path(__file__).parents[2]
CELLS = """\
# %% [markdown]
# ## First
# *Checkpoint, 12 minutes. One idea.*

# %%
check("alpha.answer", answer)

# %% [markdown]
# Words. *Checkpoint, 3 minutes* is said in the middle of a line and is none.
#
# *Checkpoint, 35 minutes.*
"""
GUIDE = """\
# Guide

<!-- plan: name="short" minutes=130 given=02 -->
| start | min | part | what happens |
| --- | --- | --- | --- |
| 0:00 | 8 | talk 8 | Welcome |
| 0:08 | 35 | `01@0-12` + `01@12-35` | Work. `alpha.answer` (7 min) |
| 0:43 | 12 | break 12 | |
| 0:55 | 20 | `03` | `alpha.answer: too-low` |
| 1:15 | 20 | `01@35-55` | |
| 1:35 | 35 | talk 35 | |

<!-- cuts: name="short" -->
| lost | leave out | what it costs |
| --- | --- | --- |
| 10 min | `01@35-55` | little |
| 40 min | `03` + `alpha.answer` + `01@0-12` + talk 8 | more |

### 01 · Alpha, 55 minutes
### 02 · Beta, 20 minutes
### 03 · Gamma, 20 minutes

| where | prints | what |
| --- | --- | --- |
| `03` prints | `It is 12.` | a number |
"""
ANSWER = Exercise(
    id="alpha.answer",
    title="The answer",
    minutes=7,
    checker=Number(
        expected=lambda: 42.0,
        unit="1",
        tolerance=0.01,
        misconceptions=(Misconception("too-low", lambda: 13.0, "You add the two."),),
    ),
    hints=("one", "two", "three"),
    explanation="Six sevens.",
)
KNOWN = Definitions({"alpha": (ANSWER,)}, {})


@pytest.fixture
def root(tmp_path):
    """A course of three chapters; the last has printed something."""
    write_course(
        tmp_path,
        **{
            "01_alpha": header("alpha", minutes=55, needs="[]") + CELLS,
            "02_beta": header("beta", order=2) + CELLS.replace("alpha", "beta"),
            "03_gamma": header("gamma", order=3, needs="[alpha, beta]") + "# %%\nx = 1\n",
        },
    )
    cell = nbformat.v4.new_code_cell("x = 1")
    cell.outputs = [nbformat.v4.new_output("stream", text="It is 12.\n")]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "solutions/03_gamma.ipynb")
    return tmp_path


def write(root, guide):
    """The plans in one file, the chapters in the other."""
    plans, mark, chapters = guide.partition("### 01")
    (root / "INSTRUCTOR.md").write_text(plans, encoding="utf-8")
    (root / "INSTRUCTOR_CHAPTERS.md").write_text(mark + chapters, encoding="utf-8")


def findings(root, guide, known=KNOWN):
    write(root, guide)
    return list(guide_findings(read_course(root), known))


def test_a_course_without_a_guide_has_nothing_to_answer_for(root):
    assert list(guide_findings(read_course(root), KNOWN)) == []


def test_a_guide_that_agrees_has_no_findings(root):
    assert findings(root, GUIDE) == []


def test_the_lint_of_the_course_reads_the_guide(root):
    write(root, GUIDE.replace("| 0:08 | 35 |", "| 0:08 | 36 |"))
    assert any(
        line.startswith("INSTRUCTOR.md: plan 'short'") for line in lint(read_course(root), KNOWN)
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("| 0:08 | 35 |", "| 0:09 | 35 |", "starts at 0:09, expected 0:08"),
        ("| 0:08 | 35 |", "| 0:08 | 34 |", "takes 34 min, its parts 35"),
        ("minutes=130", "minutes=135", "ends after 130 min, expected 135"),
        ("35 | `01@0-12` +", "35 | `01@0-13` +", "01@0-13: stretches of 01 end at 0, 12, 35, 55"),
        ("`03` | `alpha.answer: too-low`", "`04` |", "no chapter '04'"),
        ("talk 35 | |", "| |", "names no part; write talk 35"),
        ("`01@35-55` | |", "`01@12-35` | |", "01@12-35 stands twice"),
        ("given=02", "given=", "03 needs 02: put it before"),
        ("| break 12", "| talk 12", "130 min without a break at the end"),
        ("`alpha.answer` (7 min)", "`alpha.answer` (8 min)", "the exercise takes 7"),
        ("`alpha.answer` (7 min)", "`alpha.other` (7 min)", "the exercise is in no catalog"),
        ("answer: too-low", "answer: too-high", "no such mistake; known are too-low"),
        ("| 10 min | `01@35-55`", "| 21 min | `01@35-55`", "wins 20 min, expected 21"),
        ("| 10 min | `01@35-55`", "| 10 min | `02`", "02 is not in the plan"),
        ("`03` + `alpha.answer` +", "`03` + talk 9 +", "talk 9 is not in the plan"),
        ('cuts: name="short"', 'cuts: name="long"', "has a plan without cuts"),
        ("Alpha, 55 minutes", "Alpha, 50 minutes", "has 50 minutes; expected the heading"),
        ("### 02 · Beta, 20 minutes\n", "", "02 · Beta lacks its section"),
        ("`It is 12.`", "`It is 13.`", "`03` prints `It is 13.`: its solution edition does not"),
        ("| 0:08 | 35 |", "| 0:08 | a while |", "cannot read the row"),
        ("given=02", "given=02 after=yesterday", "comes after 'yesterday', which is no plan"),
    ],
)
def test_each_rule_finds_its_fault(root, old, new, message):
    assert GUIDE.count(old) == 1
    found = findings(root, GUIDE.replace(old, new))
    assert any(message in line for line in found), found
    file = "INSTRUCTOR.md" if GUIDE.index(old) < GUIDE.index("### 01") else "INSTRUCTOR_CHAPTERS.md"
    assert all(line.startswith(f"{file}: ") for line in found)


def test_a_break_too_late_is_named(root):
    late = GUIDE.replace("| 0:43 | 12 | break 12 | |\n", "").replace("0:55", "0:43")
    late = late.replace("1:15", "1:03").replace("| 1:35 | 35 | talk 35 | |", END)
    assert any("103 min without a break before 1:43" in line for line in findings(root, late))


END = "| 1:23 | 20 | talk 20 | |\n| 1:43 | 27 | break 27 | |"


def test_an_exercise_outside_the_planned_stretch_cannot_be_cut(root):
    """Checkpoints say where it stands: between minute 12 and 35."""
    chapter = read_course(root).chapters[0]
    assert boundaries(chapter) == (0, 12, 35, 55)
    assert stretch_of(chapter, "alpha.answer") == (12, 35)
    assert stretch_of(chapter, "alpha.other") is None
    away = GUIDE.replace("35 | `01@0-12` + `01@12-35`", "35 | `01@0-12` + talk 23")
    assert any("alpha.answer is not in the plan" in line for line in findings(root, away))


def test_a_second_day_may_build_on_the_first(root):
    plan = GUIDE[GUIDE.index("<!-- plan") : GUIDE.index("### 01")]
    second = plan.replace('name="short"', 'name="second"').replace("given=02", "after=short")
    guide = GUIDE.replace("### 01", f"{second}\n### 01")
    assert findings(root, guide) == []
    assert [p.name for p in read_plans(guide)] == ["short", "short", "second", "second"]


def changed(chapter, **entries):
    return dataclasses.replace(chapter, header=dataclasses.replace(chapter.header, **entries))


def test_the_real_guide_complains_when_chapters_change_their_minutes():
    course, known = read_course(CHECKOUT), read_definitions()
    before = set(guide_findings(course, known))
    shorter = {"mm1_explosion": 65, "littles_law": 45}
    chapters = tuple(
        changed(c, minutes=shorter.get(c.header.slug, c.header.minutes)) for c in course.chapters
    )
    after = set(guide_findings(dataclasses.replace(course, chapters=chapters), known)) - before
    assert any("'half a day'" in line and "`03`" in line for line in after)
    assert any("'first day'" in line and "`02`" in line for line in after)


def test_the_real_guide_has_its_plans_with_cuts():
    plans = read_plans((CHECKOUT / "INSTRUCTOR.md").read_text(encoding="utf-8"))
    minutes = {plan.name: plan.minutes for plan in plans if plan.kind == "plan"}
    days = {"first day": 480, "second day": 480, "third day": 440}
    halves = {"90 minutes": 90, "half a day": 240, "half a day in the cloud": 240}
    assert minutes == halves | days | {"a day of operations": 380}
    for plan in plans:
        assert plan.kind == "plan" or {10, 15, 30} & {row.minutes for row in plan.rows}
