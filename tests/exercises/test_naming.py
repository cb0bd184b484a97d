"""A cause is named only if it explains every failing case, and no other known one does."""

from dataclasses import replace

from labutils.exercises.checkers import Function, Stories
from labutils.exercises.definition.exercise import Misconception, NeverReturns
from labutils.exercises.definition.verdict import Status
from tests.exercises.test_rehearsals_checker import CHECKER, LOST, PAIR, hands_out
from tests.exercises.test_stories_checker import STORIES, WRONG, Elephant, Mean, Tracker


def numbers():
    from hypothesis import strategies as st

    return st.tuples(st.integers(0, 99))


def next_even(x):
    return x + 2 - x % 2


def odd_stays(x):
    return x if x % 2 else next_even(x)


ODD = Misconception("odd-stays", odd_stays, "Is the number itself even?")
SAME = Misconception("same-again", lambda x: odd_stays(x), "Do you look at the number?")


def checker(*misconceptions, reference=next_even, **options):
    return Function(
        reference=reference, inputs=numbers, misconceptions=misconceptions, seconds=0.5, **options
    )


def test_a_mistake_that_explains_a_part_of_the_failures_is_not_named():
    wrong_on_even_numbers_too = checker(ODD).check(lambda x: x if x % 2 else -1)
    assert (wrong_on_even_numbers_too.status, wrong_on_even_numbers_too.diagnosis) == (
        Status.wrong,
        None,
    )
    assert checker(ODD).check(lambda x: x | 0 if x % 2 else x + 2).diagnosis == "odd-stays"


def test_of_two_mistakes_that_nothing_tells_apart_one_is_named_as_possible():
    verdict = checker(ODD, SAME).check(odd_stays)
    assert verdict.diagnosis == "odd-stays"
    assert verdict.message.startswith("One mistake that does this is: Is the number itself even?")
    assert verdict.message.count("Another one is: Do you look at the number?") == 1
    assert "One mistake" not in checker(ODD).check(odd_stays).message


def test_an_error_where_the_mistake_makes_none_is_another_mistake():
    def raises_too(x):
        return 1 // (x % 7) and odd_stays(x)

    assert checker(ODD).check(raises_too).diagnosis is None


# ---- endless loops ------------------------------------------------------------------------------


def root(x):
    return int(x**0.5)


def searched_from_seven(x):
    if x < 49:
        raise NeverReturns
    return 7


LOOPS = Misconception("from-seven", searched_from_seven, "Where does the search begin?")


def loops_below_49(x):
    while x < 49:
        pass
    return 7


def loops_always(x):
    while True:
        pass


def loops_below_49_and_is_right_elsewhere(x):
    while x < 49:
        pass
    return root(x)


def test_an_endless_loop_is_named_after_a_mistake_that_returns_the_same_elsewhere():
    verdict = checker(LOOPS, reference=root).check(loops_below_49)
    assert verdict.diagnosis == "from-seven" and "One mistake" not in verdict.message


def test_any_other_endless_loop_is_not():
    for other in (loops_always, loops_below_49_and_is_right_elsewhere):
        verdict = checker(LOOPS, reference=root).check(other)
        assert (verdict.status, verdict.diagnosis) == (Status.timed_out, None)


def test_a_mistake_that_loops_and_is_right_elsewhere_is_a_possible_cause():
    def loops_or_right(x):
        if x < 49:
            raise NeverReturns
        return root(x)

    item = Misconception("loops-or-right", loops_or_right, "Where does the search begin?")
    verdict = checker(item, reference=root).check(loops_below_49_and_is_right_elsewhere)
    assert verdict.diagnosis == "loops-or-right" and "One mistake that does" in verdict.message


# ---- stories and rehearsals ---------------------------------------------------------------------


def stories(**options):
    return Stories(stories=STORIES, reference=Tracker, seconds=2.0, **options)


def test_a_story_that_is_explained_in_part_is_not_named():
    class MeanOfMany(Mean):
        def percentile(self, q, *, now_s):
            odd = round(1000 * self.records[-1][1]) % 2 if self.records else 0
            return super().percentile(q, now_s=now_s) + odd

    verdict = stories(misconceptions=WRONG).check(MeanOfMany)
    assert verdict.diagnosis is None


def test_a_story_explained_in_a_class_that_fails_others_is_a_possible_cause():
    two = WRONG[1:]  # the mean; never forgets
    verdict = stories(misconceptions=two).check(type("Both", (Mean, Elephant), {}))
    assert verdict.diagnosis == "mean" and "One mistake that does this is:" in verdict.message
    again = replace(WRONG[1], name="same-again")
    verdict = stories(misconceptions=(WRONG[1], again)).check(Mean)
    assert verdict.diagnosis == "mean" and "One mistake that does this is:" in verdict.message


def test_a_rehearsal_names_the_cause_if_it_is_the_only_one():
    assert "One mistake" not in CHECKER.check(hands_out).message
    again = replace(CHECKER.misconceptions[0], name="same-again")
    both = replace(CHECKER, misconceptions=(*CHECKER.misconceptions, again))
    assert "One mistake that does this is: You hand out" in both.check(hands_out).message


def test_a_rehearsal_that_fails_another_story_in_its_own_way_hears_a_possible_cause():
    def hands_out_and_says_it(self, batch, results):
        if len(batch) != len(results):
            self.fail(batch[:1], RuntimeError("lost count"))
        hands_out(self, batch, results)

    verdict = replace(CHECKER, stories=(PAIR, LOST)).check(hands_out_and_says_it)
    assert verdict.diagnosis == "hands-out" and "One mistake that does this is" in verdict.message
