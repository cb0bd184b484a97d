"""Minutes left, and where the learner is: told by the journal and the outlines alone."""

import json
from pathlib import Path

import pytest

import labutils
from labutils.authoring.pages.outlines import OUTLINES_PATH, outlines_text
from labutils.authoring.sources.course import read_course
from labutils.exercises import catalog, outcome
from labutils.exercises.journal.journal import record
from labutils.home.standing import Standing
from labutils.workspace.outlines import outline, outlines
from labutils.workspace.routes import Part

from .conftest import answered, finished

ROOT = Path(labutils.__file__).parents[1]


def test_the_outlines_are_those_of_the_sources():
    assert (ROOT / OUTLINES_PATH).read_text(encoding="utf-8") == outlines_text(read_course(ROOT))


def test_every_task_is_in_the_catalog_and_its_heading_in_the_learners_notebook():
    known = {
        item.id
        for module in catalog.chapters()
        for item in (*catalog.exercises_of(module), *catalog.predictions_of(module))
    }
    for one in outlines():
        assert set(one.everything) <= known, one.name
        notebook = json.loads((ROOT / one.path).read_bytes())
        texts = {cell["id"]: "".join(cell["source"]) for cell in notebook["cells"]}
        assert all(at.heading in texts[at.cell] for at in one.everything.values()), one.name


def test_a_chapter_goes_by_its_number_and_its_names():
    names = ("03", "03_mm1_explosion", "mm1_explosion")
    assert {outline(name).heading for name in names} == {"03 · The M/M/1 explosion"}
    with pytest.raises(ValueError, match="name = '77': expected one of 00, 01"):
        outline("77")


def test_nothing_is_done_by_running_all_cells(my):
    one = outline("03")
    for name in one.tasks:
        answered(name, "not_attempted")
        record({"event": "outcome", "id": name, "actual": 3.0})
    standing = Standing()
    assert standing.last is None
    assert standing.minutes_left(one) == one.minutes == 74


def test_what_is_solved_or_explained_takes_its_share_of_its_stretch(my):
    one = outline("03")
    first, second = (list(stretch.tasks) for stretch in one.stretches[:2])
    answered(first[0], "wrong", "right")
    standing = Standing()
    assert standing.last == one and standing.minutes_left(one, 0, 27) == 0
    assert standing.minutes_left(one) == 74 - 27
    record({"event": "reveal", "id": second[0]})
    assert Standing().minutes_left(one) == 74 - 37
    parts = Part("03@0-37", one, 0, 37), Part("03@27-59", one, 27, 59)
    assert Standing().parts_left(parts) == [0, 22]


def test_a_prediction_that_was_skipped_counts_once_something_else_is_done(my):
    one = outline("03")
    skipped = "mm1.eight_servers"
    assert skipped in one.tasks
    outcome(skipped, 1.2)
    assert skipped in Standing().open_tasks(one)
    answered("mm1.recursion", "wrong")
    assert skipped not in Standing().open_tasks(one)


def test_a_stretch_without_tasks_goes_with_those_around_it(my):
    one = outline("04")
    assert not one.stretches[-1].tasks
    finished("04")
    assert Standing().minutes_left(one) == 0
    assert Standing([]).minutes_left(one) == one.minutes


def test_drills_on_a_route_take_the_time_that_they_took(my):
    record({"event": "drill", "id": "drill.in_flight", "status": "right", "seconds": 300})
    parts = [Part(f"drills {n}", outline("90"), 0, n) for n in (20, 45)]
    assert Standing().parts_left(parts) == [15, 45]
    record({"event": "drill", "id": "drill.in_flight", "status": "right", "seconds": 1200})
    assert Standing().parts_left(parts) == [0, 40]


def test_lines_of_other_versions_are_passed_over():
    odd = [{}, {"event": "check"}, {"id": 7, "event": "check"}, {"event": "drill", "seconds": "x"}]
    assert Standing(odd).last is None
