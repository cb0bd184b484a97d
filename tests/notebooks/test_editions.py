"""Every edition runs: learner editions untouched, solution editions with the outputs they show.

In the whole check each solution edition runs at small sizes with another seed than it was built
with, and each learner edition once: at full size where the browser opens it, else at small sizes.
A strict nbval at full size takes turns. A quick run holds three learner editions; a chapter's cells
run whenever its source is built, and those that answer exercises in their proofs. What the
exercises said in those runs is the other half of the test: nothing attempted in a learner edition,
everything right in a solution.
"""

import json
from pathlib import Path

import nbformat
import pytest
from papermill.iorw import load_notebook_node
from papermill.parameterize import parameterize_notebook

from labutils.authoring.editions.execute import run
from labutils.authoring.editions.outputs import faults
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from tests.notebooks.nbval_run import (
    attempted,
    code_cells,
    run_nbval,
    statuses_in,
    uncompared,
    with_code,
)
from tests.rotation.reach import Graph
from tests.setup.floors import reach

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = read_course(ROOT).chapters
EXERCISES = read_definitions().exercises
OTHER_SEED = 20_261

FIRST = ("start_here", "littles_law", "dynamic_batcher")  # what a learner opens, theory, a lab
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=[c.name for c in CHAPTERS])


def ids_of(chapter):
    return [exercise.id for exercise in EXERCISES.get(chapter.header.slug, ())]


def untouched(chapter):
    """The learner edition of a chapter, untouched but for its sizes."""
    notebook = load_notebook_node(str(ROOT / chapter.learner_path))
    small = chapter.header.small
    return parameterize_notebook(notebook, small) if small else notebook


def errors(notebook):
    """What the cells raised, by name."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return {output.ename for output in outputs if output.output_type == "error"}


@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(c, id=c.name, marks=() if c.header.slug in FIRST else pytest.mark.full)
        for c in CHAPTERS
    ],
)
def test_learner_edition_runs_untouched(chapter, tmp_path):
    """Cells that may raise there raise the one tolerated exception."""
    notebook = untouched(chapter)
    run(notebook, cwd=ROOT / chapter.header.folder, my=tmp_path / "my")
    assert errors(notebook) <= {"NotImplementedError"}
    assert all(cell.execution_count for cell in with_code(notebook))
    assert attempted(ids_of(chapter), statuses_in(tmp_path / "my")) == {}


@pytest.mark.rotates
@pytest.mark.timeout(900)  # at full size
@each_chapter
def test_solution_edition_repeats_its_outputs(chapter, tmp_path):
    assert uncompared(ROOT / chapter.solution_path) == []
    done = run_nbval(ROOT, chapter.solution_path, scratch=tmp_path)
    assert done.failed == 0, done.output
    assert done.passed == len(code_cells(ROOT / chapter.solution_path))
    for exercise_id in ids_of(chapter):
        assert "right" in done.statuses.get(exercise_id, ()), exercise_id


def parameters_for(chapter):
    """Another seed where the chapter has one, and the small sizes of its header."""
    cell = next((cell for cell in chapter.cells if "parameters" in cell.tags), None)
    seed = {"seed": OTHER_SEED} if cell and "seed = " in cell.source else {}
    return {**seed, **chapter.header.small}


LOADED = """
import json, pathlib, sys
files = [getattr(m, "__file__", None) for n, m in sys.modules.items() if n.startswith("labutils")]
pathlib.Path({path!r}).write_text(json.dumps([file for file in files if file]))
"""


@pytest.fixture(scope="session")
def graph():
    return Graph(ROOT)


def untraced(loaded, chapter, graph) -> set[str]:
    """Files that a run loaded and rotation does not know of; other chapters' exercises are none.

    They are loaded in search of an id, and proved with their own chapters.
    """
    files = {Path(file).resolve().relative_to(ROOT).as_posix() for file in loaded}
    others = [f"labutils/exercises/catalog/{s}" for s in EXERCISES if s != chapter.header.slug]
    found = files - reach(chapter.source_path, graph.needs)
    return {file for file in found if not file.startswith(tuple(others))}


@pytest.mark.full
@each_chapter
def test_solution_edition_holds_with_another_seed(chapter, tmp_path, graph):
    notebook = load_notebook_node(str(ROOT / chapter.solution_path))
    notebook = parameterize_notebook(notebook, parameters_for(chapter))
    last = LOADED.format(path=str(tmp_path / "loaded.json"))
    recap = with_code(notebook)[-1]  # it reads the whole course, which is proved elsewhere
    notebook.cells.insert(notebook.cells.index(recap), nbformat.v4.new_code_cell(last))
    run(notebook, cwd=ROOT / "solutions", my=tmp_path / "my")
    assert faults(notebook) == []
    statuses = statuses_in(tmp_path / "my")
    for exercise_id in ids_of(chapter):
        assert "right" in statuses.get(exercise_id, ()), exercise_id
    loaded = json.loads((tmp_path / "loaded.json").read_text())
    assert untraced(loaded, chapter, graph) == set()


def test_there_are_chapters_to_run():
    assert len(CHAPTERS) >= 2
