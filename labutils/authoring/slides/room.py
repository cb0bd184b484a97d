"""How much room a block takes on a slide, and how text is brought to fit it."""

import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, pairwise
from operator import itemgetter

from labutils.authoring.slides import markup
from labutils.authoring.slides.parts import Prose

ROOM = 16.0  # lines of text on a slide, below its title
WORDS = 80  # words of prose on a slide; code and formulas are not counted
LEAST_PRINT, LONGEST_PRINT, WIDEST = 3, 18, 98  # lines, lines, characters
LONG_LIST = 480  # characters, beyond which only the first sentence of each item is shown
QUOTES = '"""'
USED = (": using yours.", "using the workbook's.")  # says whose code ran
UNCOUNTED = re.compile(r"<(pre|code|math)\b.*?</\1>|<[^>]+>", flags=re.S)
WORD = re.compile(r"[^\W\d_][\w'’.-]*")
CODE = re.compile(r"^ *(class|def|async def) ", flags=re.M)
CODE_WIDTH = 84  # characters of a line of code that keep their size
LONGEST_CODE = 14  # lines; longer listings are read in the notebook
NOISY = "Too noisy"  # what a measuring cell says of a busy machine


def words(html: str) -> int:
    """Words of prose in a piece of HTML."""
    return len(WORD.findall(UNCOUNTED.sub(" ", html)))


def lines(prose: Prose) -> float:
    """About how many lines of a slide a block fills."""
    if prose.kind == "formula":
        return 2.5 + prose.text.count(r"\\") * 1.5
    if prose.kind == "code":
        return code_lines(prose.text)
    if prose.kind == "table":
        return sum(0.45 + 0.75 * math.ceil(len(row) / 95) for row in prose.text.splitlines())
    text = shortened(prose.text) if prose.kind == "list" else prose.text
    return 0.6 + sum(math.ceil(len(line) / 78) for line in text.splitlines() or [""])


def code_lines(source: str) -> float:
    """About how many lines of text a piece of code needs; 0 for none."""
    return 1.2 * len(source.splitlines())


def rewrapped(source: str) -> str:
    """Code whose docstrings are broken to ``CODE_WIDTH``; its other lines stay as they are."""
    done = []
    for indent, group in groupby(_docstrings(source), key=itemgetter(0)):
        found = [line for _, line in group]
        if indent is None or max(map(len, found)) <= CODE_WIDTH or _is_list(found):
            done += found
        else:
            wrap = textwrap.TextWrapper(CODE_WIDTH, indent, indent, break_on_hyphens=False)
            done += wrap.wrap(" ".join(map(str.strip, found)))
    return "\n".join(done)


def _docstrings(source: str) -> Iterator[tuple[str | None, str]]:
    """Each line with its indentation where it is a docstring's text, else with None."""
    inside = False
    for line in source.splitlines():
        said = line.strip()
        told = inside or said.startswith(QUOTES)
        is_text = told and said not in ("", QUOTES)
        yield (line[: len(line) - len(line.lstrip())] if is_text else None), line
        inside ^= line.count(QUOTES) % 2 == 1


def _is_list(found: list[str]) -> bool:
    return any(line.lstrip().startswith(("- ", "* ")) for line in found)


def leading(proses: list[Prose]) -> set[str]:
    """The sentences that end in a formula, list or table, and those that go on after one."""
    found = set()
    for one, other in pairwise(proses):
        if one.kind == "paragraph" and other.kind != "paragraph":
            found.add(markup.sentences(one.text)[-1])
        if one.kind == "formula" and other.kind == "paragraph" and other.text[0].islower():
            found.add(markup.sentences(other.text)[0])
    return found


def asked_for(proses: list[Prose]) -> list[Prose]:
    """The end of what is said before an exercise: two blocks, more where a sentence goes on.

    A list begins with the paragraph that leads to it; a sentence that leads to code in the
    notebook is left out.
    """
    first = max(0, len(proses) - 2)
    while first and (proses[first].text[0].islower() or proses[first].kind != "paragraph"):
        first -= 1
    asked = proses[first:]
    return [
        replace(one, text=_finished(one.text)) if _leads_nowhere(one, other) else one
        for one, other in zip(asked, [*asked[1:], None])
    ]


def _leads_nowhere(one: Prose, other: Prose | None) -> bool:
    """Whether a paragraph announces what does not follow on the slide."""
    announces = one.kind == "paragraph" and one.text.endswith(":")
    return announces and other is not None and other.kind == "paragraph"


def _finished(text: str) -> str:
    *said, last = markup.sentences(text)
    return " ".join(said) or last


def pieces(prose: Prose) -> list[Prose]:
    """A table or list too long for a slide as several, tables with the same head; others whole."""
    if prose.kind == "table":
        head, rule, *body = prose.text.splitlines()
        return _dealt(prose, [head, rule], body)
    if prose.kind == "list":
        prose = replace(prose, text=shortened(prose.text))
        entries = re.split(r"\n(?=[-*+] |\d+[.)] )", prose.text)
        return _dealt(prose, [], entries)
    return [prose]


def _dealt(prose: Prose, head: list[str], rows: list[str]) -> list[Prose]:
    """The rows in as few groups as have room on a slide each, with the head above each group."""
    for number in range(1, len(rows) + 1):
        each = math.ceil(len(rows) / number)
        groups = [rows[first : first + each] for first in range(0, len(rows), each)]
        found = [replace(prose, text="\n".join([*head, *group])) for group in groups]
        if all(map(_has_room, found)):
            break
    return found


def _has_room(prose: Prose) -> bool:
    return lines(prose) <= ROOM and words(markup.block_html(prose.text)) <= WORDS


def rows(text: str) -> list[str]:
    """The lines of a print that a slide shows: wrapped, not too many, no word on whose code ran.

    None of a long listing, nor of a measurement that did not come about.
    """
    found = [
        piece
        for line in text.splitlines()
        if not line.endswith(USED)
        for piece in textwrap.wrap(line, WIDEST, subsequent_indent="    ", drop_whitespace=False)
        or [""]
    ]
    listing = CODE.search(text) and len(found) > LONGEST_CODE
    if listing or NOISY in text.partition("\n")[0]:
        return []
    if len(found) <= LONGEST_PRINT:
        return found
    return [*found[:LONGEST_PRINT], "… the rest is in the notebook"]


def shortened(markdown: str) -> str:
    """A list whose items are cut to their first sentences where it is long."""
    if len(markdown) <= LONG_LIST:
        return markdown
    mark = "1." if markdown[0].isdigit() else "-"
    firsts = [markup.sentences(item)[0] for item in markup.items(markdown)]
    return "\n".join(f"{mark} {text}" for text in firsts)
