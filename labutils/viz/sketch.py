"""Draw the curve before you see it: a sketch by handles, with reality laid over it.

On screen the sketch is one small anywidget (``sketch.js``); where anywidget cannot be imported it
is a row of plain sliders. Without any front end it is called: ``sketch(values=[…])``.
"""

import html
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import ipywidgets as widgets
import numpy as np
import traitlets

from labutils.exercises.journal.journal import record
from labutils.ground.units import parse

from .show import publish
from .sketch_plot import SketchPlot
from .sketch_score import SketchScore
from .style import color

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# A click into a sketch makes its cell the active one, and Shift+Enter would then wipe the drawing.
_open_sketches: dict[SketchPlot, "Sketch"] = {}


class Sketch(traitlets.HasTraits):
    """A curve that the learner draws by one handle per x, then compares with the real one.

    ``values`` (a list of floats, one per x) and ``drawn`` (whether anybody has touched it) follow
    the front end and can be observed. The widget itself is ``widget``.
    """

    values = traitlets.List(traitlets.Float())
    drawn = traitlets.Bool(False)

    def __init__(
        self,
        x: Sequence[float],
        *,
        x_label: str,
        y_label: str,
        y_range: tuple[float, float],
        y_log: bool = False,
        y_unit: str = "",
        x_range: tuple[float, float] | None = None,
        title: str = "",
    ):
        """Lay out the paper: the handles stand at ``x``, in the middle of ``y_range``.

        ``y_unit`` is written at the ticks ("s" is shown as ms where it is small) and taken by
        ``sketch(values=["40 ms", …])``. ``x_range`` is the first to the last x if not given.
        Running the same cell again keeps what was drawn, until reality has been laid over it.
        Raises ``ValueError`` if ``x`` does not rise or a range is empty.
        """
        self.plot = SketchPlot(
            x=tuple(map(float, x)), x_label=x_label, y_label=y_label, y_log=y_log, y_unit=y_unit,
            x_range=tuple(x_range or (x[0], x[-1])), y_range=tuple(y_range), title=title,
        )  # fmt: skip
        super().__init__(**_start(self.plot))
        _open_sketches[self.plot] = self
        self.widget = _canvas_or_sliders(self.plot)
        traitlets.link((self, "values"), (self.widget, "values"))
        traitlets.link((self, "drawn"), (self.widget, "drawn"))

    def __call__(self, values: Sequence[float | str]) -> "Sketch":
        """Draw without a mouse: one value per x, as a number or as text ("40 ms").

        A value beyond the plot is moved to its edge. A real curve that lies over the sketch is
        taken away. Raises ``ValueError`` for a wrong number of values or an unreadable one.
        """
        if len(values) != len(self.plot.x):
            raise ValueError(f"values = {values!r}: expected {len(self.plot.x)}, one for each x")
        numbers = [parse(value, self.plot.y_unit or "1") for value in values]
        self.widget.take_away()
        self.values = self.plot.clip(numbers).tolist()
        self.drawn = True
        return self

    def reveal(
        self, truth: Callable[[float], float] | tuple, *, label: str, finding: str | None = None
    ) -> SketchScore:
        """Lay the real curve over the sketch, end the drawing, and return the score.

        ``truth`` is a function of one x, drawn as theory, or a pair (xs, ys), drawn as measured
        points; ``label`` names it in the plot. The score shows itself as a picture that survives
        saving, under ``finding``: one line that says what the real curve shows; without it, under
        how far off the sketch is. If nobody has drawn, it says so and scores nothing.
        """
        values = tuple(self.values) if self.drawn else None
        score = SketchScore(
            plot=self.plot, values=values, truth=truth, label=label, finding=finding
        )
        xs, ys = score.real
        _open_sketches.pop(self.plot, None)
        if score.drawn:
            record({"event": "sketch", "id": self.plot.title, **score.as_event()})
        marks = score.measured and (score.measured[0], self.plot.height(score.measured[1]))
        self.widget.lay_over(xs, self.plot.height(ys), label=label, finding=score.text, marks=marks)
        return score

    def _ipython_display_(self) -> None:
        model = {"version_major": 2, "version_minor": 0, "model_id": self.widget.model_id}
        bundle, metadata = {WIDGET_VIEW: model}, {}
        if isinstance(made := getattr(self.widget, "_repr_mimebundle_", dict)(), tuple):
            bundle, metadata = made  # anywidget's own, which knows what Colab needs
        publish({**bundle, "text/plain": repr(self)}, metadata=metadata)

    def __repr__(self) -> str:
        at = ", ".join(f"{x:g}" for x in self.plot.x)
        if not self.drawn:
            return f"Sketch, not drawn yet. Without a mouse, call it: one value for each of {at}"
        drawn = ", ".join(self.plot.tick_label(float(f"{y:.3g}")) for y in self.values)
        return f"Sketch of {drawn} at {at}"


