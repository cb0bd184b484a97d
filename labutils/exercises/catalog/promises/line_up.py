"""promises.line_up · Priorities that age · 4 minutes

> Each request has a number, and the lowest is next. It begins as the priority. What does one
  patience of waiting do to it?
> It has waited for now_s - arrival_s. Each patience_s of that lowers its number by one, and half of
  it by a half.
> sorted(waiting, key=lambda one: one.priority - (now_s - one.arrival_s) / patience_s), and of each
  the id.

All numbers fall at the same pace, so the order of two requests never changes while they wait: it is
the order of arrival_s + patience_s × priority. So nothing has to be sorted anew, and there is a
bound. A request of priority p is overtaken only by requests that come within patience_s × (p − best
priority) after it. Python's sort is stable, so equals keep the order of arrival.
"""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says


def _sorted_by(key):
    """The order by a key of a request, the moment, and the patience."""

    def line_up(waiting, now_s, patience_s):
        return [one.id for one in sorted(waiting, key=lambda one: key(one, now_s, patience_s))]

    return line_up


def _aged(one, now_s, patience_s):
    return one.priority - (now_s - one.arrival_s) / patience_s


def _with_key(key):
    """A decorator: the order by this key, and the message of its docstring."""
    return says(key.__doc__)(_sorted_by(key))


class Wrong:
    @_with_key
    def strict_priority(one, *_):
        """You look at the priority alone. How long does a request of the last priority wait while
        better ones keep coming?"""
        return one.priority

    @_with_key
    def first_come(one, *_):
        """You look at the arrival alone. What is a priority for?"""
        return one.arrival_s

    @_with_key
    def ages_the_wrong_way(one, now_s, patience_s):
        """Whoever waits gets worse. The lowest number is next: does waiting raise it or lower
        it?"""
        return one.priority + (now_s - one.arrival_s) / patience_s

    @_with_key
    def multiplies_by_patience(one, now_s, patience_s):
        """You multiply by the patience. With more patience, does a request age faster or more
        slowly?"""
        return one.priority - (now_s - one.arrival_s) * patience_s

    @_with_key
    def a_second_is_a_step(one, now_s, patience_s):
        """A second of waiting counts as a whole priority. What does `patience_s` say?"""
        return one.priority - (now_s - one.arrival_s)

    @_with_key
    def highest_first(one, now_s, patience_s):
        """The largest priority goes first. Which one is the most urgent here?"""
        return -one.priority - (now_s - one.arrival_s) / patience_s

    @_with_key
    def whole_steps(one, now_s, patience_s):
        """You count whole steps of patience. What of two requests of which one has waited for half
        a step more?"""
        return one.priority - (now_s - one.arrival_s) // patience_s

    @_with_key
    def stops_at_the_best(*args):
        """A request that has aged to the best priority gets no better. Then a newcomer of that
        priority may stand beside one that has waited for minutes."""
        return max(0, _aged(*args))

    def backwards(waiting, now_s, patience_s):
        """That is the order from the end. Which number is next, the lowest or the highest?"""
        return _sorted_by(_aged)(waiting, now_s, patience_s)[::-1]

    def newest_of_equals(waiting, now_s, patience_s):
        """Of equals the newest goes first. Who has waited longest?"""
        return _sorted_by(_aged)(waiting[::-1], now_s, patience_s)

    @_with_key
    def by_name_if_equal(one, *rest):
        """Of equals the first in the alphabet goes first. Who came first?"""
        return _aged(one, *rest), one.id

    @_with_key
    def due_first_if_equal(one, *rest):
        """Of equals the one that is due first goes first. Who came first?"""
        return _aged(one, *rest), one.due_s

    @_with_key
    def waits_since_it_is_due(one, now_s, patience_s):
        """You count from the moment at which the first token is due. Since when has it waited?"""
        return one.priority - (now_s - one.due_s) / patience_s

    @_with_key
    def first_once_impatient(one, now_s, patience_s):
        """Whoever has waited for its patience goes before everybody. It gets better by one priority
        only, and by a half in half the time."""
        return -1 if now_s - one.arrival_s >= patience_s else one.priority

    @_with_key
    def due_first(one, *_):
        """You sort by the moment at which the first token is due. That is the next policy; this one
        knows a priority and a patience."""
        return one.due_s


def _some_queues():
    """Up to seven that wait, in order of arrival; a patience by which everything divides."""
    from hypothesis import strategies as st

    from labutils.serving.promises.policies import Waiting

    one = st.tuples(
        st.integers(0, 40), st.sampled_from([0, 0, 1, 2, 3]), st.sampled_from([60, 30, 15, 5])
    )

    def queue(drawn):
        rows, patience_s, later_s = drawn
        rows = sorted(rows, key=lambda row: row[0])
        waiting = [
            Waiting(name, arrival_s, priority, arrival_s + promised_s, "ab"[arrival_s % 2])
            for name, (arrival_s, priority, promised_s) in zip("KFTBWRM", rows)
        ]
        return waiting, max((r[0] for r in rows), default=0) + later_s, patience_s

    rows = st.lists(one, max_size=7)
    return st.tuples(rows, st.sampled_from([2, 4, 8, 16]), st.integers(0, 9)).map(queue)


LINE_UP = exercise(
    __doc__, Function(_sorted_by(_aged), _some_queues, misconceptions=mistakes_in(Wrong))
)
