"""The time of a span that none of its children accounts for."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _alone(span, children):
    start, end = span
    alone, covered_to = 0, start
    for child_start, child_end in sorted(children):
        alone += max(0, min(child_start, end) - covered_to)
        covered_to = max(covered_to, min(child_end, end))
    return alone + end - covered_to


def _clipped(span, children):
    return [(start, min(end, span[1])) for start, end in children]


def _sums_children(span, children):
    return span[1] - span[0] - sum(end - start for start, end in _clipped(span, children))


def _sums_whole_children(span, children):
    return span[1] - span[0] - sum(end - start for start, end in children)


def _sums_children_from_zero(span, children):
    return max(0, _sums_children(span, children))


def _hull(span, children):
    inside = _clipped(span, children)
    if not inside:
        return span[1] - span[0]
    return span[1] - span[0] - (max(end for _, end in inside) - min(inside)[0])


def _longest_child(span, children):
    lengths = [end - start for start, end in _clipped(span, children)]
    return span[1] - span[0] - max(lengths, default=0)


def _forgets_the_longer_one(span, children):
    alone, covered_to = 0, span[0]
    for start, end in sorted(_clipped(span, children)):
        alone += max(0, start - covered_to)
        covered_to = end
    return alone + span[1] - covered_to


def _follows_children_outside(span, children):
    alone, covered_to = 0, span[0]
    for start, end in sorted(children):
        alone += max(0, start - covered_to)
        covered_to = max(covered_to, end)
    return alone + span[1] - covered_to


def _in_the_order_given(span, children):
    alone, covered_to = 0, span[0]
    for start, end in _clipped(span, children):
        alone += max(0, start - covered_to)
        covered_to = max(covered_to, end)
    return alone + span[1] - covered_to


def _whole_milliseconds(span, children):
    return sum(
        not any(start <= at < end for start, end in children)
        for at in range(int(span[0]), int(span[1]))
    )


def _forgets_the_end(span, children):
    alone, covered_to = 0, span[0]
    for start, end in sorted(_clipped(span, children)):
        alone += max(0, start - covered_to)
        covered_to = max(covered_to, end)
    return alone


def _covered(span, children):
    return span[1] - span[0] - _alone(span, children)


def _whole(span, children):
    return span[1] - span[0]


def _some_spans():
    """A span of 1 to 60 ms, up to five children that start inside it; some outlive it.

    None is of no length: out of order, a walk that skips such a one differs from one that does not.
    """
    from hypothesis import strategies as st

    def with_children(span):
        start, end = span
        child = st.tuples(st.integers(start, end - 1), st.integers(1, 40))
        children = st.lists(child.map(lambda c: (c[0], c[0] + c[1])), max_size=5)
        return st.tuples(st.just(span), children)

    spans = st.tuples(st.integers(0, 20), st.integers(1, 60))
    return spans.map(lambda s: (s[0], s[0] + s[1])).flatmap(with_children)


ALONE = Exercise(
    id="where.alone",
    title="The time of a span that no child accounts for",
    minutes=5,
    checker=Function(
        reference=_alone,
        inputs=_some_spans,
        always=(
            ((0, 10), []),
            ((3, 20), [(5, 15), (6, 8), (16, 30)]),
            ((0, 50), [(10, 30), (20, 40)]),
            ((0, 50), [(30, 40), (10, 20)]),
            ((0, 10), [(2, 2), (5, 8)]),
            ((0.5, 20.25), [(1.0, 4.75), (3.5, 6.25), (16.25, 30.5)]),
        ),
        misconceptions=(
            Misconception(
                "sums-the-children",
                _sums_children,
                "You subtract every child's duration. Two children that run side by side cover "
                "the same moments: you subtract those twice.",
            ),
            Misconception(
                "sums-the-children-from-zero",
                _sums_children_from_zero,
                "You subtract every child's duration and stop at 0. Children that run side by "
                "side cover the same moments, and those are subtracted twice.",
            ),
            Misconception(
                "sums-whole-children",
                _sums_whole_children,
                "You subtract the children's durations, also what they do after the span's end. "
                "And two that run side by side are subtracted twice.",
            ),
            Misconception(
                "from-first-start-to-last-end",
                _hull,
                "You subtract everything from the first child's start to the last one's end. In "
                "a gap between two children the span works itself.",
            ),
            Misconception(
                "longest-child",
                _longest_child,
                "You subtract the longest child alone. What of those that run at other times?",
            ),
            Misconception(
                "forgets-the-longer-one",
                _forgets_the_longer_one,
                "A short child inside a long one moves your mark backwards. After it, the long "
                "one still runs: how far is the time covered?",
            ),
            Misconception(
                "follows-children-outside",
                _follows_children_outside,
                "A child goes on after the span's end here. The span's own time ends with the "
                "span.",
            ),
            Misconception(
                "in-the-order-given",
                _in_the_order_given,
                "You go through the children in the order in which they come. Exporters list "
                "spans by their end, so a list need not be in order of start.",
            ),
            Misconception(
                "whole-milliseconds",
                _whole_milliseconds,
                "You count whole milliseconds. Spans start and end between them: subtract times "
                "instead of counting moments.",
            ),
            Misconception(
                "forgets-the-end",
                _forgets_the_end,
                "After its last child the span goes on by itself until its end. Who counts that?",
            ),
            Misconception(
                "covered",
                _covered,
                "That is the time that the children cover. Asked is the rest.",
            ),
            Misconception(
                "whole-duration",
                _whole,
                "That is the span's whole duration. Its children's time is in it.",
            ),
        ),
    ),
    hints=(
        "The first line adds the gap before this child, if there is one. The second says up to "
        "where the time is covered now.",
        "A gap begins where everything so far has ended (`covered_to`) and ends where the child "
        "starts. It may be empty, but not negative. And no child counts after the span's end.",
        "total += max(0, child_start - covered_to), then covered_to = max(covered_to, "
        "min(child_end, end)).",
    ),
    explanation=(
        "A span's **exclusive time** is its duration less the *union* of its children, not less "
        "their sum. Where nothing runs side by side, the exclusive times of all spans add up to "
        "the duration of the request, and every moment is counted once."
    ),
)
