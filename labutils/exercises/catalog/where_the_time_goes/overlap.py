"""where.alone · The time of a span that no child accounts for · 5 minutes

> The first line adds the gap before this child, if there is one. The second says up to where the
  time is covered now.
> A gap begins where everything so far has ended (`covered_to`) and ends where the child starts. It
  may be empty, but not negative. And no child counts after the span's end.
> total += max(0, child_start - covered_to), then covered_to = max(covered_to, min(child_end, end)).

A span's **exclusive time** is its duration less the *union* of its children, not less their sum.
Where nothing runs side by side, the exclusive times of all spans add up to the duration of the
request, and every moment is counted once.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _alone(span, children):
    start, end = span
    alone, covered_to = 0, start
    for child_start, child_end in sorted(children):
        alone += max(0, min(child_start, end) - covered_to)
        covered_to = max(covered_to, min(child_end, end))
    return alone + end - covered_to


def _clipped(span, children):
    return [(start, min(end, span[1])) for start, end in children]


def _swept(span, children, *, covered=max):
    """The gaps before the children in this order, and up to where the time is covered then."""
    alone, covered_to = 0, span[0]
    for start, end in children:
        alone += max(0, start - covered_to)
        covered_to = covered(covered_to, end)
    return alone, covered_to


def _skipping(span, children, skips):
    """The walk without the children of which ``skips(start, covered_to)`` is true."""
    alone, covered_to = 0, span[0]
    for start, end in sorted(_clipped(span, children)):
        if not skips(start, covered_to):
            alone += start - covered_to
            covered_to = end
    return alone + span[1] - covered_to


_STARTS_INSIDE = (
    "You leave out a child that starts while another runs. It may end later: how far is the time "
    "covered then?"
)


class Wrong:
    def sums_the_children(span, children):
        """You subtract every child's duration. Two children that run side by side cover the same
        moments: you subtract those twice."""
        return span[1] - span[0] - sum(end - start for start, end in _clipped(span, children))

    def sums_the_children_from_zero(span, children):
        """You subtract every child's duration and stop at 0. Children that run side by side cover
        the same moments, and those are subtracted twice."""
        return max(0, Wrong.sums_the_children(span, children))

    def sums_whole_children(span, children):
        """You subtract the children's durations, also what they do after the span's end. And two
        that run side by side are subtracted twice."""
        return span[1] - span[0] - sum(end - start for start, end in children)

    def from_first_start_to_last_end(span, children):
        """You subtract everything from the first child's start to the last one's end. In a gap
        between two children the span works itself."""
        inside = _clipped(span, children)
        if not inside:
            return span[1] - span[0]
        return span[1] - span[0] - (max(end for _, end in inside) - min(inside)[0])

    def longest_child(span, children):
        """You subtract the longest child alone. What of those that run at other times?"""
        lengths = [end - start for start, end in _clipped(span, children)]
        return span[1] - span[0] - max(lengths, default=0)

    def forgets_the_longer_one(span, children):
        """A short child inside a long one moves your mark backwards. After it, the long one still
        runs: how far is the time covered?"""
        inside = sorted(_clipped(span, children))
        alone, covered_to = _swept(span, inside, covered=lambda before, end: end)
        return alone + span[1] - covered_to

    @says(_STARTS_INSIDE)
    def forgets_who_starts_inside(span, children):
        return _skipping(span, children, lambda start, covered_to: start < covered_to)

    @says(_STARTS_INSIDE)
    def forgets_who_starts_at_the_mark(span, children):
        return _skipping(span, children, lambda start, covered_to: start <= covered_to)

    def after_the_last_alone(span, children):
        """You count only what comes after the last child. Does your mark move before the gap is
        counted?"""
        return span[1] - max([span[0], *(end for _, end in _clipped(span, children))])

    def last_gap_alone(span, children):
        """Of the gaps before children you keep the last one alone. Do they add up?"""
        alone, covered_to = 0, span[0]
        for start, end in sorted(_clipped(span, children)):
            alone = max(0, start - covered_to)
            covered_to = max(covered_to, end)
        return alone + span[1] - covered_to

    def gaps_below_zero(span, children):
        """You add the gap before every child, also before one that starts while another still runs.
        How long is a gap at least?"""
        alone, covered_to = 0, span[0]
        for start, end in sorted(_clipped(span, children)):
            alone += start - covered_to
            covered_to = max(covered_to, end)
        return alone + span[1] - covered_to

    def follows_children_outside(span, children):
        """A child goes on after the span's end here. The span's own time ends with the span."""
        alone, covered_to = _swept(span, sorted(children))
        return alone + span[1] - covered_to

    def in_the_order_given(span, children):
        """You go through the children in the order in which they come. Exporters list spans by
        their end, so a list need not be in order of start."""
        alone, covered_to = _swept(span, _clipped(span, children))
        return alone + span[1] - covered_to

    def whole_milliseconds(span, children):
        """You count whole milliseconds. Spans start and end between them: subtract times instead of
        counting moments."""
        return sum(
            not any(start <= at < end for start, end in children)
            for at in range(int(span[0]), int(span[1]))
        )

    def forgets_the_end(span, children):
        """After its last child the span goes on by itself until its end. Who counts that?"""
        return _swept(span, sorted(_clipped(span, children)))[0]

    def covered(span, children):
        """That is the time that the children cover. Asked is the rest."""
        return span[1] - span[0] - _alone(span, children)

    def whole_duration(span, children):
        """That is the span's whole duration. Its children's time is in it."""
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


ALONE = exercise(
    __doc__,
    Function(
        _alone,
        _some_spans,
        always=(
            ((0, 10), []),
            ((3, 20), [(5, 15), (6, 8), (16, 30)]),
            ((0, 50), [(10, 30), (20, 40)]),
            ((0, 50), [(30, 40), (10, 20)]),
            ((0, 10), [(2, 2), (5, 8)]),
            ((0.5, 20.25), [(1.0, 4.75), (3.5, 6.25), (16.25, 30.5)]),
        ),
        misconceptions=mistakes_in(Wrong),
    ),
)
