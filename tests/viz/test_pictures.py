"""What ``show`` puts into a notebook: a sharp small picture with a real alternative text."""

import base64
import importlib
import io
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from labutils.viz import band, label_line, line, new_figure, points, show
from labutils.viz.picture import png

SHOW = importlib.import_module("labutils.viz.show")  # the name in the package is the function


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.image, self.words, self.name = {}, [], None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.image = dict(attrs)
        if tag == "figure":
            self.name = dict(attrs).get("aria-label")

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture
def shown(monkeypatch):
    """Bundles that reach the notebook."""
    bundles = []
    monkeypatch.setattr(SHOW.InteractiveShell, "initialized", lambda: True)
    monkeypatch.setattr(SHOW, "display", lambda bundle, **how: bundles.append(bundle))
    return bundles


def busy_figure(title="Every load has its price"):
    rng = np.random.default_rng(5)
    load = np.linspace(0, 0.98, 300)
    fig, ax = new_figure(title=title, x="load", y="time in system (s)")
    (curve,) = ax.plot(load, 1 / (1 - load), **line("theory"))
    ax.fill_between(load, 1, 1 / (1 - load), **band("waiting"))
    ax.errorbar(
        load[::15],
        1 / (1 - load[::15]) * rng.gamma(90, 1 / 90, 20),
        yerr=0.7,
        **points("measurement"),
    )
    ax.axhline(20, **line("limit"))
    label_line(ax, curve, "M/M/1")
    return fig


def pixels(data):
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(int)


def test_the_picture_has_the_text_alternative_and_twice_the_screen_s_pixels(shown):
    fig = busy_figure()
    alt = 'A hyperbola: "1/(1 - load)" < 50 & steep'
    assert show(fig, alt=alt, finding="It has no knee.") is None
    assert list(shown[0]) == ["text/html", "text/plain"]
    page = Page(shown[0]["text/html"])
    assert page.image["alt"] == alt
    assert page.words == ["It has no knee."] and shown[0]["text/plain"] == "It has no knee."
    image = Image.open(io.BytesIO(base64.b64decode(page.image["src"].split(",")[1])))
    width, height = int(page.image["width"]), int(page.image["height"])
    assert (width, height) == (768, pytest.approx(4.2 * 96, abs=0.5))
    assert image.size == (2 * width, pytest.approx(2 * height, abs=1))


@pytest.mark.parametrize("alt", ["", "  \n", None, 3])
def test_no_picture_without_a_text_alternative(shown, alt):
    with pytest.raises(ValueError, match=r"^alt = .*expected a line of text"):
        show(busy_figure(), alt=alt)
    assert shown == []


def test_the_title_serves_as_finding_and_without_one_a_finding_is_demanded(shown):
    title = ("Twice the load, " + "many more words " * 8).strip()
    show(busy_figure(title=title), alt="a curve")
    show(busy_figure(title=title), alt="a curve", finding=title)
    for bundle in shown:  # the title stands in the picture, once is enough
        page = Page(bundle["text/html"])
        assert bundle["text/plain"] == page.name == title
        assert page.words == [] and page.image["alt"] == "a curve"
    with pytest.raises(ValueError, match=r"^finding = ''"):
        show(busy_figure(title=""), alt="a curve")


def test_a_pyplot_figure_is_shown_once_and_closed(shown):
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.plot([1, 3, 2])
    show(fig, alt="three points", finding="Up and down.")
    assert plt.get_fignums() == []
    assert len(shown) == 1


def test_twelve_figures_fit_into_a_notebook():
    size = len(base64.b64encode(png(busy_figure())))
    assert 12 * size < 450_000


def test_packing_keeps_the_colours():
    fig = busy_figure()
    packed = pixels(png(fig))
    true = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    off = np.abs(packed - true).max(axis=2)
    assert np.percentile(off, 99) < 16 and off.mean() < 2
    assert len(np.unique(packed.reshape(-1, 3), axis=0)) <= 64


def test_the_same_figure_gives_the_same_bytes():
    assert png(busy_figure()) == png(busy_figure())


def test_outside_of_a_notebook_the_finding_is_printed(capsys, monkeypatch):
    monkeypatch.setattr(SHOW.InteractiveShell, "initialized", lambda: False)
    show(busy_figure(), alt="a curve", finding="It has no knee.")
    assert capsys.readouterr().out == "It has no knee.\n"
