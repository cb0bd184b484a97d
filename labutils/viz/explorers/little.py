"""The explorer of chapter 02: one area, tinted by request or by second, in a window you drag."""

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.colors import to_rgb

from labutils import simulation as sim
from labutils.ground.arguments import whole
from labutils.simulation.window import WindowCount, count_window
from labutils.viz.controls import choice, span
from labutils.viz.explorer import Explorer
from labutils.viz.labels import readable
from labutils.viz.style import CARD, INK, color, dress, new_figure

SLOTS, MEAN_SERVICE_S, LOAD = 3, 4.0, 0.75
SHADES = (0.40, 0.62, 0.85)  # of neighbouring requests
STRIPES = (0.40, 0.80)  # of neighbouring seconds
KEY = 0.24  # of the upper panel, below the last bar: for the names of the colours
END = 1.13  # of the recording: room for the name of the mean, where no bar can stand
STAY, CARRIED_IN, CARRIED_OUT = color("service"), color("queue"), color("backlog")


MOST = 1_000
"""More bars than a screen has lines; the table of their cells grows with the square."""


def little_explorer(*, seed: int, num_requests: int = 30) -> Explorer:
    """Explore one area that is counted twice: by request, and by second.

    Above, one bar for each of ``num_requests`` requests, from its arrival to its departure;
    below, how many are inside. Every piece of a bar stands in the lower panel too, dropped onto
    those beneath it. ``explorer(window=(4, 12), tint="second")`` sets the window, in
    whole seconds, and the tint.
    """
    recording = _Recording(seed, whole("num_requests", num_requests, at_least=5, at_most=MOST))
    view = _View(recording)
    # Whole seconds: JupyterLab's sliders send a rounded fraction back as soon as they appear.
    controls = {
        "window": span("window (s)", 0, recording.end_s, _first_window(recording)),
        "tint": choice("tinted by", ["request", "second"], "request"),
    }
    return Explorer(view.fig, view.update, controls=controls)


def _first_window(recording: "_Recording") -> tuple[int, int]:
    """Edges around the middle where most are inside, so that both cut through requests."""
    steps = np.arange(recording.end_s)
    early, late = (
        steps[(steps > low * recording.end_s) & (steps < high * recording.end_s)]
        for low, high in ((0.2, 0.45), (0.55, 0.8))
    )
    return tuple(int(part[recording.curve.at(part).argmax()]) for part in (early, late))


