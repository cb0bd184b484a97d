"""What the guide quotes from measuring cells is what the solution editions print."""

import nbformat
import nbformat.v4 as v4
import pytest

from labutils.authoring.pages.measured import measured_text, outcomes
from tests.authoring.fake_course import one_chapter

GUIDE = """
<!-- measured:begin -->
| prediction | what was measured | there |
| --- | --- | --- |
| `toy.ratio` | one against two | 9 |
<!-- measured:end -->
| `toy.ratio` | outside | 9 |
"""


@pytest.fixture
def course(tmp_path):
    course = one_chapter(tmp_path, "# %%\nratio = 1\n")
    told = "Inside your range. It is 3.61 ms. You said 3 to 20. Score 4; 0 is perfect."
    shown = v4.new_output("display_data", {"text/plain": told})
    code = v4.new_code_cell('outcome("toy.ratio", ratio)', outputs=[shown])
    path = course.root / course.chapters[0].solution_path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(nbformat.writes(v4.new_notebook(cells=[code])))
    return course


def test_the_figures_come_from_the_solution_editions(course):
    assert outcomes(course) == {"toy.ratio": "3.61 ms"}
    text = measured_text(course, GUIDE)
    assert "| `toy.ratio` | one against two | 3.61 ms |" in text
    assert "| `toy.ratio` | outside | 9 |" in text
    assert measured_text(course, text) == text


def test_a_prediction_that_nobody_prints_is_named(course):
    with pytest.raises(ValueError, match=r"`toy\.gone`: no solution edition prints"):
        measured_text(course, GUIDE.replace("toy.ratio` | one", "toy.gone` | one"))


def test_a_guide_without_the_table_stays_as_it_is(course):
    assert measured_text(course, "Nothing.") == "Nothing."
