"""An explorer in a real JupyterLab: it follows the keyboard, and what it showed stays."""

import json
from contextlib import closing, contextmanager

import nbformat
import pytest

from labutils.viz.labels import contrast

from .lab_page import WINDOW, LabPage

pytestmark = pytest.mark.full
SETUP = """
import numpy as np
from labutils.viz import Explorer, choice, line, new_figure, show, slider, toggle

fig, ax = new_figure(title="A line through the origin", x="time (s)", y="requests", height=3)
drawn, = ax.plot([0, 1], [0, 1], **line("theory"))
ax.set(xlim=(0, 1), ylim=(0, 10))

def update(slope, shift, part, steep):
    if slope == 9:
        raise ArithmeticError("nine is too steep")
    drawn.set_ydata([shift, slope + shift])
    return f"The slope is {slope} and the shift is {shift:.2f}."
"""
EXPLORER = """
explorer = Explorer(fig, update, controls={
    "slope": slider("slope of the line", 1, 9, 2), "shift": slider("shift", 0.0, 1.0, 0.5),
    "part": choice("part of it", ["all", "half"]), "steep": toggle("mark the steep end")})
explorer
"""
STATIC = """
still, axes = new_figure(title="Requests pile up", x="time (s)", y="requests", height=3)
axes.plot([0, 1], [2, 9], **line("queue"))
show(still, alt='Rises from "2" to 9 & stays.')
"""
TWIN = "explorer.values"
EXPLORER_CELL, TWIN_CELL, STATIC_CELL = 1, 2, 3
PICTURE = ".house-explorer img"
# An element's background as #rrggbb, what is see-through laid over the page.
_ON_ITS_PAGE = """(e) => {
  const canvas = document.createElement('canvas').getContext('2d');
  for (const color of [document.querySelector('.jp-Notebook'), e].map(
      (one) => getComputedStyle(one).backgroundColor)) {
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
  }
  const parts = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  return '#' + parts.map((part) => part.toString(16).padStart(2, '0')).join('');
}"""


@pytest.fixture(scope="module")
def page(chromium, lab_server):
    """The page of a notebook with an explorer and a figure, all cells run."""
    with opened_toy(chromium, lab_server, "toy.ipynb") as lab:
        yield lab


@pytest.fixture
def toy(page):
    """That page as new: the explorer made again, the window in its first size."""
    page.page.set_viewport_size(WINDOW)
    page.type_into_cell(TWIN_CELL, TWIN)
    page.run_all()
    return page


def test_a_slider_says_what_it_moves(page):
    for label in ("slope of the line", "shift"):
        assert page.page.get_by_role("slider", name=label, exact=True).count() == 1


@pytest.fixture(scope="module")
def saved(chromium, lab_server):
    """A notebook saved after four steps of the slope: its path, and the picture shown."""
    with opened_toy(chromium, lab_server, "saved.ipynb") as toy:
        toy.move_slider("slope of the line", times=4)
        toy.wait_for_output(EXPLORER_CELL, "The slope is 6")
        shown = toy.page.locator(PICTURE).get_attribute("src")
        toy.save()
    return lab_server.root / "saved.ipynb", shown


@contextmanager
def opened_toy(chromium, server, name):
    """A tab on a new notebook of this name, all cells run."""
    sources = (SETUP, EXPLORER, TWIN, STATIC)
    cells = [nbformat.v4.new_code_cell(source.strip()) for source in sources]
    cells.append(nbformat.v4.new_markdown_cell("Words that go on. " * 40))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, server.root / name)
    with closing(chromium.new_page()) as page:
        lab = LabPage(page, server)
        lab.open(name)
        lab.run_all()
        yield lab


def test_a_key_moves_the_picture_the_finding_and_the_text_alternative(toy):
    picture = toy.page.locator(PICTURE)
    before = picture.get_attribute("src")
    toy.wait_for_output(EXPLORER_CELL, "The slope is 2 and the shift is 0.50.")
    toy.move_slider("slope of the line", times=3)
    toy.wait_for_output(EXPLORER_CELL, "The slope is 5 and the shift is 0.50.")
    assert picture.get_attribute("src") != before
    assert picture.get_attribute("alt").startswith(
        "A line through the origin. slope = 5, shift = 0.5, part = all, steep = False. The slope"
    )
    toy.move_slider("shift", "ArrowLeft", times=2)
    toy.wait_for_output(EXPLORER_CELL, "The slope is 5 and the shift is 0.48.")


@pytest.mark.parametrize(("window_px", "columns"), [(1280, 2), (800, 1)])
def test_controls_stand_in_a_tidy_grid_and_are_cut_off_nowhere(toy, window_px, columns):
    toy.page.set_viewport_size({"width": window_px, "height": 1000})
    toy.page.wait_for_timeout(300)  # for the page to settle in its new size
    labels, starts, cut_off = toy.page.evaluate("""() => {
      const right = document.querySelector('.house-controls').getBoundingClientRect().right;
      const rows = [...document.querySelectorAll('.house-controls > :not(:last-child)')];
      const box = (e) => e.getBoundingClientRect();
      const of = (row) => row.querySelector('.widget-label');
      const named = rows.filter((row) => !row.classList.contains('widget-checkbox'));
      const labels = named.map((row) => [box(row).x, box(of(row)).x, box(of(row)).width]);
      const starts = named.map((row) => box(of(row).nextElementSibling));
      const seen = [...document.querySelectorAll('.house-controls *')].filter((e) => e.innerText);
      const cut = seen.filter((e) => box(e).right > right + 1 || e.scrollWidth > e.clientWidth + 1);
      return [labels, starts.map((b) => b.x), cut.map((e) => e.innerText)];
    }""")
    assert cut_off == []
    assert len({row for row, _, _ in labels}) == columns
    assert all(row == label for row, label, _ in labels)
    assert len({round(width) for _, _, width in labels}) == 1
    beside = [x - label for x, (_, label, _) in zip(starts, labels)]
    assert max(beside) - min(beside) < 8  # and none stands below its label


