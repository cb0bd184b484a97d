"""Every chapter in a real JupyterLab: all cells run, every explorer shows and follows a control.

Chapter 03 is explored, drawn into, answered and come back to as well. All tests of a chapter share
its page, in the order of this file. A learner edition that is opened here is run nowhere else in
the same check, so what its exercises said is heard here.
"""

import re

import pytest

from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from tests.notebooks.nbval_run import attempted

from .chapter_page import PICTURE, RUN_S, chapter_run, explorer_cells, move_first_control
from .lab_server import CHECKOUT

CHAPTERS = read_course(CHECKOUT).chapters
EXERCISES = read_definitions().exercises

DEFINITION, CHECK = "def waiting_times", 'check("mm1.recursion", waiting_times)'
WRONG = """
def waiting_times(arrivals, services):
    waits = [0.0]
    for n in range(1, len(arrivals)):
        waits.append(waits[-1] + max(0, services[n - 1] - (arrivals[n] - arrivals[n - 1])))
    return waits
"""
RIGHT = """
def waiting_times(arrivals, services):
    free, waits = 0.0, []
    for arrival, service in zip(arrivals, services):
        start = max(arrival, free)
        waits.append(start - arrival)
        free = start + service
    return waits
"""

CHAPTER_03 = next(chapter.name for chapter in CHAPTERS if chapter.header.slug == "mm1_explosion")
in_chapter_03 = pytest.mark.only_in(CHAPTER_03)

# The first test of a chapter runs all of it.
pytestmark = [pytest.mark.rotates, pytest.mark.timeout(RUN_S + 120)]


@pytest.fixture(
    scope="module",
    params=[pytest.param(chapter, id=chapter.name) for chapter in CHAPTERS],
)
def chapter(request, chromium, lab_server):
    """The learner edition of one chapter, opened and run once for all tests."""
    with chapter_run(chromium, lab_server, request.param.learner_path) as lab:
        lab.chapter = request.param
        yield lab


def test_no_cell_raises_but_a_bare_stub(chapter):
    errors = chapter.errors()
    stubs = sum("raises-exception" in cell.tags for cell in chapter.chapter.cells)
    assert len(errors) <= stubs
    assert all("NotImplementedError" in error for error in errors), errors


def test_no_exercise_is_attempted(chapter):
    ids = [one.id for one in EXERCISES.get(chapter.chapter.header.slug, ())]
    assert attempted(ids, chapter.heard) == {}


def test_every_code_cell_has_run(chapter):
    prompts = chapter.page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts()
    assert prompts == [f"[{number}]:" for number in range(1, len(prompts) + 1)]


def test_every_picture_has_a_text_alternative(chapter):
    pictures = chapter.page.locator(".jp-OutputArea img")
    for picture in pictures.all():
        assert (picture.get_attribute("alt") or "").strip()
        assert picture.evaluate("node => node.complete && node.naturalWidth > 0")


@in_chapter_03
def test_the_explorer_says_what_the_promise_allows(chapter):
    cell = "load_explorer(seed=seed)"
    chapter.run_cell(cell)
    assert "allows a load of 50 %" in chapter.cell_output(cell)
    chapter.move_slider("promise (service times)", times=4)  # from 2 to 4 service times
    chapter.wait_for_output(cell, "allows a load of 75 %")
    chapter.control("servers").select_option("8")
    chapter.wait_for_output(cell, re.compile("8 servers.*allows a load of 9[0-9] %"))


@in_chapter_03
def test_the_learner_draws_first_and_is_scored(chapter):
    sketch, reveal = "sketch = Sketch(", "sketch.reveal("
    chapter.run_cell("from labutils.viz import Sketch")
    chapter.run_cell(sketch)
    chapter.page.locator('[role="slider"][aria-valuetext]').first.focus()
    for _ in range(5):
        chapter.page.keyboard.press("ArrowUp")
    chapter.run_cell(reveal)
    assert "It is furthest off at load" in chapter.cell_output(reveal)


def test_every_explorer_follows_its_first_control(chapter):
    cells = explorer_cells(chapter)
    assert cells or not any("_explorer(" in cell.source for cell in chapter.chapter.cells)
    for cell in cells:
        title = cell.locator(PICTURE).get_attribute("alt")
        assert move_first_control(chapter, cell), f"nothing moved: {title}"
        assert cell.locator(PICTURE).get_attribute("alt") not in ("", title)
        assert cell.get_by_role("alert").count() == 0


@in_chapter_03
def test_a_wrong_answer_is_diagnosed_a_right_one_passes_and_a_restart_keeps_it(chapter):
    assert "Not attempted yet." in chapter.cell_output(CHECK)
    chapter.type_into_cell(DEFINITION, WRONG)
    chapter.run_cell(DEFINITION)
    chapter.run_cell(CHECK)
    assert "You cut off each step at zero" in chapter.cell_output(CHECK)
    chapter.type_into_cell(DEFINITION, RIGHT)
    chapter.run_cell(DEFINITION)
    chapter.run_cell(CHECK)
    assert "Right." in chapter.cell_output(CHECK)
    chapter.restart_kernel()
    chapter.type_into_cell("seed = 7", "from labutils.exercises import progress\nprogress()")
    chapter.run_cell("progress()")
    assert re.search(r"The M/M/1 explosion\s+1 of 7", chapter.cell_output("progress()"))
