"""The house style: one colour, marker and dash for each quantity, through the whole course.

A *role* says what a mark stands for ("theory", "measurement", "limit", …); the figure code never
names a colour. Nothing here touches matplotlib's global settings or pyplot, so a figure that is
built here is never shown twice and never counted as an open window.
"""

import textwrap
from copy import copy
from dataclasses import dataclass

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

CARD = "#fbfaf6"  # opaque and light: a figure reads the same on a light and on a dark page
INK = "#1f2933"
GRID = "#e4e1d8"
SCREEN_PX_PER_INCH = 96  # how large a figure appears
PICTURE_PX_PER_INCH = 192  # how finely it is drawn: two pixels for each of the screen's


@dataclass(frozen=True)
class Role:
    """How one quantity looks everywhere: its ``color``, a line's ``dash``, a point's ``marker``."""

    color: str
    dash: str | tuple
    marker: str


# The colours were searched for the largest smallest distance between any two of them as seen with
# normal vision and with simulated protan, deutan and tritan vision (Machado, Oliveira and
# Fernandes 2009, severity 1), at a contrast of at least 3 : 1 on the card.
ROLES = {
    "theory": Role("#125cb8", "-", "o"),
    "measurement": Role("#c24f2b", (0, (1, 1)), "o"),
    "limit": Role("#80302f", (0, (6, 3)), "*"),
    "waiting": Role("#c18502", (0, (8, 2)), "^"),
    "service": Role("#3a9263", (0, (5, 1.5, 1, 1.5)), "s"),
    "queue": Role("#c18502", "-", "v"),
    "backlog": Role("#5b1c7d", "-", "D"),
    "prediction": Role("#e358b5", (0, (3, 1.5)), "X"),
    "weights": Role("#125cb8", (0, (10, 2)), "h"),
    "kv": Role("#5b1c7d", (0, (2, 1)), "d"),
    "flops": Role("#3a9263", (0, (4, 1)), "p"),
    "reference": Role("#6b7076", (0, (1, 2)), "P"),
    "ink": Role(INK, "-", "."),
}


def role(name: str) -> Role:
    """Return the look of a role. Raises ``ValueError`` that lists the roles for an unknown one."""
    if name not in ROLES:
        raise ValueError(f"role = {name!r}: expected one of {', '.join(ROLES)}")
    return ROLES[name]


def color(name: str) -> str:
    """Return the colour of a role as ``#rrggbb``."""
    return role(name).color


def line(name: str, **changes) -> dict:
    """Return keywords that draw a role as a line: ``ax.plot(x, y, **line("theory"))``."""
    look = role(name)
    return {"color": look.color, "linestyle": look.dash, "linewidth": 2.2, **changes}


def points(name: str, **changes) -> dict:
    """Return keywords that draw a role as points: ``ax.plot(x, y, **points("measurement"))``.

    They suit ``ax.errorbar`` too, whose interval then takes the role's colour.
    """
    look = role(name)
    edge = {"markeredgecolor": CARD, "markeredgewidth": 0.8}
    return {
        "color": look.color,
        "marker": look.marker,
        "markersize": 7,
        "linestyle": "none",
        **edge,
        **changes,
    }


def band(name: str, **changes) -> dict:
    """Return keywords that shade a role: ``ax.fill_between(x, low, high, **band("queue"))``."""
    return {"facecolor": color(name), "alpha": 0.18, "linewidth": 0, **changes}


def new_figure(
    *,
    title: str = "",
    x: str = "",
    y: str = "",
    width: float = 8.0,
    height: float = 4.2,
    rows: int = 1,
    cols: int = 1,
    **subplots,
) -> tuple:
    """Make a figure in the house style; return ``(fig, ax)``, or ``(fig, axes)`` for a grid.

    ``title`` states the answer of the one question that the figure answers. ``x`` and ``y`` label
    the axes and carry the unit ("time in system (s)"). ``width`` and ``height`` are in inches of
    96 screen pixels. ``subplots`` goes to matplotlib (``sharex=True``, ``width_ratios=…``). Label
    the panels of a grid with ``dress``.
    """
    fig = Figure(
        figsize=(width, height), dpi=PICTURE_PX_PER_INCH, facecolor=CARD, layout="constrained"
    )
    FigureCanvasAgg(fig)
    fig.get_layout_engine().set(w_pad=0.12, h_pad=0.1)
    axes = fig.subplots(rows, cols, **subplots)
    for ax in np.atleast_1d(axes).flat:
        dress(ax, x=x, y=y)
    if title:
        set_title(fig, title)
    return fig, axes


def dress(ax, *, x: str = "", y: str = "", title: str = "") -> None:
    """Give one panel the house look, its axis labels and, in a grid, its own small title."""
    ax.set_facecolor(CARD)
    ax.grid(True, color=GRID, linewidth=0.8)
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#8a8f98")
    ax.tick_params(which="both", colors="#4b5563", labelsize=10)
    ax.tick_params(which="minor", length=0)
    ax.set_xlabel(x or ax.get_xlabel(), fontsize=11, color=INK)
    ax.set_ylabel(y or ax.get_ylabel(), fontsize=11, color=INK)
    if title:
        ax.set_title(title, loc="left", fontsize=11, color=INK)


class _PlainNumbers(LogFormatter):
    """Of the ticks of a log axis those that matplotlib would name, as plain numbers."""

    def __call__(self, x, pos=None) -> str:
        return f"{x:,.12g}" if super().__call__(x, pos) else ""


def plain_ticks(fig) -> None:
    """Write 60 and not 6 × 10¹ at log axes, where the figure has not chosen for itself."""
    axes = [axis for ax in fig.axes for axis in (ax.xaxis, ax.yaxis)]
    for axis in (axis for axis in axes if axis.get_scale() == "log"):
        plain = _PlainNumbers(axis.get_transform().base)
        if isinstance(axis.get_major_formatter(), LogFormatter):
            axis.set_major_formatter(plain)
        if isinstance(axis.get_minor_formatter(), LogFormatter):
            axis.set_minor_formatter(copy(plain))


def set_title(fig, text: str) -> None:
    """Set the figure's title, flush left and wrapped to its width.

    In an explorer, set a title of about the same length in every frame: the room above the axes
    is measured once.
    """
    letters = int(fig.get_figwidth() * 9.2)
    wrapped = "\n".join(textwrap.wrap(" ".join(text.split()), letters))
    fig.suptitle(wrapped, x=0.012, ha="left", fontsize=13, fontweight="bold", color=INK)


def title_of(fig) -> str:
    """Return the title of a figure as one line: its own, else that of its only titled panel."""
    own = fig._suptitle  # the public get_suptitle comes with matplotlib 3.8, the floor is 3.7
    titles = (
        [own.get_text()]
        if own and own.get_text()
        else [
            text for ax in fig.axes for loc in ("left", "center") if (text := ax.get_title(loc=loc))
        ]
    )
    return " ".join(titles[0].split()) if len(titles) == 1 else ""