class _Recording:
    """A short queue from empty to empty, and its area cut into cells.

    A cell is one request between two neighbouring moments of a grid that holds all arrivals,
    departures and whole seconds. ``level`` says how many requests lie below it in the stack.
    """

    def __init__(self, seed: int, num_requests: int):
        rng = np.random.default_rng(seed)
        rate = LOAD * SLOTS / MEAN_SERVICE_S
        arrivals = sim.poisson_arrivals(rate, num_requests, rng)
        services = sim.gamma_services(MEAN_SERVICE_S, num_requests, rng, scv_service=0.5)
        run = sim.fifo_queue(arrivals, services, num_servers=SLOTS)
        self.arrival_s, self.departure_s = run.arrival_s, run.departure_s
        self.curve = run.in_flight()
        self.end_s = int(np.ceil(self.departure_s.max()))
        self._cut()

    def _cut(self) -> None:
        whole_seconds = np.arange(self.end_s + 1)
        grid = np.unique(np.concatenate((self.curve.times_s, whole_seconds)))
        start, end = grid[:-1], grid[1:]
        inside = (self.arrival_s[:, None] <= start) & (end <= self.departure_s[:, None])
        level = np.cumsum(inside, axis=0) - 1
        self.request, column = np.nonzero(inside)
        self.start_s, self.stop_s = start[column], end[column]
        self.level = level[self.request, column]

    def count(self, from_s: float, to_s: float) -> WindowCount:
        """The window's request-seconds, counted by requests."""
        return count_window(self.arrival_s, self.departure_s, from_s, to_s)


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, recording: _Recording):
        self._cells, self.end_s = recording, recording.end_s
        self.fig, (self._bars, self._curve) = new_figure(
            title="One area, counted twice: by requests and by seconds",
            height=6.4,
            rows=2,
            sharex=True,
            height_ratios=(1.7, 1),
        )
        dress(self._bars, y="request")
        dress(self._curve, x="time (s)", y="requests inside, N(t)")
        rows, peak = recording.arrival_s.size, recording.curve.peak
        self._bars.set(xlim=(0, END * self.end_s), ylim=(0.2 + (rows + 0.6) / (1 - KEY), 0.2))
        self._bars.set_yticks([row for row in self._bars.get_yticks() if 1 <= row <= rows])
        self._curve.set(ylim=(0, peak + 0.8), yticks=range(peak + 1))
        # where a cell stands in each panel: its lower end, and its height
        self._floors = ((recording.request + 0.6, 0.8), (recording.level, 0.94))
        self._grey()
        self._tinted = [ax.add_collection(_patches()) for ax in (self._bars, self._curve)]
        self._edges = [
            ax.axvline(at, ymin, color=INK, lw=1.6)
            for ax, ymin in zip(self.fig.axes, (KEY, 0))
            for at in (0, 1)
        ]
        (self._mean,) = self._curve.plot([0, 1], [0, 0], color=INK, lw=2.2, dashes=(5, 2))
        self._mean_name = self._curve.annotate(
            "",
            (0, 0),
            color=INK,
            fontsize=11,
            fontweight="bold",
            va="center",
            arrowprops={"arrowstyle": "-", "color": INK, "lw": 0.8},
        )
        self._key = [
            self._bars.text(0.012, 0.02 + KEY * row / 3, "", transform=self._bars.transAxes,
                            fontsize=10.5, fontweight="bold")
            for row in (2, 1, 0)
        ]  # fmt: skip

    def _grey(self) -> None:
        """The whole recording, pale: what the window does not count."""
        cells, pale = self._cells, _mixed(color("reference"), 0.20)
        for ax, (low, height) in zip(self.fig.axes, self._floors):
            patches = _patches()
            patches.set_verts(_boxes(cells.start_s, cells.stop_s, low, height))
            patches.set_facecolor(pale)
            ax.add_collection(patches)
        times, counts = np.append(0, cells.curve.times_s), np.append(0, cells.curve.counts)
        self._curve.step(times, counts, where="post", color=INK, lw=1.2)

    def update(self, *, window, tint) -> str:
        """Tint the window and account for it; return the account."""
        from_s, to_s = window
        for edge, at in zip(self._edges, (from_s, to_s) * 2):
            edge.set_xdata([at, at])
        tints = self._by_request if tint == "request" else self._by_second
        pieces = tints(from_s, to_s)
        cells, start, stop, colors = (np.concatenate(column) for column in zip(*pieces))
        for patches, (low, height) in zip(self._tinted, self._floors):
            patches.set_verts(_boxes(start, stop, low[cells], height))
            patches.set_facecolor(colors)
        self._name(tint)
        if not from_s < to_s:
            return self._photograph(from_s)
        return self._account(from_s, to_s, in_colors=tint == "request")

    def _by_request(self, from_s, to_s) -> list:
        """What those who came in the window stay inside it, and the pieces beyond its edges."""
        cells = self._cells
        arrival = cells.arrival_s[cells.request]
        came = (arrival >= from_s) & (arrival < to_s)
        shades = np.array([_mixed(STAY, share) for share in SHADES])[cells.request % len(SHADES)]
        return [
            self._clipped(came, from_s, to_s, shades),
            self._clipped(arrival < from_s, from_s, to_s, _mixed(CARRIED_IN, 0.95)),
            self._clipped(came, to_s, np.inf, _mixed(CARRIED_OUT, 0.75)),
        ]

    def _by_second(self, from_s, to_s) -> list:
        """Everything between the two edges, one stripe for each second."""
        second = self._cells.start_s.astype(int)
        stripes = np.array([_mixed(STAY, share) for share in STRIPES])[second % len(STRIPES)]
        return [self._clipped(np.full(second.shape, True), from_s, to_s, stripes)]

    def _clipped(self, chosen, from_s, to_s, colors) -> tuple:
        """The parts of the chosen cells between two times, and a colour for each."""
        start = np.maximum(self._cells.start_s, from_s)
        stop = np.minimum(self._cells.stop_s, to_s)
        cells = np.flatnonzero(chosen & (start < stop))
        colors = np.broadcast_to(colors, (chosen.size, 3))
        return cells, start[cells], stop[cells], colors[cells]

    def _name(self, tint: str) -> None:
        names = (
            (("green: came in the window", STAY),
             ("gold: carried in. Green + gold = L·T", CARRIED_IN),
             ("purple: carried out. Green + purple = λ·W·T", CARRIED_OUT))
            if tint == "request"
            else (("each second: those inside", STAY), ("", INK), ("", INK))
        )  # fmt: skip
        for text, (name, shade) in zip(self._key, names):
            text.set(text=name, color=readable(shade))

    def _photograph(self, at_s: float) -> str:
        self._mean.set_data([], [])
        self._mean_name.set_visible(False)
        inside = self._cells.curve.at(at_s)
        return (
            f"At {at_s:g} s the number inside is {inside}: a photograph. An instant has no "
            "duration, so no area and no rate. Pull the window open."
        )

    def _account(self, from_s, to_s, *, in_colors: bool) -> str:
        count = self._cells.count(from_s, to_s)
        mean = self._cells.curve.mean(from_s, to_s)  # by the clock: the other way to count
        self._mean.set_data([from_s, to_s], [mean, mean])
        self._mean_name.xy = (to_s, mean)
        self._mean_name.set(
            text=f"L = {mean:.2f}", position=(1.01 * self.end_s, mean), visible=True
        )
        return _finding(count, mean, in_colors=in_colors)


