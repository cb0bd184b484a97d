"""How far a sketch lies from the real curve, in words and as a picture that stays."""

import math
import textwrap
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from .labels import readable
from .show import one_line, show_figure
from .sketch_plot import SketchPlot
from .style import band, color, line, new_figure, points

NOT_DRAWN = "You have not drawn yet (a restarted kernel forgets a drawing)"
STEP = 8  # of the fine points of a real curve, the journal keeps every eighth
LOWEST_SHARE = 0.01  # on a linear axis, less than 1 % of the top counts as 1 % of it


@dataclass(frozen=True)
class SketchScore:
    """A sketch against the real curve.

    ``factor`` is the typical ratio between the two: exp of the mean |ln(drawn / real)| over the x
    from the first to the last handle. 2 means "off by a factor of two on average", and twice too
    high costs as much as half as high. On a log axis |ln ratio| is the distance that the eye sees,
    so the factor measures the shaded area. Both curves are held within the plot first: where the
    real one leaves it, the edge is as good an answer as the paper allows. Nobody drew: NaN.
    """

    plot: SketchPlot
    values: tuple[float, ...] | None  # None: the learner has not drawn
    truth: Callable | tuple
    label: str
    finding: str | None = None  # one line about the real curve, the figure's title

    def __post_init__(self):
        if self.finding is not None:
            one_line("finding", self.finding)

    def as_event(self) -> dict:
        """What the journal keeps: enough to draw the figure again, the real curve as points."""
        curve = self.measured or tuple(one[::STEP] for one in self.real)
        kept = {"values": list(self.values), "label": self.label, "finding": self.finding}
        truth = {"real": [one.tolist() for one in curve], "is_measured": self.measured is not None}
        return {"plot": asdict(self.plot), **kept, **truth}

    @classmethod
    def from_event(cls, event: dict) -> "SketchScore":
        """The score that was kept. Raises ``ValueError`` or the like for one of another version."""
        plot = SketchPlot(**{name: _frozen(value) for name, value in event["plot"].items()})
        xs, ys = (np.asarray(one, dtype=float) for one in event["real"])
        truth = (xs, ys) if event["is_measured"] else lambda x: float(np.interp(x, xs, ys))
        return cls(plot, tuple(event["values"]), truth, str(event["label"]), event["finding"])

    @property
    def drawn(self) -> bool:
        """Whether there is a sketch to score."""
        return self.values is not None

    @cached_property
    def real(self) -> tuple[np.ndarray, np.ndarray]:
        """The real curve, finely: (xs, ys)."""
        return self.plot.real_curve(self.truth)

    @property
    def measured(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The points (xs, ys) that the real curve was given by; None if it is a function."""
        if callable(self.truth):
            return None
        xs, ys = self.truth
        return np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)

    @cached_property
    def factor(self) -> float:
        """The typical ratio between drawn and real, at least 1; NaN if nothing was drawn."""
        if self.values is None:
            return math.nan
        xs, drawn = self.plot.drawn_curve(self.values)
        gap = np.abs(self._log_ratio(drawn, self._real_at(xs)))
        return math.exp(np.trapezoid(gap, xs) / (xs[-1] - xs[0]))

    @cached_property
    def worst(self) -> int:
        """Which handle lies furthest off: its index. Raises ``ValueError`` if nothing was drawn."""
        if self.values is None:
            raise ValueError("sketch: expected a drawn one")
        at_handles = self._real_at(np.asarray(self.plot.x))
        return int(np.argmax(np.abs(self._log_ratio(self.values, at_handles))))

    @property
    def text(self) -> str:
        """The finding, in one or two sentences."""
        if self.values is None:
            return f"{NOT_DRAWN}: here is the real curve, {self.label}."
        return f"{self._average()}. {self._worst_point()}".strip()

    @property
    def alt(self) -> str:
        """A description of the figure for those who do not see it."""
        real = self._points(self._real_at(np.asarray(self.plot.x)))
        said = f" Your sketch: {self._points(self.values)}." if self.values is not None else ""
        return f"{self.plot.y_label} against {self.plot.x_label}. {self.label}: {real}.{said}"

    def figure(self):
        """Return a matplotlib figure of both curves with the area between them shaded."""
        plot, ys = self.plot, self.real[1]
        y_label = textwrap.fill(plot.y_label, 40)
        fig, ax = new_figure(title=self._title(), x=plot.x_label, y=y_label)
        ax.set(xlim=plot.x_range, ylim=plot.y_range, yscale="log" if plot.y_log else "linear")
        role = self._draw_real(ax)
        self._write(ax, self.label, ys[-1], role)
        if self.values is not None:
            drawn_x, drawn = plot.drawn_curve(self.values)
            ax.fill_between(drawn_x, drawn, plot.clip(self._real_at(drawn_x)), **band("prediction"))
            ax.plot(drawn_x, drawn, **line("prediction", linestyle="-"))  # as it was drawn
            ax.plot(plot.x, self.values, **points("prediction", marker="o", clip_on=False))
            self._write(ax, "your sketch", self.values[-1], "prediction", beside=ys[-1])
        ax.set_xticks(plot.x, [f"{x:g}" for x in plot.x])
        ax.set_yticks(*zip(*plot.y_ticks()))
        ax.minorticks_off()
        return fig

    def _draw_real(self, ax) -> str:
        """Draw a function as theory, points as measurement; return the role."""
        xs, ys = self.measured or self.real
        ys = np.minimum(ys, 1e3 * self.plot.y_range[1])
        if self.measured is None:
            ax.plot(xs, ys, **line("theory"))
            return "theory"
        ax.plot(xs, ys, **points("measurement", linestyle="-", linewidth=1.1, markersize=6))
        return "measurement"

    def _ipython_display_(self) -> None:
        said = "" if self.finding is None else one_line("finding", self.finding).rstrip(".") + ". "
        show_figure(self.figure(), alt=self.alt, text=said + self.text, caption=self._caption())

    def __repr__(self) -> str:
        return self.text

    def _log_ratio(self, drawn, real) -> np.ndarray:
        low, high = self.plot.y_range
        low = low if self.plot.y_log else max(low, LOWEST_SHARE * high)
        drawn, real = (np.clip(np.asarray(y, dtype=float), low, high) for y in (drawn, real))
        return np.log(drawn / real)

    def _real_at(self, xs: np.ndarray) -> np.ndarray:
        heights = np.interp(xs, self.real[0], np.clip(self.plot.height(self.real[1]), -9, 9))
        return self.plot.y_at(heights)

    def _average(self) -> str:
        if self._good:
            return "Your curve is the real one to within 5 % on average"
        ratios = self._log_ratio(self.values, self._real_at(np.asarray(self.plot.x)))
        way = ", always too low" if (ratios < -0.05).all() else ""
        way = ", always too high" if (ratios > 0.05).all() else way
        return f"On average your curve is off by {self._off_by()}{way}"

    def _off_by(self) -> str:
        if self.factor < 1.25:
            return f"{100 * (self.factor - 1):.0f} %"
        return f"a factor of {float(f'{self.factor:.2g}'):,g}"

    @property
    def _good(self) -> bool:
        return self.factor < 1.05

    def _worst_point(self) -> str:
        if self._good:
            return ""
        i, x = self.worst, self.plot.x[self.worst]
        real = float(self._real_at(np.array([x]))[0])
        drawn, low, high = self.values[i], *self.plot.y_range
        shown = self.plot.tick_label
        where = f"It is furthest off at {self.plot.x_label} {x:g}: you drew {_short(shown, drawn)}"
        if not low <= real <= high:
            edge = f"above {shown(high)}" if real > high else f"below {shown(low)}"
            return f"{where}, the real curve has left the plot ({edge})."
        return f"{where}, it is {_short(shown, real)}."

    def _points(self, ys) -> str:
        pairs = zip(self.plot.x, np.asarray(ys, dtype=float))
        return ", ".join(f"{_short(self.plot.tick_label, y)} at {x:g}" for x, y in pairs)

    def _title(self) -> str:
        if self.finding is not None:
            return self.finding
        return f"The real curve: {self.label}" if self.values is None else self._average()

    def _caption(self) -> str:
        """What the figure's title does not say."""
        if self.finding is not None or self.values is None:
            return self.text
        return self._worst_point()

    def _write(self, ax, text: str, y: float, role: str, beside: float | None = None) -> None:
        """Write a curve's name at its right end, out of the way of the other's."""
        height = float(np.clip(self.plot.height(y), 0.03, 0.97))
        if beside is not None:
            other = float(np.clip(self.plot.height(beside), 0.03, 0.97))
            if abs(height - other) < 0.07:
                height = other - 0.07 if other > 0.5 else other + 0.07
        place = {"xycoords": "axes fraction", "va": "center", "ha": "left", "fontsize": 11}
        ax.annotate(text, (1.01, height), color=readable(color(role)), fontweight="bold", **place)


def _short(shown: Callable, y: float) -> str:
    """Show three significant digits: a sketch is no table."""
    return shown(float(f"{y:.3g}"))


def _frozen(value):
    return tuple(value) if isinstance(value, list) else value
