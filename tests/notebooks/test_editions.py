"""Every edition runs: learner editions untouched, solution editions with the outputs they show.

Each notebook runs once in nbval (lax and at small sizes for learners, strict for solutions) and
the solution editions once more in papermill with another seed. The browser opens learner editions
at full size. What the exercises said in those runs is the other half of the test: nothing attempted
in a learner edition, everything right in a solution.
"""

from pathlib import Path

import nbformat
import pytest

from labutils.authoring.editions.outputs import faults
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from labutils.exercises.journal.journal import Journal
from tests.notebooks.nbval_run import code_cells, run_nbval, uncompared

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = read_course(ROOT).chapters
EXERCISES = read_definitions().exercises
OTHER_SEED = 20_261

each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=[c.name for c in CHAPTERS])


def ids_of(chapter):
    return [exercise.id for exercise in EXERCISES.get(chapter.header.slug, ())]


def untouched(chapter, folder):
    """A folder with the learner edition of a chapter, untouched but for its sizes."""
    from papermill.iorw import load_notebook_node
    from papermill.parameterize import parameterize_notebook

    notebook = load_notebook_node(str(ROOT / chapter.learner_path))
    if chapter.header.small:
        notebook = parameterize_notebook(notebook, chapter.header.small)
    (folder / chapter.learner_path).parent.mkdir()
    nbformat.write(notebook, folder / chapter.learner_path)
    return folder


@each_chapter
def test_learner_edition_runs_untouched(chapter, tmp_path):
    root = untouched(chapter, tmp_path)
    run = run_nbval(root, chapter.learner_path, strict=False, scratch=tmp_path)
    assert run.failed == 0, run.output
    assert run.passed == len(code_cells(root / chapter.learner_path))
    for exercise_id in ids_of(chapter):
        statuses = run.statuses(exercise_id)
        assert "not_attempted" in statuses and "right" not in statuses, (exercise_id, statuses)


@each_chapter
def test_solution_edition_repeats_its_outputs(chapter, tmp_path):
    assert uncompared(ROOT / chapter.solution_path) == []
    run = run_nbval(ROOT, chapter.solution_path, strict=True, scratch=tmp_path)
    assert run.failed == 0, run.output
    assert run.passed == len(code_cells(ROOT / chapter.solution_path))
    for exercise_id in ids_of(chapter):
        assert "right" in run.statuses(exercise_id), exercise_id


def parameters_for(chapter):
    """Another seed where the chapter has one, and the small sizes of its header."""
    cell = next((cell for cell in chapter.cells if "parameters" in cell.tags), None)
    seed = {"seed": OTHER_SEED} if cell and "seed = " in cell.source else {}
    return {**seed, **chapter.header.small}


@each_chapter
def test_solution_edition_holds_with_another_seed(chapter, tmp_path, monkeypatch):
    import papermill

    monkeypatch.setenv("LABUTILS_MY", str(tmp_path / "my"))
    monkeypatch.delenv("MPLBACKEND", raising=False)
    papermill.execute_notebook(
        ROOT / chapter.solution_path,
        tmp_path / "out.ipynb",
        parameters=parameters_for(chapter),
        cwd=ROOT / "solutions",
        kernel_name="python3",
        progress_bar=False,
        log_output=False,
    )
    assert faults(nbformat.read(tmp_path / "out.ipynb", as_version=4)) == []
    checks = [e for e in Journal(tmp_path / "my/progress").events() if e.get("event") == "check"]
    right = {event["id"] for event in checks if event["status"] == "right"}
    assert set(ids_of(chapter)) <= right


def test_stubs_raise_nothing_but_not_implemented(tmp_path):
    """Cells that may raise in a learner edition raise the one tolerated exception."""
    from labutils.authoring.editions.execute import run

    for chapter in CHAPTERS:
        if not any("raises-exception" in cell.tags for cell in chapter.cells):
            continue
        notebook = nbformat.read(ROOT / chapter.learner_path, as_version=4)
        run(notebook, cwd=ROOT / chapter.header.folder, my=tmp_path / chapter.name)
        outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
        raised = {output.ename for output in outputs if output.output_type == "error"}
        assert raised <= {"NotImplementedError"}, (chapter.name, raised)


def test_there_are_chapters_to_run():
    assert len(CHAPTERS) >= 2
