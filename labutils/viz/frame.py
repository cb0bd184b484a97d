"""Draw a figure again and again: only what moved, on a stored picture of what did not."""

from matplotlib.artist import Artist
from matplotlib.text import Text

from .crowding import refuse_crowding
from .picture import prepare, quick_png


class Frames:
    """The frames of one figure.

    Axes, ticks and titles take most of the time that a frame takes. They are drawn once and kept
    until a limit, a scale, a label or a title changes; then lines, points and texts go on top.
    Invariant: a frame equals, pixel by pixel, a full drawing of the figure.
    """

    def __init__(self, fig):
        prepare(fig)
        fig.canvas.draw()
        fig.set_layout_engine("none")  # the layout is settled once, or the axes would jump
        self.fig = fig
        self._backdrop = None
        self._drawn_for = None

    def png(self, *, effort: int = 3) -> bytes:
        """Draw the figure as it stands now and return the frame as PNG, packed with ``effort``."""
        wanted = self._description()
        if self._backdrop is None or wanted != self._drawn_for:
            self._draw_backdrop()
            self._drawn_for = self._description()
        self.fig.canvas.restore_region(self._backdrop)
        for artist in self._moving():
            artist.draw(self.fig.canvas.get_renderer())
        refuse_crowding(self.fig)
        return quick_png(self.fig.canvas, effort=effort)

    def _draw_backdrop(self) -> None:
        seen = [artist for artist in self._moving() if artist.get_visible()]
        for artist in seen:
            artist.set_visible(False)
        try:
            self.fig.canvas.draw()
        finally:
            for artist in seen:
                artist.set_visible(True)
        self._backdrop = self.fig.canvas.copy_from_bbox(self.fig.bbox)

    def _moving(self) -> list:
        """All but the backdrop, in the order of drawing."""
        own = [*self.fig.patches, *self.fig.lines, *self.fig.images]
        inside = [artist for ax in self.fig.axes for artist in _contents(ax)]
        return own + inside + list(self.fig.legends)

    def _description(self) -> tuple:
        """All that the backdrop shows and an update may change."""
        texts = [(t.get_text(), t.get_position(), t.get_color()) for t in self.fig.texts]
        return texts, [_setting(ax) for ax in self.fig.axes]


def _contents(ax) -> list:
    titles = [a for a in ax.get_children() if isinstance(a, Text) and a not in ax.texts]
    still = {ax.patch, ax.xaxis, ax.yaxis, *titles}
    return sorted((a for a in ax.get_children() if a not in still), key=Artist.get_zorder)


def _setting(ax) -> tuple:
    sides = [
        (axis.get_scale(), axis.get_label_text(), axis.get_visible(), _ticks(axis))
        for axis in (ax.xaxis, ax.yaxis)
    ]
    titles = [ax.get_title(loc=loc) for loc in ("left", "center", "right")]
    return ax.get_xlim(), ax.get_ylim(), ax.get_position().bounds, ax.get_visible(), sides, titles


def _ticks(axis) -> tuple:
    places = axis.get_majorticklocs()
    return tuple(places), tuple(axis.get_major_formatter().format_ticks(places))
