"""The explorer of Little's law: both panels hold one area, and the account closes."""

import re

import numpy as np
import pytest
from matplotlib.text import Text

from labutils.simulation import in_flight_curve
from labutils.viz.explorers.little import little_explorer


@pytest.fixture(scope="module", params=[7, 20_261])
def explorer(request):
    return little_explorer(seed=request.param)


def panels(explorer):
    return explorer._frames.fig.axes


def boxes(ax, of=1):
    """Corners of the tinted cells of a panel; 0 is the grey recording beneath."""
    return np.array([path.vertices[:4] for path in ax.collections[of].get_paths()])


def tinted_seconds(ax, of=1):
    """Total length of the tinted cells, and their colours."""
    cells = boxes(ax, of)
    return (cells[:, 1, 0] - cells[:, 0, 0]) if len(cells) else np.zeros(0)


def numbers(finding):
    """L, T, λ·W·T, carried in, carried out, and the two totals."""
    pattern = (
        r"L·T = (.+) × (.+) s = (.+); by requests.*?, λ·W·T = (?:.* = )?(\S+) "
        r"\(.*\), \+ (.+) carried in - (.+) "
        r"carried out = (.+) request-seconds"
    )
    return [float(text) for text in re.search(pattern, finding).groups()]


def recorded(explorer):
    """Arrivals and departures, read off the grey bars of the upper panel."""
    cells = boxes(panels(explorer)[0], of=0)
    rows = cells[:, 0, 1].round(3)
    spans = [cells[rows == row] for row in np.unique(rows)]
    return [s[:, 0, 0].min() for s in spans], [s[:, 1, 0].max() for s in spans]


@pytest.mark.parametrize("window", [(3, 19), (0, 8), (25, 26), (20, 43)])
def test_the_account_closes_and_agrees_with_the_bars(explorer, window):
    mean, seconds, by_clock, whole, carried_in, carried_out, by_requests = numbers(
        explorer(window=window)
    )
    curve = in_flight_curve(*recorded(explorer))
    assert by_clock == by_requests == pytest.approx(curve.integral(*window), abs=0.006)
    assert mean == pytest.approx(by_clock / seconds, abs=0.006 + 0.006 / seconds)
    assert seconds == window[1] - window[0]
    assert whole + carried_in - carried_out == pytest.approx(by_requests, abs=0.02)


def test_both_tints_cover_one_and_the_same_area_in_both_panels(explorer):
    window = (9, 30)
    _, _, area, whole, carried_in, *_ = numbers(explorer(window=window, tint="second"))
    for ax in panels(explorer):
        assert tinted_seconds(ax).sum() == pytest.approx(area, abs=0.006)
    explorer(window=window, tint="request")  # the carried-out parts stand beyond the edge
    for ax in panels(explorer):
        assert tinted_seconds(ax).sum() == pytest.approx(whole + carried_in, abs=0.012)
        assert boxes(ax)[:, :, 0].min() >= window[0]


def test_requests_and_edges_have_colours_of_their_own(explorer):
    explorer(window=(9, 30), tint="request")
    upper, lower = panels(explorer)
    colors = [tuple(c) for c in upper.collections[1].get_facecolor()]
    *_, carried_in, carried_out, _ = numbers(explorer.finding)
    lengths = tinted_seconds(upper)
    beyond = boxes(upper)[:, 0, 0] >= 30
    (purple,) = {c for c, out in zip(colors, beyond) if out}
    assert lengths[beyond].sum() == pytest.approx(carried_out, abs=0.006)
    edges = {c: lengths[[d == c for d in colors]].sum() for c in set(colors) - {purple}}
    assert any(total == pytest.approx(carried_in, abs=0.006) for total in edges.values())
    assert len(set(colors)) == 5  # three shades of stays, carried in, carried out
    assert colors == [tuple(c) for c in lower.collections[1].get_facecolor()]