def test_buttons_say_which_is_pressed_and_stand_out_in_both_themes(toy):
    for theme in ("light", "dark"):
        toy.set_theme(theme)
        looks = {}
        for name, pressed in (("all", True), ("half", False)):
            button = toy.page.get_by_role("button", name=name, exact=True, pressed=pressed)
            looks[name] = button.evaluate(_ON_ITS_PAGE)
        assert contrast(looks["all"], looks["half"]) >= 3, theme
    toy.set_theme("light")
    toy.page.get_by_role("button", name="half", exact=True).click()
    toy.page.get_by_role("button", name="half", exact=True, pressed=True).wait_for()


def test_the_finding_stands_between_the_controls_and_the_picture(toy):
    places = [toy.page.locator(at) for at in (".house-controls", "[role=status]", PICTURE)]
    tops = [place.bounding_box()["y"] for place in places]
    assert tops == sorted(tops)


def test_a_still_says_that_it_is_paused_until_its_cell_runs_again(toy):
    paused = toy.page.get_by_text("Paused: run this cell to move it.")
    assert not paused.is_visible()
    toy.restart_kernel()
    paused.wait_for(state="visible")
    toy.run_all()
    paused.wait_for(state="hidden")


def test_lines_of_text_are_at_most_48_em_wide(toy):
    toy.page.set_viewport_size({"width": 1900, "height": 1000})
    text = toy.page.locator(".jp-MarkdownOutput > p")
    assert text.bounding_box()["width"] == 48 * 14


def test_the_page_below_stays_where_it_is(toy):
    below = toy.cell(TWIN_CELL)
    before = below.bounding_box()["y"]
    toy.page.evaluate(
        """selector => {
      window.seen = new Set(); window.gone = 0; window.enough = false;
      const picture = () => document.querySelector(selector);
      const cell = document.querySelectorAll('.jp-Notebook .jp-Cell')[2];
      const look = () => {
        if (window.enough) return;
        window.seen.add(Math.round(cell.getBoundingClientRect().y));
        if (!picture() || !picture().naturalWidth) window.gone += 1;
        requestAnimationFrame(look);
      };
      look();
    }""",
        PICTURE,
    )
    toy.move_slider("slope of the line", times=6)
    toy.wait_for_output(EXPLORER_CELL, "The slope is 8")
    _, seen, gone = toy.page.evaluate("() => [window.enough = true, [...window.seen], window.gone]")
    assert seen == [round(before)]
    assert gone <= 1


def test_a_long_drag_ends_on_the_last_value_without_lag(toy):
    toy.type_into_cell(
        TWIN_CELL,
        "import time\nfast, calls = explorer._update, []\n"
        "explorer._update = lambda **v: (time.sleep(0.1), calls.append(v), "
        "fast(**v))[-1]",
    )
    toy.run_cell(TWIN_CELL)
    toy.move_slider("shift", times=40)
    toy.wait_for_output(EXPLORER_CELL, "the shift is 0.90")
    toy.type_into_cell(TWIN_CELL, "len(calls)")
    toy.run_cell(TWIN_CELL)
    assert 1 <= int(toy.cell_output(TWIN_CELL).split()[-1]) < 30  # 40 would be 4 s behind


def test_an_error_stands_in_the_notebook_and_goes_with_the_next_good_value(toy):
    toy.move_slider("slope of the line", "End")
    toy.wait_for_output(EXPLORER_CELL, "ArithmeticError: nine is too steep")
    toy.move_slider("slope of the line", "ArrowLeft")
    toy.wait_for_output(EXPLORER_CELL, "The slope is 8")
    assert "ArithmeticError" not in toy.cell_output(EXPLORER_CELL)


def test_the_last_frame_survives_saving_without_the_kernel_that_drew_it(lab, saved):
    path, shown = saved
    html = _saved_html(path, EXPLORER_CELL)[1]
    assert shown in html and "The slope is 6" in html
    lab.open(path.name, fresh=True)
    assert lab.page.locator(PICTURE).get_attribute("src") == shown
    lab.shut_down_kernel()
    assert "The slope is 6" in lab.cell_output(EXPLORER_CELL)


def test_a_figure_has_a_real_text_alternative_even_in_an_untrusted_notebook(lab, saved):
    path, _ = saved
    notebook = json.loads(path.read_text())
    copy = path.with_name("copied.ipynb")
    copy.write_text(json.dumps({**notebook, "metadata": {**notebook["metadata"], "copied": True}}))
    lab.open(copy.name, fresh=True)
    image = lab.cell(STATIC_CELL).get_by_role("img", name='Rises from "2" to 9 & stays.')
    assert image.count() == 1
    assert image.evaluate("e => e.complete && e.naturalWidth") >= 2 * 760


def _saved_html(path, cell) -> list[str]:
    outputs = json.loads(path.read_text())["cells"][cell]["outputs"]
    return ["".join(output["data"]["text/html"]) for output in outputs]
