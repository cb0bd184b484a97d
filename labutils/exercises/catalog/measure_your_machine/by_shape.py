"""machine.by_shape · The warm runs of every shape · 5 minutes

> Walk through the log in its order and remember which shapes you have met.
> Keep a list of durations for every shape, in a dict. Then look at each list.
> `seen.setdefault(shape, []).append(seconds)` collects. Return every list from its second element
  on, where it has one.

A shape's first run pays for what later runs of that shape find ready: a routine chosen, a kernel
compiled, a CUDA graph captured, memory asked for. If shapes keep changing, the cold start never
ends, and one warm-up run at the beginning helps one shape. And a rate is a quotient: where shapes
vary, the work above the line has to be that of the very run whose time stands below it. So fix the
shape, or keep a figure for each.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _grouped(rows, durations_s, leave_out=1):
    seen = {}
    for shape, seconds in zip(rows, durations_s):
        seen.setdefault(shape, []).append(seconds)
    return {shape: runs[leave_out:] for shape, runs in seen.items() if runs[leave_out:]}


def _warm_by_shape(rows, durations_s):
    return _grouped(rows, durations_s)


_COLD = (
    "The first run of every shape is still among yours. What did the machine do in it that it does "
    "not do again?"
)

_SLOWEST = (
    "You drop the slowest run of each shape. Not every slow run is a cold one, and who drops what "
    "is slow finds what is fast."
)


class Wrong:
    @says(_COLD)
    def keeps_the_cold(rows, durations_s):
        return _grouped(rows, durations_s, leave_out=0)

    @says(_COLD)
    def keeps_the_cold_of_several(rows, durations_s):
        grouped = _grouped(rows, durations_s, leave_out=0)
        return {shape: runs for shape, runs in grouped.items() if len(runs) > 1}

    def sorted_runs(rows, durations_s):
        """You sort the runs of a shape. Keep the order in which they came: what changes with time
        shows in no other."""
        return {shape: sorted(runs) for shape, runs in _grouped(rows, durations_s).items()}

    def drops_the_fastest(rows, durations_s):
        """You sort before you leave the first one out: that drops the fastest run. Which one was
        cold?"""
        grouped = _grouped(rows, durations_s, leave_out=0)
        return {shape: sorted(runs)[1:] for shape, runs in grouped.items() if len(runs) > 1}

    def drops_the_last(rows, durations_s):
        """You leave out the last run of each shape. Which one was cold?"""
        grouped = _grouped(rows, durations_s, leave_out=0)
        return {shape: runs[:-1] for shape, runs in grouped.items() if len(runs) > 1}

    def first_of_the_log(rows, durations_s):
        """You leave out the first run of the log. How many runs of this log met their shape for the
        first time?"""
        return _grouped(rows[1:], durations_s[1:], leave_out=0)

    def keeps_empty_shapes(rows, durations_s):
        """A shape that came once has no warm run. Leave it out: later cells take the median of what
        you return."""
        return {shape: _grouped(rows, durations_s).get(shape, []) for shape in rows}

    def keeps_lonely_shapes(rows, durations_s):
        """A shape that came once has been cold all its life. You return its only run as if it were
        warm."""
        return {**_grouped(rows, durations_s, leave_out=0), **_grouped(rows, durations_s)}

    @says(_SLOWEST)
    def drops_the_slowest(rows, durations_s):
        grouped = _grouped(rows, durations_s, leave_out=0)
        return {
            shape: [s for at, s in enumerate(runs) if at != runs.index(max(runs))]
            for shape, runs in grouped.items()
            if len(runs) > 1
        }

    @says(_SLOWEST)
    def drops_the_slowest_sorted(rows, durations_s):
        grouped = _grouped(rows, durations_s, leave_out=0)
        return {shape: sorted(runs)[:-1] for shape, runs in grouped.items() if len(runs) > 1}

    def neighbours_only(rows, durations_s):
        """You ask whether the pass just before had the same shape. The machine remembers longer
        than that: which shapes has it seen so far?"""
        # Takes a run for warm if the one before it had the same shape.
        warm = {}
        for before, shape, seconds in zip(rows, rows[1:], durations_s[1:]):
            if before == shape:
                warm.setdefault(shape, []).append(seconds)
        return warm


def _some_logs():
    """Up to nine passes over four shapes; a first one is not always the slowest."""
    from hypothesis import strategies as st

    entry = st.tuples(st.sampled_from((12, 24, 40, 64)), st.integers(1, 60).map(lambda k: k / 8))
    logs = st.lists(entry, min_size=1, max_size=9)
    return logs.map(lambda log: tuple(map(list, zip(*log))))


BY_SHAPE = exercise(
    __doc__, Function(_warm_by_shape, _some_logs, misconceptions=mistakes_in(Wrong))
)
