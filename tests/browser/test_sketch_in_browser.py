"""The sketch's own file in Chromium, with a stand-in for the kernel's model."""

import json
import re

import numpy as np
import pytest

from labutils.viz import sketch as sketch_module
from labutils.viz.sketch import Sketch

LOADS = (0.1, 0.3, 0.5, 0.7, 0.9, 0.97)
START = """
async ({ code, css, state }) => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
  const heard = [];
  const model = {
    get: (name) => state[name],
    set: (name, value) => {
      state[name] = value;
      heard.filter(([event]) => event === `change:${name}`).forEach(([, react]) => react());
    },
    on: (event, react) => heard.push([event, react]),
    off: (event, react) => {
      heard.splice(heard.findIndex(([e, r]) => e === event && r === react), 1);
    },
    save_changes: () => { window.saved = (window.saved ?? 0) + 1; },
  };
  const module = await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  window.model = model;
  window.heard = heard;
  window.stop = module.default.render({ model, el: document.body });
}
"""


@pytest.fixture
def sketch(monkeypatch):
    monkeypatch.setattr(sketch_module, "_open_sketches", {})
    return Sketch(LOADS, x_label="load", y_label="time in the system", y_range=(0.005, 2),
                  y_log=True, y_unit="s", x_range=(0, 1), title="How?")  # fmt: skip


@pytest.fixture
def page(chromium, sketch):
    page = chromium.new_page(viewport={"width": 800, "height": 600})
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto("about:blank")
    state = {name: getattr(sketch.widget, name) for name in ("plot", "values", "drawn", "reality")}
    files = {"code": sketch.widget._esm, "css": sketch.widget._css}
    page.evaluate(START, {**files, "state": json.loads(json.dumps(state))})
    yield page
    page.close()
    assert problems == []


def values(page) -> list[float]:
    return page.evaluate("model.get('values')")


def center(page, index: int) -> tuple[float, float]:
    box = page.locator(".handle .dot").nth(index).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_every_handle_is_a_named_slider(page):
    sliders = page.get_by_role("slider")
    assert sliders.count() == len(LOADS)
    assert sliders.nth(4).get_attribute("aria-label") == "time in the system at load 0.9"
    assert sliders.nth(4).get_attribute("aria-valuetext") == "100 ms"
    assert float(sliders.nth(4).get_attribute("aria-valuemin")) == 0.005
    page.evaluate("model.set('values', [0.00501, 0.0333, 0.1, 1, 1.2, 2])")
    texts = [sliders.nth(i).get_attribute("aria-valuetext") for i in range(6)]
    assert texts == ["5.01 ms", "33.3 ms", "100 ms", "1 s", "1.2 s", "2 s"]


def test_keys_move_one_handle_along_the_axis(page):
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    step = (2 / 0.005) ** 0.01  # one hundredth of the plot's height
    assert values(page) == pytest.approx([0.1, 0.1 * step, 0.1, 0.1, 0.1, 0.1], rel=5e-3)
    assert page.evaluate("model.get('drawn')")
    page.keyboard.press("PageDown")
    assert values(page)[1] == pytest.approx(0.1 * step**-9, rel=5e-3)
    page.keyboard.press("End")
    assert values(page)[1] == 2
    page.keyboard.press("Home")
    assert values(page)[1] == 0.005
    page.keyboard.press("ArrowDown")
    assert values(page)[1] == 0.005


def test_the_focused_handle_shows_a_ring(page):
    page.keyboard.press("Tab")
    ring = page.locator(".handle .ring")
    strokes = [ring.nth(i).evaluate("node => getComputedStyle(node).stroke") for i in range(2)]
    assert strokes[0] != "none"
    assert strokes[1] == "none"


def test_the_mouse_drags_one_handle_even_past_its_neighbour(page):
    x, y = center(page, 3)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 200, y - 60, steps=5)
    page.mouse.up()
    moved = values(page)
    assert moved[3] > 0.3
    assert [moved[i] for i in (0, 1, 2, 4, 5)] == pytest.approx([0.1] * 5)
    page.mouse.move(x, y)
    assert values(page) == moved


def test_one_stroke_draws_the_whole_curve(page):
    (left, y), (right, _) = center(page, 0), center(page, 5)
    page.mouse.move(left - 5, y + 90)
    page.mouse.down()
    page.mouse.move((left + right) / 2, y + 45)  # few, far points: no handle may be skipped
    page.mouse.move(right + 5, y - 60)
    page.mouse.up()
    drawn = values(page)
    assert drawn == sorted(drawn)
    assert len(set(drawn)) == 6
    assert drawn[0] < 0.03 < 0.2 < drawn[5]


def test_the_drawn_line_is_the_scored_line(page, sketch):
    chosen = [0.02, 0.009, 0.3, 0.31, 1.4, 0.05]
    page.evaluate("values => model.set('values', values)", chosen)
    points = page.evaluate("""() => {
        const path = document.querySelector(".mine"), svg = path.ownerSVGElement;
        const length = path.getTotalLength();
        return Array.from({ length: 300 }, (_, i) => path.getPointAtLength(length * i / 299))
          .map((point) => [point.x, point.y]); }""")
    handles = page.evaluate("""() => [...document.querySelectorAll(".handle")].map(
        (node) => node.getAttribute("transform").match(/[-.0-9]+/g).map(Number))""")
    px, py = np.transpose(points)
    (x0, y0), (x1, y1) = handles[0], handles[4]
    h0, h1 = sketch.plot.height([chosen[0], chosen[4]])
    loads = 0.1 + (px - x0) / (x1 - x0) * 0.8
    heights = h0 + (py - y0) / (y1 - y0) * (h1 - h0)
    xs, ys = sketch.plot.drawn_curve(chosen)
    assert heights == pytest.approx(np.interp(loads, xs, sketch.plot.height(ys)), abs=4e-3)


def test_reality_is_laid_over_and_ends_the_drawing(page, sketch):
    sketch(values=[0.02] * 6)
    score = sketch.reveal(lambda load: 0.010 / (1 - load), label="M/M/1")
    page.evaluate("model.set('drawn', true)")
    page.evaluate("reality => model.set('reality', reality)", sketch.widget.reality)
    assert page.locator("p").inner_text() == score.text
    assert page.locator(".of-true").text_content() == "M/M/1"
    assert page.locator(".true").get_attribute("d").count("L") > 300
    assert page.locator(".between").get_attribute("d").endswith("Z")
    before = values(page)
    page.locator(".handle").nth(2).focus()
    page.keyboard.press("PageUp")
    x, y = center(page, 2)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 50)
    page.mouse.up()
    assert values(page) == before
    page.evaluate("model.set('reality', {})")
    page.keyboard.press("PageUp")
    assert values(page) != before
    assert page.locator(".true").get_attribute("d") == ""


def test_an_untouched_sketch_invites_and_is_not_shaded(page, sketch):
    assert page.locator(".invite").is_visible()
    sketch.reveal(lambda load: 0.010 / (1 - load), label="M/M/1")
    page.evaluate("reality => model.set('reality', reality)", sketch.widget.reality)
    assert not page.locator(".invite").is_visible()
    assert page.locator(".between").get_attribute("d") == ""
    assert re.match("You have not drawn yet", page.locator("p").inner_text())


def test_a_removed_view_stops_listening(page):
    page.keyboard.press("Tab")
    page.evaluate("stop()")
    page.keyboard.press("ArrowUp")
    assert values(page) == pytest.approx([0.1] * 6)
    assert page.evaluate("heard.length") == 0
