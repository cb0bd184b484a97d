"""Explorers on the pages of the site: recorded or computed there, they say what Python says."""

import json
import random
import re
import shutil
from functools import cache
from itertools import combinations
from pathlib import Path

import nbformat
import pytest

from labutils.authoring.site.explorers import explorer_html, scripts_of, tables_of, write_scripts
from labutils.authoring.site.recording.drawn import OWN, Drawings
from labutils.authoring.site.recording.recording_table import (
    digest_of,
    grid_of,
    number_of_settings,
    settings,
)
from labutils.authoring.site.recording.recordings import FOLDER, RECORDINGS
from labutils.authoring.sources.course import read_course
from tests.browser.lab_page import launched
from tests.rotation import in_turn

ROOT = Path(__file__).resolve().parents[3]
SETTINGS = 50 if in_turn(__file__) else 6
PICTURES = [recording for recording in RECORDINGS if not recording.kernel]
(LOAD,) = (recording for recording in RECORDINGS if recording.kernel)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>explorers</title>
<link rel="stylesheet" href="assets/explorers.css"><script defer src="assets/explorers.js"></script>
<body>{}</body></html>"""
# Move every control of a box to places; return what the page then says and draws.
MOVE = """([name, all]) => all.map((places) => {
  const box = document.querySelector(`[data-explorer="${name}"]`);
  const rows = [...box.querySelectorAll(".control")];
  rows.forEach((row, i) => {
    const list = row.querySelector("select"), slider = row.querySelector("input");
    const buttons = row.querySelectorAll("button");
    if (list) { list.selectedIndex = places[i]; list.onchange(); }
    else if (slider) { slider.value = places[i]; slider.oninput(); }
    else if (!row.matches(".switch")) buttons[places[i]].click();
    else if (buttons[0].getAttribute("aria-pressed") !== String(!!places[i])) buttons[0].click();
  });
  return [box.querySelector(".finding").textContent,
    [...box.querySelectorAll("svg text")].map((text) => text.textContent)];
})"""


def named(recording) -> str:
    return recording.name


@pytest.fixture(scope="module")
def course():
    return read_course(ROOT)


@cache
def table_of(name: str) -> dict:
    return json.loads((ROOT / FOLDER / f"{name}.json").read_text("utf-8"))


@cache
def made(name: str):
    (recording,) = (each for each in RECORDINGS if each.name == name)
    return recording.excerpt(read_course(ROOT)).run()


@cache
def boxes() -> dict[str, str]:
    """The first box of each explorer, as its chapter's executed edition shows it."""
    found = {}
    for chapter in sorted({table_of(recording.name)["chapter"] for recording in RECORDINGS}):
        notebook = nbformat.read(ROOT / "solutions" / f"{chapter}.ipynb", as_version=4)
        for cell in notebook.cells:
            for output in cell.get("outputs", ()):
                still = output.get("data", {}).get("text/html", "")
                own = len(found)  # here they stand on one page: a cell's number may come twice
                html = explorer_html(chapter, own, still) if "house-explorer" in still else still
                if "data-explorer=" in html:
                    found.setdefault(html.split('data-explorer="')[1].partition('"')[0], html)
    return found


def sample(recording, count: int) -> list[int]:
    every = range(number_of_settings(table_of(recording.name)))
    return random.Random(7).sample(every, min(count, len(every)))


def places_at(table: dict, at: int) -> list[int]:
    places = []
    for control in reversed(table["controls"]):
        at, place = divmod(at, len(control["options"]))
        places.append(place)
    return places[::-1]


@pytest.mark.parametrize("recording", RECORDINGS, ids=named)
def test_a_table_is_made_of_todays_sources(course, recording):
    table = table_of(recording.name)
    again = f"python -m labutils.authoring record {recording.name}"
    assert table["recorded_from"] == digest_of(course, recording), again
    assert number_of_settings(table) >= 20
    assert len(table.get("drawn", [])) in (0, number_of_settings(table))


def test_the_explorers_move_on_the_site_and_their_editions_show_each():
    assert len(RECORDINGS) >= 13
    assert set(boxes()) == {recording.name for recording in RECORDINGS}
    assert scripts_of("03_mm1_explosion") == ["explorers.js"]
    assert scripts_of("90_interview_drills") == []
    assert tables_of("03_mm1_explosion")[0]["name"] == "load"


def test_a_still_that_no_table_shows_says_where_it_moves():
    still = '<figure class="house-explorer"><img alt="Another. servers = 3. It says so."></figure>'
    line, _, rest = explorer_html("03_mm1_explosion", 4, still).partition("\n")
    assert "A still at <code>servers = 3</code>" in line and 'href="index.html#run"' in line
    assert rest == still


@pytest.mark.parametrize("recording", PICTURES, ids=named)
def test_recorded_pictures_are_those_that_python_draws(recording):
    table, explorer = table_of(recording.name), made(recording.name)
    wanted = sample(recording, SETTINGS)
    grid = list(settings(grid_of(explorer, recording)))
    fresh = Drawings()
    for at in wanted:
        explorer.moved(**grid[at - 3])  # elsewhere on the grid: a picture may keep a trail
        number = fresh.add(explorer.moved(**grid[at]))
        assert explorer.finding == table["findings"][table["said"][at]], grid[at]
        assert words(fresh.nodes, number) == words(table["nodes"], table["drawn"][at]), grid[at]


