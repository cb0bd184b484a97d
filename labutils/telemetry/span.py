"""One span as a plain record: what ran, from when to when, on whose behalf."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labutils.ground import arguments

STILL_OPEN = math.nan


@dataclass(frozen=True)
class Span:
    """A stretch of work, in seconds on one clock; ``parent_id`` is None at the root.

    ``end_s`` is NaN while the span has not ended (``is_open``). ``error`` is the text of what went
    wrong, None if nothing did. ``events`` are (name, seconds) pairs inside the span.

    Raises ``ValueError`` where the end or an event lies before the start, or a span is its own
    parent.
    """

    trace_id: str
    id: str
    parent_id: str | None
    name: str
    start_s: float
    end_s: float = STILL_OPEN
    attributes: Mapping[str, object] = field(default_factory=dict)
    error: str | None = None
    events: Sequence[tuple[str, float]] = ()

    def __post_init__(self):
        start = arguments.finite("start_s", self.start_s)
        if self.parent_id == self.id:
            raise ValueError(f"parent_id = {self.parent_id!r}: expected another span's id")
        if not self.is_open and arguments.finite("end_s", self.end_s) < start:
            raise ValueError(f"end_s = {self.end_s!r}: expected at least start_s = {start!r}")
        early = [event for event in self.events if event[1] < start]
        if early:
            raise ValueError(f"events = {early!r}: expected none before start_s = {start!r}")

    @property
    def is_open(self) -> bool:
        """Whether the span has not ended: its work still runs, or its end was forgotten."""
        return math.isnan(self.end_s)

    @property
    def duration_s(self) -> float:
        """From start to end, in seconds; NaN while open."""
        return self.end_s - self.start_s


def read_span(readable, *, origin_ns: int = 0) -> Span:
    """The record of an OpenTelemetry ``ReadableSpan``, its clock in seconds since ``origin_ns``.

    Nanoseconds since 1970 do not fit a float to better than 0.2 µs, so give an origin nearby. A
    clock that was set back during the span leaves it with a duration of 0.
    """
    start_ns, end_ns = readable.start_time, readable.end_time

    def seconds(moment_ns: int) -> float:
        return (max(moment_ns, start_ns) - origin_ns) / 1e9

    return Span(
        trace_id=f"{readable.context.trace_id:032x}",
        id=f"{readable.context.span_id:016x}",
        parent_id=f"{readable.parent.span_id:016x}" if readable.parent else None,
        name=readable.name,
        start_s=seconds(start_ns),
        end_s=STILL_OPEN if end_ns is None else seconds(end_ns),
        attributes=dict(readable.attributes or {}),
        error=_error(readable),
        events=tuple((event.name, seconds(event.timestamp)) for event in readable.events),
    )


def _error(readable) -> str | None:
    if readable.status.status_code.name != "ERROR":
        return None
    return readable.status.description or "error"


def open_spans(spans: Sequence[Span]) -> list[Span]:
    """The spans of a trace that have not ended."""
    return [span for span in spans if span.is_open]


def root_of(spans: Sequence[Span]) -> Span:
    """The one span of a whole trace whose parent is not among them.

    Raises ``ValueError`` if there is none or more than one, or if a span has not ended: times of
    such a trace would be guesses.
    """
    unfinished = [span.name for span in open_spans(spans)]
    if unfinished:
        raise ValueError(f"spans = still open: {', '.join(unfinished)}: expected ended spans")
    ids = {span.id for span in spans}
    roots = [span for span in spans if span.parent_id not in ids]
    if len(roots) != 1:
        found = ", ".join(span.name for span in roots) or "none"
        raise ValueError(f"spans = roots: {found}: expected one span without a parent here")
    return roots[0]
