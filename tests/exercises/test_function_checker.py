"""Function answers of every kind: right in another style, wrong in a known way, or no answer."""

import asyncio
import copy
import functools
import math
import os
import random
import re
import time
import warnings
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
import torch

from labutils.exercises.checkers import Function
from labutils.exercises.comparing.trial import Property
from labutils.exercises.definition.exercise import CheckerError, Misconception, NeverReturns
from labutils.exercises.definition.verdict import Status


def running_sums(values, start):
    sums, total = [], start
    for value in values:
        total += value
        sums.append(total)
    return sums


def pairs():
    from hypothesis import strategies as st

    return st.tuples(st.lists(st.integers(-50, 50), min_size=1, max_size=12), st.integers(1, 5))


def from_zero(values, start):
    return running_sums(values, 0)


def exclusive(values, start):
    return [start, *running_sums(values, start)][: len(values)]


def make(reference=running_sums, inputs=pairs, **more):
    wrong = (
        Misconception("from-zero", from_zero, "Where does the sum begin?"),
        Misconception("exclusive", exclusive, "Does a sum hold its own value?"),
    )
    known = wrong if reference is running_sums else ()
    more = {"misconceptions": known, "seconds": 0.6, "num_inputs": 24} | more
    return Function(reference=reference, inputs=inputs, **more)


# ---- right answers ------------------------------------------------------------------------------


class Summer:
    def __call__(self, values, start):
        return running_sums(values, start)


def with_a_default(values, start=0, *, scale=1):
    return running_sums(values, start)


RIGHT = {
    "list": lambda values, start: running_sums(values, start),
    "tuple": lambda xs, s: tuple(running_sums(xs, s)),
    "array": lambda values, start: start + np.cumsum(values),
    "floats": lambda values, start: [float(x) for x in running_sums(values, start)],
    "fractions": lambda values, start: [Fraction(x) for x in running_sums(values, start)],
    "itertools": lambda values, start: list(accumulate(values, initial=start))[1:],
    "object": Summer(),
    "partial": functools.partial(lambda scale, values, start: running_sums(values, start), 1),
    "default": with_a_default,
    "varargs": lambda *args: running_sums(*args),
}


@pytest.mark.parametrize("answer", RIGHT.values(), ids=RIGHT)
def test_right_answers_of_any_style_pass_with_the_same_words(answer):
    first, second = make().check(answer), make().check(answer)
    assert first.passed and repr(first) == repr(second)
    assert repr(first) == "Right. Your function agrees with the workbook's on every input tried."


def test_prints_of_a_right_answer_are_kept_off_the_page(capsys):
    def chatty(values, start):
        print("hello")
        return running_sums(values, start)

    verdict = make().check(chatty)
    assert verdict.passed and "prints" in verdict.note
    assert capsys.readouterr().out == ""


def test_warnings_of_numpy_stay_off_the_page_and_the_filters_stay_as_they_were():
    def warns(values, start):
        np.float64(1) / np.float64(0)
        return running_sums(values, start)

    before = list(warnings.filters)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert make().check(warns).passed
    assert warnings.filters == before


# ---- wrong answers ------------------------------------------------------------------------------


def off_by_one(values, start):
    return [x + 1 for x in running_sums(values, start)]


def test_the_smallest_failing_call_is_shown_ready_to_paste():
    verdict = make().check(off_by_one)
    assert verdict.status is Status.wrong
    call, expected, got = verdict.detail.splitlines()
    assert call == "off_by_one([0], 1)"
    assert (expected, got) == ("expected  [1]", "got       [2]")
    assert eval(call) == [2]


def test_a_rare_condition_is_found_and_shrunk():
    def breaks_late(values, start):
        sums = running_sums(values, start)
        return [-x if n >= 3 else x for n, x in enumerate(sums)]

    verdict = make().check(breaks_late)
    values = eval(re.match(r"breaks_late\((\[.*\]), 1\)", verdict.detail)[1])
    assert len(values) == 4