class Sliders(widgets.VBox):
    """The sketch as plain sliders, for a front end that knows no other widgets."""

    values = traitlets.List(traitlets.Float())
    drawn = traitlets.Bool(False)

    def __init__(self, plot: SketchPlot):
        self._sliders = [_slider(plot, x) for x in plot.x]
        self._finding = widgets.HTML("Move the sliders: one for each point of the curve.")
        unit = f" ({plot.y_unit})" if plot.y_unit else ""
        names = f"{plot.y_label}{unit}, for each {plot.x_label}"
        heads = [widgets.Label(text) for text in (plot.title, names) if text]
        super().__init__([*heads, widgets.HBox(self._sliders), self._finding])
        self._following = False
        self.observe(self._follow_values, "values")
        for slider in self._sliders:
            slider.observe(self._follow_slider, "value")

    def lay_over(self, xs, heights, *, label: str, finding: str, marks=None) -> None:
        """End the drawing and show the finding; the curve itself is the score's figure."""
        for slider in self._sliders:
            slider.disabled = True
        self._finding.value = html.escape(finding)

    def take_away(self) -> None:
        """Let the sliders move again."""
        for slider in self._sliders:
            slider.disabled = False
        self._finding.value = ""

    def _follow_values(self, change) -> None:
        self._following = True
        for slider, value in zip(self._sliders, change["new"]):
            slider.value = value
        self._following = False

    def _follow_slider(self, change) -> None:
        if not self._following:
            self.values = [slider.value for slider in self._sliders]
            self.drawn = True


def _start(plot: SketchPlot) -> dict:
    """Return what an open sketch on the same paper has drawn, or a flat line in the middle."""
    before = _open_sketches.get(plot)
    if before is not None and before.drawn:
        return {"values": before.values, "drawn": True}
    return {"values": [float(plot.y_at(0.5))] * len(plot.x)}


def _slider(plot: SketchPlot, x: float):
    look = {"description": f"{x:g}", "orientation": "vertical", "readout_format": ".3g"}
    low, high = plot.y_range
    if plot.y_log:
        low, high = np.log10([low, high])
        return widgets.FloatLogSlider(min=low, max=high, step=(high - low) / 100, **look)
    return widgets.FloatSlider(min=low, max=high, step=(high - low) / 100, **look)


def _canvas_or_sliders(plot: SketchPlot):
    try:
        canvas = _canvas_class()
    except ImportError:
        return Sliders(plot)
    return canvas(plot=_for_javascript(plot))


@cache
def _canvas_class():
    import anywidget

    class Canvas(anywidget.AnyWidget):
        """The sketch in the browser: ``sketch.js`` draws, ``sketch_input.js`` listens."""

        _esm = _beside("sketch_input.js") + _beside("sketch.js")
        _css = _beside("sketch.css")
        plot = traitlets.Dict().tag(sync=True)
        values = traitlets.List(traitlets.Float()).tag(sync=True)
        drawn = traitlets.Bool(False).tag(sync=True)
        reality = traitlets.Dict().tag(sync=True)  # empty while the drawing is open

        def lay_over(self, xs, heights, *, label: str, finding: str, marks=None) -> None:
            """Show the real curve, with ``marks`` where it was measured, and end the drawing."""
            reality = {"points": _within_sight(xs, heights), "label": label, "finding": finding}
            self.reality = reality | ({"marks": _within_sight(*marks)} if marks else {})

        def take_away(self) -> None:
            """Open the drawing again."""
            self.reality = {}

    return Canvas


def _within_sight(xs, heights) -> list[list[float]]:
    return [xs.tolist(), np.clip(np.nan_to_num(heights, nan=-1), -1, 4).tolist()]  # for JSON


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _for_javascript(plot: SketchPlot) -> dict:
    return {
        "x": plot.x, "xRange": plot.x_range, "yRange": plot.y_range, "yLog": plot.y_log,
        "xLabel": plot.x_label, "yLabel": plot.y_label, "unit": plot.y_unit, "title": plot.title,
        "ticks": [(float(plot.height(y)), label) for y, label in plot.y_ticks()],
        "top": plot.tick_label(plot.y_range[1]),
        "drawing": color("prediction"), "real": color("theory"),
        "measured": color("measurement"),
    }  # fmt: skip
