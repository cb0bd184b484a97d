"""Show a finished figure: the picture, what it shows in words, and its one-line finding."""

import html

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from .picture import figure_html, png
from .style import title_of


def show(fig, *, alt: str, finding: str | None = None) -> None:
    """Show a figure with a text alternative, and print its finding beneath.

    ``alt`` tells someone who cannot see the picture what it shows: the axes, the shape, the
    numbers that matter. ``finding`` is the one line to take away; without it the figure's title
    serves, and is not printed a second time. The figure is not shown a second time at the end of
    the cell.

    Raises ``ValueError`` for an empty ``alt``, and where neither finding nor title exist.
    """
    title = title_of(fig)
    text = one_line("finding", title if finding is None else finding)
    show_figure(fig, alt=alt, text=text, caption="" if text == title else text)


def show_figure(fig, *, alt: str, text: str, caption: str) -> None:
    """Show a figure with a caption beneath, and as ``text`` where there are no pictures."""
    alt = one_line("alt", alt)
    picture = figure_html(
        png(fig),
        inches=fig.get_size_inches(),
        alt=alt,
        caption=html.escape(caption),
        name=title_of(fig),
    )
    publish({"text/html": picture, "text/plain": text})


def publish(bundle: dict[str, object], **placement) -> None:
    """Display a MIME bundle; outside of IPython print its plain text."""
    if InteractiveShell.initialized():
        display(bundle, raw=True, **placement)
    else:
        print(bundle["text/plain"])


def one_line(name: str, text: str) -> str:
    """Return ``text`` on one line. Raises ``ValueError`` if it is empty or no text."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{name} = {text!r}: expected a line of text")
    return " ".join(text.split())