@pytest.mark.parametrize("name, answer", [("from-zero", from_zero), ("exclusive", exclusive)])
def test_a_known_misconception_is_named_in_whatever_style_it_comes(name, answer):
    restyled = {
        "from-zero": lambda values, start: np.cumsum(values),
        "exclusive": lambda v, s: tuple(s + sum(v[:n]) for n in range(len(v))),
    }[name]
    for function in (answer, restyled):
        verdict = make().check(function)
        assert (verdict.status, verdict.diagnosis) == (Status.misconception, name)
        assert "smallest failing case" in verdict.message


def test_almost_a_misconception_is_none():
    def almost(values, start):
        return from_zero(values, start) if start < 5 else running_sums(values, start)

    assert make().check(almost).diagnosis is None


def changes_its_input(values, start):
    for n in range(len(values)):
        values[n] = start = start + values[n]
    return list(values)


def never_the_same(values, start, _seen=[]):  # noqa: B006 - that is the mistake under test
    _seen.append(0)
    return [x + len(_seen) for x in running_sums(values, start)]


def prints_instead(values, start):
    print(running_sums(values, start))


def later(values, start):
    yield from running_sums(values, start)


WRONG = {
    "returns-nothing": (lambda values, start: None, "`return` missing on this path"),
    "prints-instead": (prints_instead, "instead of `print`"),
    "generator": (later, "a generator"),
    "mutates-input": (changes_its_input, "its argument `values`"),
    "not-repeatable": (never_the_same, "two answers"),
    "wrong-length": (lambda v, s: [7] * (len(v) - 1), "length 0, expected 1"),
    "wrong-type": (lambda v, s: sum(v) + s, "is a number, expected a list"),
}


@pytest.mark.parametrize("name, answer, words", [(k, *v) for k, v in WRONG.items()])
def test_each_kind_of_wrong_result_gets_its_own_diagnosis(name, answer, words):
    verdict = make().check(answer)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, name)
    assert words in verdict.message


def first_above(values, start):
    return next((value for value in values if value > start), None)


def first_above_the_next(values, start):
    return first_above(values, start + 1)


@pytest.mark.parametrize(
    ("answer", "diagnosis"),
    [(first_above_the_next, "one-too-far"), (lambda values, start: None, "returns-nothing")],
)
def test_where_none_is_a_result_a_mistake_may_lead_to_it(answer, diagnosis):
    mistake = Misconception("one-too-far", first_above_the_next, "Above what?")
    checker = make(reference=first_above, misconceptions=(mistake,), always=(([4], 3),))
    assert checker.check(answer).diagnosis == diagnosis


def test_a_result_that_never_changes_is_called_constant():
    checker = make(reference=lambda x: x * x, inputs=one_number)
    verdict = checker.check(lambda x: 7.5)
    assert verdict.diagnosis == "constant" and "same result whatever" in verdict.message


def test_a_return_inside_the_loop_is_told_by_the_length_of_the_smallest_case():
    def jumps(values, start):
        return [0] + [later - values[0] for later in values[1:]]

    def returns_in_the_loop(values, start):
        found = []
        for value in values:
            found.append(value - values[0])
            return found

    verdict = make(reference=jumps).check(returns_in_the_loop)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, "wrong-length")
    assert "has length 1, expected 2" in verdict.message
    assert verdict.detail.splitlines()[0].startswith("returns_in_the_loop([0, 0], 1)")


class Bag:
    """A result of a learner's own, without an equality."""


OF_ANOTHER_KIND = {
    "own class": lambda v, s: Bag(),
    "lambda": lambda v, s: lambda: v,
    "error": lambda v, s: ValueError("no"),
    "values of a dict": lambda v, s: dict(enumerate(running_sums(v, s))).values(),
}


@pytest.mark.parametrize("answer", OF_ANOTHER_KIND.values(), ids=OF_ANOTHER_KIND)
def test_a_result_without_an_equality_is_not_accused_of_chance(answer):
    verdict = make().check(answer)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, "wrong-type")
    assert "expected a list, a tuple or an array" in verdict.message


def test_nan_is_called_nan_and_not_constant():
    number = make(reference=lambda x: x * x, inputs=one_number)
    verdict = number.check(lambda x: float("nan") * x)
    assert verdict.diagnosis == "nan" and "Your result is nan. Dividing 0 by 0" in verdict.message
    verdict = make().check(lambda v, s: [*running_sums(v, s)[:-1], np.float64("nan")])
    assert verdict.diagnosis == "nan" and "nan at index 0" in verdict.message


