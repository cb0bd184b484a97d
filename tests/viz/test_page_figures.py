"""Block maps show what lies in memory, and the race explorer what was recorded."""

import re

import numpy as np
import pytest

from labutils.engine import PagePool
from labutils.serving.memory import ContiguousReservation
from labutils.serving.memory.race import Moment, race
from labutils.viz.explorers.page_race import page_race_explorer
from labutils.viz.figures import pages
from labutils.viz.style import new_figure, title_of

CELLS, PAGE = 100, 8


@pytest.fixture(scope="module")
def runs():
    rng = np.random.default_rng(4)
    arrivals = np.sort(rng.integers(0, 150, 60)).tolist()
    prompts, outputs = rng.integers(20, 60, 60).tolist(), rng.integers(10, 60, 60).tolist()
    stream = arrivals, prompts, outputs
    recorded = {"steps": 151, "record_every": 10, "cell_tokens": PAGE}
    return {
        "reserved": race(*stream, ContiguousReservation(CELLS * PAGE), limits=200, **recorded),
        "paged": race(*stream, PagePool(CELLS, PAGE), **recorded),
    }


def painted(page_map):
    rows = page_map._cells.colors[..., :3]
    return [tuple(cell) for cell in rows.reshape(-1, 3)]


def test_codes_tell_filled_from_given_and_marked():
    moment = Moment(0, {5: 17, 2: 8}, {5: (9, 1, 4, 6), 2: (0, 3)}, 2, 0, None)
    codes = pages.codes_of(moment, 10, 8, mark=2)
    E, F, M = pages.EMPTY, pages.FREE, pages.MARKED
    assert codes.tolist() == [M, 5, F, E, 5, F, E, F, F, 5]


def test_a_map_paints_every_cell_and_nothing_beyond():
    _, ax = new_figure()
    page_map = pages.PageMap(ax, 10, 4)
    codes = [0, 1, 2, 3, pages.FREE, pages.EMPTY, pages.MARKED, 4, 5, 6]
    page_map.paint(codes)
    cells = painted(page_map)
    assert len(cells) == 12 and cells[10] == cells[11]
    assert len(set(cells[:3])) == 3 and cells[0] == cells[3] == cells[9]
    assert len({cells[4], cells[5], cells[6], cells[10], *cells[:3]}) == 7


@pytest.mark.parametrize("column_gaps", [True, False])
def test_every_cell_is_drawn_where_it_stands(column_gaps):
    fig, ax = new_figure(width=3, height=2)
    page_map = pages.PageMap(ax, 15, 5, column_gaps=column_gaps)
    codes = np.array([0, 1, 2, pages.FREE, pages.EMPTY, *range(3, 13)])
    page_map.paint(codes)
    fig.canvas.draw()
    pixels = np.asarray(fig.canvas.buffer_rgba())[::-1, :, :3]  # the first row is the lowest
    box = ax.get_window_extent()
    across = np.round(box.x0 + (np.arange(5) + 0.5) * box.width / 5).astype(int)
    up = np.round(box.y1 - (np.arange(3) + 0.5) * box.height / 3).astype(int)
    seen = [tuple(pixels[y, x]) for y in up for x in across]
    assert seen == painted(page_map)
    row = pixels[up[1], across[0] : across[1]].astype(int)
    card = np.array([int(pages.CARD[k : k + 2], 16) for k in (1, 3, 5)])
    assert (row == card).all(axis=1).any() == column_gaps


def test_the_two_maps_show_the_recorded_steps(runs):
    maps = pages.TwoMaps(runs, num_cells=CELLS, cell_tokens=PAGE, columns=11)
    for step in (0, 70, 150):
        finding = maps.update(step=step)
        for name, run, head in zip(runs, runs.values(), maps._heads):
            held = run.held_tokens[step]
            empty = f"{100 * (1 - held / (CELLS * PAGE)):.0f} %"
            assert f"{name}: {run.admitted[step]} admitted" in finding and empty in finding
            numbers = [text.get_text() for text in head]
            assert numbers == [str(run.admitted[step]), str(run.waiting[step]), empty]
        for curve, run in zip(maps._lines, runs.values()):
            assert list(curve.get_ydata()) == run.admitted[: step + 1]


def test_the_still_figure_states_the_outcome(runs):
    fig = pages.two_page_maps(runs, num_cells=CELLS, cell_tokens=PAGE, step=150)
    refused, admitted, let_in = map(
        int, re.search(r"(\d+) % empty, at (\d+) admitted; .* in (\d+)$", title_of(fig)).groups()
    )
    left, right = runs.values()
    assert (admitted, let_in) == (left.admitted[150], right.admitted[150])
    assert let_in > 1.3 * admitted
    assert refused == round(100 * (1 - left.held_tokens[150] / (CELLS * PAGE)))


def test_the_explorer_moves_through_the_recorded_steps(runs):
    explorer = page_race_explorer(runs, num_cells=CELLS, cell_tokens=PAGE, step=50)
    assert explorer.finding.startswith("Step 50.")
    assert explorer(step=120).startswith("Step 120.")
    slider = explorer.controls["step"]
    assert (slider.min, slider.max, slider.step) == (0, 150, 10)
    before = painted_frame(explorer)
    explorer(step=10)
    assert painted_frame(explorer) != before


def painted_frame(explorer):
    return explorer._frames.png()


def test_runs_that_do_not_match_are_refused(runs):
    short = {"reserved": runs["reserved"], "paged": race([0], [9], [3], PagePool(9), steps=9)}
    for wrong in (short, {"reserved": runs["reserved"]}):
        with pytest.raises(ValueError, match="expected two runs with the same steps"):
            page_race_explorer(wrong, num_cells=CELLS, cell_tokens=PAGE)
