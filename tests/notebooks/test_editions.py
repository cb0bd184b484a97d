"""Every edition runs: learner editions untouched, solution editions with the outputs they show.

Each notebook runs once in nbval (lax and at small sizes for learners, strict for solutions) and
the solution editions once more in papermill with another seed. The browser opens learner editions
at full size. What the exercises said in those runs is the
other half of the test: nothing attempted in a learner edition, everything right in a solution.
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


def dotted(path):
    return path.replace("/", ".")


@pytest.fixture(scope="session")
def learners(tmp_path_factory):
    """A folder with the learner editions, untouched but for their sizes."""
    from papermill.iorw import load_notebook_node
    from papermill.parameterize import parameterize_notebook

    root = tmp_path_factory.mktemp("editions")
    for chapter in CHAPTERS:
        notebook = load_notebook_node(str(ROOT / chapter.learner_path))
        if chapter.header.small:
            notebook = parameterize_notebook(notebook, chapter.header.small)
        (root / chapter.learner_path).parent.mkdir(exist_ok=True)
        nbformat.write(notebook, root / chapter.learner_path)
    return root


@pytest.fixture(scope="session")
def learner_run(learners, tmp_path_factory):
    paths = [chapter.learner_path for chapter in CHAPTERS]
    return run_nbval(learners, paths, strict=False, scratch=tmp_path_factory.mktemp("learner"))


@pytest.fixture(scope="session")
def solution_run(tmp_path_factory):
    paths = [chapter.solution_path for chapter in CHAPTERS]
    return run_nbval(ROOT, paths, strict=True, scratch=tmp_path_factory.mktemp("solution"))


@each_chapter
def test_learner_edition_runs_untouched(chapter, learners, learner_run):
    assert learner_run.failed[dotted(chapter.learner_path)] == 0, learner_run.output
    cells = code_cells(learners / chapter.learner_path)
    assert learner_run.passed[dotted(chapter.learner_path)] == len(cells)
    for exercise_id in ids_of(chapter):
        statuses = learner_run.statuses(exercise_id)
        assert "not_attempted" in statuses and "right" not in statuses, (exercise_id, statuses)


@each_chapter
def test_solution_edition_repeats_its_outputs(chapter, solution_run):
    assert uncompared(ROOT / chapter.solution_path) == []
    assert solution_run.failed[dotted(chapter.solution_path)] == 0, solution_run.output
    cells = code_cells(ROOT / chapter.solution_path)
    assert solution_run.passed[dotted(chapter.solution_path)] == len(cells)
    for exercise_id in ids_of(chapter):
        assert "right" in solution_run.statuses(exercise_id), exercise_id


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
