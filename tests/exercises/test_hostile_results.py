"""Results that never end, that are huge, that change afterwards, or that break when looked at."""

import time

import numpy as np
import pytest
import torch

from labutils.exercises.checkers import Function, New, Read, Stories, Story
from labutils.exercises.comparing import compare, kept, literal
from labutils.exercises.definition.verdict import Status


def counts():
    from hypothesis import strategies as st

    return st.tuples(st.integers(1, 60))


def squares(n):
    return [k * k for k in range(n)]


def make(reference=squares, **more):
    return Function(reference=reference, inputs=counts, **{"seconds": 3.0, "num_inputs": 24} | more)


class Endless(list):
    """A list of which nothing can be had in the way that ``how`` names."""

    def __init__(self, how):
        super().__init__([1])
        self.how = how

    def _spins(self, how):
        while self.how == how:
            pass

    def __len__(self):
        self._spins("len")
        return super().__len__()

    def __iter__(self):
        self._spins("iter")
        return super().__iter__()

    def __repr__(self):
        self._spins("repr")
        return "Endless"

    def __deepcopy__(self, memo):
        return self


class Service:
    def __init__(self, result=7):
        self.result = result

    def ask(self):
        return self.result


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(compare, "_LOOK_SECONDS", 0.2)
    monkeypatch.setattr(literal, "_REPR_SECONDS", 0.1)


@pytest.mark.parametrize("how", ["len", "iter", "repr"])
def test_a_result_that_never_ends_is_a_wrong_one(how):
    started = time.monotonic()
    verdict = make().check(lambda n: Endless(how))
    assert verdict.status is Status.wrong and time.monotonic() - started < 20
    assert how == "repr" or "does not come to an end" in verdict.message

    story = Story("one call", lambda draw: [New(), Read("ask")], "Somebody saw nothing.")
    checker = Stories((story,), lambda: Service([7, 8]), start=lambda: Service([]))
    assert checker.check(lambda: Service(Endless(how))).status is Status.wrong


@pytest.mark.parametrize("make_it", [lambda n: [0] * n, lambda n: (0,) * n, np.zeros, torch.zeros])
def test_a_result_of_a_million_entries_is_told_by_its_length(make_it):
    started = time.monotonic()
    verdict = make(seconds=20.0).check(lambda n: make_it(2_000_000))
    assert verdict.diagnosis == "wrong-length" and "has length 2000000" in verdict.message
    assert time.monotonic() - started < 20 and len(verdict.detail) < 3000


def test_of_a_long_result_no_more_is_kept_than_is_read():
    short, long = [1, 2], list(range(10**6))
    assert kept.as_it_is_now(short) == short
    assert len(kept.as_it_is_now(long)) == kept.MOST_ENTRIES
    assert kept.length(kept.as_it_is_now(long)) == 10**6
    assert kept.as_it_is_now(long, beside=long) == long


BUFFER = {"array": np.zeros(60), "tensor": torch.zeros(60, dtype=torch.float64)}


@pytest.mark.parametrize("buffer", BUFFER.values(), ids=BUFFER)
def test_results_in_one_shared_buffer_are_compared_as_they_were(buffer):
    def fills(n):
        for k in range(n):
            buffer[k] = k * k
        return buffer[:n]

    def fills_too_much(n):
        return fills(n) + 1

    def in_a_pair(n):
        return (fills(n), n)

    assert make().check(fills).passed
    assert make().check(fills_too_much).diagnosis not in ("constant", "not-repeatable")
    assert make(reference=lambda n: (squares(n), n)).check(in_a_pair).passed


def test_a_default_argument_that_keeps_growing_is_not_repeatable():
    def keeps(n, found=[]):  # noqa: B006 - that is the mistake under test
        found += squares(n)
        return found

    assert make().check(keeps).diagnosis == "not-repeatable"


def test_a_long_error_is_shortened():
    def complains(n):
        raise ValueError("x" * 1_000_000)

    verdict = make().check(complains)
    assert verdict.status is Status.raised and len(verdict.detail) < 3000


class Rude(NotImplementedError):
    def __str__(self):
        raise RuntimeError("no words")


def test_an_error_without_words_is_an_error():
    def complains(n):
        raise Rude

    assert make().check(complains).status is Status.raised


def test_integers_and_texts_too_long_to_be_written_are_said_to_be_so():
    assert literal.literal(10**5000) == "<an integer of 16610 bits>"
    assert len(literal.literal("x" * 10**6)) < 3000
