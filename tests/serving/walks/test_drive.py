"""Walking a scheduler through a few requests, step by step."""

import pytest

from labutils.engine import Plan, Scheduler
from labutils.serving.memory import Unlimited
from labutils.serving.scheduling import StaticBatches
from labutils.serving.walks import drive

ROWS = [("a", 1, 5, 3), ("b", 1, 2, 1), ("c", 2, 4, 2)]


def test_static_and_continuous_let_the_same_tokens_be_computed_in_other_steps():
    assert drive(StaticBatches(2), ROWS) == [
        {"a": 5, "b": 2}, {"a": 1}, {"a": 1}, {"c": 4}, {"c": 1},
    ]  # fmt: skip
    assert drive(Scheduler(2, Unlimited(), chunked=True), ROWS) == [
        {"a": 5, "b": 2}, {"a": 1, "c": 4}, {"a": 1, "c": 1},
    ]  # fmt: skip


def test_steps_without_work_are_counted_and_an_endless_wait_ends():
    assert drive(Scheduler(2, Unlimited()), [("late", 3, 7, 1)]) == [{}, {}, {"late": 7}]

    class Asleep(Scheduler):
        def schedule(self, now_s):
            return None

    assert drive(Asleep(2, Unlimited()), ROWS, most_steps=2) == [{}] * 2
    rows = [("a", 1, 5, 3), ("late", 4, 7, 1)]
    assert drive(Asleep(2, Unlimited()), rows) == [{}] * 6  # three after step 3


@pytest.mark.parametrize(
    ("chunks", "message"),
    [
        ((("a", 3),), r"chunk \('a', 3\): expected 5 tokens"),
        ((("a", 5), ("a", 5)), "each request once in a step"),
        ((("c", 4),), "expected an open request"),
    ],
)
def test_a_plan_that_cannot_be_carried_out_is_named(chunks, message):
    class Wrong(Scheduler):
        def schedule(self, now_s):
            by_id = {one.id: one for one in self.waiting}
            return Plan([(by_id.get(name, name), new) for name, new in chunks])

    with pytest.raises(ValueError, match=message):
        drive(Wrong(3, Unlimited()), ROWS)


def test_what_is_no_plan_is_named():
    class Wrong(Scheduler):
        def schedule(self, now_s):
            return [("a", 5)]

    with pytest.raises(ValueError, match="expected a Plan"):
        drive(Wrong(3, Unlimited()), ROWS)
