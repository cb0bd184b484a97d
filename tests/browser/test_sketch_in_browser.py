"""The sketch's own file in Chromium, with a stand-in for the kernel's model."""

import json
import re

import numpy as np
import pytest

from labutils.viz import color, sketch as sketch_module
from labutils.viz.sketch import Sketch

pytestmark = pytest.mark.full
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


def spot(page, load: float, height: float) -> tuple[float, float]:
    """Where on the screen a load and a share of the plot's height stand."""
    frame = page.locator("clipPath rect").evaluate(
        """rect => { const point = rect.ownerSVGElement.createSVGPoint();
        const at = (x, y) => { [point.x, point.y] = [x, y];
          const on = point.matrixTransform(rect.ownerSVGElement.getScreenCTM());
          return [on.x, on.y]; };
        const [x, y, w, h] = ["x", "y", "width", "height"].map((n) => +rect.getAttribute(n));
        return [at(x, y + h), at(x + w, y)]; }"""
    )
    (left, bottom), (right, top) = frame
    return left + load * (right - left), bottom + height * (top - bottom)


def draw(page, places) -> None:
    """Press at the first (load, height), move straight from each to the next, release."""
    spots = [spot(page, *place) for place in places]
    page.mouse.move(*spots[0])
    page.mouse.down()
    for x, y in spots[1:]:
        page.mouse.move(x, y)
    page.mouse.up()


def heights(page, sketch) -> list[float]:
    return sketch.plot.height(values(page)).tolist()


@pytest.mark.parametrize("direction", [1, -1])
def test_a_stroke_along_a_curve_gives_the_curve(page, sketch, direction):
    loads = 1 - np.geomspace(0.96, 0.012, 250)
    curve = [(load, sketch.plot.height(0.010 / (1 - load))) for load in loads]
    draw(page, curve[::direction])
    truth = [0.0111, 0.0143, 0.02, 0.0333, 0.1, 0.333]
    assert values(page) == pytest.approx(truth, rel=0.03)  # a pixel is 2 %


def test_a_fast_stroke_is_straight_between_its_few_points(page, sketch):
    draw(page, [(0.02, 0.1), (0.6, 0.3), (0.99, 0.9)])
    straight = np.interp(LOADS, [0.02, 0.6, 0.99], [0.1, 0.3, 0.9])
    assert heights(page, sketch) == pytest.approx(straight, abs=0.005)


def test_a_stroke_leaves_the_handles_alone_that_it_does_not_cross(page, sketch):
    draw(page, [(0.33, 0.15), (0.5, 0.2), (0.67, 0.35)])
    assert heights(page, sketch) == pytest.approx([0.5, 0.5, 0.2, 0.5, 0.5, 0.5], abs=0.005)


def test_the_last_crossing_counts(page, sketch):
    draw(page, [(0.2, 0.1), (0.6, 0.3), (0.4, 0.8)])
    assert heights(page, sketch) == pytest.approx([0.5, 0.15, 0.55, 0.5, 0.5, 0.5], abs=0.005)


def test_a_stroke_that_begins_or_ends_beside_a_handle_takes_it_along(page, sketch):
    draw(page, [(0.105, 0.1), (0.5, 0.3), (0.89, 0.7)])
    drawn = heights(page, sketch)
    assert [drawn[0], drawn[2], drawn[4]] == pytest.approx([0.1, 0.3, 0.7], abs=0.005)
    assert drawn[5] == pytest.approx(0.5)


def test_a_press_above_a_handle_holds_it_until_the_stroke_leaves_its_side(page, sketch):
    draw(page, [(0.505, 0.8), (0.498, 0.9), (0.504, 0.7)])
    assert heights(page, sketch) == pytest.approx([0.5, 0.5, 0.7, 0.5, 0.5, 0.5], abs=0.005)
    draw(page, [(0.495, 0.2), (0.505, 0.24), (0.54, 0.9)])
    assert heights(page, sketch)[2] == pytest.approx(0.22, abs=0.005)


def test_a_press_far_from_every_handle_draws_nothing(page):
    draw(page, [(0.4, 0.2), (0.41, 0.3)])
    assert not page.evaluate("model.get('drawn')")


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
    assert page.locator(".mark").count() == 0
    assert stroke_of(page, ".true") == rgb("theory")
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


def test_measured_points_are_dots_in_the_colour_of_measurement(page, sketch):
    loads = np.array([0.05, 0.12, 0.4, 0.8, 0.97, 0.999])
    sketch.reveal((loads, 0.010 / (1 - loads)), label="measured")  # the last is 10 s: off the plot
    page.evaluate("reality => model.set('reality', reality)", sketch.widget.reality)
    marks = page.locator(".mark")
    assert marks.count() == 5
    box = marks.nth(2).bounding_box()
    center = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    at = spot(page, 0.4, sketch.plot.height(0.010 / 0.6))
    assert center == pytest.approx(at, abs=0.5)
    assert stroke_of(page, ".true") == stroke_of(page, ".mark", "fill") == rgb("measurement")
    page.evaluate("model.set('reality', {})")
    assert marks.count() == 0


def stroke_of(page, selector: str, part: str = "stroke") -> list[int]:
    """The colour of the first such node, drawn on a canvas so that its notation does not matter."""
    return page.evaluate(
        """([selector, part]) => {
        const paint = document.createElement("canvas").getContext("2d");
        paint.fillStyle = getComputedStyle(document.querySelector(selector))[part];
        paint.fillRect(0, 0, 1, 1);
        return [...paint.getImageData(0, 0, 1, 1).data].slice(0, 3); }""",
        [selector, part],
    )


def rgb(role: str) -> list[int]:
    return [int(color(role)[i : i + 2], 16) for i in (1, 3, 5)]


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
