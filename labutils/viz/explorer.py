"""An explorer: a figure with controls, and the same figure for those who rather type."""

import html
import inspect
import threading
import traceback
import uuid
from contextlib import contextmanager

from .controls import panel, set_controls
from .frame import Frames
from .picture import figure_html
from .show import one_line, publish
from .style import title_of

_WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"

# What a still says for as long as no controls of a living kernel stand in the same output.
_PAUSED = """<style>:is(.jp-OutputArea, body:not(:has(.jp-OutputArea)))\
:has(.house-controls:not(.jupyter-widgets-disconnected)) .house-paused { display: none; }</style>\
<em class="house-paused">Paused: run this cell to move it. </em>"""


class Explorer:
    """A figure that a learner moves.

    ``update(**values)`` takes the value of every control by name, moves the artists of ``fig``
    and returns the finding: one line that says what the figure now shows. It stands between the
    controls and the picture and is part of the picture's alternative text. Build the figure once
    and move what is in it (``set_data``); do not add artists in ``update``.

    ``controls`` maps names to the widgets of ``slider``, ``span``, ``choice`` and ``toggle``, or
    to any ipywidgets with a value. Widgets ``beside`` them stand in the panel and are not observed:
    a ``player``, which moves a slider. End a cell with the explorer to show it. The picture is an
    ordinary output of the cell, so the last frame is saved with the notebook. While
    ``shows_picture`` is false, the finding stands alone.

    An explorer is also a function: ``explorer(servers=8, load=0.9)`` sets controls, redraws and
    returns the finding.

    Raises ``ValueError`` when ``update`` and the controls do not fit together; what ``update``
    raises goes on to the caller, and stands in the notebook in place of the finding.
    """

    def __init__(self, fig, update, *, controls: dict, beside=()):
        _refuse_mismatch(update, controls)
        self.controls = dict(controls)
        self._update = update
        self.shows_picture = True
        self._display_id = uuid.uuid4().hex
        self._held = self._on_screen = False
        self._drawing = threading.RLock()  # a kernel may hear widgets in a thread of their own
        self._panel = panel([*self.controls.values(), *beside])
        self.finding = one_line("finding", update(**self.values))
        self._frames = Frames(fig)
        self._image = self._frames.png(effort=9)  # small: it is saved in every built notebook
        for control in self.controls.values():
            control.observe(self._on_change, "value")

    @property
    def values(self) -> dict:
        """The value of every control by name."""
        return {name: control.value for name, control in self.controls.items()}

    @property
    def alt(self) -> str:
        """What the picture shows, in words: its title, the settings, the finding."""
        values = ", ".join(f"{name} = {shown(value)}" for name, value in self.values.items())
        return ". ".join(filter(None, (title_of(self._frames.fig), values, self.finding)))

    def moved(self, **values):
        """Set controls by name and return the figure, moved but not drawn: for who records it."""
        with self._hold():
            set_controls(self.controls, values)
        self.finding = one_line("finding", self._update(**self.values))
        return self._frames.fig

    def __call__(self, **values) -> str:
        """Set controls by name, redraw, and return the finding."""
        with self._hold():
            set_controls(self.controls, values)
        self._redraw()
        return self.finding

    def _ipython_display_(self) -> None:
        publish(self._panel_bundle())
        publish(self._picture_bundle(), display_id=self._display_id)
        self._on_screen = True

    def _on_change(self, change) -> None:
        # No queue of our own: the page holds a control's next message back until this one is
        # answered, and then sends the newest value only.
        if not self._held:
            self._redraw()

    def _redraw(self) -> None:
        try:
            with self._drawing:
                self.finding = one_line("finding", self._update(**self.values))
                self._image = self._frames.png()
        except Exception as error:
            # A callback's error is logged where no learner looks, so it goes on the screen too.
            self._put_on_screen(self._error_bundle(error))
            raise
        self._put_on_screen(self._picture_bundle())

    def _put_on_screen(self, bundle) -> None:
        if self._on_screen:
            publish(bundle, display_id=self._display_id, update=True)

    @contextmanager
    def _hold(self):
        self._held = True
        try:
            yield
        finally:
            self._held = False

    def _panel_bundle(self) -> dict:
        # The HTML is for pages without a kernel, where the controls themselves cannot live.
        names = ", ".join(self.controls)
        return {
            _WIDGET_VIEW: {
                "version_major": 2,
                "version_minor": 0,
                "model_id": self._panel.model_id,
            },
            "text/html": f"<p><em>Controls: {html.escape(names)}.</em></p>",
            "text/plain": f"Controls: {names}",
        }

    def _picture_bundle(self) -> dict:
        said = f'<span role="status">{html.escape(self.finding)}</span>'
        return {
            "text/html": self._html(self.alt, f"{_PAUSED}{said}"),
            "text/plain": f"Explorer. {self.finding}",
        }

    def _error_bundle(self, error) -> dict:
        what = "".join(traceback.format_exception_only(error)).strip()
        trace = html.escape("".join(traceback.format_exception(error)))
        said = (
            f'<div role="alert"><strong>The figure could not follow the controls.</strong> '
            f"{html.escape(what)}<details><summary>Where it happened</summary>"
            f"<pre>{trace}</pre></details></div>"
        )
        return {
            "text/html": self._html("The figure is out of date.", said),
            "text/plain": f"Explorer. The figure could not follow the controls. {what}",
        }

    def _html(self, alt: str, said: str) -> str:
        inches = self._frames.fig.get_size_inches()
        image = self._image if self.shows_picture else b""
        return figure_html(image, inches=inches, alt=alt, above=said, kind="explorer")


def _refuse_mismatch(update, controls) -> None:
    if not controls:
        raise ValueError("controls = {}: expected at least one control")
    for name, control in controls.items():
        if not hasattr(control, "observe") or not hasattr(control, "value"):
            raise ValueError(
                f"controls[{name!r}] = {control!r}: expected an ipywidget with a "
                "value, such as slider(…)"
            )
    try:
        inspect.signature(update).bind(**dict.fromkeys(controls))
    except TypeError as mismatch:
        raise ValueError(
            f"update does not take the controls {', '.join(controls)}: {mismatch}"
        ) from None


def shown(value) -> str:
    """The value of a control as the alternative text names it."""
    if isinstance(value, tuple):
        return " to ".join(map(shown, value))
    return f"{value:.4g}" if isinstance(value, float) else str(value)
