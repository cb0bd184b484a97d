"""Inputs for a check: different ones, of every kind, the same for the same seed."""

import sys
import types
from collections import Counter

from hypothesis import assume, strategies as st
from hypothesis.internal.conjecture import providers

from labutils.exercises.comparing.draws import __file__ as OF_THE_COURSE, draw, smallest
from tests.rotation import in_turn


def kinds():
    numbers = st.lists(st.integers(0, 99), min_size=2, max_size=6)
    return st.one_of(*(st.tuples(st.just(kind), numbers) for kind in "abcde"))


def test_no_kind_of_input_is_left_to_luck():
    for seed in range(25 if in_turn(__file__) else 6):
        inputs = draw(kinds(), number=100, seed=seed)
        assert len({repr(args) for args in inputs}) == len(inputs) == 100
        assert min(Counter(kind for kind, _ in inputs).values()) >= 7


def test_a_seed_says_which():
    once, again, other = (draw(kinds(), number=41, seed=seed) for seed in (7, 7, 8))
    assert once == again and len(once) == 41
    assert sum(args in once for args in other) < 10


def test_no_sources_of_loaded_modules_are_read(monkeypatch):
    new = types.ModuleType("new")
    new.__file__ = OF_THE_COURSE
    monkeypatch.setitem(sys.modules, "new", new)
    read = []
    monkeypatch.setattr(providers, "constants_from_module", read.append)
    draw(st.tuples(st.integers(0, 10**6)), number=200, seed=2)
    assert read == []


def test_of_few_inputs_all_are_found_once():
    for size in (1, 3, 10, 37):
        few = st.tuples(st.sampled_from(range(size)))
        assert sorted(draw(few, number=100, seed=3)) == [(at,) for at in range(size)]


def test_the_smallest_that_fails():
    pairs = st.tuples(st.integers(0, 10**6), st.integers(0, 10**6))
    found = smallest(pairs, lambda args: sum(args) > 4321, number=99, seed=5, seconds=5)
    assert sum(found) == 4322 and min(found) == 0
    assert smallest(pairs, lambda args: False, number=99, seed=5, seconds=5) is None


def test_a_search_ends_in_time_though_nothing_of_what_it_draws_is_tried(monkeypatch):
    """Each drawing takes a second of a clock of our own; only the third is kept."""
    drawn = []
    clock = types.SimpleNamespace(monotonic=lambda: float(len(drawn)))
    monkeypatch.setattr("labutils.exercises.comparing.draws.time", clock)

    @st.composite
    def slow(one):
        drawn.append(one(st.lists(st.integers(0, 10**6), min_size=4)))
        assume(len(drawn) > 2 and drawn[-1] == drawn[2])
        return (drawn[-1],)

    assert smallest(slow(), lambda args: True, number=100, seed=3, seconds=4.5) == (drawn[2],)
    assert len(drawn) == 5
