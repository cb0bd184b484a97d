"""Toy exercises for the engine's own tests; found like a chapter once this folder is searched."""

import math

from labutils.exercises.checkers import (
    Call,
    Choice,
    Estimate,
    Function,
    New,
    Number,
    Read,
    Stories,
    Story,
)
from labutils.exercises.definition.exercise import Exercise, Misconception, Prediction

TITLE = "Toy shop"
HINTS = ("Look at the two numbers.", "Multiply them.", "37 times the price.")


def _pairs():
    from hypothesis import strategies as st

    numbers = st.lists(st.integers(-50, 50), min_size=1, max_size=12)
    return st.tuples(numbers, st.integers(1, 5))


def running_sums(values, start):
    """Sums of the values so far, from ``start`` on."""
    sums, total = [], start
    for value in values:
        total += value
        sums.append(total)
    return sums


def _from_zero(values, start):
    return running_sums(values, 0)


def _exclusive(values, start):
    return [start, *running_sums(values, start)][: len(values)]


BILL = Exercise(
    id="toy.bill",
    title="The bill",
    minutes=3,
    checker=Number(
        expected=lambda: 37 * 4.691,
        unit="s",
        tolerance=0.01,
        misconceptions=(
            Misconception("adds", lambda: 37 + 4.691, "You add. What does each of them cost?"),
            Misconception("one-short", lambda: 36 * 4.691, "One is missing. Count the fence."),
        ),
        accepts=((lambda: 37.5 * 4.691, "You count the half one too: some do."),),
    ),
    hints=HINTS,
    explanation="The price times the number:\n\n$$b = n p$$",
    workings={
        "price": Number(expected=lambda: 4.691, unit="s", tolerance=0.01),
        "count": Number(expected=lambda: 37.0, unit="1", tolerance=0.0),
    },
)

SUMS = Exercise(
    id="toy.sums",
    title="Running sums",
    minutes=5,
    checker=Function(
        reference=running_sums,
        inputs=_pairs,
        misconceptions=(
            Misconception("from-zero", _from_zero, "Where does the sum begin?"),
            Misconception("exclusive", _exclusive, "Does a sum hold its own value?"),
        ),
        seconds=0.5,
    ),
    hints=HINTS,
    explanation="Carry the total along.",
)

FLAW = Exercise(
    id="toy.flaw",
    title="Spot the flaw",
    minutes=2,
    optional=True,
    checker=Choice(
        options={"a": "sound", "b": "flawed", "c": "sound too"},
        correct="b",
        diagnoses={"a": "Nothing speaks against this one."},
    ),
    hints=HINTS,
    explanation="The second.",
)

RUN = Exercise(
    id="toy.run",
    title="A run",
    minutes=4,
    checker=Estimate(
        expected=lambda: math.sqrt(2),
        unit="s",
        tolerance=0.05,
        misconceptions=(Misconception("doubled", lambda: 2.9, "Is something in it twice?"),),
    ),
    hints=HINTS,
    explanation="Longer is better.",
)


class Meter:
    """Arrivals per second in the last ``window_s`` seconds, the far edge not counted."""

    def __init__(self, window_s):
        self.window_s, self.times_s = window_s, []

    def arrive(self, time_s):
        self.times_s.append(time_s)

    def rate(self, now_s):
        return self.recent(now_s) / self.window_s

    def recent(self, now_s):
        return sum(now_s - self.window_s < time_s <= now_s for time_s in self.times_s)


class Forgetless(Meter):
    """Counts whatever ever arrived."""

    def recent(self, now_s):
        return len(self.times_s)


class Count(Meter):
    """Gives a number for a rate."""

    def rate(self, now_s):
        return self.recent(now_s)


class HandedOut(Count, Forgetless):
    """Both mistakes in one."""


def _one_customer(draw):
    time_s = draw.number(1, 9)
    yield New((draw.whole(20, 40),))
    yield Call("arrive", (time_s,))
    yield Read("rate", (time_s,))


def _after_the_rush(draw):
    yield New((30,))
    for time_s in draw.times(17, 0, 29) + draw.times(3, 100, 110):
        yield Call("arrive", (time_s,))
    yield Read("rate", (), {"now_s": draw.number(111, 120)})


METER = Exercise(
    id="toy.meter",
    title="A meter",
    minutes=6,
    checker=Stories(
        stories=(
            Story("one customer", _one_customer, "The owner saw a rush, and one customer."),
            Story("after the rush", _after_the_rush, "The owner saw a rush that was over."),
        ),
        reference=Meter,
        start=HandedOut,
        misconceptions=(
            Misconception("a-number", Count, "Per second, or in all?"),
            Misconception("forgets-nothing", Forgetless, "Who is recent?"),
        ),
        seconds=1.5,
    ),
    hints=HINTS,
    explanation="Count the recent ones alone.",
)

EXERCISES = (BILL, SUMS, FLAW, RUN, METER)

PREDICTIONS = (
    Prediction(
        id="toy.recovery",
        question="How long?",
        unit="s",
        explanation="The debt is paid off slowly.",
    ),
    Prediction(
        id="toy.share",
        question="What share?",
        unit="1",
        explanation="Most of them.",
        at_least=0,
        at_most=1,
    ),
    Prediction(
        id="toy.delay",
        question="How much later?",
        unit="s",
        explanation="Not earlier.",
        at_least=0,
    ),
)