def test_a_result_that_the_function_goes_on_changing_is_judged_as_it_was():
    kept = []

    def into_one_list(values, start):
        kept[:] = running_sums(values, start)
        return kept

    assert make().check(into_one_list).status is Status.right

    def halved(values, start):
        kept[:] = [0.5 * x for x in running_sums(values, start)]
        return kept

    assert make().check(halved).diagnosis not in ("constant", "not-repeatable")

    def remembers(values, start, found=[]):  # noqa: B006 (the trap itself)
        found += running_sums(values, start)
        return found

    assert make().check(remembers).diagnosis == "not-repeatable"


@pytest.mark.parametrize("levels", [40, 500])
def test_results_that_go_deeper_than_a_page_are_wrong_and_shown_cut(levels):
    def deep(values, start):
        found = values
        for _ in range(levels):
            found = [found]
        return found

    def itself(values, start):
        found = list(values)
        found.append(found)
        return found

    for answer in (deep, itself):
        verdict = make().check(answer)
        assert verdict.status is Status.wrong and len(verdict.detail) < 3000


def test_long_doubles_are_numbers():
    longer = make().check(lambda v, s: np.array(running_sums(v, s), dtype=np.longdouble))
    assert longer.status is Status.right
    shifted = make().check(lambda v, s: np.array(running_sums(v, s), dtype=np.longdouble) + 1)
    assert shifted.status is Status.wrong


def test_a_property_that_cannot_look_into_a_result_is_passed_over():
    rule = Property("sums", lambda result, *_: math.isnan(result[0]), "never said")
    verdict = make(properties=(rule,)).check(lambda v, s: ["x"] * len(v))
    assert verdict.status is Status.wrong and "never said" not in verdict.message


def test_other_iterators_are_told_like_generators():
    verdict = make().check(lambda values, start: map(abs, values))
    assert verdict.diagnosis == "generator" and "map" in verdict.message


def test_a_result_that_breaks_when_looked_at_is_wrong():
    class Cursed(list):
        def __len__(self):
            raise RuntimeError("do not count me")

    verdict = make().check(lambda values, start: Cursed(running_sums(values, start)))
    assert verdict.status is Status.wrong and "do not count me" in verdict.message


def test_results_with_a_wrong_shape_or_inside_are_wrong():
    column = make().check(lambda v, s: np.array([running_sums(v, s)]).T)
    assert column.status is Status.wrong
    nothing = make().check(lambda v, s: [float("nan")] * len(v))
    assert nothing.status is Status.wrong


def test_random_answers_that_vary_are_not_called_constant():
    assert make().check(lambda v, s: [random.random()] * len(v)).diagnosis == "not-repeatable"


class Hostile:
    def __getattr__(self, name):
        raise KeyError(name)

    def __call__(self, values):
        return values


def test_an_object_that_answers_no_question_about_itself_is_tried():
    verdict = make().check(Hostile())
    assert verdict.status is Status.raised and verdict.detail.startswith("running_sums([0], 1)")


# ---- no result at all ---------------------------------------------------------------------------


def divides(values, start):
    total = start
    print("so far", total)
    return [total / (len(values) - 1)]


def test_an_error_shows_the_call_the_line_and_the_prints():
    verdict = make().check(divides)
    assert verdict.status is Status.raised
    assert verdict.detail.splitlines() == [
        "divides([0], 1)",
        "ZeroDivisionError: division by zero",
        f"in divides, line {divides.__code__.co_firstlineno + 3}:",
        "    return [total / (len(values) - 1)]",
        "it printed:",
        "so far 1",
    ]


def halves(numerator, denominator):
    return numerator / denominator


def whole_pairs():
    from hypothesis import strategies as st

    return st.tuples(st.integers(1, 20), st.integers(2, 9))


def _never_below_one(numerator, denominator):
    if numerator < denominator:
        raise NeverReturns
    return numerator // denominator


def waits_below_one(numerator, denominator):
    while numerator < denominator:
        pass
    return numerator // denominator


def waits_elsewhere(numerator, denominator):
    while numerator < denominator - 1:
        pass
    return numerator / denominator


