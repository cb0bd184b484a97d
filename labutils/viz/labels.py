"""Direct labels: the name of a line stands at the line, in its colour."""

import numpy as np
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patheffects import withStroke

from .style import CARD

_GAP = 5  # points between a line and its label
_READABLE = 4.5  # contrast that small text needs (WCAG 2.1, criterion 1.4.3)
_HALO = withStroke(linewidth=3, foreground=CARD)  # it stays readable across a line
_OUTSIDE = ("left", "center", _GAP, 0)
_AROUND = (  # the first that covers nothing is taken
    ("right", "bottom", -_GAP, _GAP), ("left", "bottom", _GAP, _GAP),
    ("left", "top", _GAP, -_GAP), ("right", "top", -_GAP, -_GAP),
    ("center", "bottom", 0, _GAP), ("center", "top", 0, -_GAP),
)


def label_line(ax, line, text: str, *, x: float | None = None, **changes):
    """Write ``text`` at the end of a line, or at ``x``; return the label.

    The end is the line's last point inside the axes, so set limits and scales first. The label
    takes the free corner next to that point: inside the axes, off other lines and labels; at
    the right edge it stands outside. When the line moves later, call ``move_label``. ``changes``
    goes to matplotlib (``fontweight="bold"``).

    Raises ``ValueError`` when no point of the line lies inside the axes.
    """
    look = {"color": readable(line.get_color()), "fontsize": 10.5, "annotation_clip": False,
            "textcoords": "offset points", "path_effects": [_HALO], **changes}
    label = ax.annotate(text, (0, 0), xytext=(0, 0), **look)
    move_label(label, line, x=x)
    if not label.get_visible():
        label.remove()
        raise ValueError(f"label_line({text!r}): no point of the line lies inside the axes; set "
                         "the limits before you label it")
    return label


def move_label(label, line, *, x: float | None = None) -> None:
    """Put a label of ``label_line`` where its line ends now, or at ``x``.

    Where the line at ``x`` is out of sight, its nearest visible point serves. The label hides
    while nothing of the line is in sight.
    """
    ax = label.axes
    points, inside = _points(ax, line)
    label.set_visible(bool(inside.any()))
    if not label.get_visible():
        return
    across, up = points[inside][-1] if x is None else _point_at(ax, points, inside, x)
    on_screen = ax.transAxes.transform((across, up))
    label.xy = tuple(ax.transData.inverted().transform(on_screen))
    places = (_OUTSIDE, *_AROUND) if x is None and across > 0.97 and up < 0.97 else _AROUND
    _put(label, min(places, key=lambda place: _trouble(label, place)))


def readable(color: str) -> str:
    """Darken a colour until small text in it can be read on the card."""
    rgb = np.array(to_rgb(color))
    while contrast(rgb, to_rgb(CARD)) < _READABLE:
        rgb = 0.96 * rgb
    return to_hex(rgb)


def contrast(one, other) -> float:
    """Contrast ratio of two colours (WCAG 2.1): 1 for equal ones, 21 for black on white."""
    dark, light = sorted(_luminance(np.array(to_rgb(c))) for c in (one, other))
    return (light + 0.05) / (dark + 0.05)


def _luminance(rgb) -> float:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def _points(ax, line):
    """The finite points of a line in fractions of the axes, and which of them stand inside."""
    points = ax.transAxes.inverted().transform(line.get_transform().transform(line.get_xydata()))
    points = points[np.isfinite(points).all(axis=1)]
    return points, ((points >= -1e-6) & (points <= 1 + 1e-6)).all(axis=1)


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


def _put(label, place) -> None:
    ha, va, right, up = place
    label.set(ha=ha, va=va, position=(right, up))


def _trouble(label, place) -> int:
    """How many lines and labels a place would cover, and whether it leaves the axes."""
    _put(label, place)
    ax = label.axes
    box = label.get_window_extent(ax.figure.canvas.get_renderer())
    lines = sum(line.get_visible() and line.get_transform().transform_path(line.get_path())
                .intersects_bbox(box, filled=False) for line in ax.lines)
    texts = sum(box.overlaps(other.get_window_extent()) for other in ax.texts
                if other is not label and other.get_visible())
    frame = ax.get_window_extent()
    beyond = place is not _OUTSIDE and not (
        frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1)
    return lines + texts + 4 * beyond  # out there stand the ticks and their labels
