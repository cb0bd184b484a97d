"""Markdown to HTML with the mathematics as MathML: nothing is loaded when a slide is shown."""

import re
from functools import cache

RELATIVE = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)[^)]*\)")
KEPT_WHOLE = re.compile(r"(\$\$.*?\$\$|\$[^$]+\$|`[^`]+`)", flags=re.S)
SENTENCE_END = re.compile(r"(?<=[.?!])([\"”*)]*)\s+(?=[\"“*(]*[A-Z0-9$`µλ\x00])")
PRIME = re.compile(r"<msup>(<mi>[^<]+</mi>)<mi>&#x02032;</mi></msup>")
"""A prime that the translation raises: text fonts carry it raised already, and it would vanish."""

NO_END = re.compile(r"\b(e\.g|i\.e|vs|cf|Fig|Eq|approx|No|[A-Z])\.$")


def block_html(markdown: str) -> str:
    """HTML of one or more markdown blocks; links inside the course keep their words alone."""
    return _parser().render(RELATIVE.sub(r"\1", markdown)).strip()


def inline_html(markdown: str) -> str:
    """HTML of a text that stands inside a line."""
    return _parser().renderInline(RELATIVE.sub(r"\1", " ".join(markdown.split())))


def mathml(latex: str, *, display: bool) -> str:
    """One formula as MathML.

    Raises ``ValueError`` naming the formula where something in it has no translation.
    """
    from latex2mathml import converter

    try:
        text = converter.convert(latex, display="block" if display else "inline")
    except Exception as error:
        raise ValueError(f"formula {latex!r} cannot be turned into MathML: {error!r}") from error
    if "\\" in text:
        raise ValueError(f"formula {latex!r} keeps a command that MathML lacks: {text!r}")
    return PRIME.sub(r'<mrow>\1<mo form="postfix" lspace="0" rspace="0">&#x2032;</mo></mrow>', text)


def blocks(markdown: str) -> list[tuple[str, str]]:
    """The top-level blocks of a markdown text: kind (markdown-it's) and its own lines."""
    lines = markdown.splitlines()
    found = []
    for token in _parser().parse(markdown):
        if token.level == 0 and token.nesting >= 0 and token.map:
            text = "\n".join(lines[token.map[0] : token.map[1]]).strip()
            found.append((token.type.removesuffix("_open"), text))
    return found


def items(markdown: str) -> list[str]:
    """The items of a list, each as markdown without its mark."""
    lines = markdown.splitlines()
    spans = [
        t.map for t in _parser().parse(markdown) if t.type == "list_item_open" and t.level == 1
    ]
    texts = ["\n".join(lines[first:last]) for first, last in spans]
    return [re.sub(r"^\s*([-*+]|\d+[.)])\s+", "", text).strip() for text in texts]


def sentences(markdown: str) -> list[str]:
    """The sentences of a paragraph; formulas and code stay whole."""
    kept: list[str] = []

    def hide(found) -> str:
        kept.append(found[0])
        return f"\x00{len(kept) - 1}\x00"

    flat = KEPT_WHOLE.sub(hide, " ".join(markdown.split()))
    pieces: list[str] = []
    for piece in SENTENCE_END.sub(r"\1\n", flat).split("\n"):
        if pieces and NO_END.search(pieces[-1]):
            pieces[-1] += " " + piece
        else:
            pieces.append(piece)
    shown = [re.sub(r"\x00(\d+)\x00", lambda m: kept[int(m[1])], piece) for piece in pieces]
    return [_mended(text) for text in shown if text]


def _mended(text: str) -> str:
    """A sentence cut out of an emphasis gets its marks back, or loses the lone one."""
    for mark in ("**", "*"):
        bare = text.replace("**", "") if mark == "*" else text
        if bare.count(mark) % 2:
            return text.replace(mark, "") if mark == "**" else re.sub(r"(?<!\*)\*(?!\*)", "", text)
    return text


@cache
def _parser():
    return parser(html=False)


def parser(*, html: bool):
    """A new parser (markdown-it's) that writes formulas as MathML; ``html``: tags stay tags."""
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    parser = MarkdownIt("commonmark", {"html": html}).enable("table")
    parser.use(dollarmath_plugin, allow_space=True, double_inline=True)
    for kind in ("math_inline", "math_block", "math_inline_double", "math_block_label"):
        display = kind != "math_inline"
        parser.add_render_rule(
            kind,
            lambda _self, tokens, at, *_, display=display: mathml(
                tokens[at].content.strip(), display=display
            ),
        )
    return parser
