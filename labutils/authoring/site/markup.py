"""Markdown as HTML of a page: links inside the site, code in colours, headings with ids."""

import re
from collections.abc import Callable
from functools import cache
from html import escape

from labutils.authoring.pages.offers import CARDS_PATH
from labutils.authoring.site.python_code import code_html
from labutils.authoring.slides.markup import mathml, parser
from labutils.authoring.sources.course import Course

_EDITION = re.compile(r"(?:\.\./)?(?:(?:notebooks|labs|solutions)/)?(\w+)\.ipynb(#.*)?")
_NAMED = re.compile(r"(?:hint|reveal|predict)\(\"([\w.]+)\".*?\)")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=(%|[nµm]?s|min|h|[kMGT]i?B)(?!\w))")
_SPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'  # which a page of HTML need not name
STUCK = re.compile(
    r"Stuck\?\s.*?`?reveal.*?\bexplains[^.]*\.( Both work for every exercise\.)?", re.S
)
"""How a notebook asks for help; a page has it behind folds."""

LONG = 40  # characters of LaTeX that a phone has room for, roughly
HELP_HERE = "Stuck? Hints and the explanation are folded under the task."


class Links:
    """Where a link of a notebook leads on the site; ``lost`` collects those that lead nowhere."""

    def __init__(self, course: Course):
        self.names = {chapter.name for chapter in course.chapters}
        self.lost: set[str] = set()

    def page_of(self, address: str) -> str:
        """The address on the site."""
        if (found := _EDITION.fullmatch(address)) and found[1] in self.names:
            return f"{found[1]}.html{found[2] or ''}"
        if address.endswith("cards.html"):
            return "cards.html"
        if not address.startswith(("https:", "http:", "#")):
            self.lost.add(address)
        return address


def inline(text: str) -> str:
    """A text that stands inside a line, as HTML."""
    return _parser().renderInline(" ".join(text.split()))


def block(text: str) -> str:
    """One or more paragraphs, as HTML."""
    return _parser().render(text).strip()


def plain(text: str) -> str:
    """A text of the catalog that is no markdown: code in backticks, and line breaks."""
    code = re.sub(r"`([^`]+)`", r"<code>\1</code>", _unbroken(escape(text, quote=False)))
    return code.replace("\n", "<br>")


def words(text: str) -> str:
    """What a reader may search for in a line of markdown."""
    return " ".join(re.sub(r"[*`$\\{}]|\]\([^)]*\)|\[|<[^>]*>", " ", text).split())


def slug(title: str) -> str:
    """A heading as an id."""
    return re.sub(r"[^\w]+", "-", re.sub(r"[$`*]", "", title).lower()).strip("-") or "part"


def tokens_of(text: str) -> list:
    """The text in markdown-it's tokens."""
    return _parser().parse(STUCK.sub(HELP_HERE, text))


def html_of(
    tokens: list,
    page_of: Callable[[str], str],
    id_of: Callable[[int, str], str],
    read: Callable[[str], None],
) -> str:
    """HTML of these tokens.

    ``page_of`` says where a link leads, ``id_of`` names a heading by its level and title, and
    ``read`` is handed every other text, all in the order of reading.
    """
    for at, token in enumerate(tokens):
        if token.type == "inline" and tokens[at - 1].type != "heading_open":
            read(token.content)
        for link in token.children or ():
            if link.type == "link_open":
                link.attrs["href"] = page_of(link.attrs["href"])
        if token.type == "heading_open":
            token.attrs["id"] = id_of(int(token.tag[1]), tokens[at + 1].content)
    return _parser().renderer.render(tokens, _parser().options, {})


def section_starts(text: str) -> int | None:
    """The line at which a text begins a section (``##``), if it does."""
    heads = (t for t in tokens_of(text) if t.type == "heading_open" and t.tag in ("h1", "h2"))
    return next((token.map[0] for token in heads if token.level == 0), None)


@cache
def _parser():
    made = parser(html=True)
    rules = {
        "table_open": lambda *_: '<div class="wide"><table>\n',
        "table_close": lambda *_: "</table></div>\n",
        "text": lambda _, tokens, at, *rest: _unbroken(escape(tokens[at].content)),
        "math_inline": lambda _, tokens, at, *rest: _in_line(tokens[at].content.strip()),
        "math_block": lambda _, tokens, at, *rest: _formula(tokens[at].content, "div"),
        "math_inline_double": lambda _, tokens, at, *rest: _formula(tokens[at].content, "span"),
        "fence": lambda _, tokens, at, *rest: code_html(tokens[at].content),
        "code_inline": lambda _, tokens, at, *rest: _code(tokens[at].content),
    }
    for kind, rule in rules.items():
        made.add_render_rule(kind, rule)
    return made


def _mathml(latex: str, *, display: bool) -> str:
    return mathml(latex, display=display).replace(_SPACE, "")


def _code(text: str) -> str:
    """Code inside a line; a call that asks or helps leads to what stands for it on the page."""
    code = f"<code>{escape(text)}</code>"
    if found := _NAMED.fullmatch(text):
        return f'<a href="#{found[1]}">{code}</a>'
    return f'<a href="cards.html">{code}</a>' if text == CARDS_PATH else code


def _in_line(latex: str) -> str:
    """A formula in a line; a long one can be scrolled, for a phone does not break it."""
    html = _mathml(latex, display=False)
    return f'<span class="wide long">{html}</span>' if len(latex) > LONG else html


def _formula(latex: str, tag: str) -> str:
    return f'<{tag} class="wide">{_mathml(latex.strip(), display=True)}</{tag}>'


def _unbroken(text: str) -> str:
    """A number stays on the line of its unit."""
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)
