"""What the result waited for, moment by moment."""

from collections import defaultdict


def critical_path(spans) -> list[tuple]:
    """(span, start_s, end_s) in order of time: whose end the result waited for at each moment.

    Walks back from the root's end. A span waited last for the child that ended last; before that
    child started, for the one that had ended last by then; in between it worked itself. A child
    that outlives its parent was not waited for. The segments join without a gap from the root's
    start to its end, so their lengths add up to its duration. Spans must have ended, and one of
    them be the root.
    """
    children = defaultdict(list)
    for span in spans:
        children[span.parent_id].append(span)
    ids = {span.id for span in spans}
    (root,) = [span for span in spans if span.parent_id not in ids]

    def walk_back(span, since, until):
        for child in sorted(children[span.id], key=lambda c: (c.end_s, c.start_s), reverse=True):
            if since < child.end_s <= until:
                if child.end_s < until:
                    path.append((span, child.end_s, until))
                until = max(child.start_s, since)
                walk_back(child, until, child.end_s)
        if since < until:
            path.append((span, since, until))

    path = []
    walk_back(root, root.start_s, root.end_s)
    return path[::-1]
