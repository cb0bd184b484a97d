"""The controls of an explorer: plain ipywidgets with a label that can be read in full."""

from numbers import Integral, Real

import ipywidgets

_PX_PER_LETTER = 7.2


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


def toggle(label: str, value: bool = False):
    """Return a check box."""
    return ipywidgets.Checkbox(description=label, value=value, indent=False)


def panel(widgets):
    """Arrange controls above the figure, in two columns as wide as it, labels of one width each."""
    widgets = list(widgets)
    for column in (widgets[::2], widgets[1::2]):
        described = [w for w in column if not isinstance(w, ipywidgets.Checkbox)]
        letters = max((len(w.description) for w in described), default=0)
        for widget in described:
            widget.style.description_width = f"{letters * _PX_PER_LETTER + 8:.0f}px"
        for widget in column:
            widget.layout.width, widget.layout.display = "auto", "flex"
    layout = ipywidgets.Layout(grid_template_columns=f"repeat({min(2, len(widgets))}, 1fr)",
                               grid_gap="0 28px", max_width="768px", align_items="center")
    return ipywidgets.GridBox(widgets, layout=layout)


def set_controls(controls: dict, values: dict) -> None:
    """Set controls by name, all of them or none.

    Raises ``ValueError`` for a name that no control has and for a value that it cannot take.
    """
    for name in values:
        if name not in controls:
            raise ValueError(f"{name} = {values[name]!r}: there is no such control; expected one "
                             f"of {', '.join(controls)}")
        _refuse_bad(name, controls[name], values[name])
    for name, value in values.items():
        controls[name].value = value


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
    whole = isinstance(widget.value, int)
    number = isinstance(value, Integral if whole else Real) and not isinstance(value, bool)
    kind = "a whole number" if whole else "a number"
    good = number and widget.min <= value <= widget.max
    return "" if good else f"{kind} from {widget.min:g} to {widget.max:g}"


def _expected_option(options, value) -> str:
    pairs = options.items() if isinstance(options, dict) else options
    values = [o[1] if isinstance(o, tuple) and len(o) == 2 else o for o in pairs]
    return "" if value in values else "one of " + ", ".join(map(repr, values))


def _decimals(step: float) -> int:
    return next((n for n in range(6) if abs(round(step, n) - step) < 1e-9), 6)
