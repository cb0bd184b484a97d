"""A report as one page that loads nothing from anywhere and runs no script."""

import time
from collections.abc import Iterable
from html import escape
from pathlib import Path

from labutils.ground.files import publish, swap

from .report_table import LONG_NAMES, facts, promised, quantile, seconds, share

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid #ddd;
  vertical-align: top }
td { font-variant-numeric: tabular-nums; white-space: pre-line }
small { color: #555 }
.remark { border-left: .3rem solid #b35900; padding: .2rem .8rem; background: #fff4e5 }
"""


def page(report) -> str:
    """The HTML text. Whatever a server or a plan said is escaped."""
    title = escape(f"Load test: {report.name}")
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{title}</title><style>{_STYLE}</style></head><body><h1>{title}</h1>",
            *(f'<p class="remark">{escape(line)}</p>' for line in report.remarks),
            _table((), facts(report)),
            "<h2>Latencies of answered requests, from the moment they were due</h2>",
            _table(("", "n", "mean", "p50", "p90", "p99"), _latency_rows(report)),
            f"<p><small>In brackets: {report.confidence:.0%} intervals, if requests were "
            "independent. Those that queue behind each other are not; their true intervals are "
            "wider.</small></p>",
            *_section("Promises", ("kind", "requests", "kept all", "share", "each"), _kept(report)),
            *_section("Requests without an answer", ("requests", "why"), _reasons(report)),
            "</body></html>\n",
        ]
    )


def write_page(report, path) -> None:
    """Put the page at ``path``; another file that stood there is kept among the backups."""
    place(Path(path), page(report).encode())


def place(path: Path, content: bytes) -> None:
    """Put a file in place; what stood there is kept among the backups beside it."""
    path = path.absolute()
    if publish(path, content) or path.read_bytes() == content:
        return
    stamp = time.strftime("%Y-%m-%d_%H%M%S")
    swap(path, content, path.parent / "backups" / f"{path.stem}.{stamp}{path.suffix}")


def _latency_rows(report) -> Iterable[tuple[str, ...]]:
    for row in report.latencies:
        name = f"{row.name}: {LONG_NAMES.get(row.name, '')}"
        cells = (quantile(one).replace(" [", "\n[") for one in row.quantiles)
        yield name, str(row.count), seconds(row.mean_s), *cells


def _kept(report) -> list[tuple[str, ...]]:
    return [
        (row.kind, str(row.requests), str(row.kept), share(row.share), promised(row))
        for row in report.promises
    ]


def _reasons(report) -> list[tuple[str, ...]]:
    return [(str(count), reason) for reason, count in report.reasons.items()]


def _section(title: str, head: tuple[str, ...], rows: list[tuple[str, ...]]) -> list[str]:
    return [f"<h2>{escape(title)}</h2>", _table(head, rows)] if rows else []


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = [f"<tr>{heads}</tr>"] if heads else []
    for first, *rest in rows:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        lines.append(f"<tr><th>{escape(first)}</th>{cells}</tr>")
    return f"<table>{''.join(lines)}</table>"
