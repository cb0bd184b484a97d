"""Parts of a page in HTML: the document, a section, a table, a text that is no markup."""

import base64
import hashlib
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from labutils.ground.characters import printable

STYLE = Path(__file__).with_name("page.css")


def document(title: str, body: str) -> str:
    """One HTML file without scripts; the only style that a browser takes is the page's own."""
    style = STYLE.read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>{style}</style></head>\n"
        f"<body><main>\n{body}</main></body></html>\n"
    )


def section(title: str, parts: tuple[str, ...]) -> str:
    said = "\n".join(part if "<pre" in part else together(part) for part in parts if part)
    return f"<section><h2>{title}</h2>\n{said}\n</section>\n"


def together(text: str) -> str:
    """A number and its percent sign stay on one line."""
    return text.replace(" %", "\u00a0%")


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table whose cells are ready HTML; the first of a row names it, alone it spans the table."""
    heads = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in head)
    body = "".join(_row(row, len(head)) for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{heads}</tr></thead>\n<tbody>{body}</tbody></table>'
        "</div>"
    )


def _row(row: Sequence[str], columns: int) -> str:
    span = f' colspan="{columns}"' if len(row) == 1 else ""
    cells = "".join(f"<td>{cell}</td>" for cell in row[1:])
    return f'<tr><th scope="row"{span}>{row[0]}</th>{cells}</tr>\n'


def table_of_columns(*columns: tuple[str, ...]) -> str:
    """A table from its columns, so that what has many figures is narrow enough for a phone."""
    head, *rows = zip(*columns)
    return table(head, rows)


def shown(text: str) -> str:
    """What a learner or a machine says, as text on one line."""
    return escape(printable(str(text)))