def test_an_endless_loop_is_named_where_a_misconception_says_it_never_returns():
    item = Misconception("never-below-one", _never_below_one, "What of the rest?")
    checker = make(halves, whole_pairs, misconceptions=(item,), seconds=0.5)
    verdict = checker.check(waits_below_one)
    assert (verdict.status, verdict.diagnosis) == (Status.misconception, "never-below-one")
    assert verdict.message.startswith("What of the rest? Your function did not come back within")
    numerator, denominator = eval(verdict.detail.removeprefix("waits_below_one"))
    assert numerator < denominator
    other = checker.check(waits_elsewhere)
    assert (other.status, other.diagnosis) == (Status.timed_out, None)


def test_a_result_where_the_misconception_never_returns_is_not_that_misconception():
    item = Misconception("never-below-one", _never_below_one, "What of the rest?")
    checker = make(halves, whole_pairs, misconceptions=(item,))
    verdict = checker.check(lambda numerator, denominator: numerator // denominator)
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, "rounded")


def stub(values, start):
    raise NotImplementedError("replace this line by your code")


def half_a_stub(values, start):
    if len(values) > 2:
        raise NotImplementedError
    return running_sums(values, start)


@pytest.mark.parametrize("answer", [stub, half_a_stub])
def test_a_stub_is_no_attempt(answer):
    verdict = make().check(answer)
    assert verdict.status is Status.not_attempted and verdict.detail == ""


def test_a_finished_function_that_raises_the_stub_s_error_hears_its_own_words():
    def not_for_one(values, start):
        if len(values) == 1:
            raise NotImplementedError("single request")
        return running_sums(values, start)

    verdict = make().check(not_for_one)
    assert verdict.status is Status.raised and "single request" in str(verdict)


def hangs_on_long_lists(values, start):
    while len(values) > 1:
        pass
    return running_sums(values, start)


def test_a_hang_is_stopped_and_the_call_shown():
    started = time.monotonic()
    verdict = make().check(hangs_on_long_lists)
    assert time.monotonic() - started < 30
    assert verdict.status is Status.timed_out and "loop" in verdict.message
    values = eval(re.match(r"hangs_on_long_lists\((\[.*\]), \d\)$", verdict.detail)[1])
    assert 2 <= len(values) <= 3


def test_a_slow_function_is_not_judged_on_a_handful_of_trivial_inputs():
    def slow(values, start):
        time.sleep(0.12)
        return running_sums(values, start)

    verdict = make().check(slow)
    assert verdict.status is Status.timed_out and "again and again" in verdict.message


@pytest.mark.parametrize(
    "answer, words",
    [
        ([1, 2], "you handed in a value of type list"),
        (None, "you handed in None"),
        (3.5, "you handed in a value of type float"),
        (lambda values: values, "yours takes (values)"),
        (lambda: 0, "yours takes ()"),
        (lambda values, start, step: values, "yours takes (values, start, step)"),
    ],
)
def test_what_cannot_be_called_as_asked_is_unreadable(answer, words):
    verdict = make().check(answer)
    assert verdict.status is Status.unreadable
    assert words in verdict.message and "(values, start)" in verdict.message


async def slowly(values, start):
    await asyncio.sleep(0)
    return running_sums(values, start)


def test_coroutines_are_awaited_where_they_are_asked_for_and_only_there():
    asks = make(reference=slowly, misconceptions=())
    assert asks.check(slowly).passed
    assert "async def" in asks.check(running_sums).message
    assert "without async" in make().check(slowly).message

    async def wrong(values, start):
        return [start]

    assert asks.check(wrong).status is Status.wrong
    forgotten = make().check(lambda values, start: slowly(values, start))
    assert forgotten.diagnosis == "coroutine"


# ---- what exercises may be about ----------------------------------------------------------------


def one_number():
    from hypothesis import strategies as st

    return st.tuples(st.integers(1, 40).map(lambda k: k / 4))


def one_array():
    from hypothesis import strategies as st

    numbers = st.lists(st.integers(0, 60), min_size=1, max_size=7)
    return st.tuples(numbers.map(lambda xs: np.array(xs, dtype=float) / 4))


