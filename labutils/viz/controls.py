"""The controls of an explorer: plain ipywidgets with a label that can be read in full."""

from numbers import Integral, Real
from pathlib import Path

import ipywidgets

_PX_PER_LETTER = 7.2
_LABEL_SHARE = 0.47  # of a column, at most
_CONTROL_PX = 190  # that a control needs beside its label
_BUTTON_PX = 18  # of a button, around its words
_HALF_PX, _THIRD_PX = 370, 240  # columns of a figure: two of the one, not three of the other

# ipywidgets cuts long labels off, and puts that of buttons above them.
_RULES = """<style>
.house-controls > * { display: flex; align-items: center; height: auto; margin: 2px 0; }
.house-controls .widget-label, .house-controls .widget-checkbox span {
  white-space: normal; text-align: left; line-height: 18px; height: auto; }
.house-controls .widget-label { flex: none; margin: 0; padding: 5px 12px 5px 0; }
.house-controls .widget-label-basic { display: flex; flex: 1; align-items: center; height: auto;
  padding: 5px 0; }
.house-controls .widget-readout { flex: none; width: auto; min-width: 3em; text-align: right;
  padding-left: 8px; }
.house-controls .widget-toggle-button { padding: 0 6px; }
.house-controls .widget-toggle-button.mod-active {
  background: var(--jp-ui-font-color1, #212121); color: var(--jp-layout-color0, #ffffff); }
.house-controls.jupyter-widgets-disconnected::before { display: none; }
.house-controls .box-by-label input[type=checkbox] { flex: none; }
</style>"""


def slider(label: str, lo, hi, value, step=None):
    """Return a slider from ``lo`` to ``hi``; whole numbers throughout make a whole-number slider.

    ``step`` is 1 for whole numbers and a hundredth of the range otherwise. The arrow keys move
    it by a step. Raises ``ValueError`` unless ``lo <= value <= hi``.
    """
    if not lo < hi or not lo <= value <= hi:
        raise ValueError(f"slider({label!r}): expected lo <= value <= hi, got {lo}, {value}, {hi}")
    whole = all(isinstance(x, Integral) for x in (lo, hi, value, step or 1))
    step = step or (1 if whole else (hi - lo) / 100)
    kind = ipywidgets.IntSlider if whole else ipywidgets.FloatSlider
    form = {} if whole else {"readout_format": f".{_decimals(step)}f"}
    return kind(description=label, min=lo, max=hi, value=value, step=step, **form)


def span(label: str, lo, hi, value, step=None):
    """Return a slider with two handles, ``value = (low, high)``; by code ``window=(3, 8)``.

    Whole numbers and ``step`` as for ``slider``; the tab key goes from handle to handle. Raises
    ``ValueError`` unless ``lo <= low <= high <= hi``.
    """
    try:
        low, high = value
        good = lo < hi and lo <= low <= high <= hi
    except (TypeError, ValueError):
        good = False
    if not good:
        raise ValueError(
            f"span({label!r}): expected value = (low, high) with lo <= low <= high <= hi, "
            f"got lo = {lo}, value = {value}, hi = {hi}"
        )
    whole = all(isinstance(x, Integral) for x in (lo, hi, low, high, step or 1))
    step = step or (1 if whole else (hi - lo) / 100)
    kind = ipywidgets.IntRangeSlider if whole else ipywidgets.FloatRangeSlider
    form = {} if whole else {"readout_format": f".{_decimals(step)}f"}
    return kind(description=label, min=lo, max=hi, value=(low, high), step=step, **form)


def choice(label: str, options, value=None):
    """Return a choice of one among ``options``: a list, or pairs ``(what it says, value)``.

    Up to three options stand side by side as buttons, more fold into a list.
    """
    options = list(options)
    if not options:
        raise ValueError(f"choice({label!r}): expected at least one option")
    few = len(options) <= 3
    kind = ipywidgets.ToggleButtons if few else ipywidgets.Dropdown
    widget = kind(description=label, options=options)
    if few:
        widget.style.button_width = "auto"
    if value is not None:
        _set(label, widget, value)
    return widget


def steps(label: str, options, value):
    """Return a slider that stops at ``options`` alone, in their order; ``value`` is one of them."""
    widget = ipywidgets.SelectionSlider(description=label, options=list(options))
    widget.add_class("jupyter-widgets")  # ipywidgets 8.1 forgets it, and styles by it
    _set(label, widget, value)
    return widget


def toggle(label: str, value: bool = False):
    """Return a check box."""
    return ipywidgets.Checkbox(description=label, value=value, indent=False)


def player(moved, *, interval_ms: int = 100):
    """Return buttons that play a whole-number slider from where it stands to its end.

    They move the slider in the page, so a frame that the kernel has no time for is left out.
    """
    play = ipywidgets.Play(
        min=moved.min, max=moved.max, step=moved.step, value=moved.value, interval=interval_ms
    )
    play.link = ipywidgets.jslink((play, "value"), (moved, "value"))
    return play


