"""Priorities that age: who of those that wait starts next."""

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception


def _sorted_by(key):
    """The order by a key of a request, the moment, and the patience."""

    def line_up(waiting, now_s, patience_s):
        return [one.id for one in sorted(waiting, key=lambda one: key(one, now_s, patience_s))]

    return line_up


def _aged(one, now_s, patience_s):
    return one.priority - (now_s - one.arrival_s) / patience_s


def _whole_steps(one, now_s, patience_s):
    return one.priority - (now_s - one.arrival_s) // patience_s


def _backwards(waiting, now_s, patience_s):
    return _sorted_by(_aged)(waiting, now_s, patience_s)[::-1]


def _newest_of_equals(waiting, now_s, patience_s):
    return _sorted_by(_aged)(waiting[::-1], now_s, patience_s)


def _some_queues():
    """Up to seven that wait, in order of arrival; a patience by which everything divides."""
    from hypothesis import strategies as st

    from labutils.serving.promises.policies import Waiting

    one = st.tuples(st.integers(0, 40), st.sampled_from([0, 0, 1, 2, 3]))

    def queue(drawn):
        rows, patience_s, later_s = drawn
        waiting = [
            Waiting(
                name, arrival_s, priority, arrival_s + 60 // (1 + priority), "ab"[arrival_s % 2]
            )
            for name, (arrival_s, priority) in zip("KFTBWRM", sorted(rows, key=lambda r: r[0]))
        ]
        return waiting, max((r[0] for r in rows), default=0) + later_s, patience_s

    rows = st.lists(one, max_size=7)
    return st.tuples(rows, st.sampled_from([2, 4, 8, 16]), st.integers(0, 9)).map(queue)


LINE_UP = Exercise(
    id="promises.line_up",
    title="Priorities that age",
    minutes=4,
    checker=Function(
        reference=_sorted_by(_aged),
        inputs=_some_queues,
        misconceptions=(
            Misconception(
                "strict-priority",
                _sorted_by(lambda one, *_: one.priority),
                "You look at the priority alone. How long does a request of the last priority wait "
                "while better ones keep coming?",
            ),
            Misconception(
                "first-come",
                _sorted_by(lambda one, *_: one.arrival_s),
                "You look at the arrival alone. What is a priority for?",
            ),
            Misconception(
                "ages-the-wrong-way",
                _sorted_by(lambda one, now_s, p: one.priority + (now_s - one.arrival_s) / p),
                "Whoever waits gets worse. The lowest number is next: does waiting raise it or "
                "lower it?",
            ),
            Misconception(
                "multiplies-by-patience",
                _sorted_by(lambda one, now_s, p: one.priority - (now_s - one.arrival_s) * p),
                "You multiply by the patience. With more patience, does a request age faster or "
                "more slowly?",
            ),
            Misconception(
                "a-second-is-a-step",
                _sorted_by(lambda one, now_s, p: one.priority - (now_s - one.arrival_s)),
                "A second of waiting counts as a whole priority. What does `patience_s` say?",
            ),
            Misconception(
                "highest-first",
                _sorted_by(lambda one, now_s, p: -one.priority - (now_s - one.arrival_s) / p),
                "The largest priority goes first. Which one is the most urgent here?",
            ),
            Misconception(
                "whole-steps",
                _sorted_by(_whole_steps),
                "You count whole steps of patience. What of two requests of which one has waited "
                "for half a step more?",
            ),
            Misconception(
                "stops-at-the-best",
                _sorted_by(lambda *args: max(0, _aged(*args))),
                "A request that has aged to the best priority gets no better. Then a newcomer of "
                "that priority may stand beside one that has waited for minutes.",
            ),
            Misconception(
                "backwards",
                _backwards,
                "That is the order from the end. Which number is next, the lowest or the highest?",
            ),
            Misconception(
                "newest-of-equals",
                _newest_of_equals,
                "Of equals the newest goes first. Who has waited longest?",
            ),
            Misconception(
                "due-first",
                _sorted_by(lambda one, *_: one.due_s),
                "You sort by the moment at which the first token is due. That is the next policy; "
                "this one knows a priority and a patience.",
            ),
        ),
    ),
    hints=(
        "Each request has a number, and the lowest is next. It begins as the priority. What does "
        "one patience of waiting do to it?",
        "It has waited for now_s - arrival_s. Each patience_s of that lowers its number by one, "
        "and half of it by a half.",
        "sorted(waiting, key=lambda one: one.priority - (now_s - one.arrival_s) / patience_s), and "
        "of each the id.",
    ),
    explanation=(
        "All numbers fall at the same pace, so the order of two requests never changes while they "
        "wait: it is the order of arrival_s + patience_s × priority. So nothing has to be sorted "
        "anew, and there is a bound. A request of priority p is overtaken only by requests that "
        "come within patience_s × (p − best priority) after it. Python's sort is stable, so equals "
        "keep the order of arrival."
    ),
)
