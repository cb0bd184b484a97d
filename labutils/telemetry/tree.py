"""A trace as a text tree, and as the rows of a waterfall."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from labutils.telemetry.critical import critical_path
from labutils.telemetry.span import Span, root_of


@dataclass(frozen=True)
class WaterfallRow:
    """A bar: times in seconds since the root's start, ``critical`` as (start, end) stretches."""

    name: str
    depth: int
    start_s: float
    duration_s: float
    critical: tuple[tuple[float, float], ...] = ()
    error: str | None = None


def in_order_of_end(spans: Sequence[Span]) -> list[Span]:
    """The order in which an exporter gets the spans: children before their parent, open ones never.

    A console exporter prints them so, one after the other, and not as a tree.
    """
    return sorted((span for span in spans if not span.is_open), key=lambda span: span.end_s)


def text_tree(spans: Sequence[Span]) -> str:
    """The trace as lines, each child under its parent in order of start, with durations in ms.

    Errors and spans that are still open say so; a span whose parent is not here stands at the left.
    """
    drawn = [("   " * depth + span.name, span) for depth, span in _in_order_of_start(spans)]
    width = max((len(name) for name, _ in drawn), default=0)
    return "\n".join(f"{name:<{width}}  {_said(span)}" for name, span in drawn)


def waterfall_rows(spans: Sequence[Span]) -> list[WaterfallRow]:
    """One row for each span, parents above children; ``ValueError`` as for ``root_of``."""
    zero = root_of(spans).start_s
    critical = defaultdict(list)
    for span, start, end in critical_path(spans):
        critical[span.id].append((start - zero, end - zero))
    return [
        WaterfallRow(
            span.name, depth, span.start_s - zero, span.duration_s,
            tuple(critical[span.id]), span.error,
        )
        for depth, span in _in_order_of_start(spans)
    ]  # fmt: skip


def _in_order_of_start(spans: Sequence[Span]) -> Iterator[tuple[int, Span]]:
    """Each span after its parent, with its depth. Raises ``ValueError`` for a circle of parents."""
    ids = {span.id for span in spans}
    children = defaultdict(list)
    for span in sorted(spans, key=lambda s: s.start_s)[::-1]:
        children[span.parent_id if span.parent_id in ids else None].append(span)
    ahead = [(0, span) for span in children[None]]
    reached = 0
    while ahead:
        depth, span = ahead.pop()
        reached += 1
        yield depth, span
        ahead += [(depth + 1, child) for child in children[span.id]]
    if reached < len(spans):
        raise ValueError(f"spans = {reached} of {len(spans)} under a root: expected no circles")


def _said(span: Span) -> str:
    took = "still open" if span.is_open else f"{1e3 * span.duration_s:8,.1f} ms"
    return f"{took}  error: {span.error}" if span.error else took
