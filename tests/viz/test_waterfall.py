"""Waterfalls: a bar for each span, and the critical path adds up to the request."""

import pytest
from matplotlib.colors import to_rgb

from labutils.telemetry import Span
from labutils.viz.figures.waterfall import waterfalls
from labutils.viz.style import color, title_of
from tests.telemetry.toys import spans

FAST = spans(
    ("request", None, 3.0, 3.2), ("search", "request", 3.01, 3.05),
    ("words", "request", 3.01, 3.08), ("generate", "request", 3.09, 3.19),
)  # fmt: skip
SLOW = spans(
    ("request", None, 7.0, 7.9), ("search", "request", 7.01, 7.6),
    ("words", "request", 7.01, 7.08), ("generate", "request", 7.61, 7.88),
)  # fmt: skip


def widths(ax, shade) -> list[float]:
    found = [patch for patch in ax.patches if to_rgb(patch.get_facecolor()[:3]) == to_rgb(shade)]
    return [patch.get_width() for patch in found]


def test_the_coloured_stretches_add_up_and_every_span_has_a_bar():
    fig = waterfalls({"median": FAST, "p99": SLOW})
    for ax, total in zip(fig.axes, (200, 900)):
        critical = widths(ax, color("limit"))
        assert sum(critical) == pytest.approx(total)
        assert len(ax.patches) - len(critical) == 4
    left, right = fig.axes
    assert left.get_xlim() == right.get_xlim() == pytest.approx((0, 918))


def test_the_request_itself_is_an_outline_and_not_something_that_was_not_waited_for():
    for ax, total in zip(waterfalls({"median": FAST, "p99": SLOW}).axes, (200, 900)):
        (hollow,) = [patch for patch in ax.patches if patch.get_facecolor()[3] == 0]
        assert hollow.get_width() == pytest.approx(total) and hollow.get_y() < 1


def test_names_are_indented_and_durations_written():
    ax = waterfalls({"median": FAST, "p99": SLOW}).axes[1]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == ["request", "   search", "   words", "   generate"]
    written = {text.get_text() for text in ax.texts}
    assert {"900", "590", "70", "270"} <= written


def test_the_title_says_what_each_waits_for():
    both = title_of(waterfalls({"median": FAST, "p99": SLOW}))
    assert both == (
        "P99 takes 4.5 times as long as median: median spends most time in generate, p99 spends "
        "most time in search"
    )
    same = title_of(waterfalls({"a": FAST, "b": FAST}))
    assert same == "B takes 1.0 times as long as a: both spend most time in generate"
    assert title_of(waterfalls({"median": FAST})) == "Median spends most time in generate"


def test_a_queue_is_called_one_in_the_title():
    waiting = spans(("request", None, 0.0, 2.0), ("wait.generate", "request", 0.1, 1.9))
    assert title_of(waterfalls({"one": waiting})).endswith("time in the queue before generate")


def test_thousands_are_written_with_commas():
    long = spans(("request", None, 0.0, 4.0), ("generate", "request", 0.5, 3.5))
    fig = waterfalls({"one": long})
    fig.canvas.draw()
    texts = [label.get_text() for label in fig.axes[0].get_xticklabels()]
    assert "2,000" in texts and len(texts) <= 6


def test_the_number_of_a_bar_across_the_panel_is_read_on_its_colour():
    """Whether or not start plus duration is the end to the last bit: here it is not."""
    start, end = 0.172539968, 0.75979201
    long = spans(("request", None, 0.144272509, end), ("generate", "request", start, end))
    (number,) = [t for t in waterfalls({"one": long}).axes[0].texts if t.get_text() == "587"]
    assert number.get_color() == "white"


def test_an_open_span_is_refused():
    with pytest.raises(ValueError, match="still open: ask"):
        waterfalls({"x": [Span("t", "a", None, "ask", 0.0)]})
