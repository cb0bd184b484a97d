"""How long a trace would have taken, had one of its stages been faster."""

from collections import defaultdict


def what_if(spans, stage: str, factor: float) -> float:
    """Seconds that the trace would take if the stage's exclusive time were divided by ``factor``.

    ``stage`` is the name of one or more spans; ``factor`` may be infinite: the stage takes no time.
    All other work is kept, and so is the order: a span starts after those of its siblings that had
    ended when it started, and its parent ends after the children that had ended when it did.
    Assumes no queueing: waits inside other spans stay as long as they were.
    Raises ``ValueError`` for a factor that is not above 0.
    """
    if not factor > 0:
        raise ValueError(f"factor = {factor!r}: expected a number above 0")
    children = defaultdict(list)
    for span in sorted(spans, key=lambda s: (s.start_s, s.end_s)):
        children[span.parent_id].append(span)
    ids = {span.id for span in spans}
    (root,) = [span for span in spans if span.parent_id not in ids]

    def saved(span, since, until):
        """What a faster stage saves of the span's own work between two moments."""
        if span.name != stage:
            return 0.0
        alone = 0.0
        for child in children[span.id]:
            alone += max(0.0, min(child.start_s, until) - since)
            since = max(since, child.end_s)
        return (alone + max(0.0, until - since)) * (1 - 1 / factor)

    def replay(span, begin):
        """The new end of a span that begins at a new moment."""
        done = [(span.start_s, begin)]  # old and new moments of its start, its children's ends

        def reached(moment):
            """The new moment at which the span comes to where it was at an old one."""
            before = [pair for pair in done if pair[0] <= moment] or done[:1]
            last = max(old for old, _ in before)
            return max(new for _, new in before) + moment - last - saved(span, last, moment)

        for child in children[span.id]:
            done.append((child.end_s, replay(child, reached(child.start_s))))
        return reached(span.end_s)

    return replay(root, 0.0)
