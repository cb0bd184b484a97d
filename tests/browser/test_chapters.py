"""Every chapter in a real JupyterLab: all cells run, every explorer shows and follows a control."""

import pytest

from labutils.authoring.course import read_course

from .chapter_page import PICTURE, chapter_run, explorer_cells, move_first_control
from .lab_server import CHECKOUT

CHAPTERS = read_course(CHECKOUT).chapters


@pytest.fixture(scope="module", params=CHAPTERS, ids=[chapter.name for chapter in CHAPTERS])
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


def test_every_code_cell_has_run(chapter):
    prompts = chapter.page.locator(".jp-CodeCell .jp-InputPrompt").all_inner_texts()
    assert prompts == [f"[{number}]:" for number in range(1, len(prompts) + 1)]


def test_every_picture_has_a_text_alternative(chapter):
    pictures = chapter.page.locator(".jp-OutputArea img")
    for picture in pictures.all():
        assert (picture.get_attribute("alt") or "").strip()
        assert picture.evaluate("node => node.complete && node.naturalWidth > 0")


def test_every_explorer_follows_its_first_control(chapter):
    cells = explorer_cells(chapter)
    assert cells or not any("_explorer(" in cell.source for cell in chapter.chapter.cells)
    for cell in cells:
        title = cell.locator(PICTURE).get_attribute("alt")
        assert move_first_control(chapter, cell), f"nothing moved: {title}"
        assert cell.locator(PICTURE).get_attribute("alt") not in ("", title)
        assert cell.get_by_role("alert").count() == 0
