"""Two decks in a real browser: they load nothing, keys move, formulas and figures are seen."""

import pytest

from labutils.authoring.slides.deck import deck_html, slides_of
from labutils.authoring.slides.slide_choice import read_choices
from labutils.authoring.sources.course import read_course

from .lab_server import CHECKOUT

pytestmark = pytest.mark.full
DECKS = ("03_mm1_explosion", "07_continuous_batching")
SMALLEST = 0.62  # of the usual size of letters: what still reads from the last row

_STATE = """() => {
  const slide = Reveal.getCurrentSlide(), body = slide.querySelector('.body');
  const inside = node => {
    const box = node.getBoundingClientRect(), frame = slide.getBoundingClientRect();
    return box.width > 8 && box.height > 8 && box.left >= frame.left - 1 &&
      box.right <= frame.right + 1 && box.top >= frame.top - 1 && box.bottom <= frame.bottom + 1;
  };
  const top = slide.querySelector('header').getBoundingClientRect().bottom;
  const outside = [...body.children].filter(node => !inside(node) ||
    node.getBoundingClientRect().top < top - 1).map(node => node.textContent.slice(0, 40));
  const pictures = [...slide.querySelectorAll('.body img')];
  return {
    at: Reveal.getIndices().h, kind: slide.className.split(' ')[0],
    over: Math.max(slide.scrollHeight - slide.clientHeight, slide.scrollWidth - slide.clientWidth,
      body.scrollHeight - body.clientHeight, body.scrollWidth - body.clientWidth),
    outside, size: parseFloat(slide.dataset.size),
    formulas: [...slide.querySelectorAll('.body math[display=block]')].map(inside),
    pictures: pictures.map(image => image.complete && image.naturalWidth > 100 && inside(image)),
    smallest: Math.min(...pictures.map(image => image.getBoundingClientRect().height)),
  };
}"""


@pytest.fixture(scope="module", params=DECKS)
def deck(request, chromium, tmp_path_factory):
    """A deck, opened from its file: the page, and every address that it asked for."""
    course = read_course(CHECKOUT)
    chapter = course.chapter(request.param)
    slides = slides_of(course, chapter, read_choices(CHECKOUT).get(chapter.name))
    file = tmp_path_factory.mktemp("deck") / "index.html"
    file.write_text(deck_html(chapter, slides), encoding="utf-8")
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    page.asked, page.errors = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    yield page
    page.close()


@pytest.fixture(scope="module")
def states(deck):
    """What stands on each slide, walked through with the arrow key."""
    seen = [deck.evaluate(_STATE)]
    for _ in range(200):
        deck.keyboard.press("ArrowRight")
        state = deck.evaluate(_STATE)
        if state == seen[-1] and deck.evaluate("Reveal.isLastSlide()"):
            break
        seen.append(state)
    return seen


def test_the_arrow_keys_reach_every_slide_and_come_back(deck, states):
    places = [state["at"] for state in states]
    assert places == sorted(places)
    assert set(places) == set(range(deck.evaluate("Reveal.getTotalSlides()")))
    deck.keyboard.press("Home")
    assert deck.evaluate("Reveal.getIndices().h") == 0
    deck.keyboard.press("ArrowRight")
    deck.keyboard.press("ArrowLeft")
    assert deck.evaluate("Reveal.getIndices().h") == 0


def test_nothing_runs_over_its_slide_or_becomes_too_small(states):
    for state in states:
        assert state["over"] <= 1 and state["size"] >= SMALLEST, state
        assert state["outside"] == []


def test_formulas_and_figures_are_seen(states):
    formulas = [seen for state in states for seen in state["formulas"]]
    pictures = [seen for state in states for seen in state["pictures"]]
    assert formulas and all(formulas)
    assert pictures and all(pictures)
    assert min(state["smallest"] for state in states if state["pictures"]) > 250


def test_a_deck_asks_for_nothing_but_itself(deck, states):
    assert [url for url in deck.asked if not url.startswith("data:")] == [
        deck.url.partition("#")[0]
    ]
    assert deck.errors == []


def test_the_notes_window_shows_what_to_ask(deck):
    with deck.expect_popup() as opened:
        deck.keyboard.press("s")
    notes = opened.value
    notes.wait_for_function("document.body.innerText.includes('minutes in the notebook')")
    notes.close()
