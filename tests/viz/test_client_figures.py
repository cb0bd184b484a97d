"""What lab 8 draws of a server's clients is what they saw."""

import pytest

from labutils.metrics import RequestRecord
from labutils.viz.figures import clients as figures
from labutils.viz.style import title_of


def record(came_s, tokens_s=(), status="ok", **tags):
    return RequestRecord(
        f"{came_s}", came_s, came_s, token_times_s=tokens_s, status=status, tags=tags,
        finish_s=tokens_s[-1] if tokens_s else came_s + 0.01,
    )  # fmt: skip


def drawn(line):
    return [*map(float, line.get_xdata())], [*map(float, line.get_ydata())]


def words(ax):
    return [text.get_text() for text in ax.texts]


def test_streams_show_tokens_pings_and_their_ends():
    streams = {
        "a": [(0.0, "sent"), (0.25, "token"), (0.5, "token"), (0.75, "whole")],
        "b": [(0.125, "sent"), (0.375, "ping"), (0.625, "token"), (1.0, "broken")],
        "c": [(0.5, "sent"), (0.875, "refused")],
    }
    figure = figures.heard_figure(streams, title="ends", moments={"now": 0.7})
    (ax,) = figure.axes
    ticks = [[float(one[0][0]) for one in row.get_segments()] for row in ax.collections]
    assert ticks == [[0.25, 0.5], [0.625], []]
    assert ([0.375], [1.0]) in map(drawn, ax.lines) and ([0.875], [2.0]) in map(drawn, ax.lines)
    assert words(ax) == ["whole", "told that it is over", "503 at once", "now", "| token", "▲ ping"]
    assert figures.ends_of(streams) == {"whole": 1, "broken": 1, "refused": 1}
    assert "b: 1 events and 1 pings, told that it is over at 1.00 s" in figures.heard_in_words(
        streams
    )


def test_pieces_are_summed_and_those_that_come_together_are_one():
    ways = {"direct": [(0.01, 100), (0.02, 300)], "behind": [(0.05, 250), (0.0502, 150)]}
    figure = figures.pieces_figure(ways)
    assert title_of(figure) == (
        "Direct up to 0.3 kB at once, the first after 10 ms; "
        "behind up to 0.4 kB at once, the first after 50 ms"
    )
    direct, behind = map(drawn, figure.axes[0].lines)
    assert direct == (pytest.approx([0, 10, 20]), pytest.approx([0, 0.1, 0.4]))
    assert behind == (pytest.approx([0, 50, 50.2]), pytest.approx([0, 0.25, 0.4]))
    assert "0.4 kB, at most 0.3 at once, from 10 to 20 ms" in figures.pieces_in_words(ways)


def test_what_the_slow_reader_has_not_read_stands_in_the_title():
    before = record(0.0, (9.0, 9.5))  # of an earlier burst
    quick, slow = record(1.0, (1.01, 1.02, 1.03)), record(1.0, (1.01, 1.04, 1.09), slow_reader=True)
    alike = [record(1.0, (1.01, 1.025, 1.04))]
    figure = figures.readers_figure(alike, [slow, quick])
    assert title_of(figure).startswith("The others take 10.0 ms a token beside a slow reader, 15.0")
    assert title_of(figure).endswith("2 of its 3 are unread")
    lines = [drawn(one) for one in figure.axes[0].lines]
    assert lines[0][0] == pytest.approx([10, 20, 30]) and lines[1][0] == pytest.approx([10, 40, 90])
    assert "end by 30 ms; the slow reader's ends at 90 ms, 2" in figures.readers_in_words(
        [before, slow, quick]
    )


def test_a_burst_shows_waits_and_who_is_turned_away():
    away = record(0.4, status="rejected")
    runs = {
        "bounded": [record(0.0, (0.5,)), away, record(0.8, (1.1,))],
        "unbounded": [record(0.0, (0.25,)), record(0.5, (2.75,))],
    }
    figure = figures.burst_figure(runs)
    assert title_of(figure) == (
        "Bounded: 33 % turned away, waits up to 0.5 s; "
        "unbounded: 0 % turned away, waits up to 2.2 s"
    )
    (ax,) = figure.axes
    assert drawn(ax.lines[0]) == ([0.0, 0.8], pytest.approx([0.5, 0.3]))
    assert drawn(ax.lines[1]) == ([0.0, 0.5], [0.25, 2.25])
    assert [float(one[0][0]) for row in ax.collections for one in row.get_segments()] == [0.4]
    assert "bounded: 2 of 3 answered, the wait grows from 0.50" in figures.burst_in_words(runs)


def test_a_stop_shows_who_waited_long_and_when_nobody_asked():
    runs = {
        "closed": [record(0.0, (0.25,)), record(2.0, (2.5,))],
        "open": [record(0.0, (0.125,)), record(1.0, (2.5,)), record(1.5, (2.25,))],
    }
    figure = figures.stop_figure(runs, long_s=0.7)
    assert title_of(figure) == "Waited for more than 0.70 s: 0 of 2 closed, 2 of 3 open"
    assert [drawn(ax.lines[0])[1] for ax in figure.axes] == [[0.25, 0.5], [0.125, 1.5, 0.75]]
    assert words(figure.axes[0]) == ["0.70 s", "nobody asks for 2.0 s"]
    assert "open: 3 asked, nobody from 0.0 to 1.0 s" in figures.stop_in_words(runs)
