"""The whole site, built once: links, ids, pictures, formulas, and nothing told too early."""

import re
from pathlib import Path

import pytest

from labutils.authoring.site.whole.write import write_site
from labutils.authoring.sources.course import read_course
from labutils.authoring.sources.definitions import read_definitions
from labutils.authoring.sources.executed import named
from labutils.authoring.sources.solutions import answered
from labutils.workspace.routes import duration, routes

from .read_page import read_page

COURSE = read_course(Path(__file__).parents[3])
KNOWN = read_definitions().by_id
FINDINGS = {"outcome", "answer"}
LIVE = {"watching.live_before", "watching.live_now"}  # a run of the reader's own answers them


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site as ``make site`` writes it."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    assert write_site(COURSE, folder) == []
    return folder


@pytest.fixture(scope="module")
def pages(folder):
    """Every page, read, by its name."""
    return {path.name: read_page(path) for path in sorted(folder.glob("*.html"))}


def asked_in_sources(function: str) -> set[str]:
    """The ids that the chapters' cells hand to ``function``."""
    cells = [cell for chapter in COURSE.chapters for cell in chapter.cells if cell.kind == "code"]
    return {entry.id for cell in cells for entry in named(answered(cell.source), function, KNOWN)}


def test_every_chapter_has_a_page_and_all_of_it_is_small(folder, pages):
    assert {f"{chapter.name}.html" for chapter in COURSE.chapters} < set(pages)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 12e6


def test_every_link_leads_to_a_place(pages):
    for page in pages.values():
        for link in page.links:
            if link.startswith(("http:", "https:")):
                continue
            name, _, place = link.partition("#")
            target = pages[name or page.name]
            assert not place or place in target.ids, f"{page.name}: {link}"


def test_ids_stand_once_and_pictures_say_what_they_show(folder, pages):
    for page in pages.values():
        assert len(page.ids) == len(set(page.ids)), page.name
        for picture in page.pictures:
            assert picture.get("alt") and (folder / picture["src"]).exists(), page.name


def test_nothing_is_loaded_from_elsewhere(folder, pages):
    for page in pages.values():
        assert page.loaded and not [name for name in page.loaded if ":" in name], page.name
        assert "default-src 'none'" in (folder / page.name).read_text(encoding="utf-8")
    for style in folder.glob("*.css"):
        assert "url(" not in style.read_text(encoding="utf-8")


def test_no_formula_is_left_in_tex(pages):
    assert sum(page.formulas for page in pages.values()) > 800
    for page in pages.values():
        assert not re.search(r"\$\$|\\(frac|text|cdot|lambda|rho)\b", page.text), page.name


def test_a_still_of_a_measurement_says_whose_machine_it_was(folder):
    for name in ("00_start_here", "lab1_measure_your_machine", "lab2_kv_cache"):
        still = (folder / f"{name}.html").read_text(encoding="utf-8").partition("A still at")[2]
        assert "author's machine" in still.partition("</figure>")[2][:60], name


def test_the_contents_tell_no_finding(pages):
    for page in pages.values():
        for link in page.contents:
            behind = FINDINGS.intersection(page.folds[link.removeprefix("#")])
            assert not behind, f"{page.name}: {link}"


def test_every_prediction_is_asked_and_its_outcome_lies_in_a_fold(pages):
    forms = [form["id"] for page in pages.values() for form in page.forms]
    told = [(about, folds) for page in pages.values() for about, folds in page.outcomes]
    assert sorted(forms) == sorted(asked_in_sources("predict"))
    assert all("data-least" in form for page in pages.values() for form in page.forms)
    assert {about["data-id"] for about, _ in told} == asked_in_sources("outcome") - LIVE
    for about, folds in told:
        assert "outcome" in folds and "data-actual" in about, about


def test_every_exercise_has_its_help_behind_folds(folder, pages):
    found = {name for page in pages.values() for name in page.ids if name in KNOWN}
    assert found == asked_in_sources("check") | asked_in_sources("predict")
    text = "".join((folder / name).read_text(encoding="utf-8") for name in pages)
    for exercise_id in asked_in_sources("check"):
        card = text.partition(f'<aside class="exercise" id="{exercise_id}">')[2]
        card = card.partition("</aside>")[0]
        assert card.count("<summary>Hint") == 3 and "<summary>Explanation" in card


def test_a_page_speaks_of_folds_where_a_notebook_speaks_of_hints(pages):
    for page in pages.values():
        assert "into a cell of your own, up to three times" not in page.text, page.name


def test_no_page_tells_of_the_run_that_made_it(folder, pages):
    for page in pages.values():
        html = (folder / page.name).read_text(encoding="utf-8")
        shown = " ".join(re.findall(r'<pre class="out".*?</pre>', html, flags=re.S))
        assert not re.search(r"using yours|using the workbook|Functions of yours|PASSIVE", shown)
        assert not re.search(r"\d+ of \d+ (exercises solved|predicted ranges)", page.text)


def test_a_route_names_its_chapters_and_leads_to_open_checkpoints_alone(folder, pages):
    cards = (folder / "index.html").read_text(encoding="utf-8")
    assert ">03 The M/M/1 explosion</a>" in cards and ">Lab\xa02 KV cache</a>" in cards
    led = [link for link in pages["index.html"].links if "#minute-" in link]
    assert "03_mm1_explosion.html#minute-37" in led
    for link in led:
        name, _, place = link.partition("#")
        assert not FINDINGS.intersection(pages[name].folds[place]), link


def test_the_first_page_offers_every_route_with_its_minutes(pages):
    first = pages["index.html"]
    assert [name for name in first.ids if name.startswith("route-")] == [
        f"route-{route.id}" for route in routes()
    ]
    for route in routes():
        assert duration(route.minutes) in first.text and route.after in first.text


def test_a_page_for_what_is_not_found_leads_home(pages):
    assert "index.html" in pages["404.html"].links
