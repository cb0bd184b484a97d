"""Chapter 03 as its learner meets it: explored, drawn into, answered, come back to."""

import re

import pytest

from .chapter_page import chapter_run

CHAPTER = "notebooks/03_mm1_explosion.ipynb"
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


@pytest.fixture(scope="module")
def chapter(chromium, lab_server):
    """The chapter, handed out and run once; the tests work in cells of their own."""
    with chapter_run(chromium, lab_server, CHAPTER) as lab:
        yield lab


def test_the_explorer_says_what_the_promise_allows(chapter):
    cell = "load_explorer(seed=seed)"
    assert "allows a load of 50 %" in chapter.cell_output(cell)
    chapter.move_slider("promise (service times)", times=4)  # from 2 to 4 service times
    chapter.wait_for_output(cell, "allows a load of 75 %")
    chapter.control("servers").select_option("8")
    chapter.wait_for_output(cell, re.compile("8 servers.*allows a load of 9[0-9] %"))


def test_the_learner_draws_first_and_is_scored(chapter):
    sketch, reveal = "sketch = Sketch(", "sketch.reveal("
    chapter.run_cell("from labutils.viz import Sketch")
    chapter.run_cell(sketch)
    chapter.page.locator('[role="slider"][aria-valuetext]').first.focus()
    for _ in range(5):
        chapter.page.keyboard.press("ArrowUp")
    chapter.run_cell(reveal)
    assert "It is furthest off at load" in chapter.cell_output(reveal)


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