def test_arrays_go_in_and_come_out_and_paste():
    checker = make(reference=np.sort, inputs=one_array)
    checker = make(reference=lambda waits: np.sort(waits), inputs=one_array)
    assert checker.check(sorted).passed

    def in_place(waits):
        waits.sort()
        return waits

    assert checker.check(in_place).diagnosis == "mutates-input"
    call = checker.check(lambda waits: waits[::-1]).detail.splitlines()[0]
    argument = re.match(r"your_function\((.*)\)$", call)[1]
    assert eval(argument).dtype == float


def test_a_reference_that_changes_its_input_asks_the_same_of_the_learner():
    def drop_first(queue):
        return queue.pop(0)

    def queues():
        from hypothesis import strategies as st

        return st.tuples(st.lists(st.integers(0, 9), min_size=1, max_size=5))

    checker = make(reference=drop_first, inputs=queues)
    assert checker.check(lambda queue: queue.pop(0)).passed
    assert checker.check(lambda queue: queue[0]).diagnosis == "mutates-input"


def test_tolerance_is_relative_and_absolute():
    checker = make(reference=lambda x: x * x, inputs=one_number, tolerance=0.01, absolute=0.2)
    assert checker.check(lambda x: 1.009 * x * x).passed
    assert not checker.check(lambda x: 1.011 * x * x).passed
    assert checker.check(lambda x: x * x + 0.19).passed
    assert not make(reference=lambda x: x, inputs=one_number).check(lambda x: x + 1e-6).passed


def thirds(x):
    return x / 3


@pytest.mark.parametrize("single", [np.float32, lambda x: torch.tensor(x, dtype=torch.float32)])
def test_single_precision_is_right_as_far_as_it_goes_and_named_beyond(single):
    checker = make(reference=thirds, inputs=one_number, misconceptions=())
    assert checker.check(lambda x: single(x / 3)).passed
    in_list = make(reference=lambda x: [x / 3, x], inputs=one_number, misconceptions=())
    assert in_list.check(lambda x: np.array([x / 3, x], dtype=np.float32)).passed
    named = checker.check(lambda x: single(x / 3 * (1 + 1e-5)))
    assert (named.status, named.diagnosis) == (Status.wrong, "single-precision")
    assert checker.check(lambda x: single(x / 3 * 1.01)).diagnosis is None
    assert not checker.check(lambda x: x / 3 * (1 + 1e-8)).passed  # double precision has no excuse


def test_a_generator_is_told_what_to_return_in_its_place():
    def yields(x):
        yield x / 3

    one = make(reference=thirds, inputs=one_number, misconceptions=()).check(yields)
    assert one.diagnosis == "generator"
    assert "Return a number: did you mean `return` where it says `yield`?" in one.message
    many = make(reference=lambda x: [x / 3], inputs=one_number, misconceptions=()).check(yields)
    assert "Return a list of them." in many.message


def test_mappings_texts_truth_values_and_nested_results_compare():
    def report(x):
        return {"load": x / 7, "busy": x > 5, "name": "q", "pairs": [(x, [x, 2 * x])], "none": None}

    checker = make(reference=report, inputs=one_number)
    assert checker.check(lambda x: report(x) | {"pairs": ([x, np.array([x, 2 * x])],)}).passed
    for change in ({"load": x_wrong} for x_wrong in (0, "0", None)):
        assert not checker.check(lambda x, change=change: report(x) | change).passed
    assert checker.check(lambda x: report(x) | {"more": 1}).diagnosis == "wrong-keys"
    assert checker.check(lambda x: report(x) | {"busy": int(x > 5)}).diagnosis == "wrong-type"


def test_a_wrong_shape_is_told_with_both_shapes():
    def table(values, start):
        return torch.tensor([[value + start, start] for value in values], dtype=torch.float64)

    checker = make(reference=table, misconceptions=())
    for wrong in (lambda v, s: table(v, s).T, lambda v, s: table(v, s)[None]):
        verdict = checker.check(wrong)
        assert verdict.diagnosis == "wrong-shape" and ", expected [1, 2]." in verdict.message
    column = make().check(lambda v, s: np.array([running_sums(v, s)]).T)
    assert "the shape [1, 1], expected [1]" in column.message


