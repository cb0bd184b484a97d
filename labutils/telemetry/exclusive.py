"""The part of a span's time that none of its children accounts for."""

from collections import defaultdict


def exclusive_times(spans) -> dict[str, float]:
    """Seconds in which a span is active and none of its children is, for each span id.

    Children may overlap each other, and may outlive their parent: what they do after its end is
    theirs alone. Where nothing runs in parallel, the sum is the time that the trace covers. Spans
    must have ended.
    """
    children = defaultdict(list)
    for span in spans:
        children[span.parent_id].append((span.start_s, span.end_s))
    exclusive = {}
    for span in spans:
        alone, covered_to = 0.0, span.start_s
        for start, end in sorted(children[span.id]):
            alone += max(0.0, min(start, span.end_s) - covered_to)
            covered_to = max(covered_to, min(end, span.end_s))
        exclusive[span.id] = alone + span.end_s - covered_to
    return exclusive
