"""A figure as it goes into a notebook: a small, sharp PNG with a real text alternative.

JupyterLab 4.6 gives an ``image/png`` output no ``alt`` attribute whatever its metadata say, so the
picture travels inside ``text/html``, where ``alt`` is an ordinary attribute.
"""

import base64
import html
import io
import sys
from functools import cache
from itertools import chain

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from PIL import Image

from .crowding import refuse_crowding
from .style import CARD, GRID, PICTURE_PX_PER_INCH, ROLES, SCREEN_PX_PER_INCH, plain_ticks

_FADES = 16  # steps between the card and each colour: edges and shaded bands stay smooth
_SHOWN_COLORS = 64


def png(fig) -> bytes:
    """Draw a figure of any colours and pack it tightly: for pictures that are saved."""
    prepare(fig)
    fig.canvas.draw()
    refuse_crowding(fig)
    pixels = _pixels(fig.canvas)
    picture = pixels.quantize(
        _SHOWN_COLORS, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE
    )
    return _packed(picture, effort=9)


def quick_png(canvas, *, effort: int = 3) -> bytes:
    """Pack a drawn canvas in a few milliseconds; other colours than the house's are rounded."""
    picture = _pixels(canvas).quantize(palette=_house_palette(), dither=Image.Dither.NONE)
    return _packed(picture, effort=effort)


def prepare(fig) -> None:
    """Put a figure, pyplot's included, on a plain canvas of the house's resolution."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close(fig)  # or the inline backend shows it once more at the end of the cell
    if type(fig.canvas) is not FigureCanvasAgg:
        FigureCanvasAgg(fig)
    fig.set_dpi(PICTURE_PX_PER_INCH)
    plain_ticks(fig)


def figure_html(
    image: bytes,
    *,
    inches,
    alt: str,
    caption: str = "",
    above: str = "",
    kind: str = "figure",
    name: str = "",
) -> str:
    """Return HTML that shows a PNG with its alternative text and a caption of ready HTML.

    ``above`` is a caption that stands before the picture instead. ``name`` is what a screen reader
    calls the figure: the title that others read in the picture. Without an image the words stand
    alone.
    """
    width, height = (round(side * SCREEN_PX_PER_INCH) for side in inches)
    named = f' aria-label="{html.escape(name)}"' if name else ""
    below = f'<figcaption style="margin-top: 4px">{caption}</figcaption>' if caption else ""
    # room for two lines, or the picture would jump with every word
    look = "min-height: 3em; margin-bottom: 4px"
    before = f'<figcaption style="{look}">{above}</figcaption>' if above else ""
    picture = (
        f'<img alt="{html.escape(alt)}" width="{width}" height="{height}" '
        f'style="border-radius: 6px" '
        f'src="data:image/png;base64,{base64.b64encode(image).decode()}">'
    )
    return (
        f'<figure class="house-{kind}"{named} style="margin: 4px 0 10px 0; max-width: {width}px">'
        f"{before}{picture if image else ''}{below}</figure>"
    )


def _pixels(canvas) -> Image.Image:
    return Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")


def _packed(picture: Image.Image, *, effort: int) -> bytes:
    packed = io.BytesIO()
    picture.save(packed, "png", compress_level=effort)
    return packed.getvalue()


@cache
def _house_palette() -> Image.Image:
    """The card faded into every colour of the house, at most 256 entries."""
    colors = dict.fromkeys([GRID, *(role.color for role in ROLES.values())])
    card = np.array(to_rgb(CARD))
    fades = np.arange(_FADES + 1)[:, None] / _FADES
    entries = np.concatenate([card + fades * (np.array(to_rgb(c)) - card) for c in colors])
    palette = Image.new("P", (1, 1))
    palette.putpalette(list(chain.from_iterable(np.rint(255 * entries).astype(int).tolist())))
    return palette
