"""The explorer without a browser: its function twin, its bundles, its errors."""

import matplotlib
import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from labutils.viz import Explorer, line, new_figure, slider, span, toggle

VIEW = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def published(monkeypatch):
    """What goes to the page: bundle and placement."""
    sent = []
    monkeypatch.setattr(
        "labutils.viz.explorer.publish",
        lambda bundle, **placement: sent.append((bundle, placement)),
    )
    return sent


def make(update=None, **controls):
    fig, ax = new_figure(title="Slope", x="time (s)", y="requests", height=2.5)
    (drawn,) = ax.plot([0, 1], [0, 1], **line("theory"))
    ax.set(xlim=(0, 1), ylim=(0, 20))
    calls = []

    def move(slope, shift):
        calls.append((slope, shift))
        drawn.set_ydata([shift, shift + slope])
        return f"It rises by {slope},\n from {shift}."

    controls = controls or {"slope": slider("slope", 1, 9, 2), "shift": slider("shift", 0.0, 5, 1)}
    explorer = Explorer(fig, update or move, controls=controls)
    explorer.calls = calls
    return explorer


def test_the_function_twin_sets_every_control_and_draws_once():
    explorer = make()
    assert explorer.calls == [(2, 1.0)]
    assert explorer(shift=2.5, slope=7) == "It rises by 7, from 2.5."
    assert explorer.calls[1:] == [(7, 2.5)]
    assert explorer.controls["slope"].value == 7
    assert explorer.values == {"slope": 7, "shift": 2.5}


def test_without_arguments_the_twin_says_what_is_shown():
    explorer = make()
    assert explorer() == explorer.finding == "It rises by 2, from 1.0."


@pytest.mark.parametrize("bad", [{"slop": 3}, {"slope": 0}, {"shift": "x"}])
def test_a_bad_call_changes_nothing(bad):
    explorer = make()
    with pytest.raises(ValueError, match="expected"):
        explorer(**bad)
    assert explorer.values == {"slope": 2, "shift": 1.0} and len(explorer.calls) == 1


def test_a_control_that_moves_after_a_refused_call_still_draws():
    explorer = make()
    with pytest.raises(ValueError, match="expected"):
        explorer(slope=99)
    explorer.controls["slope"].value = 4
    assert explorer.finding == "It rises by 4, from 1.0."


def test_shown_it_sends_controls_then_the_picture_and_later_updates_only(published):
    explorer = make()
    explorer(slope=3)
    assert published == []  # nothing to update before it is shown
    explorer._ipython_display_()
    (panel, nowhere), (picture, place) = published
    assert nowhere == {} and set(panel) == {VIEW, "text/html", "text/plain"}
    assert panel["text/plain"] == "Controls: slope, shift"
    said = picture["text/html"]
    assert said.index("Paused: run this cell") < said.index("It rises") < said.index("<img")
    assert picture["text/plain"] == "Explorer. It rises by 3, from 1.0."
    assert 'alt="Slope. slope = 3, shift = 1. It rises by 3, from 1.0."' in picture["text/html"]
    explorer.controls["slope"].value = 6
    update, again = published[2]
    assert again == {**place, "update": True}
    assert "rises by 6" in update["text/html"] and update["text/html"] != picture["text/html"]


def test_while_it_shows_no_picture_the_finding_stands_alone():
    explorer = make()
    explorer.shows_picture = False
    explorer(slope=3)
    assert "<img" not in explorer._picture_bundle()["text/html"]
    assert "It rises by 3, from 1.0." in explorer._picture_bundle()["text/html"]
    explorer.shows_picture = True
    assert "<img" in explorer._picture_bundle()["text/html"]


def test_one_figure_serves_every_frame():
    explorer = make()
    fig, artists = explorer._frames.fig, len(explorer._frames.fig.axes[0].get_children())
    for slope in (3, 8, 4):
        explorer(slope=slope)
    assert explorer._frames.fig is fig
    assert len(fig.axes[0].get_children()) == artists
    assert matplotlib.get_backend().lower() != "nbagg"


def breaks_at_five(slope, shift):
    if slope == 5:
        raise ZeroDivisionError(f"no <b>five</b> at {shift}")
    return "fine"


def test_an_error_goes_to_the_caller_and_to_the_page_and_passes_with_the_next_value(published):
    explorer = make(breaks_at_five)
    explorer._ipython_display_()
    with pytest.raises(ZeroDivisionError):
        explorer(slope=5)
    with pytest.raises(ZeroDivisionError):
        explorer.controls["shift"].value = 3.0
    html = published[-1][0]["text/html"]
    assert "could not follow the controls" in html and "no &lt;b&gt;five&lt;/b&gt; at 3.0" in html
    assert "breaks_at_five" in html  # where it happened
    assert "ZeroDivisionError" in published[-1][0]["text/plain"]
    explorer.controls["slope"].value = 6
    assert "ZeroDivisionError" not in published[-1][0]["text/html"]


@pytest.mark.parametrize("finding", [None, "", 3])
def test_an_update_without_a_finding_is_refused(finding):
    with pytest.raises(ValueError, match=r"^finding = .*expected a line of text"):
        make(lambda slope, shift: finding)


def test_controls_and_update_have_to_fit():
    with pytest.raises(ValueError, match="update does not take the controls slope, shift"):
        make(lambda slope: "x")
    with pytest.raises(ValueError, match=r"controls = \{\}: expected at least one"):
        Explorer(new_figure()[0], lambda: "x", controls={})
    with pytest.raises(ValueError, match=r"controls\['slope'\] = 3: expected an ipywidget"):
        make(lambda slope: "x", slope=3)
    assert make(lambda **values: f"{values}", on=toggle("on")).finding == "{'on': False}"


def test_a_span_is_set_by_code_and_read_out(published):
    explorer = make(lambda window: f"{window}", window=span("window", 0, 12, (3, 8)))
    assert explorer(window=(2, 9)) == "(2, 9)"
    explorer._ipython_display_()
    assert "window = 2 to 9." in published[1][0]["text/html"]
    with pytest.raises(ValueError, match=r"window = \(9, 2\): expected \(low, high\), two whole"):
        explorer(window=(9, 2))
    assert explorer.values == {"window": (2, 9)}


def run(*sources):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(s) for s in sources])
    NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return notebook


TOY = """
from labutils.viz import Explorer, new_figure, slider
fig, ax = new_figure(title="Toy", height=2)
explorer = Explorer(fig, lambda a: f"a is {12 // a}", controls={"a": slider("a", 0, 4, 2)})
explorer
"""


def test_an_executed_notebook_keeps_the_last_frame_and_repeats_itself():
    first, second = (run(TOY, "explorer(a=3)") for _ in range(2))
    _, picture = first.cells[0].outputs
    assert "a is 4" in picture.data["text/html"]
    assert first.cells[1].outputs[0].data["text/plain"] == "'a is 4'"
    for one, other in zip(first.cells, second.cells):
        for mine, yours in zip(one.outputs, other.outputs):
            for kind in set(mine.data) - {VIEW}:
                assert mine.data[kind] == yours.data[kind]


@pytest.mark.parametrize("cell", ["explorer(a=0)", "explorer.controls['a'].value = 0"])
def test_an_error_fails_the_notebook_that_sets_it_off(cell):
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        run(TOY, cell)
