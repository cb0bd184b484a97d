"""The page that ``make lab`` opens, in a real JupyterLab: shown at once, and its links lead on."""

import re
from contextlib import closing

import pytest

from labutils.exercises.journal.journal import Journal
from labutils.workspace import Workspace, sync
from labutils.workspace.outlines import outline
from labutils.workspace.server import draw_home, start_url

from .lab_page import LabPage
from .lab_server import CHECKOUT, running_lab

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def home(chromium, tmp_path_factory):
    """The start page of a learner who has solved the first exercise of chapter 03."""
    scratch = tmp_path_factory.mktemp("home")
    my = scratch / "my"
    workspace = Workspace(CHECKOUT, my)
    sync(workspace)
    Journal(my / "progress").record({"event": "check", "id": "mm1.recursion", "status": "right"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUPYTER_DATA_DIR", str(scratch / "data"))  # signatures, for this server
        draw_home(workspace)
    with running_lab(my, scratch) as server, closing(chromium.new_page()) as tab:
        for setting in (scratch / "settings").rglob("tracker*"):
            setting.unlink()  # as a learner has it: JupyterLab scrolls to a cell in no other mode
        lab = LabPage(tab, server)
        lab.open(start_url(workspace, my).removeprefix("/lab/tree/"))
        yield lab


def test_it_is_shown_before_any_cell_has_run(home):
    shown = home.cell_output(0)
    assert re.match("Tokens in Flight. 0 of 27 chapters and labs done", shown)
    assert "Continue: 03 · The M/M/1 explosion. 47 of 74 minutes left" in shown
    assert "Lab 6 · Your engine" in shown
    assert home.cell(0).locator(".jp-InputPrompt").inner_text().strip() == "[ ]:"


def test_chapters_and_labs_stand_side_by_side(home):
    chapter, lab = (home.page.get_by_role("link", name=name) for name in ("01 ·", "Lab 1 ·"))
    (one, other) = chapter.bounding_box(), lab.bounding_box()
    assert other["x"] > one["x"] + 200 and abs(other["y"] - one["y"]) < 40


def test_running_the_cell_gives_the_same_page(home):
    before = home.cell_output(0)
    home.run_cell(0)
    assert home.cell_output(0) == before and home.errors() == []


def test_continue_opens_the_chapter_at_the_task_that_is_open(home):
    tasks = outline("03").tasks
    heading = tasks[next(name for name in tasks if name != "mm1.recursion")].heading
    home.page.get_by_role("link", name="03 · The M/M/1 explosion").first.click()
    home.page.wait_for_url("**/notebooks/03_mm1_explosion.ipynb*")
    at = home.page.locator(".jp-Notebook:visible h2, .jp-Notebook:visible h3", has_text=heading)
    at.first.wait_for()
    home.page.wait_for_function(
        "e => e.getBoundingClientRect().y < 700", arg=at.first.element_handle()
    )
