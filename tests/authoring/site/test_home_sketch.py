"""The home page's sketch: two gestures from the question to the finding, by finger and by mouse."""

import re
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from labutils.authoring.site.home_sketch import (
    QUESTION,
    home_sketch_html,
    sketch_data,
    write_home_scripts,
)
from labutils.authoring.sources.course import read_course
from labutils.viz.sketch_plot import SketchPlot
from labutils.viz.sketch_score import SketchScore
from tests.browser.lab_page import launched

ROOT = Path(__file__).resolve().parents[3]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>home</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="assets/home.css"><script defer src="assets/home.js"></script>
<body>{}</body></html>"""
MOST_WORDS, MOST_BYTES = 25, 300_000
pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def course():
    return read_course(ROOT)


@pytest.fixture(scope="module")
def folder(course, tmp_path_factory):
    made = tmp_path_factory.mktemp("home")
    written = write_home_scripts(course, made / "assets")
    assert sum(path.stat().st_size for path in written) < MOST_BYTES / 5
    (made / "index.html").write_text(PAGE.format(home_sketch_html("03.html")), "utf-8")
    return made


@pytest.fixture(scope="module")
def chromium():
    with launched(shutil.which("chromium")) as browser:
        yield browser


@pytest.fixture
def opened(chromium, folder):
    pages, problems = [], []

    def open_at(width: int, **options):
        page = chromium.new_page(viewport={"width": width, "height": 844}, **options)
        pages.append(page)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto((folder / "index.html").as_uri())
        page.locator(".handle").first.wait_for()
        return page

    yield open_at
    for page in pages:
        page.close()
    assert problems == []


def ends(page) -> list[tuple[float, float]]:
    boxes = [page.locator(".handle .dot").nth(at).bounding_box() for at in (0, -1)]
    return [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes]


def test_a_finger_on_a_phone_reaches_the_finding_in_two_gestures(opened):
    page = opened(390, has_touch=True, is_mobile=True)
    asked = " ".join(page.locator("h1, h1 + p, .invite").all_text_contents())
    assert len(asked.split(" ")) <= MOST_WORDS
    (x, y), (last, _) = ends(page)
    touch = page.context.new_cdp_session(page)
    for kind, at in (("touchStart", x - 4), *(("touchMove", x + i * 20) for i in range(1, 15))):
        place = [{"x": min(at, last + 8), "y": y + 90}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": place})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(400)  # or it were one gesture of two taps
    page.get_by_role("button", name="Show the real curve").tap()
    finding = page.locator("p.finding").inner_text()
    assert re.match(r"At 0\.97 you drew [\d.]+ ms; it is 347\. On average you are off by", finding)
    assert page.locator(".between").get_attribute("d").startswith("M")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.get_by_role("link", name="Read why").get_attribute("href") == "03.html"


def swiped(page, x: float, y: float) -> tuple[int, bool]:
    """Swipe up from there; return how far the page has scrolled, and whether a curve is drawn."""
    touch = page.context.new_cdp_session(page)
    for kind, up in (("touchStart", 0), *(("touchMove", up) for up in range(10, 200, 10))):
        place = [{"x": x, "y": y - up}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": place})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(400)
    return page.evaluate("scrollY"), not page.locator(".invite").is_visible()


def test_a_swipe_up_scrolls_unless_it_begins_on_a_circle(opened):
    page = opened(390, has_touch=True, is_mobile=True)
    page.evaluate("document.body.style.height = '3000px'")
    (x, y), _ = ends(page)
    assert swiped(page, x, y) == (0, True)
    page.reload()
    page.evaluate("document.body.style.height = '3000px'")
    scrolled, is_drawn = swiped(page, x, y + 90)
    assert scrolled > 100 and not is_drawn


@pytest.mark.parametrize("width", [390, 1366])
def test_the_mouse_does_it_too_and_may_begin_again(opened, width):
    page = opened(width)
    (x, y), (last, _) = ends(page)
    page.mouse.move(x - 4, y + 50)  # beside the handles: a stroke over all of them
    page.mouse.down()
    page.mouse.move(last + 8, y + 60, steps=5)
    page.mouse.up()
    page.get_by_role("button", name="Show the real curve").click()
    assert "it is 347" in page.locator("p.finding").inner_text()
    page.get_by_role("button", name="Draw again").click()
    assert page.locator(".invite").is_visible()
    assert not page.get_by_role("link", name="Read why").is_visible()


def test_a_sweep_that_begins_on_a_circle_draws_like_any(opened):
    page = opened(390)
    (x, y), (last, _) = ends(page)
    page.mouse.move(x + 3, y)
    page.mouse.down()
    page.mouse.move(x + 3, y + 50, steps=3)  # so far the circle alone
    dots = page.locator(".handle .dot")
    heights = [dots.nth(at).bounding_box()["y"] for at in range(dots.count())]
    assert heights[0] > heights[1] + 40 and len(set(heights[1:])) == 1
    page.mouse.move(last, y + 60, steps=9)
    page.mouse.up()
    moved = [dots.nth(at).bounding_box()["y"] for at in range(dots.count())]
    assert all(after > before + 40 for before, after in zip(heights[1:], moved[1:], strict=True))


@pytest.mark.parametrize("width", [390, 1366])
def test_every_number_on_the_axis_can_be_read(opened, width):
    page = opened(width)
    names = page.locator("svg text", has_text=re.compile(r"^0\.\d+$"))
    boxes = [box.bounding_box() for box in names.all()]
    assert len(boxes) == 6
    for one, after in pairwise(boxes):
        assert one["x"] + one["width"] + 2 <= after["x"]


def test_who_draws_nothing_sees_the_curve_all_the_same(opened, course):
    page = opened(1366)
    page.get_by_role("button").click()
    finding = page.locator("p.finding").inner_text()
    assert finding == f"At 0.97 it is 347 ms. {sketch_data(course)['reality']['answer']}"


def test_the_finding_answers_the_question_with_the_recorded_curve(course):
    data = sketch_data(course)
    plot, (xs, shares) = data["plot"], data["reality"]["points"]
    low, high = plot["yRange"]
    before, after = low * (high / low) ** np.interp([0.6, 0.9], xs, shares)
    said = r"From 60 to 90 % load mean latency grows from (\d+) to (\d+) ms\."
    assert "mean latency" in QUESTION and plot["yLabel"].startswith("mean latency")
    found = re.fullmatch(said, data["reality"]["answer"])
    assert [float(found[1]), float(found[2])] == pytest.approx([before, after], rel=0.03)


def test_the_score_is_that_of_the_notebook(opened, course, folder):
    data = sketch_data(course)
    given, (xs, shares) = data["plot"], data["reality"]["marks"]
    plot = SketchPlot(
        x=tuple(given["x"]), x_label="load", y_label="latency", x_range=tuple(given["xRange"]),
        y_range=tuple(given["yRange"]), y_log=True, y_unit="", title="",
    )  # fmt: skip
    page = opened(1366)
    lines = (folder / "assets" / "home.js").read_text("utf-8").splitlines()
    page.evaluate("\n".join(lines[1:-1]) + "\nwindow.score = (v) => scoreOf(DATA.plot, v, "
                  "DATA.reality.points); window.finding = (v) => "
                  "findingOf(DATA.plot, v, DATA.reality.points); 0")  # fmt: skip
    rng = np.random.default_rng(4)
    drawn = plot.y_at(rng.uniform(0, 1, (30, 6))).clip(*plot.y_range).tolist()
    for values in [*drawn, sorted(drawn[0]), [5.0] * 6, [2000.0] * 6]:
        wanted = SketchScore(
            plot=plot, values=tuple(values), truth=(xs, plot.y_at(shares)), label="measured"
        )
        got = page.evaluate("(values) => window.score(values)", values)
        assert got["factor"] == pytest.approx(wanted.factor, rel=2e-3)
        assert got["worst"] == wanted.worst
    close = plot.y_at(np.interp(plot.x, xs, shares)).tolist()
    assert "within 5 %" in page.evaluate("(values) => window.finding(values)", close)
