"""Drills in a real JupyterLab: by mouse, by keyboard alone, and what is left without a kernel."""

import re
from contextlib import closing

import nbformat
import pytest

from labutils.drills.catalog import find

from .lab_page import PATIENCE_MS, LabPage

pytestmark = pytest.mark.full
SEED = 7
NUMBER, CHOICE = "in_flight", "early_plateau"
SOURCES = (
    "from labutils.drills.widget import practice",
    f'practice("{NUMBER}", seed={SEED})',
    f'practice("{CHOICE}", seed={SEED})',
    "from labutils.drills.widget import mock_desk\nmock_desk(questions=2, minutes=3)",
)
NUMBER_CELL, CHOICE_CELL, MOCK_CELL = 1, 2, 3


@pytest.fixture(scope="module")
def page(chromium, lab_server):
    """The tab of a notebook with two desks."""
    cells = [nbformat.v4.new_code_cell(source) for source in SOURCES]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, lab_server.root / "drills.ipynb")
    with closing(chromium.new_page()) as tab:
        lab = LabPage(tab, lab_server)
        lab.open("drills.ipynb")
        yield lab


@pytest.fixture
def desks(page):
    """That page with both desks made anew."""
    page.run_all()
    return page


def field(lab, cell):
    return lab.cell(cell).locator("input[type=text]").first


def button(lab, cell, name):
    return lab.cell(cell).get_by_role("button", name=name, exact=True)


def heard(lab, cell, text):
    """Wait until the desk says something that begins so; return all that it says."""
    said = lab.cell(cell).get_by_role("alert").filter(has_text=re.compile(rf"^\s*{text}"))
    said.wait_for()
    return said.inner_text()


def wait_until_empty(box):
    """Wait as a person does, who sees what stands in the field before typing on."""
    from playwright.sync_api import expect

    expect(box).to_have_value("", timeout=PATIENCE_MS)


def right_answer(template_id=NUMBER):
    return find(template_id).drill(SEED).answer


def test_wrong_hint_right_by_mouse(desks):
    drill, box = find(NUMBER).drill(SEED), field(desks, NUMBER_CELL)
    title = find(NUMBER).title
    assert drill.question[:30] in desks.cell_output(NUMBER_CELL)
    assert title not in desks.cell_output(NUMBER_CELL)
    assert button(desks, NUMBER_CELL, "Follow up").is_disabled()
    box.fill(str(drill.mistakes[0].value))
    button(desks, NUMBER_CELL, "Check").click()
    assert drill.mistakes[0].message[:40] in heard(desks, NUMBER_CELL, "Not right")
    button(desks, NUMBER_CELL, "Hint").click()
    assert drill.hints[0][:40] in heard(desks, NUMBER_CELL, "Hint 1 of 3")
    box.fill(str(drill.answer))
    button(desks, NUMBER_CELL, "Check").click()
    assert title in heard(desks, NUMBER_CELL, "Right")
    button(desks, NUMBER_CELL, "Follow up").click()
    desks.wait_for_output(NUMBER_CELL, "The story goes on, question 2")


def test_the_keyboard_alone_suffices(desks):
    keys = desks.page.keyboard
    field(desks, NUMBER_CELL).focus()
    for line, answer in (
        ("twelve or so", "Cannot read"),
        ("3", "(Not right|Wrong)"),
        ("hint", "Hint 1 of 3"),
        (f"{right_answer():.4g}", "Right"),
    ):
        keys.type(line)
        keys.press("Enter")
        heard(desks, NUMBER_CELL, answer)
        wait_until_empty(field(desks, NUMBER_CELL))
    keys.press("Enter")  # an empty line goes on to the next drill, the cursor in its field
    desks.cell(NUMBER_CELL).get_by_role("alert").filter(has_text="Right").wait_for(state="detached")
    assert find(NUMBER).drill(SEED).question not in desks.cell_output(NUMBER_CELL)
    keys.type("?")
    keys.press("Enter")
    heard(desks, NUMBER_CELL, r"[\s\S]*a nudge")


def test_tab_leads_from_the_field_to_every_button(desks):
    field(desks, NUMBER_CELL).focus()
    names = []
    for _ in range(5):
        desks.page.keyboard.press("Tab")
        names.append(desks.page.evaluate("document.activeElement.textContent.trim()"))
    assert names == ["Check", "Hint", "Reveal", "Again", "Next"]


def test_a_letter_is_marked_and_a_number_typed(desks):
    drill = find(CHOICE).drill(SEED)
    wrong = next(key for key in drill.options.texts if key != drill.options.right)
    radio = desks.cell(CHOICE_CELL).get_by_role("radio")
    field(desks, CHOICE_CELL).fill(str(drill.answer))
    for letter, answer in ((wrong, "(Not right|Wrong)"), (drill.options.right, "Right")):
        radio.nth([*drill.options.texts].index(letter)).check()
        button(desks, CHOICE_CELL, "Check").click()
        heard(desks, CHOICE_CELL, answer)


def test_a_number_and_then_a_letter_at_the_keyboard(desks):
    drill = find(CHOICE).drill(SEED)
    field(desks, CHOICE_CELL).focus()
    for line, answer in ((f"{drill.answer}", "Not attempted"), (drill.options.right, "Right")):
        desks.page.keyboard.type(line)
        desks.page.keyboard.press("Enter")
        heard(desks, CHOICE_CELL, answer)
        wait_until_empty(field(desks, CHOICE_CELL))


def test_a_mock_begins_with_start_shows_its_clock_and_reports(desks):
    assert not field(desks, MOCK_CELL).is_visible()
    button(desks, MOCK_CELL, "Start").press("Enter")
    desks.wait_for_output(MOCK_CELL, re.compile(r"Question 1 of 2, [23]:\d\d min left"))
    desks.wait_for_output(MOCK_CELL, "2:58 min left")
    field(desks, MOCK_CELL).fill("skip")
    field(desks, MOCK_CELL).press("Enter")
    desks.wait_for_output(MOCK_CELL, "Question 2 of 2")
    button(desks, MOCK_CELL, "Finish").click()
    desks.wait_for_output(MOCK_CELL, "Report")
    field(desks, MOCK_CELL).wait_for(state="hidden")


def test_the_question_stays_readable_without_a_kernel(desks):
    desks.save()
    desks.open("drills.ipynb", fresh=True)
    desks.shut_down_kernel()
    assert find(NUMBER).drill(SEED).question[:30] in desks.cell_output(NUMBER_CELL)