def _finding(count: WindowCount, mean: float, *, in_colors: bool) -> str:
    """Both accounts of the window, and what the edges have to do with it."""
    seconds = count.to_s - count.from_s
    by_requests = "λ·W·T = 0.00 (nobody came)"
    if count.num_arrivals:
        by_requests = (
            f"λ·W·T = {count.arrival_rate:.3g}/s × {count.mean_stay_s:.2f} s × {seconds:g} s "
            f"= {count.stays_s:.2f} ({count.num_arrivals} came)"
        )
    return (
        f"By seconds{' (green + gold)' * in_colors}, "
        f"L·T = {mean:.2f} × {seconds:g} s = {mean * seconds:.2f}; "
        f"by requests{' (green + purple)' * in_colors}, "
        f"{by_requests}, + {count.carried_in_s:.2f} carried in "
        f"- {count.carried_out_s:.2f} carried out = {count.area_s:.2f} request-seconds. "
        f"Without the edges, λ·W = {count.stays_s / seconds:.2f}."
    )


def _patches() -> PolyCollection:
    # Without smoothing no seam shows where two cells of one request meet.
    return PolyCollection([], linewidths=0, antialiaseds=False, zorder=2)


def _mixed(shade: str, share: float) -> tuple:
    """So much of a colour on the card, and opaque: the grid must not shine through."""
    return tuple(share * np.array(to_rgb(shade)) + (1 - share) * np.array(to_rgb(CARD)))


def _boxes(start, stop, low, height: float) -> np.ndarray:
    """Corners of boxes of one height, shape (n, 4, 2)."""
    high = low + height
    corners = ((start, low), (stop, low), (stop, high), (start, high))
    return np.stack([np.stack(corner, axis=-1) for corner in corners], axis=1)
