"""Every rule of the lint finds what it is for, and a clean chapter passes all of them."""

from pathlib import Path

import pytest

from labutils.authoring.lint import lint
from labutils.authoring.lint.code import LONGER, MOST_LINES, included_name, written
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import Definitions
from labutils.exercises.definition.exercise import Prediction
from tests.authoring.fake_course import FakeExercise, definitions, header, one_chapter, write_course

CHECKOUT = Path(__file__).parents[2]


def findings(root, cells, known=None, **changes):
    return lint(one_chapter(root, cells, **changes), known or Definitions())


def test_the_fake_course_is_clean(pristine):
    assert lint(pristine, definitions()) == []


SOLUTION = "# %%\n### BEGIN SOLUTION\n{}\n### STUB {}\n### END SOLUTION\n"
PACK = "### INCLUDE labutils.engine.packing:pack\n"  # 16 lines to write
HALVES = "### INCLUDE labutils.engine.scheduler:Scheduler._prefill+_decode as Halves\n"
LONG = "# %%\n" + "".join(f"a{k} = {k}\n" for k in range(16))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (LONG, "16 lines in the solution edition, at most 15"),
        (f"{LONG}{PACK}", "21 lines in the learner edition, at most 15"),
        (f"# %%\n{HALVES}", "21 lines to write, at most 15"),
        (SOLUTION.format("x = 1", "x = ("), "the learner edition does not compile"),
        (SOLUTION.format("x = )", "x = ..."), "the solution edition does not compile"),
        (SOLUTION.format("# nothing", "x = ..."), "an empty solution block"),
        (SOLUTION.format("x = 1", "pass"), "a stub of bare `pass`"),
        ("# %%\n### BEGIN SOLUTION\nx = 1\n", "is never closed"),
        ("# %% [markdown]\n# # Another title\n", "'Another title' is a second title"),
        ("# %% [markdown]\n# ## A\n# #### B\n", "heading 'B' is level 4 below level 2"),
        ("# %% [markdown]\n# ### A\n", "heading 'A' is level 3 below level 1"),
        ('# %% tags=["topic:Z99"]\nx = 1\n', "topic 'Z99' is not in data/topics.json"),
        ('# %% tags=["nbval-skip"]\nx = 1\n', "unknown tag 'nbval-skip'"),
        ('# %% tags=["solution-only", "learner-only"]\nx = 1\n', "one edition and for the other"),
        ('# %% [markdown] tags=["parameters"]\n# Hm\n', "['parameters'] on a markdown cell"),
        ("# %% [markdown]\n# See [this](gone.md).\n", "gone.md does not exist, seen from solu"),
        ("# %% [markdown]\n# See [this](../README.md).\n", "reached from the learner's copy"),
        ("# %% [markdown]\n# ![](../README.md)\n", "picture ../README.md has no text alternative"),
        ("# %%\nshow(figure)\n", "show(...) in line 1 lacks alt="),
        ('# %%\nx = 1\nviz.show(figure, alt=" ")\n', "show(...) in line 2 lacks alt="),
        ('# %%\ncheck("alpha.anwser", 1)\n', "did you mean 'alpha.answer'?"),
        ("# %%\nfrom labutils.exercises import check, reveal\n", "check(...) offers hint(...)"),
        ("# %%\nhint(name)\n", "hint(...) without an id in quotes"),
        ('# %%\npredict("nothing.like_it", ...)\n', "no such prediction; the catalog has none"),
    ],
)
def test_each_rule_finds_its_fault(cells, message, tmp_path):
    known = Definitions({"beta": (FakeExercise("alpha.answer"),)}, {})
    found = [line for line in findings(tmp_path, cells, known) if "no chapter has" not in line]
    assert found and all(line.startswith("solutions/01_alpha.py") for line in found)
    assert any(message in line for line in found), found


@pytest.mark.parametrize(
    "cells",
    [
        "# %%\n%matplotlib inline\nx = 1\n",
        "# %%\n%%bash\nls (\n",
        "# %%\nimport asyncio\nawait asyncio.sleep(0)\n",
        "# %%\nplt.show()\nfigure.show()\n",
        '# %%\nshow(figure, alt="A line that climbs")\n',
        "# %% [markdown]\n# [a](https://example.org) [b](#part) [c](01_alpha.ipynb#Fake)\n",
        "# %% [markdown]\n# ## A\n# ### B\n# ## C\n#\n# ```python\n# # no title\n# ```\n",
        "# %%\n" + "# why\n" * 20 + "x = 1\n",
        f"# %%\n{PACK}",
        SOLUTION.format("total = first + second", "total = first + second  # and now?"),
    ],
)
def test_what_is_fine_passes(cells, tmp_path):
    found = findings(tmp_path, cells)
    assert [line for line in found if "the learner edition shows" not in line] == []


def test_the_longer_exercises_are_those_that_the_course_has():
    cells = (cell for one in read_course(CHECKOUT).chapters for cell in one.cells if cell.included)
    longer = [cell.source for cell in cells if written(cell.source) > MOST_LINES]
    assert [included_name(source) for source in longer] == list(LONGER)
    assert [written(source) for source in longer] == [16, 20, 27, 19]


