"""The learner's functions stand in for methods, and nothing else changes."""

import pytest

from labutils.exercises import assembled


class Tally:
    def __init__(self, start):
        self.total = start

    def add(self, value):
        self.total += self.weight(value)
        return self.total

    def weight(self, value):
        return value


def test_the_rest_of_the_class_uses_the_learner_s_method():
    mine = assembled(Tally, weight=lambda self, value: 10 * value + self.total)
    assert mine(3).add(2) == 26
    assert Tally(3).add(2) == 5
    assert issubclass(mine, Tally)


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ({"wait": len}, "wait: expected a method of Tally"),
        ({"add": 3}, "add = 3: expected a function"),
    ],
)
def test_what_cannot_stand_in_is_refused(methods, message):
    with pytest.raises(ValueError, match=message):
        assembled(Tally, **methods)
