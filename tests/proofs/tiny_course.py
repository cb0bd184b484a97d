"""A chapter of five sound exercises, one for each kind of checker, and their proofs."""

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
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

SOURCE = """\
# %%
from labutils.exercises import check
import math

# %% tags=["parameters"]
seed = 3
n = 5_000_000

# %%
def backlog(arrived, rate, seconds):
    \"\"\"Return what is left of what arrived.\"\"\"
    ### BEGIN SOLUTION
    done = rate * seconds
    return max(0, arrived - done)
    ### END SOLUTION

# %%
check("tiny.backlog", backlog)

# %%
### BEGIN SOLUTION
minutes = 7
wait = f"{minutes * 60 / 4} s"
### STUB wait = ...
### END SOLUTION
check("tiny.wait", wait)

# %%
check("tiny.wait", "1 s")

# %% tags=["solution-only"]
### BEGIN SOLUTION
choice = "b"
### END SOLUTION
check("tiny.choice", choice)

# %%
import numpy as np
### BEGIN SOLUTION
sample = np.random.default_rng(seed).exponential(2.0, size=min(n, 90_000))
### STUB sample = ...
### END SOLUTION
check("tiny.sample", sample)

# %%
### BEGIN SOLUTION
class Shelf:
    def __init__(self, days):
        self.days, self.loaves = days, {}

    def bake(self, day, count):
        self.loaves[day] = self.loaves.get(day, 0) + count

    def fresh(self, today):
        return sum(n for day, n in self.loaves.items() if today - self.days < day)
### STUB Shelf = ...
### END SOLUTION
check("tiny.shelf", Shelf)
"""


def left(arrived, rate, seconds):
    return max(0, arrived - rate * seconds)


def _inputs():
    from hypothesis import strategies as st

    return st.tuples(st.integers(0, 900), st.integers(1, 30), st.integers(1, 30))


BACKLOG = Exercise(
    id="tiny.backlog",
    title="Backlog",
    minutes=1,
    hints=("a", "b", "c"),
    explanation="e",
    checker=Function(
        reference=left,
        inputs=_inputs,
        misconceptions=(
            Misconception("no-floor", lambda a, r, s: a - r * s, "Can it be negative?"),
            Misconception("per-second", lambda a, r, s: max(0, a - r), "For how long?"),
        ),
    ),
)
WAIT = Exercise(
    id="tiny.wait",
    title="Wait",
    minutes=1,
    hints=("a", "b", "c"),
    explanation="e",
    checker=Number(
        expected=lambda: 105.0,
        unit="s",
        tolerance=0.01,
        misconceptions=(Misconception("no-servers", lambda: 420.0, "Who shares the work?"),),
    ),
)
CHOICE = Exercise(
    id="tiny.choice",
    title="Choice",
    minutes=1,
    hints=("a", "b", "c"),
    explanation="e",
    checker=Choice(options={"a": "A", "b": "B", "c": "C"}, correct="b", diagnoses={"a": "no"}),
)
SAMPLE = Exercise(
    id="tiny.sample",
    title="Sample",
    minutes=1,
    hints=("a", "b", "c"),
    explanation="e",
    checker=Estimate(
        expected=lambda: 2.0,
        unit="s",
        tolerance=0.05,
        misconceptions=(Misconception("rate", lambda: 0.5, "A time or a rate?"),),
    ),
)


class Shelf:
    """Loaves that are younger than so many days."""

    def __init__(self, days):
        self.days, self.batches = days, []

    def bake(self, day, count):
        self.batches.append((day, count))

    def fresh(self, today):
        return sum(count for day, count in self.batches if day > today - self.days)


class Eternal(Shelf):
    """Nothing ever grows old."""

    def fresh(self, today):
        return sum(count for _, count in self.batches)


class Batches(Shelf):
    """Counts batches instead of loaves."""

    def fresh(self, today):
        return sum(day > today - self.days for day, _ in self.batches)


class HandedOut(Shelf):
    """Both at once."""

    def fresh(self, today):
        return len(self.batches)


def _one_morning(draw):
    day = draw.whole(3, 300)
    yield New((draw.whole(2, 5),))
    for _ in range(3):
        yield Call("bake", (day, draw.whole(2, 40)))
    yield Read("fresh", (day,))


def _a_week(draw):
    first, days = draw.whole(0, 300), draw.whole(2, 5)
    yield New((days,))
    for day in range(first, first + 9):
        yield Call("bake", (day, draw.whole(2, 40)))
        yield Read("fresh", (), {"today": day})


SHELF = Exercise(
    id="tiny.shelf",
    title="Shelf",
    minutes=1,
    hints=("a", "b", "c"),
    explanation="e",
    checker=Stories(
        stories=(
            Story("one morning", _one_morning, "The baker saw three loaves and had baked sixty."),
            Story("a week", _a_week, "The baker sold bread of last week."),
        ),
        reference=Shelf,
        start=HandedOut,
        misconceptions=(
            Misconception("batches", Batches, "How many loaves are in a batch?"),
            Misconception("eternal", Eternal, "Since when?"),
        ),
        seconds=2.0,
    ),
)
PROOFS = {
    "tiny.backlog": Proof(
        mistakes={
            "no floor": ("def left(a, r, s):\n    return a - r * s", "no-floor"),
            "raises": ("def left(a, r, s):\n    return a[0]", Status.raised),
        },
        alternatives={
            "with an if": "def left(a, r, s):\n    if a > r * s:\n        return a - r * s\n"
            "    return 0",
            "in floats": lambda a, r, s: float(max(a - r * s, 0.0)),
        },
    ),
    "tiny.wait": Proof(
        mistakes={"alone": ("420 s", "no-servers"), "minutes": (105 / 60, Status.scale)},
        alternatives={"in minutes": "1.75 min"},
    ),
    "tiny.choice": Proof(
        mistakes={"a": ("a", "a"), "c": ("c", Status.wrong)}, alternatives={"in brackets": "(B)"}
    ),
    "tiny.sample": Proof(
        mistakes={"rate": ([0.4, 0.6] * 9, Status.too_noisy), "one": (2.0, Status.unreadable)},
        alternatives={"sum": lambda: None},
    ),
    "tiny.shelf": Proof(
        mistakes={
            "eternal": (Eternal, "eternal"),
            "a day more": (
                "class Shelf:\n"
                "    def __init__(self, days):\n        self.days, self.all = days, []\n"
                "    def bake(self, day, count):\n        self.all += [day] * count\n"
                "    def fresh(self, today):\n"
                "        return sum(day >= today - self.days for day in self.all)",
                Status.wrong,
            ),
        },
        alternatives={
            "loaf by loaf": "class Rack:\n"
            "    def __init__(self, days):\n        self.days, self.all = days, []\n"
            "    def bake(self, day, count):\n        self.all += [day] * count\n"
            "    def fresh(self, today):\n"
            "        return sum(day > today - self.days for day in self.all)",
        },
    ),
}
