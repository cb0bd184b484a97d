"""What is crowded in a drawn figure: texts over each other, and texts beyond its edge.

Only where the course is built: ``refuse_crowding`` looks when the environment asks for it, so a
learner waits for nothing.
"""

import os
from collections.abc import Iterator
from itertools import combinations

from matplotlib.axis import Axis
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox

from .style import SCREEN_PX_PER_INCH, title_of

_OVER_PX = 3  # of the screen; a text's box has some air above and below its letters
_BEYOND_PX = 1


def refuse_crowding(fig) -> None:
    """Raise ``ValueError`` for a crowded figure, drawn, where the environment asks for it."""
    if os.environ.get("LABUTILS_REFUSE_CROWDING") == "1" and (found := list(crowded(fig))):
        raise ValueError(f"figure {title_of(fig)!r} is crowded: {'; '.join(found)}")


def crowded(fig) -> Iterator[str]:
    """Say which two texts of a drawn figure cover each other, and which leave the canvas."""
    px = fig.dpi / SCREEN_PX_PER_INCH
    boxes = [(text.get_text().strip(), _box(text)) for text in _texts(fig)]
    seen = [(text, box) for text, box in boxes if box is not None]
    for text, box in seen:
        beyond = max(*(fig.bbox.min - box.min), *(box.max - fig.bbox.max))
        if beyond > _BEYOND_PX * px:
            yield f"{text!r} reaches out of the picture"
    for (one, its), (other, others) in combinations(seen, 2):
        shared = Bbox.intersection(its, others)
        if shared is not None and min(shared.size) > _OVER_PX * px:
            yield f"{one!r} and {other!r} cover each other"


def _texts(artist) -> Iterator[Text]:
    """All visible texts with words in them, ticks outside of the limits left out."""
    if not artist.get_visible() or artist.get_alpha() == 0:  # it only keeps room for others
        return
    if isinstance(artist, Text) and artist.get_text().strip():
        yield artist
    for child in _children(artist):
        yield from _texts(child)


def _children(artist) -> list:
    if isinstance(artist, Axis):
        low, high = sorted(artist.get_view_interval())
        ticks = [*artist.get_major_ticks(), *artist.get_minor_ticks()]
        seen = [tick for tick in ticks if low <= tick.get_loc() <= high]
        return [artist.label, artist.get_offset_text(), *seen]
    children = artist.get_children()
    if not getattr(artist, "axison", True):
        return [child for child in children if not isinstance(child, Axis)]
    return children


def _box(text: Text) -> Bbox | None:
    """Where the words stand; None where they are cut away.

    Without an annotation's arrow, and without the empty lines that keep a title at a distance.
    """
    if isinstance(text, Annotation) and text.get_window_extent().width <= 0:
        return None  # what it notes lies outside of the axes
    box = Text.get_window_extent(text)
    said = text.get_text()
    line = box.height / len(said.split("\n"))
    above, below = (said[: len(said) - len(said.lstrip())], said[len(said.rstrip()) :])
    box = Bbox([(box.x0, box.y0 + line * below.count("\n")),
                (box.x1, box.y1 - line * above.count("\n"))])  # fmt: skip
    clip = text.get_clip_box() if text.get_clip_on() else None
    return box if clip is None else Bbox.intersection(box, clip)
