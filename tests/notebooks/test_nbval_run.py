"""The notebook runs themselves: a wrong output, an error and a silent pass are all noticed."""

import json

import pytest

from labutils.authoring.build import build
from tests.authoring.fake_course import one_chapter
from tests.notebooks.nbval_run import code_cells, run_nbval, uncompared

pytestmark = pytest.mark.full

CELLS = """\
# %%
print(40 + 2)

# %%
from IPython.display import HTML, display
display(HTML('<img alt="dot" src="data:image/png;base64,AAAA">'))
"""


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    course = one_chapter(tmp_path_factory.mktemp("course"), CELLS)
    assert build(course) == []
    return course


def spoiled(course, name, change):
    """A copy of the solution edition with one thing changed in its text."""
    text = (course.root / "solutions/01_alpha.ipynb").read_text()
    assert change[0] in text
    (course.root / f"solutions/{name}.ipynb").write_text(text.replace(*change))
    return f"solutions/{name}.ipynb"


@pytest.mark.parametrize(
    "change, failed",
    [
        (("language_info", "language_info"), 0),
        (("base64,AAAA", "base64,BBBB+/="), 0),
        (('"42\\n"', '"43\\n"'), 1),
        (("print(40 + 2)", "print(1 / 0)"), 1),
    ],
    ids=["fine", "other_picture", "other_number", "raises"],
)
def test_nbval_sees_what_differs(course, tmp_path, change, failed):
    path = spoiled(course, "spoiled", change)
    run = run_nbval(course.root, path, scratch=tmp_path)
    assert run.failed == failed, run.output
    assert run.passed + failed == len(code_cells(course.root / path)) == 4  # with its recap


def test_cells_that_nbval_would_not_compare_are_noticed(course):
    path = course.root / "solutions/01_alpha.ipynb"
    assert uncompared(path) == []
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        cell.update({"execution_count": None} if cell["cell_type"] == "code" else {})
    stripped = course.root / "solutions/stripped.ipynb"
    stripped.write_text(json.dumps(notebook))
    assert uncompared(stripped) == [0, 1, 2]
