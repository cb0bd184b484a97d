"""Spans of requests: recorded through OpenTelemetry, read as plain records.

1. ``span``: one span as a frozen record; a trace is a list of them
2. ``recorder``: a tracer provider that a notebook reads; ``stage_timer``: stages, tokens as spans
3. ``conventions``: names of attributes with their status; ``attributes``: values any version keeps
4. ``exclusive``, ``critical``, ``replay``: where the time went, and what a faster stage would save
5. ``worth``: the same over many traces, beside Amdahl; ``by_stage``: many traces, stage by
   stage; ``tree``: a trace as text and as rows
6. ``watching``: a room of its own: metrics, burn-rate alerts, sampled traces, canaries
"""

from typing import TYPE_CHECKING

from labutils.ground.lazy import lazily

_HOME = {
    "Recorder": "recorder",
    "Span": "span",
    "StageTable": "by_stage",
    "TokenMarks": "stage_timer",
    "WaterfallRow": "tree",
    "Worth": "worth",
    "critical_path": "critical",
    "exclusive_times": "exclusive",
    "flat_attributes": "attributes",
    "in_order_of_end": "tree",
    "open_spans": "span",
    "read_span": "span",
    "record_traces": "recorder",
    "root_of": "span",
    "stage": "stage_timer",
    "stage_table": "by_stage",
    "staged": "stage_timer",
    "text_tree": "tree",
    "trace_at": "worth",
    "waterfall_rows": "tree",
    "what_if": "replay",
    "worth_of": "worth",
}

if TYPE_CHECKING:
    from .attributes import flat_attributes
    from .by_stage import StageTable, stage_table
    from .critical import critical_path
    from .exclusive import exclusive_times
    from .recorder import Recorder, record_traces
    from .replay import what_if
    from .span import Span, open_spans, read_span, root_of
    from .stage_timer import TokenMarks, stage, staged
    from .tree import WaterfallRow, in_order_of_end, text_tree, waterfall_rows
    from .worth import Worth, trace_at, worth_of

__all__ = [
    "Recorder", "Span", "StageTable", "TokenMarks", "WaterfallRow", "Worth", "critical_path",
    "exclusive_times", "flat_attributes", "in_order_of_end", "open_spans", "read_span",
    "record_traces", "root_of", "stage", "stage_table", "staged", "text_tree", "trace_at",
    "waterfall_rows", "what_if", "worth_of",
]  # fmt: skip

__getattr__, __dir__ = lazily(__name__, _HOME)
