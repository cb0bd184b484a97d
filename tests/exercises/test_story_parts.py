"""Draws, steps and the search for what a failure needs."""

import pytest

from labutils.exercises.checkers import Call, New, Read, Story
from labutils.exercises.comparing.drawing import Draw
from labutils.exercises.comparing.shortest import needed
from labutils.exercises.stories.script import Beside, lines, variable_for


def test_draws_repeat_with_their_seed_and_differ_without():
    def some(seed):
        draw = Draw(seed)
        return draw.whole(3, 900), draw.number(0.5, 2.5), draw.shuffled(range(9)), draw.pick("abc")

    assert some("7 1") == some("7 1") != some("7 2")


def test_draws_stay_within_their_bounds_and_short():
    draw = Draw(5)
    assert {draw.whole(2, 4) for _ in range(99)} == {2, 3, 4}
    numbers = draw.numbers(99, -0.5, 0.5, digits=2)
    assert len(numbers) == 99 and all(-0.5 <= x <= 0.5 for x in numbers)
    assert all(round(x, 2) == x and type(x) is float for x in numbers)
    assert sorted(draw.shuffled("even")) == sorted("even")


def test_times_ascend_and_are_all_different():
    times = Draw(3).times(90, 1.5, 1.6)
    assert times == sorted(set(times)) and len(times) == 90
    assert all(1.5 <= time_s <= 1.6 for time_s in times)
    whole = [*Draw(3).times(5, 0, 9, digits=0), Draw(3).number(0, 9, digits=0)]
    assert all(type(time_s) is int for time_s in whole)
    with pytest.raises(ValueError, match="count = 102: expected at most 101"):
        Draw(3).times(102, 1.5, 1.6)


def test_a_script_is_written_as_python():
    script = [
        New((60,), {"start_s": 0.5}),
        Call("record", ([1, 2.5], None)),
        Beside("record", (2.5,), made=(60,)),
        Read("percentile", (0.99,), {"now_s": float("inf")}),
    ]
    assert lines(script, "LatencyTracker", "tracker") == [
        "tracker = LatencyTracker(60, start_s=0.5)",
        "tracker.record([1, 2.5], None)",
        "LatencyTracker(60).record(2.5)",
        "tracker.percentile(0.99, now_s=float('inf'))",
    ]


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("LatencyTracker", "tracker"),
        ("Batcher", "batcher"),
        ("LRUCache", "cache"),
        ("meter", "it"),  # the name is the class's own
        ("Import2", "import2"),
        ("Class", "it"),
        ("X_", "x"),
    ],
)
def test_objects_are_called_after_the_last_word_of_their_class(name, variable):
    assert variable_for(name) == variable


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Call("record", 5), r"Call\('record'\): args = 5: expected a tuple"),
        (lambda: Read("p 99"), "method = 'p 99': expected a method's name"),
        (lambda: New([60]), "args = .60.: expected a tuple"),
        (lambda: Read("p", (), [1]), r"kwargs = \[1\]: expected a dict"),
        (lambda: Story("", list, "Seen."), "name = ''"),
        (lambda: Story("x", "y", "Seen."), "script = 'y'"),
        (lambda: Story("x", list, "seen"), "saw = 'seen': expected a sentence"),
    ],
)
def test_steps_and_stories_that_cannot_be_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_a_story_without_a_beginning_makes_its_object_without_arguments():
    steps = Story("x", lambda draw: [Call("go")], "Seen.").told(Draw(1))
    assert steps == (New(), Call("go"))


@pytest.mark.parametrize("wanted", [[], [0], [6], [2, 3], [0, 6], [1, 3, 5], list(range(7))])
def test_what_is_not_needed_is_left_out(wanted):
    assert needed(range(7), lambda part: set(wanted) <= set(part), seconds=5) == wanted


def test_long_lists_take_few_attempts():
    attempts = []

    def still(part):
        attempts.append(part)
        return 617 in part

    assert needed(range(1000), still, seconds=5) == [617]
    assert len(attempts) < 60


def test_what_can_only_go_in_pairs_goes_in_pairs():
    def balanced(part):
        return 9 in part and sum(x < 9 for x in part) == sum(x > 9 for x in part)

    assert needed(range(19), balanced, seconds=5) == [9]


def test_when_time_is_over_what_was_found_so_far_is_the_result():
    assert needed(range(9), lambda part: 4 in part, seconds=-1) == list(range(9))
