"""Figures in one style, explorers, and a curve that the learner draws.

``style`` (``new_figure``, ``line``, ``points``, ``band``), ``label_line``, ``show``, and
``Explorer`` with its controls ``slider``, ``span``, ``choice`` and ``toggle``. ``Sketch``
loads when it is first asked for, since it alone needs anywidget.

Read ``style`` and ``labels``, ``show`` (with ``picture``), ``explorer`` (with ``frame`` and
``controls``), then ``sketch``. The rooms hold what chapters show: ``figures`` and ``explorers``.
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

from . import style
from .controls import choice, slider, span, toggle
from .explorer import Explorer
from .labels import label_line, move_label
from .show import show
from .style import band, color, dress, line, new_figure, points, set_title

if TYPE_CHECKING:
    from .sketch import Sketch

__all__ = [
    "Explorer",
    "Sketch",
    "band",
    "choice",
    "color",
    "dress",
    "label_line",
    "line",
    "move_label",
    "new_figure",
    "points",
    "set_title",
    "show",
    "slider",
    "span",
    "style",
    "toggle",
]

_HOME = {"Sketch": "sketch"}
__getattr__, __dir__ = lazily(__name__, _HOME)