def test_the_record_of_a_tensor_is_called_a_tensor():
    def record(values, start):
        return {"shape": (len(values), 2), "numbers": values}

    verdict = make(reference=record, misconceptions=()).check(lambda v, s: v)
    assert "is a list, a tuple or an array, expected a tensor of shape [1, 2]" in verdict.message


def test_decimals_are_numbers():
    checker = make(reference=lambda x: x / 8, inputs=one_number, misconceptions=())
    assert checker.check(lambda x: Decimal(x) / 8).passed
    assert not checker.check(lambda x: Decimal("sNaN")).passed
    assert not checker.check(lambda x: Decimal(x) / 4).passed


def test_prints_that_take_the_time_are_mentioned():
    def chatty(values, start):
        for _ in range(200_000):
            print("so far", start)
        return running_sums(values, start)

    verdict = make(seconds=0.3).check(chatty)
    assert verdict.status is Status.timed_out and "prints a great deal" in verdict.message


def test_what_could_not_be_stopped_says_what_to_do():
    def one_long_call(values, start):
        return sum(range(10**8))  # the alarm is heard when it comes back

    verdict = make(seconds=0.2).check(one_long_call)
    assert verdict.status is Status.timed_out and "restart the kernel" in verdict.message


def test_a_property_names_what_a_wrong_result_violates():
    grows = Property("never-falls", lambda r, v, s: r == sorted(r), "A sum of counts never falls.")

    def counts():
        from hypothesis import strategies as st

        return st.tuples(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.just(0))

    checker = make(inputs=counts, properties=(grows,), misconceptions=())
    verdict = checker.check(lambda v, s: running_sums(v, s)[::-1])
    assert (verdict.status, verdict.diagnosis) == (Status.wrong, "never-falls")
    assert "never falls" in verdict.message
    assert checker.check(lambda v, s: [x + 1 for x in running_sums(v, s)]).diagnosis == "one-more"


def test_inputs_are_fresh_each_time():
    seen = []

    def spy(values, start):
        seen.append((tuple(values), start))
        return running_sums(values, start)

    assert make(num_inputs=100).check(spy).passed
    first = set(seen)
    seen.clear()
    assert make(num_inputs=100).check(spy).passed
    assert len(first) > 50 and len(first & set(seen)) < len(first) / 2


# ---- the workbook's own faults, and what is left behind -----------------------------------------


def broken(values, start):
    return [start / max(0, 3 - len(values)) for _ in values]


def test_the_workbooks_own_failures_are_not_the_learners():
    with pytest.raises(CheckerError, match="reference failed") as caught:
        make(reference=broken).check(running_sums)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    wrong = (Misconception("broken", lambda values, start: 1 / 0, "Never mind."),)
    with pytest.raises(CheckerError, match="misconception 'broken'"):
        make(misconceptions=wrong).check(off_by_one)
    assert make(misconceptions=wrong).check(running_sums).passed
    with pytest.raises(CheckerError, match="choice of inputs"):
        make(inputs=lambda: 1 / 0).check(running_sums)


def test_nothing_is_left_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random.seed(5)
    np.random.seed(5)
    states = random.getstate(), copy.deepcopy(np.random.get_state()[1])
    for answer in (running_sums, off_by_one, divides):
        make().check(answer)
    assert os.listdir(tmp_path) == []
    assert random.getstate() == states[0] and (np.random.get_state()[1] == states[1]).all()


def test_a_learners_exit_and_own_base_exceptions_are_errors():
    def leaves(values, start):
        raise SystemExit(3)

    class Odd(BaseException):
        pass

    def odd(values, start):
        raise Odd("strange")

    assert make().check(leaves).status is Status.raised
    assert "strange" in make().check(odd).detail


def test_of_long_results_the_first_part_that_differs_is_shown():
    def table(n):
        return [{"row": k, "squares": [k * j * j for j in range(n + 40)]} for k in range(n)]

    def wrong(n):
        rows = table(n)
        rows[2]["squares"][3] += 1
        return rows

    def sizes():
        from hypothesis import strategies as st

        return st.tuples(st.integers(4, 9))

    checker = Function(reference=table, inputs=sizes)
    detail = checker.check(wrong).detail
    assert "result[2]['squares'][3] = 18\n" in detail and "result[2]['squares'][3] = 19" in detail
    assert len(detail) < 200
