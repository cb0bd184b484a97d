"""Python as HTML: keywords, texts, numbers, comments and what is defined bear a class each."""

import io
import keyword
import tokenize
from collections.abc import Iterator
from html import escape

Span = tuple[int, int, str]  # where it begins and ends in the source, and its class


def code_html(source: str) -> str:
    """A block of code; what is no Python stands as it is."""
    try:
        spans = list(_spans(source))
    except (tokenize.TokenError, SyntaxError):
        spans = []
    pieces, done = [], 0
    for begin, end, kind in spans:
        word = escape(source[begin:end], quote=False)
        pieces += [escape(source[done:begin], quote=False), f'<i class="{kind}">{word}</i>']
        done = end
    pieces.append(escape(source[done:], quote=False))
    return f'<pre class="code"><code>{"".join(pieces)}</code></pre>'


def _spans(source: str) -> Iterator[Span]:
    starts, before = [0], ""
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if kind := _kind(token, before):
            begin, end = (starts[row - 1] + column for row, column in (token.start, token.end))
            yield begin, end, kind
        before = token.string


def _kind(token: tokenize.TokenInfo, before: str) -> str:
    name = tokenize.tok_name[token.type]
    if name == "NAME":
        return "word" if keyword.iskeyword(token.string) else "made" * (before in ("def", "class"))
    return {"COMMENT": "aside", "NUMBER": "number"}.get(name, "text" * ("STRING" in name))
