"""A chapter of four sound exercises, one for each kind of checker, and their proofs."""

from labutils.exercises.checkers import Choice, Estimate, Function, Number
from labutils.exercises.exercise import Exercise, Misconception
from labutils.exercises.verdict import Status
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
}
