"""The page of an exported engine in a real browser: a phone, a laptop, a hall, and paper."""

import pytest

from labutils.workspace.my_engine import my_engine
from labutils.workspace.my_engine.facts import facts_of
from labutils.workspace.my_engine.page import page
from labutils.workspace.my_engine.prove import prove
from labutils.workspace.my_engine.store import Store
from labutils.workspace.my_engine.texts.course_engine import course_sources, targets
from labutils.workspace.my_engine.texts.functions import source_of
from tests.own_engine.test_page import raced_and_predicted

_OPEN = "() => document.querySelectorAll('details').forEach(one => one.open = true)"
_WIDER = """() => [...document.querySelectorAll('html, .wide, svg')]
  .filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.outerHTML.slice(0, 80))"""
_SMALLEST = """() => Math.min(...[...document.querySelectorAll('body *')]
  .filter(one => one.textContent.trim()).map(one => parseFloat(getComputedStyle(one).fontSize)))"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page of an engine in which every function is the learner's."""
    store = Store(tmp_path_factory.mktemp("my") / "engine")
    for target in targets():
        file, name = target.split(":")
        store.keep(file, name, source_of(course_sources()[file], name), "lab 6")
    raced_and_predicted(store)
    path = tmp_path_factory.mktemp("out") / "index.html"
    text = page(facts_of(store, prove(my_engine(store, quiet=True)), name="Ada"))
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("scheme", ("light", "dark"))
@pytest.mark.parametrize("width", (390, 1366, 1920))
def test_it_fits_asks_for_nothing_and_says_nothing_to_the_console(file, chromium, width, scheme):
    tab = chromium.new_page(viewport={"width": width, "height": 844}, color_scheme=scheme)
    asked, said = [], []
    tab.on("request", lambda request: asked.append(request.url))
    tab.on("console", lambda message: said.append(message.text))
    tab.goto(file.as_uri())
    tab.evaluate(_OPEN)
    assert asked == [file.as_uri()] and not said
    assert tab.evaluate(_WIDER) == [] and tab.evaluate(_SMALLEST) >= 10.5
    dark = tab.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")  # so the policy lets the style sheet in
    tab.close()


def test_it_is_printed_on_a_few_light_sheets(file, chromium):
    tab = chromium.new_page(color_scheme="dark")
    tab.goto(file.as_uri())
    assert tab.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") <= 4
    tab.emulate_media(media="print", color_scheme="dark")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    tab.close()
