"""Direct labels: the name of a line stands at the line, in its colour."""

import math

import numpy as np
from matplotlib.artist import Artist
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patheffects import withStroke
from matplotlib.transforms import Bbox, ScaledTranslation

from .style import CARD, INK, color as role_color

_GAP = 5  # points between a line and its label
_READABLE = 4.5  # contrast that small text needs (WCAG 2.1, criterion 1.4.3)
_HALO = withStroke(linewidth=3, foreground=CARD)  # it stays readable across a line
_CLEAR = 2  # points between a label and what it must not cover
_STOPS = 40  # places along a line that are tried
_SHARE_BEFORE = {"left": 0, "bottom": 0, "center": 0.5, "right": 1, "top": 1}
_OUTSIDE = ("left", "center", _GAP, 0)
_AROUND = (  # the first that covers nothing is taken
    ("right", "bottom", -_GAP, _GAP), ("left", "bottom", _GAP, _GAP),
    ("left", "top", _GAP, -_GAP), ("right", "top", -_GAP, -_GAP),
    ("center", "bottom", 0, _GAP), ("center", "top", 0, -_GAP),
)  # fmt: skip


def label_line(ax, line, text: str, *, x: float | None = None, **changes):
    """Write ``text`` at the end of a line, or at ``x``; return the label.

    The end is the line's last point inside the axes, so set limits and scales first. The label
    takes the free corner next to that point: inside the axes, off lines, points and other labels;
    at the right edge it stands outside. Without a free corner there it moves along the line to
    the nearest one. When the line moves later, call ``move_label``. ``changes``
    goes to matplotlib (``fontweight="bold"``).

    Raises ``ValueError`` when no point of the line lies inside the axes.
    """
    look = {
        "color": readable(line.get_color()),
        "fontsize": 10.5,
        "annotation_clip": False,
        "textcoords": "offset points",
        "path_effects": [_HALO],
        **changes,
    }
    label = ax.annotate(text, (0, 0), xytext=(0, 0), **look)
    move_label(label, line, x=x)
    if not label.get_visible():
        label.remove()
        raise ValueError(
            f"label_line({text!r}): no point of the line lies inside the axes; set "
            "the limits before you label it"
        )
    return label


def move_label(label, line, *, x: float | None = None) -> None:
    """Put a label of ``label_line`` where its line ends now, or at ``x``.

    Where the line at ``x`` is out of sight, its nearest visible point serves; where everything
    around it is taken, the nearest point with room. The label hides while nothing of the line is
    in sight. Move labels last, one after the other, when all lines are where they belong.
    """
    ax = label.axes
    points, inside = _points(ax, line)
    label.set_visible(bool(inside.any()))
    if not label.get_visible():
        return
    wanted = points[inside][-1] if x is None else _point_at(ax, points, inside, x)
    at_edge = x is None and wanted[0] > 0.97 and wanted[1] < 0.97
    corners = (_OUTSIDE, *_AROUND) if at_edge else _AROUND
    places = [(wanted, corner) for corner in corners]
    places += [(point, corner) for point in _along(ax, line, wanted) for corner in _AROUND]
    _put(label, *_freest(label, places))


def note(ax, text: str, at, role: str, *, shift=(6, 4), **changes):
    """Write ``text`` beside the point ``at``, ``shift`` points away, in a role's colour."""
    look = {"color": readable(role_color(role)), "fontsize": 10, **changes}
    return ax.annotate(text, at, xytext=shift, textcoords="offset points", **look)


def key_above(ax, **changes):
    """What the marks say, in a line above the panel. ``changes`` goes to matplotlib."""
    look = {"loc": "lower left", "bbox_to_anchor": (0, 1), "ncols": 4, "fontsize": 10}
    look |= {"frameon": False, "borderaxespad": 0.1, "handletextpad": 0.3, "columnspacing": 1.2}
    return ax.legend(**look | changes)


def key(ax, entries, *, y: float = 1, up: float = 5, va: str = "bottom", size: float = 10) -> None:
    """Say what the colours of filled shapes mean: (x, colour, text) for each, a square before it.

    x and y in widths and heights of the axes, ``up`` in points above that. The words belong to the
    figure and not to its axes: an explorer draws them once, and the layout leaves no room for them.
    """
    for x, shade, text in entries:
        for ahead, words, ink in ((0, "■", shade), (1.4 * size, text, INK)):
            away = ScaledTranslation(ahead / 72, up / 72, ax.figure.dpi_scale_trans)
            look = {"transform": ax.transAxes + away, "va": va, "fontsize": size}
            ax.figure.text(x, y, words, color=ink, **look)


def readable(color: str) -> str:
    """Darken a colour until small text in it can be read on the card."""
    rgb = np.array(to_rgb(color))
    while contrast(rgb, to_rgb(CARD)) < _READABLE:
        rgb = 0.96 * rgb
    return to_hex(rgb)