def words(nodes: list, at: int) -> list[str]:
    """The texts in a picture; how paths are rounded may differ from machine to machine."""
    node = nodes[at]
    if isinstance(node, list):
        return [word for each in node for word in words(nodes, each)]
    return [piece.partition("<")[0] for piece in node.split(">") if piece.partition("<")[0]]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page from a folder that holds every explorer, and nothing but scripts of its own."""
    folder = tmp_path_factory.mktemp("site")
    write_scripts(folder / "assets")
    (folder / "index.html").write_text(PAGE.format("\n".join(boxes().values())), "utf-8")
    with launched(shutil.which("chromium")) as browser:
        opened = browser.new_page(viewport={"width": 390, "height": 844})
        problems, asked = [], []
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("request", lambda request: asked.append(request.url))
        opened.goto((folder / "index.html").as_uri())
        for box in opened.locator(".explorer").all():
            box.scroll_into_view_if_needed()
            box.locator(".live").wait_for()
        yield opened
    assert problems == []
    assert all(url.startswith(("file:", "data:")) for url in asked)


def shown(page, name: str, places: list) -> list:
    return page.evaluate(MOVE, [name, places])


@pytest.mark.browser
@pytest.mark.parametrize("recording", PICTURES, ids=named)
def test_the_page_shows_what_the_table_holds(page, recording):
    table = table_of(recording.name)
    wanted = sample(recording, 50)
    moved = [places_at(table, at) for at in wanted]
    kept = [i for i, control in enumerate(table["controls"]) if len(control["options"]) > 1]
    found = shown(page, recording.name, [[places[i] for i in kept] for places in moved])
    for at, (finding, texts) in zip(wanted, found):
        assert finding == table["findings"][table["said"][at]]
        drawn = words(table["nodes"], table["drawn"][at])
        assert [t.strip() for t in texts if t.strip()] == [plain(t) for t in drawn if t.strip()]


def plain(text: str) -> str:
    return text.replace("&lt;", "<").replace("&quot;", '"').replace("&amp;", "&").strip()


@pytest.mark.timeout(900)  # all 4,176 findings, where it is in turn
@pytest.mark.browser
def test_the_kernel_says_what_python_says(page):
    table, explorer = table_of("load"), made(LOAD.name)
    axis = [control["name"] for control in table["controls"]].index("axis")
    every = [at for at in range(number_of_settings(table)) if not places_at(table, at)[axis]]
    wanted = every if in_turn(__file__) else random.Random(5).sample(every, 50)
    grid = list(settings(grid_of(explorer, LOAD)))
    said = shown(page, "load", [places_at(table, at) for at in wanted])
    wrong = []
    for at, (finding, _) in zip(wanted, said):
        explorer.moved(**grid[at])
        if finding != explorer.finding:
            wrong.append((grid[at], finding, explorer.finding))
    assert len(wrong) <= 0.002 * len(wanted), wrong[:3]


@pytest.mark.browser
def test_keys_move_a_control_and_buttons_say_which_is_pressed(page):
    box = page.locator('[data-explorer="load"]')
    slider = box.get_by_role("slider", name="promise")
    slider.focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert slider.get_attribute("aria-valuetext") == "2.0"
    mean, p99 = (box.get_by_role("button", name=name, exact=True) for name in ("mean", "p99"))
    mean.focus()
    page.keyboard.press("ArrowRight")
    assert [b.get_attribute("aria-pressed") for b in (mean, p99)] == ["false", "true"]
    assert "a p99 latency of 2 service times" in box.get_by_role("status").inner_text()
    picture = box.get_by_role("img").get_attribute("aria-label")
    assert "statistic = p99, target = 2" in picture


@pytest.mark.browser
@pytest.mark.parametrize("name", ["kv_memory", "frontier"])
def test_words_beside_each_other_keep_apart_on_a_phone(page, name):
    texts = page.locator(f'[data-explorer="{name}"] svg text', has_text=re.compile(r"\S"))
    boxes = texts.evaluate_all("all => all.map((one) => one.getBoundingClientRect().toJSON())")
    for one, other in combinations(boxes, 2):
        wide, high = (
            min(one[end], other[end]) - max(one[begin], other[begin])
            for begin, end in (("left", "right"), ("top", "bottom"))
        )
        assert wide < -1 or high < 2, (one, other)


@pytest.mark.browser
def test_a_phone_shows_all_of_it_and_no_id_stands_twice(page):
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    twice = """() => { const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
      return ids.filter((id, i) => ids.indexOf(id) !== i && !/^x\\d+-m/.test(id)); }"""
    assert page.evaluate(twice) == []


def test_every_id_of_a_recorded_picture_is_marked_and_no_style_stands_in_it():
    for table in (table_of(recording.name) for recording in PICTURES):
        texts = [node for node in table["nodes"] if isinstance(node, str)] + table["looks"]
        for text in texts:
            assert text.count(' id="') == text.count(f' id="{OWN}')
            assert "style=" not in text
