"""The map of a run shows whose each page was, and the explorer goes through its steps."""

import re

import numpy as np
import pytest

from labutils.serving.memory import PageMoment
from labutils.viz.explorers.page_run import page_run_explorer
from labutils.viz.figures import pages
from labutils.viz.figures.page_run import PageRunMap, owner_tones, page_run_map, pages_by_state
from labutils.viz.style import new_figure, title_of

MOMENTS = [
    PageMoment(0, {4: (0, 1, 7)}, {4: 21}, (), 2, ()),
    PageMoment(1, {4: (0, 1, 7), 9: (0, 1, 3, 5)}, {4: 22, 9: 30}, (8,), 1, ()),
    PageMoment(2, {9: (0, 1, 3, 5), 2: (0, 6)}, {9: 31, 2: 12}, (8, 7), 0, (4,)),
]
PAGES = 11


def tones_of(drawn):
    cells = drawn._map._cells
    return [tuple(tone) for tone in cells.colors[..., :3].reshape(-1, 3)[:PAGES]], cells.hatched


def rgb(tone):
    return tuple(round(255 * part) for part in tone)


def test_cells_have_the_colour_of_their_owner_and_shared_ones_are_hatched():
    drawn = PageRunMap(MOMENTS, num_pages=PAGES, columns=4)
    drawn.update(step=1)
    tones, hatched = tones_of(drawn)
    first, second = map(rgb, owner_tones()[:2])
    idle, blank = rgb(pages.TONES[pages.IDLE]), rgb(pages.TONES[pages.FREE])
    assert tones == [first, first, blank, second, blank, second, blank, first, idle, blank, blank]
    assert np.flatnonzero(hatched).tolist() == [0, 1]
    drawn.update(step=2)
    tones, hatched = tones_of(drawn)
    assert tones[0] == second and tones[6] == rgb(owner_tones()[2]) and tones[7] == idle
    assert np.flatnonzero(hatched).tolist() == [0]


def test_the_one_followed_stands_out_while_it_runs():
    drawn = PageRunMap(MOMENTS, num_pages=PAGES, columns=4)
    finding = drawn.update(step=1, follow=9)
    marked = rgb(pages.TONES[pages.MARKED])
    tones, _ = tones_of(drawn)
    assert [at for at, tone in enumerate(tones) if tone == marked] == [0, 1, 3, 5]
    assert finding.endswith("request 9: pages 0 1 3 5.")
    assert "request" not in drawn.update(step=0, follow=9).partition(";")[2]


def test_the_finding_counts():
    drawn = PageRunMap(MOMENTS, num_pages=PAGES, columns=4)
    numbers = [int(n) for n in re.findall(r"\d+", drawn.update(step=2))]
    assert numbers == [2, 2, 5, 11, 2, 4, 1, 1, 1]
    assert "none is shared" in drawn.update(step=0)
    states = {name: counts.tolist() for name, counts in pages_by_state(MOMENTS).items()}
    assert states == {"held": [3, 3, 4], "shared": [0, 2, 1], "idle": [0, 1, 2]}


def test_the_still_figure_says_what_its_step_shows():
    fig = page_run_map(MOMENTS, num_pages=PAGES, step=1)
    assert title_of(fig).startswith("Step 1: 2 requests hold 5 of 11 pages, 1 are idle, 5 blank")


def test_the_explorer_goes_through_the_steps():
    explorer = page_run_explorer(MOMENTS, num_pages=PAGES, step=1)
    frames = [explorer._frames.png()]
    for values in ({"step": 2}, {"step": 2, "follow": 9}, {"step": 0, "follow": None}):
        assert explorer(**values).startswith(f"Step {values['step']}:")
        frames.append(explorer._frames.png())
    assert len(set(frames)) == len(frames)
    with pytest.raises(ValueError, match="expected two or more"):
        page_run_explorer(MOMENTS[:1], num_pages=PAGES)
    with pytest.raises(ValueError, match="moments is empty"):
        PageRunMap([], num_pages=PAGES)


def test_hatched_cells_have_diagonals_and_others_have_none():
    fig, ax = new_figure(width=4, height=2)
    page_map = pages.PageMap(ax, 6, 3, column_gaps=False)
    page_map.paint([0, 0, 0, 0, 0, 0], hatched=[4])
    fig.canvas.draw()
    pixels = np.asarray(fig.canvas.buffer_rgba())[::-1, :, :3]
    box = ax.get_window_extent()
    shares = []
    for row in range(2):
        for column in range(3):
            left, right = (round(box.x0 + box.width * (column + f) / 3) for f in (0.2, 0.8))
            low, high = (round(box.y1 - box.height * (row + f) / 2) for f in (0.8, 0.2))
            cell = pixels[low:high, left:right].reshape(-1, 3)
            shares.append(len(np.unique(cell, axis=0)))
    assert shares == [1, 1, 1, 1, 2, 1]
