"""Running a chapter for its solution edition: nothing unclean gets into the repository."""

import nbformat
import pytest

from labutils.authoring.build import build
from labutils.authoring.check import differences
from labutils.authoring.editions.execute import ExecutionError, execute, run
from labutils.authoring.editions.outputs import WIDGET_STATE, WIDGET_VIEW, faults, settle
from tests.authoring.fake_course import one_chapter
from tests.conftest import only_full

UNCLEAN = {
    "1 / 0": "ZeroDivisionError: division by zero",
    "import warnings; warnings.warn('careful')": "writes to stderr",
    "print(object())": "prints a memory address (at 0x",
    "import os; print(os.getcwd())": "prints a path of this machine",
    "import os; print(os.environ['LABUTILS_MY'])": "prints a path of this machine",
    "import ipywidgets as w\nw.interact(lambda x: 1 / x, x=(0, 0))": "a widget swallowed an error",
}
UNCLEAN[
    """\
from labutils.viz import new_figure, show
fig, ax = new_figure(title="Crowded")
ax.text(0.5, 0.5, "one")
ax.text(0.5, 0.5, "other")
show(fig, alt="two words at one place")"""
] = "figure 'Crowded' is crowded: 'one' and 'other' cover"
FIRST, *OTHERS = UNCLEAN


@pytest.mark.parametrize("code", [FIRST, *only_full(*OTHERS)])
def test_unclean_notebooks_are_refused(code, tmp_path):
    course = one_chapter(tmp_path, f"# %%\n{code}\n")
    failures = build(course)
    assert len(failures) == 1 and failures[0].startswith("solutions/01_alpha.py: ")
    assert UNCLEAN[code] in failures[0]
    assert not (tmp_path / "solutions/01_alpha.ipynb").exists()
    assert (tmp_path / "notebooks/01_alpha.ipynb").exists()


def test_another_seed_may_crowd_a_figure(tmp_path):
    (crowded,) = (code for code, says in UNCLEAN.items() if "is crowded" in says)
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(crowded)])
    run(notebook, cwd=tmp_path, my=tmp_path / "my")
    assert faults(notebook) == []


def test_outputs_beyond_the_size_limit_are_refused(tmp_path):
    course = one_chapter(tmp_path, "# %%\nprint('0123456789\\n' * 60_000)\n")
    (failure,) = build(course)
    assert "at most 500000 are kept" in failure


PICTURE = """\
# %% tags=["figure:dot"]
from IPython.display import Image, display
import base64
pixel = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
display(Image(pixel, format="png"))
"""


AS_HTML = PICTURE.replace(
    'display(Image(pixel, format="png"))',
    "from IPython.display import HTML\n"
    "text = base64.b64encode(pixel).decode()\n"
    """display(HTML(f'<img alt="a dot" src="data:image/png;base64,{text}">'))""",
)


@pytest.mark.parametrize("cells", [PICTURE, AS_HTML])
def test_a_tagged_figure_is_exported(cells, tmp_path):
    course = one_chapter(tmp_path, cells)
    assert build(course) == []
    exported = tmp_path / "data/figures/dot.png"
    assert exported.read_bytes().startswith(b"\x89PNG")
    assert differences(course) == []
    exported.write_bytes(b"other")
    assert "data/figures/dot.png is not the figure" in differences(course)[0]


def test_a_figure_tag_without_a_picture_is_named(tmp_path):
    (failure,) = build(one_chapter(tmp_path, PICTURE.replace("display(", "str(")))
    assert "cell 3, tagged 'figure:dot', shows no picture" in failure


WIDGETS = """\
# %%
import ipywidgets as w
from IPython.display import display
slider = w.IntSlider(value=3)
slider

# %%
class Explorer:
    def _repr_mimebundle_(self, **_):
        views = w.IntText(value=1)._repr_mimebundle_()
        return {**views, "image/png": "iVBORw0KGgo="}

Explorer()
"""


def run_widgets(root, cells):
    course = one_chapter(root, cells)
    assert build(course) == []
    return nbformat.read(root / "solutions/01_alpha.ipynb", as_version=4)


def test_widget_state_stays_only_where_no_picture_stands_in(tmp_path):
    notebook = run_widgets(tmp_path, WIDGETS)
    slider, explorer = notebook.cells[2].outputs[0].data, notebook.cells[3].outputs[0].data
    state = notebook.metadata.widgets[WIDGET_STATE]["state"]
    assert slider[WIDGET_VIEW]["model_id"] in state
    assert {model["model_name"] for model in state.values()} == {
        "IntSliderModel",
        "SliderStyleModel",
        "LayoutModel",
    }
    assert WIDGET_VIEW not in explorer and "image/png" in explorer
    first = (tmp_path / "solutions/01_alpha.ipynb").read_bytes()
    run_widgets(tmp_path, WIDGETS)
    assert (tmp_path / "solutions/01_alpha.ipynb").read_bytes() == first


def test_no_state_is_kept_when_pictures_suffice(tmp_path):
    pictures_only = "# %%\nimport ipywidgets as w\n\n" + WIDGETS[WIDGETS.index("# %%\nclass") :]
    assert "widgets" not in run_widgets(tmp_path, pictures_only).metadata


def test_errors_in_outputs_are_faults():
    error = nbformat.v4.new_output("error", ename="KeyError", evalue="'x'", traceback=[])
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x", outputs=[error])])
    assert faults(notebook) == ["cell 1 raises KeyError: 'x'"]
    settle(notebook)
    assert notebook.cells[0].outputs == [error]


def test_a_raising_cell_names_itself(tmp_path):
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell("answer = 42"), nbformat.v4.new_code_cell("[][answer]")]
    )
    (tmp_path / "solutions").mkdir()
    with pytest.raises(ExecutionError, match="IndexError") as caught:
        execute(notebook, root=tmp_path, folder="solutions")
    assert "[][answer]" in str(caught.value)


MEASURED = """\
# %%
import time
print(time.perf_counter_ns())  # {comment}
assert True, (
    "several lines"
)

# %% [markdown]
# {prose}
"""


def outputs(course):
    notebook = nbformat.read(course.root / course.chapters[0].solution_path, as_version=4)
    return [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.full  # builds a chapter four times
def test_a_chapter_whose_code_stands_keeps_what_it_measured(tmp_path):
    course = one_chapter(tmp_path, MEASURED.format(comment="slow", prose="Old words."))
    assert build(course) == []
    measured = outputs(course)
    course = one_chapter(tmp_path, MEASURED.format(comment="fast", prose="New words."))
    assert build(course) == [] and differences(course) == []
    assert outputs(course) == measured
    assert build(course, afresh=True) == [] and outputs(course) != measured
    other = MEASURED.format(comment="fast", prose="New words.").replace("_ns()", "_ns(), 1")
    course = one_chapter(tmp_path, other)
    assert build(course) == [] and ", 1" not in str(measured) and outputs(course) != measured


def test_learners_see_neither_assertions_nor_what_a_formatter_is_told(tmp_path):
    cells = "# %%\nx = (1,\n     2)  # fmt: skip\nassert x, (\n    1\n)\n\n# %%\nassert True\n"
    course = one_chapter(tmp_path, cells)
    assert build(course) == []
    editions = (course.chapters[0].learner_path, course.chapters[0].solution_path)
    learner, solution = (nbformat.read(course.root / path, as_version=4) for path in editions)
    assert [cell.source for cell in learner.cells[2:-1]] == ["x = (1,\n     2)"]  # then the recap
    assert solution.cells[2].source == "x = (1,\n     2)\nassert x, (\n    1\n)"
    assert solution.cells[3].source == "assert True"