def legible_on(fill) -> str:
    """The ink or white, whichever reads better on a filled shape."""
    return max((INK, "#ffffff"), key=lambda text: contrast(text, fill))


def contrast(one, other) -> float:
    """Contrast ratio of two colours (WCAG 2.1): 1 for equal ones, 21 for black on white."""
    dark, light = sorted(_luminance(np.array(to_rgb(c))) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def _luminance(rgb) -> float:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _points(ax, line):
    """The finite points of a line in fractions of the axes, and which of them stand inside."""
    points = _in_axes(ax, line)
    points = points[np.isfinite(points).all(axis=1)]
    return points, _inside(points)


def _in_axes(ax, line) -> np.ndarray:
    return ax.transAxes.inverted().transform(line.get_transform().transform(line.get_xydata()))


def _inside(points) -> np.ndarray:
    return ((points >= -1e-6) & (points <= 1 + 1e-6)).all(axis=1)


def _point_at(ax, points, inside, x):
    """Where the line, between its points, passes ``x``; else its visible point nearest to it."""
    anywhere = ax.get_ylim()[0]
    across = ax.transAxes.inverted().transform(ax.transData.transform((x, anywhere)))[0]
    ascending = points[points[:, 0].argsort(kind="stable")]
    up = np.interp(across, *ascending.T, left=np.nan, right=np.nan)
    if 0 <= across <= 1 and 0 <= up <= 1:
        return across, up
    visible = points[inside]
    return visible[np.abs(visible[:, 0] - across).argmin()]


def _along(ax, line, wanted) -> np.ndarray:
    """Visible places along the whole line, those next to the wanted one first."""
    ends = _in_axes(ax, line)
    parts = math.ceil(_STOPS / max(1, len(ends) - 1))
    way = np.arange(parts)[:, None] / parts
    places = (ends[:-1, None] * (1 - way) + ends[1:, None] * way).reshape(-1, 2)
    places = places[_inside(places)]
    places = places[:: math.ceil(len(places) / _STOPS) or 1]
    return places[np.hypot(*(places - wanted).T).argsort(kind="stable")]


def _put(label, point, corner) -> None:
    ax = label.axes
    label.xy = tuple(ax.transData.inverted().transform(ax.transAxes.transform(point)))
    label.set(ha=corner[0], va=corner[1], position=corner[2:])


def _freest(label, places) -> tuple:
    """Return the first place that covers nothing, else the first of those that cover least."""
    least, best = math.inf, None
    size = label.get_window_extent(label.axes.figure.canvas.get_renderer()).size
    trouble = _trouble_near(label)
    for point, corner in places:
        now = trouble(_box(label.axes, size, point, corner), outside=corner is _OUTSIDE)
        if now < least:
            least, best = now, (point, corner)
        if not now:
            break
    return best


def _box(ax, size, point, corner) -> Bbox:
    """Where a text of that size would stand, in pixels."""
    ha, va, *offset = corner
    anchor = ax.transAxes.transform(point) + np.array(offset) * ax.figure.dpi / 72
    low = anchor - size * (_SHARE_BEFORE[ha], _SHARE_BEFORE[va])
    return Bbox([low, low + size])


def _trouble_near(label):
    """Return what counts the lines, points and labels that a box would cover."""
    ax = label.axes
    frame, clear = ax.get_window_extent(), _CLEAR * ax.figure.dpi / 72
    paths, marks = _drawn(ax)
    texts = [
        other.get_window_extent()
        for other in ax.texts
        if other is not label and other.get_visible() and other.get_text()
    ]

    def trouble(box: Bbox, *, outside: bool) -> int:
        wide = box.padded(clear)
        covered = sum(path.intersects_bbox(wide, filled=False) for path in paths)
        covered += sum(wide.count_contains(points) > 0 for points in marks)
        covered += sum(box.overlaps(text) for text in texts)
        beyond = (box.min < frame.min).any() or (box.max > frame.max).any()
        return covered + 4 * (beyond and not outside)  # out there stand the ticks

    return trouble


def _drawn(ax) -> tuple[list, list]:
    """The visible lines of the axes as paths in pixels, and the visible markers as points."""
    paths, marks = [], []
    bars = [bar for bar in ax.collections if isinstance(bar, LineCollection)]
    for artist in filter(Artist.get_visible, [*ax.lines, *bars]):
        one = [artist.get_path()] if isinstance(artist, Line2D) else artist.get_paths()
        shown = [artist.get_transform().transform_path(path) for path in one]
        alone = isinstance(artist, Line2D) and artist.get_linestyle() == "None"
        if alone:
            marks += [path.vertices for path in shown]
        else:
            paths += shown
    return paths, marks
