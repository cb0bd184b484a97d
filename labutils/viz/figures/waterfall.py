"""The figure of chapter 09: requests as waterfalls side by side, what they waited for in colour."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.patches import Rectangle

from labutils.telemetry import Span, WaterfallRow, waterfall_rows
from labutils.viz.figures.lanes import mixed
from labutils.viz.labels import readable
from labutils.viz.style import INK, color, dress, new_figure

_CRITICAL, _OTHER = "limit", "reference"
_BAR = 0.62  # of a row's height
_INDENT = "   "


def waterfalls(traces: Mapping[str, Sequence[Span]]):
    """Draw each trace as bars over one common time axis; its critical path is coloured.

    ``traces`` maps a title to the spans of one request, ``{"median": …, "p99": …}`` say; a row is a
    span, below its parent and indented under it. The request's own bar is an outline. Bars carry
    their durations in milliseconds, and an error its text. Meant for up to about 25 spans a trace.
    """
    rows = {name: waterfall_rows(spans) for name, spans in traces.items()}
    most = max(len(each) for each in rows.values())
    fig, axes = new_figure(
        title=_title(rows), width=10, height=1.7 + 0.3 * most, cols=len(rows), sharex=True
    )
    longest_ms = max(1e3 * _end(each) for each in rows.values())
    for ax, (name, each) in zip(np.atleast_1d(axes), rows.items()):
        dress(ax, x="time since its start (ms)", title=f"{name}: {_end(each) * 1e3:,.0f} ms\n")
        ax.grid(False, axis="y")
        ax.set(xlim=(0, 1.02 * longest_ms), ylim=(most, 0))
        ax.locator_params(axis="x", nbins=5)
        ax.xaxis.set_major_formatter("{x:,.0f}")
        ax.set_yticks(np.arange(len(each)) + 0.5, [_INDENT * r.depth + r.name for r in each])
        _align_left(ax)
        for place, row in enumerate(each):
            _draw(ax, place, row, longest_ms)
    _key(np.atleast_1d(axes)[0])
    return fig


def _draw(ax, place: int, row: WaterfallRow, longest_ms: float) -> None:
    start, length = 1e3 * row.start_s, 1e3 * row.duration_s
    if row.depth:
        _box(ax, place, start, length, mixed(_OTHER, 0.4))
    else:
        _box(ax, place, start, length, "none", linewidth=0.8, edgecolor=INK)
    for begin, end in row.critical:
        _box(ax, place, 1e3 * begin, 1e3 * (end - begin), color(_CRITICAL))
    text = f"{length:,.0f}" if length >= 10 else f"{length:.1f}"
    text += f"  {row.error}" if row.error else ""
    inside = start + length < 0.8 * longest_ms  # is there room to the right?
    fits_before = start > 0.2 * longest_ms
    at, side, gap = (start + length, "left", 3) if inside else (start, "right", -3)
    look = {"color": INK, "fontsize": 9, "va": "center", "textcoords": "offset points"}
    if not inside and not fits_before:  # a bar across the whole panel carries its own number
        at, side, gap = start + length, "right", -3
        under = at - 0.12 * longest_ms  # where the text begins
        rounding = 1e-6 * longest_ms
        covered = any(
            1e3 * begin <= under and at <= 1e3 * end + rounding for begin, end in row.critical
        )
        look["color"] = "white" if covered else INK
    ax.annotate(text, (at, place + 0.5), xytext=(gap, 0), ha=side, **look)


def _box(ax, place: int, start_ms: float, length_ms: float, shade, linewidth=0, **look) -> None:
    corner = (start_ms, place + (1 - _BAR) / 2)
    look |= {"facecolor": shade, "linewidth": linewidth}
    ax.add_patch(Rectangle(corner, length_ms, _BAR, **look))


def _align_left(ax) -> None:
    """Names start in one line, so that their indents show the depth."""
    ax.tick_params(axis="y", length=0, labelsize=9.5)
    widest = max(len(label.get_text()) for label in ax.get_yticklabels())
    for label in ax.get_yticklabels():
        label.set(ha="left", color=INK)
    ax.tick_params(axis="y", pad=5.3 * widest + 4)


def _key(ax) -> None:
    """What the colours say, above the first panel: titles end with an empty line for it."""
    keys = {
        "■ the result waited for it": (_CRITICAL, 0.0),
        "■ it did not": (_OTHER, 0.6),
        "□ the request": ("ink", 0.9),
    }
    for text, (name, x) in keys.items():
        key = ax.annotate(
            text, (x, 1), xycoords="axes fraction", xytext=(0, 5), textcoords="offset points",
            fontsize=10, color=readable(color(name)),
        )  # fmt: skip
        key.set_in_layout(False)


def _end(rows: Sequence[WaterfallRow]) -> float:
    """The duration of the request: that of its root, the first row."""
    return rows[0].duration_s


def _title(rows: Mapping[str, Sequence[WaterfallRow]]) -> str:
    """How many times as long the last one takes, and where each spends most of its time."""
    most = {name: _most_time(each) for name, each in rows.items()}
    (first, *_), (*_, last) = rows, rows
    said = ", ".join(f"{name} spends most time {stage}" for name, stage in most.items())
    if first == last:
        return _capital(said)
    times = _end(rows[last]) / _end(rows[first])
    if len(set(most.values())) == 1:
        said = f"{'both' if len(most) == 2 else 'all'} spend most time {most[last]}"
    return _capital(f"{last} takes {times:.1f} times as long as {first}: {said}")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _most_time(rows: Sequence[WaterfallRow]) -> str:
    waited = Counter()
    for row in rows:
        waited[row.name] += sum(end - start for start, end in row.critical)
    name = waited.most_common(1)[0][0]
    queue = name.removeprefix("wait.")
    return f"in {name}" if queue == name else f"in the queue before {queue}"