def panel(widgets):
    """Arrange controls above the figure: the label left, as wide for each, the control beside it.

    Two columns as wide as the figure, one on a narrow page. A label that would take half of its
    column wraps. Buttons that would wrap in their column come first, each group in a row of its
    own; a check box begins where labels begin, its own on its right.
    """
    widgets = list(widgets)
    boxes = [w for w in widgets if isinstance(w, ipywidgets.Checkbox)]
    letters = max((len(w.description) for w in widgets if w not in boxes), default=0)
    label_px = letters * _PX_PER_LETTER + 12
    for widget in widgets:
        widget.style.description_width = f"min({label_px:.0f}px, {_LABEL_SHARE:.0%})"
        widget.layout.width = "auto"
    room_px = _HALF_PX - min(label_px, _LABEL_SHARE * _HALF_PX)
    widgets.sort(key=lambda widget: _buttons_px(widget) <= room_px)
    for widget in widgets:
        if _buttons_px(widget) > room_px:
            widget.layout.grid_area = "auto / 1 / auto / -1"
    column_px = min(max(label_px + _CONTROL_PX, _THIRD_PX), _HALF_PX)
    columns = f"repeat(auto-fit, minmax(min(100%, {column_px:.0f}px), 1fr))"
    layout = ipywidgets.Layout(grid_template_columns=columns, grid_gap="0 28px", max_width="768px")
    unseen = ipywidgets.Box([_rules(), *_names()], layout={"display": "none"})
    grid = ipywidgets.GridBox([*widgets, unseen], layout=layout)
    grid.add_class("house-controls")
    return grid


def _buttons_px(widget) -> float:
    """How wide a group of buttons is in one line; 0 for any other control."""
    if not isinstance(widget, ipywidgets.ToggleButtons):
        return 0
    words = [str(option[0] if isinstance(option, tuple) else option) for option in widget.options]
    return sum(len(word) * _PX_PER_LETTER + _BUTTON_PX for word in words)


def set_controls(controls: dict, values: dict) -> None:
    """Set controls by name, all of them or none.

    Raises ``ValueError`` for a name that no control has and for a value that it cannot take.
    """
    for name in values:
        if name not in controls:
            raise ValueError(
                f"{name} = {values[name]!r}: there is no such control; expected one "
                f"of {', '.join(controls)}"
            )
        _refuse_bad(name, controls[name], values[name])
    for name, value in values.items():
        controls[name].value = value


def _rules():
    return ipywidgets.HTML(_RULES)


def _names() -> list:
    """What ipywidgets leaves out for screen readers; none without anywidget."""
    try:
        import anywidget
    except ImportError:
        return []
    script = Path(__file__).with_name("names.js").read_text(encoding="utf-8")
    kind = type("Names", (anywidget.AnyWidget,), {"_esm": script})
    return [kind()]


def _set(name, widget, value) -> None:
    set_controls({name: widget}, {name: value})


def _refuse_bad(name, widget, value) -> None:
    if expected := _expected(widget, value):
        raise ValueError(f"{name} = {value!r}: expected {expected}")


def _expected(widget, value) -> str:
    """What the widget would take instead of ``value``; empty if it takes ``value``."""
    if hasattr(widget, "options"):
        return _expected_option(widget.options, value)
    if isinstance(widget.value, bool):
        return "" if isinstance(value, bool) else "True or False"
    if not hasattr(widget, "min") or not hasattr(widget, "max"):
        return ""
    if isinstance(widget.value, tuple):
        return _expected_pair(widget, value)
    whole = isinstance(widget.value, int)
    kind = "a whole number" if whole else "a number"
    good = _is_number(value, whole) and widget.min <= value <= widget.max
    return "" if good else f"{kind} from {widget.min:g} to {widget.max:g}"


def _expected_pair(widget, value) -> str:
    whole = isinstance(widget.value[0], int)
    pair = list(value) if isinstance(value, (tuple, list)) and len(value) == 2 else [None]
    good = all(_is_number(x, whole) and widget.min <= x <= widget.max for x in pair)
    if good and pair[0] <= pair[1]:
        return ""
    kind = "whole numbers" if whole else "numbers"
    return f"(low, high), two {kind} from {widget.min:g} to {widget.max:g}, the lower first"


def _is_number(value, whole: bool) -> bool:
    return isinstance(value, Integral if whole else Real) and not isinstance(value, bool)


def _expected_option(options, value) -> str:
    pairs = options.items() if isinstance(options, dict) else options
    values = [o[1] if isinstance(o, tuple) and len(o) == 2 else o for o in pairs]
    return "" if value in values else "one of " + ", ".join(map(repr, values))


def _decimals(step: float) -> int:
    return next((n for n in range(6) if abs(round(step, n) - step) < 1e-9), 6)
