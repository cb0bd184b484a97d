"""Prefix caching by hand, against the engine's own page pool, and on Mooncake's trace."""

import numpy as np
import pytest

from labutils.caching import beam_search, growing_contexts, hit_curve, prefix_hits
from labutils.engine import PagePool, Request
from labutils.workload import read_mooncake, recorded_prefix_hits
from tests.conftest import traces_folder


def through_the_pool(requests, capacity: int) -> list[int]:
    """Blocks found by the engine's page pool; a page more holds each prompt's one token more."""
    pool, found = PagePool(capacity + 1, 16), []
    for id, keys in enumerate(requests):
        request = Request(id, 16 * len(keys) + 1, 1, keys=keys)
        pool.start(request)
        new, request.computed = request.known - request.computed, request.known
        pool.publish(request, new)
        pool.release(request)
        found.append(request.cached // 16)
    return found


@pytest.mark.parametrize("seed", [2, 35, 711])
@pytest.mark.parametrize("capacity", [33, 61, 250])
def test_it_finds_what_the_engines_page_pool_finds(seed, capacity):
    chats = growing_contexts(40, turns=7, active=6, seed=seed)
    beams = beam_search(prompt_blocks=9, width=4, steps=17, seed=seed)
    beams = [tuple((key, "beam") for key in keys) for keys in beams]  # no key means two things
    requests = [one for pair in zip(chats, beams * 5, strict=False) for one in pair]
    seen = prefix_hits(requests, capacity)
    assert seen.found.tolist() == through_the_pool(requests, capacity)
    assert seen.named.tolist() == [len(keys) for keys in requests]
    assert 0 < seen.hit_rate < 1


@pytest.mark.traces
def test_mooncakes_hit_curve_is_the_one_recorded():
    trace = read_mooncake(traces_folder() / "mooncake_conversation.jsonl.gz", seed=1)
    page_tokens, recorded = recorded_prefix_hits("mooncake-conversation")
    curve = hit_curve(trace.prefix_keys, [pages for pages, _ in recorded])
    assert page_tokens == trace.prefix_page_tokens
    assert [(pages, round(rate, 4)) for pages, rate in curve] == recorded


def test_a_mix_without_a_recorded_curve_names_those_that_have_one():
    with pytest.raises(ValueError, match="'azure-code': expected one of mooncake-conversation"):
        recorded_prefix_hits("azure-code")


def test_only_the_unbroken_beginning_counts_and_the_tail_leaves_first():
    seen = prefix_hits([["a", "b", "c"], ["x"], ["a", "b", "c"]], capacity=3)
    assert seen.found.tolist() == [0, 0, 2]
    longer = prefix_hits(["abcde", "abcde", "zbcde"], capacity=3)
    assert longer.found.tolist() == [0, 3, 0]
    assert longer.hit_rate == 3 / 15


def test_growing_contexts_find_all_but_what_is_new_while_they_are_not_away_too_long():
    chats = growing_contexts(31, turns=5, active=4, system_blocks=2, turn_blocks=3, seed=6)
    assert len(chats) == 31 * 5 and len(set(chats)) == 31 * 5
    assert sorted({len(keys) for keys in chats}) == [5, 8, 11, 14, 17]
    seen = prefix_hits(chats, capacity=10_000)
    assert seen.found.sum() == seen.named.sum() - 31 * 5 * 3 - 2
    few, many = (
        prefix_hits(growing_contexts(60, turns=6, active=active, seed=6), 120).hit_rate
        for active in (2, 30)
    )
    assert many < 0.6 * few


def test_beams_share_the_prompt_and_what_their_parents_said():
    beams = beam_search(prompt_blocks=5, width=3, steps=4, seed=9)
    assert [len(keys) for keys in beams] == [6] * 3 + [7] * 3 + [8] * 3 + [9] * 3
    for step in range(1, 4):
        parents = set(beams[3 * step - 3 : 3 * step])
        assert all(keys[:-1] in parents for keys in beams[3 * step : 3 * step + 3])
    seen = prefix_hits(beams, capacity=1_000)
    assert (seen.named - seen.found).tolist() == [6] + [1] * 11


def test_a_larger_cache_never_finds_less():
    chats = growing_contexts(50, turns=6, active=12, seed=3)
    rates = [rate for _, rate in hit_curve(iter(chats), [1, 7, 40, 111, 300, 999])]
    assert rates == sorted(rates) and rates[0] < rates[-1]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: prefix_hits([[1]], 0), "capacity = 0"),
        (lambda: prefix_hits([], 3), "requests: expected"),
        (lambda: growing_contexts(3, turns=2, active=0), "active = 0"),
        (lambda: beam_search(prompt_blocks=1, width=0, steps=1), "width = 0"),
    ],
)
def test_bad_input_is_named(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def test_what_is_found_is_counted_per_request():
    seen = prefix_hits([[1, 2, 3], [1, 2], [1, 9]], capacity=7)
    assert np.array_equal(seen.found, [0, 2, 1])


@pytest.mark.parametrize(
    "ask",
    [
        lambda: growing_contexts(10**30, turns=3, active=2),
        lambda: growing_contexts(3, turns=10**9, active=2),
        lambda: growing_contexts(3, turns=2, active=2, system_blocks=10**30),
        lambda: beam_search(prompt_blocks=10**9, width=2, steps=2),
        lambda: beam_search(prompt_blocks=2, width=2, steps=10**9),
    ],
)
def test_what_no_memory_holds_is_refused_before_it_is_built(ask):
    with pytest.raises(ValueError, match="blocks in all: expected at most 50,000,000"):
        ask()
