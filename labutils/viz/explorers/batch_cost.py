"""The explorer of chapter 00: what a batch costs each member, and what it buys."""

from collections.abc import Mapping

import numpy as np

from labutils.ground.arguments import positive, whole
from labutils.ground.units import format_quantity
from labutils.measure import Timing
from labutils.viz.controls import steps
from labutils.viz.explorer import Explorer
from labutils.viz.labels import label_line
from labutils.viz.style import CARD, color, line, new_figure, set_title

LOOKS = {"batch": ("waiting", "^"), "vector": ("service", "s")}
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"))


def batch_cost_explorer(timings: Mapping[int, Timing], *, size: int = 1) -> Explorer:
    """Explore measured times of batches: the time of a batch, and its share for each vector.

    ``timings`` maps batch sizes to the time of a whole batch. The slider begins at ``size`` and
    moves through the sizes that were measured; between them nothing is known. Points are medians,
    the bars hold 80 % of the runs.

    Raises ``ValueError`` unless sizes are whole, 1 and another size are among them, ``size`` is
    too, and every median is above 0.
    """
    times = _checked(timings)
    if size not in times:
        raise ValueError(f"size = {size!r}: expected one of {', '.join(map(str, times))}")
    view = _View(times, size)
    return Explorer(view.fig, view.update, controls={"size": steps("batch size", times, size)})


def _checked(timings: Mapping[int, Timing]) -> dict[int, Timing]:
    times = {whole("batch size", size): timings[size] for size in sorted(timings)}
    for size, timing in times.items():
        positive(f"timings[{size}].median_s", timing.median_s)
    if 1 not in times or len(times) < 2:
        raise ValueError(f"timings for sizes {list(times)}: expected 1 and at least one more")
    return times


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, times: dict[int, Timing], size: int):
        self._times = times
        self._sizes = np.array(list(times))
        self._scale, unit = _unit(max(timing.median_s for timing in times.values()))
        self.fig, self._ax = new_figure(
            title=_title(size, times),
            x="batch size: vectors sent through at once",
            y=f"time ({unit})",
            height=4.6,
        )
        curves = [self._draw(name) for name in LOOKS]
        guess = self._draw_guess()
        self._set_axes()
        # Before the labels, which keep off lines: nothing crosses them where the slider begins.
        self._cut = self._ax.axvline(size, color=color("ink"), linewidth=1, zorder=1)
        for curve, text, share in (
            (guess, "if time grew with the work", 0.62),
            (curves[0], "until the batch is done (latency)", 0.64),
            (curves[1], "machine time per vector (cost)", 0.45),
        ):
            label_line(self._ax, curve, text, x=self._sizes[-1] ** share)
        self._marks = [self._mark(name) for name in LOOKS]

    def _draw(self, name: str):
        role, marker = LOOKS[name]
        middle, low, high = (
            [self._time(name, size, which) for size in self._times]
            for which in ("median_s", "low_s", "high_s")
        )
        self._ax.vlines(self._sizes, low, high, color=color(role), alpha=0.5, linewidth=3)
        look = line(role, linestyle="-", linewidth=1.6, marker=marker, markersize=5)
        return self._ax.plot(self._sizes, middle, **look)[0]

    def _draw_guess(self):
        proportional = self._sizes * self._time("batch", 1)
        return self._ax.plot(self._sizes, proportional, **line("reference"))[0]

    def _set_axes(self) -> None:
        ax = self._ax
        ax.set_xscale("log", base=2)
        ax.set_yscale("log")
        ax.set(xlim=(0.88, 1.14 * self._sizes[-1]), xticks=_powers_of_two(self._sizes[-1]))
        low, high = ax.get_ylim()
        ax.set_ylim(low / 1.5, high)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_formatter("{x:g}")

    def _mark(self, name: str) -> tuple:
        role, marker = LOOKS[name]
        (mark,) = self._ax.plot([], [], marker=marker, markersize=12, color=color(role))
        mark.set(markeredgecolor=CARD, markeredgewidth=1.5, zorder=4)  # above the labels
        return name, mark

    def _time(self, name: str, size: int, which: str = "median_s") -> float:
        """Time of a batch, or of each vector in it, in the unit of the axis."""
        share = size if name == "vector" else 1
        return getattr(self._times[size], which) / self._scale / share

    def update(self, *, size: int) -> str:
        """Mark one batch size; return what it costs and what it buys."""
        set_title(self.fig, _title(size, self._times))
        self._cut.set_xdata([size, size])
        for name, mark in self._marks:
            mark.set_data([size], [self._time(name, size)])
        return _finding(size, self._times)


def _finding(size: int, times: Mapping[int, Timing]) -> str:
    one_s, batch_s = times[1].median_s, times[size].median_s
    if size == 1:
        return f"One at a time: each vector takes {_short(one_s)}, {_short(1 / one_s, '1/s')}."
    waits, gains = batch_s / one_s, size * one_s / batch_s
    return (
        f"A batch of {size}: each of its vectors is done after {_short(batch_s)} "
        f"({waits:.2g} times the time of one alone); the machine finishes "
        f"{_short(size / batch_s, '1/s')} ({gains:.2g} times as many)."
    )


def _title(size: int, times: Mapping[int, Timing]) -> str:
    size = max(times) if size == 1 else size
    waits = times[size].median_s / times[1].median_s
    return (
        f"A batch of {size} takes {waits:.2g} times as long as one vector and finishes "
        f"{size / waits:.2g} times as many a second"
    )


def _unit(seconds: float) -> tuple[float, str]:
    return next((unit for unit in UNITS if seconds >= unit[0]), UNITS[-1])


def _powers_of_two(up_to: int) -> list[int]:
    return [2**k for k in range(int(up_to).bit_length()) if 2**k <= up_to]


def _short(value: float, unit: str = "s") -> str:
    return format_quantity(float(f"{value:.3g}"), unit)
