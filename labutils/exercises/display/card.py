"""A card: what the engine says to the learner, in plain text and in HTML with the same words.

Both forms are rendered from the same parts, so neither can say more than the other. The state is
always a word; colour repeats it. Colours are JupyterLab's theme variables, with fallbacks that
are legible on light and on dark pages.
"""

import html
import re
import textwrap
from dataclasses import dataclass

from labutils.exercises.display.at_once import ShownOnce

WIDTH = 88
FIGURE = 20  # characters: a longer cell is no figure

ACCENTS = {
    "success": "var(--jp-success-color1, #2e9e5b)",
    "warning": "var(--jp-warn-color1, #c77700)",
    "error": "var(--jp-error-color1, #d9534f)",
    "info": "var(--jp-info-color1, #3d8bd4)",
    "neutral": "var(--jp-border-color1, #8a8a8a)",
}
_PRE = (
    "margin: 4px 0; padding: 4px 8px; white-space: pre-wrap; word-break: normal; "
    "overflow-wrap: anywhere; "
    "color: inherit; background: var(--jp-layout-color2, rgba(128, 128, 128, 0.12))"
)


@dataclass(frozen=True)
class Prose:
    """A paragraph; text between backticks is code."""

    text: str

    def plain(self) -> str:
        return wrapped(self.text)

    def html(self) -> str:
        lines = "<br>".join(_inline(line) for line in self.text.splitlines())
        return f'<div style="margin: 2px 0; max-width: 48em">{lines}</div>'


@dataclass(frozen=True)
class Code:
    """Lines that keep their breaks: a call, a traceback's line, what was printed."""

    text: str

    def plain(self) -> str:
        return textwrap.indent(self.text, "    ", lambda line: True)

    def html(self) -> str:
        code = html.escape(self.text, quote=False)  # some themes paint each line of it
        return f'<pre style="{_PRE}"><code style="background: none">{code}</code></pre>'


@dataclass(frozen=True)
class Table:
    """A small table; the first column holds names, the others figures or short sentences.

    A ``dense`` one keeps its rows close, for a list that is to be seen whole.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    dense: bool = False

    def plain(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines)]
        prose = self._prose()
        return "\n".join(_aligned(line, widths, prose) for line in lines)

    def html(self) -> str:
        prose = self._prose()
        look = "; padding: 1px 12px 1px 0; line-height: 1.35" if self.dense else ""
        head = _html_row(self.header, prose, look, heading=True)
        body = "".join(_html_row(row, prose, look, heading=False) for row in self.rows)
        style = "color: inherit; font: inherit; margin: 4px 0"  # tables of some pages do not
        return f'<table style="{style}"><thead>{head}</thead><tbody>{body}</tbody></table>'

    def _prose(self) -> list[bool]:
        """Which columns hold names or sentences, and so begin at their left edge."""
        longest = [max((len(row[at]) for row in self.rows), default=0) for at in self._places()]
        return [at == 0 or longest[at] > FIGURE for at in self._places()]

    def _places(self) -> range:
        return range(len(self.header))


class Link(str):
    """A text that leads to ``href`` in a notebook; a text alone without one, and elsewhere."""

    href: str

    def __new__(cls, text: str, href: str = ""):
        link = super().__new__(cls, text)
        link.href = href
        return link

    def html(self) -> str:
        text = html.escape(self)
        return f'<a href="{html.escape(self.href)}">{text}</a>' if self.href else text


@dataclass(frozen=True)
class Links:
    """A line with links in it: what leads to them, the links, what follows."""

    before: str
    links: tuple[Link, ...]
    after: str = ""

    def plain(self) -> str:
        return wrapped(" ".join([self.before, ", ".join(self.links) + ".", self.after]).strip())

    def html(self) -> str:
        links = ", ".join(link.html() for link in self.links) + "."
        line = f"{_inline(self.before)} {links} {_inline(self.after)}"
        return f'<div style="margin: 2px 0; max-width: 48em">{line}</div>'


@dataclass(frozen=True)
class Beside:
    """Columns of parts where the page is wide enough; in plain text one below the other."""

    columns: tuple[tuple[Table, ...], ...]

    def plain(self) -> str:
        return "\n".join(part.plain() for column in self.columns for part in column)

    def html(self) -> str:
        columns = ("".join(part.html() for part in column) for column in self.columns)
        inside = "".join(f'<div style="flex: 1 1 20em">{column}</div>' for column in columns)
        return f'<div style="display: flex; flex-wrap: wrap; gap: 0 2em">{inside}</div>'


class Shown(ShownOnce):
    """Whatever shows itself as a card: a subclass defines ``card()``."""

    def card(self) -> "Card":
        raise NotImplementedError(f"{type(self).__name__}.card()")

    def __repr__(self) -> str:
        return self.card().plain()

    def _repr_html_(self) -> str:
        return self.card().html()


@dataclass(frozen=True, repr=False)
class Card(Shown):
    """A label (the state in words), what follows it, and an accent named in ``ACCENTS``."""

    label: str
    parts: tuple[Prose | Code | Table, ...] = ()
    accent: str = "info"

    def card(self) -> "Card":
        return self

    def plain(self) -> str:
        first, rest = self._opening()
        opening = wrapped(f"{self.label}. {first}".rstrip())
        return "\n".join([opening, *(part.plain() for part in rest)])

    def html(self) -> str:
        first, rest = self._opening()
        label = f"<strong>{html.escape(self.label, quote=False)}.</strong>"
        paragraphs = "<br>".join(_inline(line) for line in first.splitlines())
        opening = f'<div style="margin: 2px 0; max-width: 48em">{label} {paragraphs}</div>'
        style = f"border-left: 4px solid {ACCENTS[self.accent]}; padding: 2px 0 2px 12px"
        inside = f"{opening}{''.join(part.html() for part in rest)}"
        return f'<div {_unset(inside)}style="{style}">{inside}</div>'

    def _opening(self) -> tuple[str, tuple]:
        """The paragraph that shares the label's line, and the parts below it."""
        if self.parts and isinstance(self.parts[0], Prose):
            return self.parts[0].text, self.parts[1:]
        return "", self.parts


def wrapped(text: str) -> str:
    """``text`` broken at 88 columns; its own line breaks stay, code between backticks too."""
    return "\n".join(
        textwrap.fill(line, WIDTH, break_long_words=False, break_on_hyphens=False)
        for line in text.splitlines()
    )


def _inline(text: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def _unset(text: str) -> str:
    """The class by which MathJax, old and new, passes over text: two prices are no formula."""
    return 'class="tex2jax_ignore mathjax_ignore" ' if "$" in text else ""


def _aligned(cells, widths, prose) -> str:
    padded = [
        cell.ljust(width) if is_prose else cell.rjust(width)
        for cell, width, is_prose in zip(cells, widths, prose)
    ]
    return "  ".join(padded).rstrip()


def _html_row(cells: tuple[str, ...], prose: list[bool], look: str, *, heading: bool) -> str:
    name, *figures = (cell.html() if hasattr(cell, "html") else html.escape(cell) for cell in cells)
    scope, tag = ("col", 'th scope="col"') if heading else ("row", "td")
    weight = "; font-weight: normal" if look and not heading else ""
    first = f'<th scope="{scope}" style="text-align: left{look}{weight}">{name}</th>'
    sides = ("left" if is_prose else "right" for is_prose in prose[1:])
    rest = (
        f'<{tag} style="text-align: {side}{look}">{text}</{tag[:2]}>'
        for side, text in zip(sides, figures)
    )
    return f"<tr>{first}{''.join(rest)}</tr>"
