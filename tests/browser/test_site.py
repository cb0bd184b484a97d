"""The site in a real browser: pages fit a phone, ask for nothing, and fold what they tell."""

import pytest

from labutils.authoring.site.whole.write import write_site
from labutils.authoring.sources.course import read_course
from tests.conftest import only_full

from .lab_server import CHECKOUT

COURSE = read_course(CHECKOUT)
FIRST = ("index", "03_mm1_explosion", "lab6_your_engine")
OTHERS = (
    *(chapter.name for chapter in COURSE.chapters if chapter.name not in FIRST),
    *("topics", "cards", "glossary", "drills", "404"),
)
PHONE, LAPTOP = {"width": 390, "height": 844}, {"width": 1366, "height": 768}
HEADING = "Does a bigger fleet wait as long at the same load?"
FINDING = "Pooling beats splitting, and the gain grows with the fleet"

_OPEN = "() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"
_OVER = "() => document.documentElement.scrollWidth - innerWidth"
_PALE = """() => {
  const light = (text) => {
    const paper = document.createElement('canvas').getContext('2d');
    paper.fillStyle = text;
    paper.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...paper.getImageData(0, 0, 1, 1).data].map((part) => {
      const share = part / 255;
      return share <= 0.04 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const clear = /^rgba.*, 0(\\.\\d+)?\\)$/; // what shines through
  const behind = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (!clear.test(colour)) return colour;
    }
    return 'white';
  };
  const seen = new Map();
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
    if (!own || !node.checkVisibility() || node.closest('svg')) continue;
    const pair = `${getComputedStyle(node).color} on ${behind(node)}`;
    if (!seen.has(pair)) seen.set(pair, node);
  }
  return [...seen].filter(([pair]) => {
    const [a, b] = pair.split(' on ').map(light).sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) < 4.5;
  }).map(([pair, node]) => `${pair}: ${node.outerHTML.slice(0, 80)}`);
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The site, written once."""
    folder = tmp_path_factory.mktemp("site") / "pages"
    assert write_site(COURSE, folder) == []
    return folder


@pytest.fixture
def opened(chromium, folder):
    """A function that opens a page of the site in a window of its own; faults end the test."""
    contexts, faults = [], []

    def open_page(name, window=LAPTOP, **options):
        context = chromium.new_context(viewport=window, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: said.type == "error" and faults.append(said.text))
        page.on("request", lambda r: r.url.startswith("file:") or faults.append(r.url))
        page.goto((folder / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert faults == []


@pytest.mark.parametrize("name", [*FIRST, *only_full(*OTHERS)])
def test_a_page_fits_phone_and_laptop_and_can_be_read_in_both_themes(opened, name):
    for window in (PHONE, LAPTOP):
        page = opened(name, window)
        page.evaluate(_OPEN)
        assert page.evaluate(_OVER) <= 0, window
    assert page.evaluate(_PALE) == []
    page.click(".theme")
    assert page.evaluate(_PALE) == []


def test_a_prediction_is_kept_and_set_beside_its_outcome(opened):
    page = opened("03_mm1_explosion")
    form, fold = page.locator("form.predict").first, page.locator("details.outcome").nth(1)
    fold.locator("summary").first.click()
    assert not fold.evaluate("fold => fold.open")  # it asks once for the prediction
    form.locator("[name=low]").fill("9")
    form.locator("[name=high]").fill("1")
    form.locator("button").click()
    assert "swap them" in form.locator(".said").inner_text()
    form.locator("[name=high]").fill("10")
    form.locator("[name=low]").fill("-3")
    form.locator("button").click()
    assert form.locator(".said").inner_text() == "It is at least 0, and you say -3."
    form.locator("[name=low]").fill("1")
    form.locator("[name=high]").fill("1,000.5")
    form.locator("button").click()
    page.reload()
    assert form.locator("[name=high]").input_value() == "1,000.5"
    fold.locator("summary").first.click()
    assert "Outside. You said 1 to 1,000.5: 14 % too high." in fold.locator(".mine").inner_text()


def test_a_finding_enters_the_contents_when_its_fold_is_opened(opened):
    page = opened("03_mm1_explosion")
    contents, fold = page.locator(".contents"), page.locator("details.outcome").nth(1)
    assert HEADING in contents.inner_text() and FINDING not in contents.inner_text()
    for _ in range(2):
        fold.locator("summary").first.click()
    contents.get_by_text(FINDING).wait_for()


def test_a_search_for_a_finding_leads_to_its_question(opened):
    page = opened("index")
    page.locator("header input").fill("pooling beats splitting")
    page.locator(".found a").first.wait_for()
    assert HEADING in page.locator(".found").inner_text()
    assert FINDING not in page.locator(".found").inner_text()
    page.keyboard.press("Enter")
    page.wait_for_selector("details.outcome")
    assert not page.locator("details.outcome").nth(1).evaluate("fold => fold.open")


def test_a_link_into_a_fold_opens_it(opened, folder):
    page = opened("index")
    address = (folder / "03_mm1_explosion.html").as_uri()
    page.goto(f"{address}#does-the-run-agree-state-by-state-optional")
    assert page.locator("details.optional").first.evaluate("fold => fold.open")


@pytest.mark.parametrize(
    ("words", "page_name", "within"),
    [
        ("hedge", "08_tails", 3),
        ("paged attention", "lab5_paged", 3),
        ("littles law", "02_", 3),
        ("goodput", "", 3),
        ("p99", "01_two", 1),
        ("ttft", "05_prefill", 2),  # behind the glossary
    ],
)
def test_a_search_finds_where_a_topic_is_taught(opened, words, page_name, within):
    page = opened("index", PHONE)
    page.locator("header input").fill(words)
    page.locator(".found a").first.wait_for()
    found = page.locator(".found a").evaluate_all("links => links.map(a => a.getAttribute('href'))")
    assert any(link.startswith(page_name) for link in found[:within]), found
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/{found[0]}")


def test_the_theme_stands_before_the_page_is_painted(opened):
    page = opened("index", color_scheme="dark")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.click(".theme")
    page.reload(wait_until="commit")
    page.wait_for_selector("body", state="attached")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_the_home_page_remembers_where_the_reader_was(opened, folder):
    page = opened("index")
    assert "Go on" not in page.locator("main").inner_text()
    page.goto(f"{(folder / '03_mm1_explosion.html').as_uri()}#there-is-no-knee-the-axes-draw-it")
    page.wait_for_function("site.kept('place')?.id.startsWith('there-is-no-knee')")
    page.goto((folder / "index.html").as_uri())
    link = page.get_by_text("Go on with 03 · The M/M/1 explosion")
    assert link.get_attribute("href").endswith("#there-is-no-knee-the-axes-draw-it")


def test_it_prints_as_it_is_or_with_every_answer(opened):
    page = opened("03_mm1_explosion")
    closed = "document.querySelectorAll('main details:not([open])').length"
    page.evaluate(f"window.print = () => {{ window.closed_then = {closed}; }}")
    shown = page.evaluate(closed)
    page.click("[data-print=open]")
    assert page.evaluate("window.closed_then") == shown > 20
    page.click("[data-print=all]")
    assert page.evaluate("window.closed_then") == 0
    assert page.evaluate(closed) == shown


def test_it_reads_without_a_script(opened):
    page = opened("03_mm1_explosion", PHONE, java_script_enabled=False)
    assert page.get_by_text("Predict.").first.is_visible()
    assert not page.locator("form.predict button").first.is_visible()
    page.locator("details.outcome summary").first.click()
    assert page.get_by_text("latency times 1.29").is_visible()