def test_colours_and_factors_are_named_where_they_are_shown(explorer):
    by_request = explorer(window=(9, 30), tint="request")
    _, _, _, whole, *_ = numbers(by_request)
    rate, stay = map(float, re.search(r"λ·W·T = (.+)/s × (.+) s × 21 s =", by_request).groups())
    arrivals, departures = map(np.array, recorded(explorer))
    came = (arrivals >= 9) & (arrivals < 30)
    assert rate == pytest.approx(came.sum() / 21, rel=0.005)
    assert stay == pytest.approx((departures - arrivals)[came].mean(), abs=0.006)
    assert "(green + gold), L·T" in by_request and "(green + purple), λ·W·T" in by_request
    assert rate * stay * 21 == pytest.approx(whole, rel=0.01)
    assert "green" not in explorer(window=(9, 30), tint="second")


def test_stripes_alternate_from_second_to_second(explorer):
    explorer(window=(8, 16), tint="second")
    upper = panels(explorer)[0]
    second = np.floor(boxes(upper)[:, 0, 0] + 1e-9)
    colors = upper.collections[1].get_facecolor()[:, 0]
    assert len(set(colors[second % 2 == 0])) == len(set(colors[second % 2 == 1])) == 1
    assert set(colors[second % 2 == 0]) != set(colors[second % 2 == 1])


def test_the_lower_panel_is_a_stack_without_holes(explorer):
    start, low = boxes(panels(explorer)[1], of=0)[:, 0].T
    for moment in np.unique(start):
        levels = np.sort(low[start == moment])
        assert levels == pytest.approx(np.arange(levels.size))


def test_the_whole_recording_has_no_edges(explorer):
    slider = explorer.controls["window"]
    _, _, _, whole, carried_in, carried_out, area = numbers(
        explorer(window=(slider.min, slider.max))
    )
    assert carried_in == carried_out == 0 and whole == area


def test_the_recording_ends_with_a_window_in_which_nobody_comes(explorer):
    arrivals, departures = recorded(explorer)
    end = max(departures)
    start = int(np.ceil(max(arrivals)))
    assert start < end
    finding = explorer(window=(start, explorer.controls["window"].max))
    assert "nobody came" in finding and "Without the edges, λ·W = 0.00" in finding
    assert numbers(finding)[0] > 0


@pytest.mark.parametrize("tint", ["request", "second"])
@pytest.mark.parametrize("at", [0, 14])
def test_an_instant_is_explained(explorer, at, tint):
    finding = explorer(window=(at, at), tint=tint)
    inside = in_flight_curve(*recorded(explorer)).at(at)
    assert finding.startswith(f"At {at:g} s the number inside is {inside}: a photograph.")
    upper, _ = panels(explorer)
    assert tinted_seconds(upper).sum() == pytest.approx(
        sum(d - at for a, d in zip(*recorded(explorer)) if a == at)
    )


@pytest.mark.parametrize("seed", [1, 2, 3, 7, 20_261])
def test_the_first_window_cuts_requests_at_both_ends(seed):
    *_, carried_in, carried_out, _ = numbers(little_explorer(seed=seed).finding)
    assert carried_in > 0 and carried_out > 0


@pytest.mark.parametrize("window", [(3, 19), (0, 8), (0, 40)])
def test_no_name_covers_a_bar_or_an_edge_of_the_window(explorer, window):
    explorer(window=window)
    upper, lower = panels(explorer)
    upper.figure.canvas.draw()
    last_bar = min(upper.transData.transform(corners)[:, 1].min() for corners in boxes(upper, of=0))
    ends = [edge.get_window_extent().y0 for edge in upper.lines]
    assert max(key.get_window_extent().y1 for key in upper.texts) < min(last_bar, *ends)
    (mean,) = lower.texts
    last_departure = lower.transData.transform((boxes(lower, of=0)[:, :, 0].max(), 0))[0]
    assert Text.get_window_extent(mean).x0 > last_departure  # without its leader


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="num_requests = 2"):
        little_explorer(seed=1, num_requests=2)
    with pytest.raises(ValueError, match="num_requests = 50000: expected at most 1,000"):
        little_explorer(seed=1, num_requests=50_000)
    with pytest.raises(ValueError, match="window"):
        explorer(window=(8, 3))
