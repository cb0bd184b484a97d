"""The explorer of lab 2: the time of one token at its position, for each way to keep."""

from collections.abc import Mapping

import numpy as np

from labutils.ground.arguments import positive, whole
from labutils.ground.units import format_quantity
from labutils.measure import Timing
from labutils.viz.controls import choice, slider
from labutils.viz.explorer import Explorer
from labutils.viz.labels import label_line, move_label
from labutils.viz.style import CARD, color, line, new_figure, role, set_title

ROLES = ("flops", "kv", "theory", "service")
ALL, CACHED = "all", "with a cache"
Timings = Mapping[str, Mapping[int, Timing]]


def token_time_explorer(timings: Timings, *, token: int | None = None) -> Explorer:
    """Explore measured times of single tokens: ``timings[version][position]``.

    The first version is the one without a cache. Points are medians, bars hold 80 % of the runs;
    between two positions the time is interpolated. The slider walks from token to token; the
    finding adds the tokens up to an answer. Raises ``ValueError`` unless there are two to four
    versions with the same positions, two of them at least.
    """
    view = _View(_checked(timings))
    low, high = int(view.positions[0]), int(view.positions[-1])
    controls = {
        "token": slider("token number", low, high, high if token is None else token),
        "shown": choice("versions", [ALL, CACHED]),
    }
    return Explorer(view.fig, view.update, controls=controls)


def _checked(timings: Timings) -> dict[str, dict[int, Timing]]:
    if not 2 <= len(timings) <= len(ROLES):
        raise ValueError(f"timings = {list(timings)}: expected two to {len(ROLES)} versions")
    sorted_ = {
        name: {whole("position", at): runs[at] for at in sorted(runs)}
        for name, runs in timings.items()
    }
    positions = [list(runs) for runs in sorted_.values()]
    if len(positions[0]) < 2 or any(other != positions[0] for other in positions):
        raise ValueError(f"positions = {positions}: expected the same two or more for each")
    for name, runs in sorted_.items():
        for at, timing in runs.items():
            positive(f"timings[{name!r}][{at}].median_s", timing.median_s)
    return sorted_


class _View:
    """The artists of the figure, and what moves them."""

    def __init__(self, timings: dict[str, dict[int, Timing]]):
        self._timings, self._names = timings, list(timings)
        self.positions = np.array(list(timings[self._names[0]]))
        self._ms = {
            name: 1000 * np.array([timing.median_s for timing in runs.values()])
            for name, runs in timings.items()
        }
        self.fig, self._ax = new_figure(
            title=_title(self._ms, self.positions, ALL),
            x="position of the token in its sequence",
            y="time of this one token (ms)",
            height=4.4,
        )
        self._ax.set_xlim(0, 1.02 * self.positions[-1])
        self._ax.xaxis.set_major_formatter("{x:,.0f}")
        self._curves = {name: self._draw(name) for name in self._names}
        self._cut = self._ax.axvline(self.positions[-1], color=color("ink"), linewidth=1, zorder=1)
        self._set_top(self._names)
        self._labels = {
            name: label_line(self._ax, curves[0], name, x=0.55 * self.positions[-1])
            for name, curves in self._curves.items()
        }
        self._marks = {name: self._mark(name) for name in self._names}
        self._shown = ALL

    def _look(self, name: str) -> str:
        return ROLES[self._names.index(name)]

    def _draw(self, name: str) -> tuple:
        runs, look = self._timings[name].values(), self._look(name)
        low, high = ([1000 * getattr(t, end) for t in runs] for end in ("low_s", "high_s"))
        bars = self._ax.vlines(
            self.positions, low, high, color=color(look), alpha=0.45, linewidth=3
        )
        style = line(look, linewidth=1.8, marker=role(look).marker, markersize=5)
        return self._ax.plot(self.positions, self._ms[name], **style)[0], bars

    def _mark(self, name: str):
        look = self._look(name)
        (mark,) = self._ax.plot([], [], marker=role(look).marker, markersize=11, color=color(look))
        mark.set(markeredgecolor=CARD, markeredgewidth=1.5, zorder=4)
        return mark

    def _set_top(self, names: list[str]) -> None:
        highest = max(1000 * t.high_s for name in names for t in self._timings[name].values())
        self._ax.set_ylim(0, 1.12 * highest)

    def update(self, *, token: int, shown: str) -> str:
        """Mark one token; return its times, and those of an answer up to it."""
        if shown != self._shown:
            self._show(shown)
        self._cut.set_xdata([token, token])
        for name, mark in self._marks.items():
            mark.set_data([token], [np.interp(token, self.positions, self._ms[name])])
        return self._finding(token)

    def _show(self, shown: str) -> None:
        self._shown = shown
        set_title(self.fig, _title(self._ms, self.positions, shown))
        names = self._names if shown == ALL else self._names[1:]
        self._set_top(names)
        for name, artists in self._curves.items():
            for artist in (*artists, self._marks[name]):
                artist.set_visible(name in names)
            self._labels[name].set_visible(name in names)
        for name in names:
            move_label(self._labels[name], self._curves[name][0], x=0.55 * self.positions[-1])

    def _finding(self, token: int) -> str:
        one = {n: np.interp(token, self.positions, ms) / 1000 for n, ms in self._ms.items()}
        whole_ = {n: answer_s(token, self.positions, ms / 1000) for n, ms in self._ms.items()}
        times, sums = (", ".join(f"{n} {_short(s)}" for n, s in d.items()) for d in (one, whole_))
        return f"Token {token:,}: {times}. All tokens up to it: {sums}."


def answer_s(token: int, positions, seconds) -> float:
    """The time of all tokens from 1 to ``token``; before the first position it is constant."""
    return float(np.interp(np.arange(1, token + 1), positions, seconds).sum())


def _title(ms: Mapping[str, np.ndarray], positions, shown: str) -> str:
    """The slowest of those shown against the quickest of all, at the last position."""
    at_end = {name: times[-1] for name, times in ms.items()}
    first, *others = at_end
    slowest = first if shown == ALL else max(others, key=at_end.get)
    best = min(at_end, key=at_end.get)
    times = float(f"{at_end[slowest] / at_end[best]:.2g}")
    return f"Token {positions[-1]:,} takes {times:,g} times as long with {slowest} as with {best}"


def _short(seconds: float) -> str:
    return format_quantity(float(f"{seconds:.3g}"), "s")