def test_an_answer_that_shows_elsewhere_is_named(tmp_path):
    answer = SOLUTION.format("total = first +  second", "total = ...")
    leak = "# %% [markdown]\n# Write `total = first + second` here.\n"
    assert findings(tmp_path, answer) == []
    found = findings(tmp_path, answer + leak)
    assert len(found) == 1 and "shows 'total = first +  second'" in found[0]
    short = SOLUTION.format("t = a + bc", "t = ...")
    assert findings(tmp_path, short + "# %%\nt = a + bc\n") == []


def test_a_line_that_its_own_stub_shows_is_no_leak(tmp_path):
    cell = (
        "# %%\n### BEGIN SOLUTION\nvalues = make_values(3)\nbest = max(values)\n"
        "### STUB values = make_values(3)\n### STUB best = ...\n### END SOLUTION\n"
    )
    assert findings(tmp_path, cell) == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"question": "Nothing."}, "asks nothing"),
        ({"needs": "[omega]"}, "needs 'omega', which is no chapter's slug"),
        ({"needs": "[alpha]"}, "needs 'alpha', which comes later"),
        ({"order": "1, small: {n: 3}"}, "small names 'n'; assign it in the parameters cell"),
    ],
)
def test_headers(changes, message, tmp_path):
    found = findings(tmp_path, "# %%\nx = 1\n", **changes)
    assert len(found) == 1 and message in found[0]


def test_only_an_optional_chapter_may_need_an_optional_one(tmp_path):
    files = {
        "01_alpha": header("alpha", gpu="no, optional: true"),
        "02_beta": header("beta", order=2, needs="[alpha]"),
        "03_gamma": header("gamma", order=3, needs="[alpha]", gpu="no, optional: yes"),
    }
    (found,) = lint(read_course(write_course(tmp_path, **files)), Definitions())
    assert found == (
        "solutions/02_beta.py: needs 'alpha', which is optional; mark this one optional too"
    )


def test_slug_matches_the_file_name(tmp_path):
    course = one_chapter(tmp_path, "# %%\nx = 1\n")
    (tmp_path / "solutions/01_alpha.py").rename(tmp_path / "solutions/01_omega.py")
    assert "slug 'alpha' does not match" in lint(read_course(course.root), Definitions())[0]


CHECK = '# %%\nanswer = 1\ncheck("alpha.answer", answer)\n'
DEMONSTRATION = '# %%\ncheck("alpha.answer", -600)\n'


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("# %%\nx = 1\n", "exercise 'alpha.answer' is checked 0 times"),
        (CHECK + CHECK, "exercise 'alpha.answer' is checked 2 times"),
        (DEMONSTRATION + CHECK, "is demonstrated before the learner's own check"),
        (CHECK + DEMONSTRATION, ""),
        (CHECK.replace("# %%", '# %% tags=["learner-only"]'), "0 times, expected once, in the sol"),
    ],
)
def test_each_exercise_is_checked_once_in_each_edition(cells, message, tmp_path):
    found = findings(tmp_path, cells, definitions())
    assert bool(found) == bool(message)
    assert all(message in line for line in found), found


PREDICT, OUTCOME = '# %%\npredict("alpha.p", ...)\n', '# %%\noutcome("alpha.p", 3)\n'


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (PREDICT + OUTCOME, ""),
        (PREDICT, "never meets its outcome"),
        (OUTCOME + PREDICT, "meets its outcome before it is asked"),
        (OUTCOME, "asked 0 times"),
    ],
)
def test_predictions_meet_their_outcome(cells, message, tmp_path):
    known = Definitions({"alpha": ()}, {"alpha": (FakeExercise("alpha.p"),)})
    found = findings(tmp_path, cells, known)
    assert bool(found) == bool(message)
    assert all(message in line for line in found), found


def test_a_chapter_needs_no_more_minutes_than_it_states(tmp_path):
    exercises = (FakeExercise("alpha.answer", 15), FakeExercise("alpha.more", 90, optional=True))
    known = Definitions({"alpha": exercises}, {})
    cells = CHECK + CHECK.replace("alpha.answer", "alpha.more")
    assert findings(tmp_path, cells, known) == []
    found = findings(tmp_path, cells, known, minutes=14)
    assert len(found) == 1 and "minutes 0 to 14 ask for 15.3" in found[0]


def test_a_catalog_module_without_a_chapter_is_named(tmp_path):
    found = findings(tmp_path, "# %%\nx = 1\n", Definitions({"omega": ()}, {}))
    assert found == ["labutils/exercises/catalog/omega.py: no chapter has the slug 'omega'"]


@pytest.mark.parametrize("explanation", ["$L = 3$ holds.", "- one", "| a | b |", "# So", "`x` is"])
def test_an_explanation_that_no_slide_could_show_is_named(tmp_path, explanation):
    course = one_chapter(tmp_path, '# %%\npredict("alpha.share")\noutcome("alpha.share", 3)\n')
    prediction = Prediction("alpha.share", "How much?", "1", explanation)
    known = Definitions({"alpha": ()}, {"alpha": (prediction,)})
    (found,) = lint(course, known)
    assert found.endswith("since it becomes a paragraph on a slide") and "'alpha.share'" in found
    told = Definitions({"alpha": ()}, {"alpha": (Prediction("alpha.share", "?", "1", "So $x$."),)})
    assert lint(course, told) == []
