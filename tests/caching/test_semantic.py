"""The semantic cache against a search by hand, and against what must never be answered."""

import numpy as np
import pytest

from labutils.caching import Scope, SemanticCache

HERE = Scope("acme", "small", "v1")


class Clock:
    now = 50.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


def cache_of(clock, **options):
    defaults = {"dimension": 3, "threshold": 0.8, "capacity": 4, "ttl_s": 10.0}
    return SemanticCache(clock=clock, **defaults | options)


def test_the_best_match_wins_and_not_the_first_above_the_threshold(clock):
    cache = cache_of(clock)
    cache.put(HERE, [1, 0.5, 0], "worse")  # cosine 0.894 to the question
    cache.put(HERE, [5, 0.1, 0], "exact", sources=["a.md"])
    found = cache.get(HERE, [2, 0, 0])
    assert (found.answer, found.sources) == ("exact", frozenset({"a.md"}))
    assert found.similarity == pytest.approx(5 / np.hypot(5, 0.1))
    assert cache.get(HERE, [0, 0, 1]) is None
    assert (cache.hits, cache.misses) == (1, 1)


def test_random_questions_find_what_a_search_by_hand_finds(clock):
    rng = np.random.default_rng(12)
    cache = cache_of(clock, dimension=7, threshold=0.8, capacity=301)
    kept = rng.normal(size=(200, 7)) * rng.uniform(0.01, 90, (200, 1))
    for number, vector in enumerate(kept):
        cache.put(HERE, vector, number)
    found = 0
    for asked in rng.normal(size=(150, 7)):
        cosines = kept @ asked / np.linalg.norm(kept, axis=1) / np.linalg.norm(asked)
        hit, best = cache.get(HERE, asked), int(cosines.argmax())
        assert (hit.answer if hit else None) == (best if cosines[best] >= 0.8 else None)
        found += hit is not None
    assert 20 < found < 149


@pytest.mark.parametrize(
    "other",
    [
        Scope("other", "small", "v1"),
        Scope("acme", "large", "v1"),
        Scope("acme", "small", "v2"),
        Scope("acme", "small", "v1", settings="temperature 1"),
    ],
)
def test_nothing_passes_from_one_scope_to_another(clock, other):
    cache = cache_of(clock, capacity=1)
    cache.put(HERE, [1, 2, 3], "secret")
    assert cache.get(other, [1, 2, 3]) is None
    cache.put(other, [1, 2, 3], "theirs")  # and it pushes nothing out
    assert (cache.get(HERE, [1, 2, 3]).answer, cache.evictions) == ("secret", 0)


def test_an_entry_ends_when_its_time_is_up_and_frees_its_place(clock):
    cache = cache_of(clock, capacity=1)
    cache.put(HERE, [1, 0, 0], "old")
    clock.now += 9.9
    assert cache.get(HERE, [1, 0, 0]).answer == "old"
    clock.now = 60.0
    assert (cache.get(HERE, [1, 0, 0]), len(cache)) == (None, 0)
    cache.put(HERE, [0, 1, 0], "new")
    assert (cache.evictions, len(cache)) == (0, 1)


def test_the_least_recently_used_answer_leaves_and_an_update_evicts_nobody(clock):
    cache = cache_of(clock, capacity=3)
    for axis, name in enumerate("xyz"):
        cache.put(HERE, np.eye(3)[axis], name)
    cache.get(HERE, [1, 0, 0])
    cache.put(HERE, [0, 0, 2], "z again")  # the same direction: the same entry
    assert (cache.evictions, len(cache)) == (0, 3)
    cache.put(HERE, [1, 1, 1], "new")
    assert cache.evictions == 1
    assert cache.get(HERE, [0, 1, 0]) is None
    assert [cache.get(HERE, v).answer for v in ([1, 0, 0], [0, 0, 1])] == ["x", "z again"]


def test_a_changed_document_takes_its_answers_with_it_everywhere(clock):
    cache, there = cache_of(clock), Scope("other", "small", "v1")
    cache.put(HERE, [1, 0, 0], "both", sources=["a.md", "b.md"])
    cache.put(HERE, [0, 1, 0], "b alone", sources=["b.md"])
    cache.put(there, [1, 0, 0], "theirs", sources=["a.md"])
    assert (cache.drop_source("a.md"), cache.drop_source("a.md"), len(cache)) == (2, 0, 1)
    assert cache.get(HERE, [1, 0, 0]) is None and cache.get(there, [1, 0, 0]) is None
    assert cache.get(HERE, [0, 1, 0]).answer == "b alone"


@pytest.mark.parametrize(
    ("vector", "says"),
    [
        ([1, np.nan, 0], r"vector\[1\] = nan"),
        ([1, 0, np.inf], r"vector\[2\] = inf"),
        ([0, 0, 0], "zero everywhere"),
        ([1, 0], r"shape \(2,\): expected \(3,\)"),
        ([[1, 0, 0]], r"shape \(1, 3\)"),
    ],
)
def test_a_vector_without_a_direction_is_refused_and_changes_nothing(clock, vector, says):
    cache = cache_of(clock)
    for call in (lambda: cache.get(HERE, vector), lambda: cache.put(HERE, vector, "x")):
        with pytest.raises(ValueError, match=says):
            call()
    assert (len(cache), cache.hits, cache.misses) == (0, 0, 0)


def test_very_large_and_very_small_vectors_have_a_direction_too(clock):
    cache = cache_of(clock)
    cache.put(HERE, [1e300, 1e300, 0], "huge")
    assert cache.get(HERE, [1e-300, 1e-300, 0]).answer == "huge"


def test_a_threshold_of_one_finds_equal_questions_and_no_others(clock):
    rng = np.random.default_rng(3)
    cache = cache_of(clock, dimension=65, threshold=1.0, capacity=100)
    kept = rng.normal(size=(99, 65))
    for number, vector in enumerate(kept):
        cache.put(HERE, vector, number)
    assert [cache.get(HERE, 7 * vector).answer for vector in kept] == list(range(99))
    assert cache.get(HERE, kept[5] + 0.02 * kept[6]) is None


def test_bad_settings_are_named(clock):
    for bad in ({"threshold": 1.2}, {"capacity": 0}, {"ttl_s": -1}, {"dimension": 0}):
        with pytest.raises(ValueError, match=f"{next(iter(bad))} = "):
            cache_of(clock, **bad)
    with pytest.raises(ValueError, match=r"sources = 'a\.md'"):
        cache_of(clock).put(HERE, [1, 0, 0], "x", sources="a.md")
