"""Maps of KV memory: which cell holds tokens, which is given away and empty, which is free."""

import numpy as np
from matplotlib.artist import Artist
from matplotlib.colors import to_rgb

from labutils.serving.memory.race import Moment, RaceRun
from labutils.viz.labels import key, readable
from labutils.viz.style import CARD, INK, color, dress, line, new_figure, points, set_title

FREE, EMPTY, MARKED = -1, -2, -3  # cells that hold no tokens have a code, the others a request
IDLE = -4  # nobody holds it, and what it holds can still be found
SHADES = (0.95, 0.72, 0.50)  # of neighbouring requests
HATCH_PX = 15  # from one diagonal of a hatched cell to the next


def mixed(shade: str, share: float) -> tuple:
    """So much of a colour on the card, and opaque."""
    return tuple(share * np.array(to_rgb(shade)) + (1 - share) * np.array(to_rgb(CARD)))


def _pixel(rgb) -> np.ndarray:
    return np.array([*(round(255 * part) for part in rgb), 255], dtype=np.uint8)


class _Cells(Artist):
    """An image that fills its axes, a colour for each cell, with gaps between them.

    Several times faster than ``imshow``, which resamples what only needs to be repeated.
    """

    def __init__(self, rows: int, columns: int, *, column_gaps: bool):
        super().__init__()
        self.colors = np.zeros((rows, columns, 4), np.uint8)
        self.hatched = np.zeros((rows, columns), bool)
        self._column_gaps = column_gaps

    def draw(self, renderer) -> None:
        """Repeat every cell as often as the axes have pixels for it."""
        box = self.axes.get_window_extent(renderer)
        rows, columns = (
            np.arange(round(pixels)) * cells // round(pixels)
            for pixels, cells in zip((box.height, box.width), self.colors.shape)
        )
        gap = _pixel(to_rgb(CARD)).view(np.uint32)
        wide = self.colors.view(np.uint32)[..., 0][:, columns]  # first the short way, it is faster
        if self._column_gaps:
            wide[:, np.flatnonzero(np.diff(columns))] = gap
        pixels = wide[rows[::-1]]
        self._hatch(pixels, rows[::-1], columns, gap)
        pixels[np.flatnonzero(np.diff(rows[::-1]))] = gap
        gc = renderer.new_gc()
        image = pixels.view(np.uint8).reshape(*pixels.shape, 4)
        renderer.draw_image(gc, round(box.x0), round(box.y0), image)
        gc.restore()

    def _hatch(self, pixels: np.ndarray, rows: np.ndarray, columns: np.ndarray, gap) -> None:
        """Draw diagonal lines over the cells that are hatched."""
        for row, column in zip(*np.nonzero(self.hatched)):
            down, across = (
                slice(*np.flatnonzero(places == at)[[0, -1]] + (0, 1))
                for places, at in ((rows, row), (columns, column))
            )
            cell = pixels[down, across]
            y, x = np.ogrid[: cell.shape[0], : cell.shape[1]]
            cell[(x + y) % HATCH_PX < HATCH_PX // 3] = gap


class PageMap:
    """Cells of a memory in rows, painted again and again on one set of axes.

    ``num_cells`` cells, ``columns`` in a row; the last row may be short. ``paint`` takes one code
    for each: the number of the request whose tokens it holds, or FREE, EMPTY, MARKED, IDLE.
    ``column_gaps`` sets the cells of a row apart; ``lines_above`` is the room for words. ``tones``
    are the colours of the requests, one after the other (default: shades of one).
    """

    def __init__(
        self, ax, num_cells: int, columns: int, *, column_gaps=True, lines_above=1, tones=None
    ):
        self._num, self._rows, self._columns = num_cells, -(-num_cells // columns), columns
        dress(ax, x=" ", title=" " + "\n" * (lines_above - 1))  # room for the words around it
        ax.grid(False)
        ax.set(xticks=[], yticks=[])
        ax.spines[:].set_visible(False)
        self._cells = _Cells(self._rows, columns, column_gaps=column_gaps)
        ax.add_artist(self._cells)
        tones = tones or [mixed(color("kv"), share) for share in SHADES]
        self._tones = np.array([_pixel(tone) for tone in tones])

    def paint(self, codes, hatched=()) -> None:
        """Colour every cell by its code; shape (num_cells,). Cells ``hatched`` get diagonals."""
        codes = np.asarray(codes)
        self._cells.hatched[:] = False
        self._cells.hatched.flat[list(hatched)] = True
        colors = np.empty((self._rows * self._columns, 4), np.uint8)
        colors[:] = _pixel(to_rgb(CARD))
        cells = colors[: self._num]
        cells[:] = self._tones[codes % len(self._tones)]
        for code, tone in TONES.items():
            cells[codes == code] = _pixel(tone)
        self._cells.colors = colors.reshape(self._rows, self._columns, 4)


TONES = {
    FREE: mixed(color("reference"), 0.16),
    EMPTY: mixed(color("waiting"), 0.38),
    MARKED: to_rgb(INK),
    IDLE: mixed(color("reference"), 0.5),
}
KV = mixed(color("kv"), SHADES[0])
_UNDER = {"y": -0.015, "up": 0, "va": "top", "size": 9.5}  # the map: its key


def codes_of(moment: Moment, num_cells: int, cell_tokens: int, *, mark: int | None = None):
    """One code for each cell of a memory at a moment; ``mark`` is a request to stand out."""
    codes = np.full(num_cells, FREE)
    for request, cells in moment.given.items():
        filled = -(-moment.tokens[request] // cell_tokens)
        codes[list(cells[:filled])] = MARKED if request == mark else request
        codes[list(cells[filled:])] = EMPTY
    return codes


class TwoMaps:
    """Two memories of one size side by side, and a counter of the admitted beneath.

    ``runs`` maps two names to runs of one stream of arrivals, recorded at the same steps.
    """

    def __init__(self, runs: dict[str, RaceRun], *, num_cells: int, cell_tokens: int, columns=64):
        self._runs, self._num, self._cell = runs, num_cells, cell_tokens
        self.steps = [moment.step for moment in next(iter(runs.values())).moments]
        self.fig, axes = new_figure(
            rows=2, cols=2, height=6.6, height_ratios=(3.1, 1), title="One memory, one stream"
        )
        self._maps = [PageMap(ax, num_cells, columns, lines_above=2) for ax in axes[0]]
        self._heads = [self._write_head(ax, name) for ax, name in zip(axes[0], runs)]
        self._key(*axes[0])
        grid = axes[1, 0].get_gridspec()
        for ax in axes[1]:
            ax.remove()
        self._draw_counter(self.fig.add_subplot(grid[1, :]))

    def _write_head(self, ax, name: str) -> list:
        """The name of a memory above its map, and beneath it three numbers that change.

        Their words belong to the figure, which an explorer draws once: letters are slow to draw.
        """
        look = {"transform": ax.transAxes, "color": INK, "va": "bottom", "fontsize": 10.5}
        ax.figure.text(0, 1.075, name, fontweight="bold", **look)
        numbers = []
        for x, word in ((0.2, "admitted"), (0.55, "waiting"), (0.86, "empty")):
            ax.figure.text(x, 1.015, word, ha="right", **look)
            numbers.append(ax.text(x + 0.02, 1.015, "-", fontweight="bold", **look))
        return numbers

    def _key(self, left, right) -> None:
        empty, free = TONES[EMPTY], TONES[FREE]
        words = ((0.0, KV, "holds tokens"), (0.38, empty, "reserved, empty"), (0.84, free, "free"))
        key(left, words, **_UNDER)
        words = ((0.0, KV, "holds tokens"), (0.38, TONES[MARKED], "newest request"))
        key(right, (*words, (0.84, free, "free")), **_UNDER)

    def _draw_counter(self, ax) -> None:
        dress(ax, x="step", y="admitted")
        self._most = max(run.admitted[self.steps[-1]] for run in self._runs.values())
        ax.set(xlim=(0, 1.01 * self.steps[-1]), ylim=(-0.1 * self._most, 1.3 * self._most))
        self._lines, self._dots, self._ends = [], [], []
        for name, role in zip(self._runs, ("waiting", "kv")):
            self._lines.append(ax.plot([], [], **line(role, linestyle="-"))[0])
            self._dots.append(ax.plot([], [], **points(role, marker="o"))[0])
            look = {"color": readable(color(role)), "fontweight": "bold", "fontsize": 10.5}
            self._ends.append(ax.text(0, 0, name, ha="right", **look))

    def update(self, *, step: int) -> str:
        """Show the recorded step nearest to ``step``; return the finding."""
        at = int(np.abs(np.array(self.steps) - step).argmin())
        moments = [run.moments[at] for run in self._runs.values()]
        for place, head, moment in zip(self._maps, self._heads, moments):
            place.paint(codes_of(moment, self._num, self._cell, mark=moment.newest))
            for text, number in zip(head, self._numbers(moment)):
                text.set_text(number)
        self._count(self.steps[at])
        return self._finding(moments)

    def _count(self, step: int) -> None:
        """Draw who was admitted up to ``step``; the upper count is named above its line."""
        counts = [run.admitted[step] for run in self._runs.values()]
        for k, run in enumerate(self._runs.values()):
            self._lines[k].set_data(range(step + 1), run.admitted[: step + 1])
            self._dots[k].set_data([step], [counts[k]])
            upper = counts[k] == max(counts) and counts[0] != counts[1]
            self._ends[k].set(
                text=f"{list(self._runs)[k]} {counts[k]} " if step > 0.15 * self.steps[-1] else "",
                position=(step, counts[k] + (0.06 if upper else -0.06) * self._most),
                va="bottom" if upper else "top",
            )

    def empty_share(self, moment: Moment) -> float:
        """Share of the memory without a token."""
        return 1 - sum(moment.tokens.values()) / (self._num * self._cell)

    def _numbers(self, moment: Moment) -> tuple[str, str, str]:
        empty = 100 * self.empty_share(moment)
        return str(moment.admitted), str(moment.waiting), f"{empty:.0f} %"

    def _finding(self, moments: list[Moment]) -> str:
        parts = []
        for name, moment in zip(self._runs, moments):
            refuses = f", refuses request {moment.turned_away}" if moment.waiting else ""
            parts.append(
                f"{name}: {moment.admitted} admitted{refuses}, "
                f"{100 * self.empty_share(moment):.0f} % holds no token"
            )
        return f"Step {moments[0].step}. {'; '.join(parts)}."


def two_page_maps(runs: dict[str, RaceRun], *, num_cells: int, cell_tokens: int, step: int):
    """One moment of a race between two memories, as a figure that stands still."""
    maps = TwoMaps(runs, num_cells=num_cells, cell_tokens=cell_tokens)
    maps.update(step=step)
    (left, right), at = runs.values(), maps.steps.index(step)
    empty = maps.empty_share(left.moments[at])
    set_title(
        maps.fig,
        f"One stream, one memory: the reservation refuses, {100 * empty:.0f} % empty, at "
        f"{left.moments[at].admitted} admitted; paging has let in {right.moments[at].admitted}",
    )
    return maps.fig
