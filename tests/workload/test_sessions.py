"""Generated conversations: what each turn repeats, and what their numbers are on average."""

from itertools import pairwise

import numpy as np
import pytest

from labutils.workload import Sessions

TALK = Sessions(assistants=3, system_tokens=700, turns=4.0, first_tokens=900, think_s=8.0)


def by_session(trace):
    """Rows of each session: its second page behind the system prompt is its own."""
    own = 700 // 64 + 1
    found = {}
    for row, keys in enumerate(trace.prefix_keys):
        if len(keys) > own:
            found.setdefault(keys[own], []).append(row)
    return found.values()


def test_each_turn_repeats_all_that_came_before():
    trace = TALK.trace(200, 1.5, seed=4)
    talks = [rows for rows in by_session(trace) if len(rows) > 1]
    assert len(talks) > 50
    for rows in talks:
        for before, after in pairwise(rows):
            known = trace.prefix_keys[before]
            assert trace.prefix_keys[after][: len(known)] == known
            said = trace.prompt_tokens[before] + trace.output_tokens[before]
            assert trace.prompt_tokens[after] > said
            gap_s = trace.arrival_s[after] - trace.arrival_s[before]
            assert gap_s > trace.output_tokens[before] * TALK.token_s


def test_pages_are_those_that_are_full():
    trace = TALK.trace(50, 1.0, seed=5)
    assert [len(keys) for keys in trace.prefix_keys] == (trace.prompt_tokens // 64).tolist()
    firsts = {keys[: 700 // 64] for keys in trace.prefix_keys}
    assert len(firsts) == 3  # the assistants' system prompts
    own = [set(keys[700 // 64 :]) for keys in trace.prefix_keys]
    assert all(names.isdisjoint(range(3 * (700 // 64))) for names in own)


def test_its_means_are_those_asked_for():
    trace = TALK.trace(6_000, 2.0, seed=6)
    assert len(trace) / 6_000 == pytest.approx(4.0, rel=0.05)
    system = [keys[0] // (700 // 64) for keys in trace.prefix_keys]
    shares = np.bincount(system) / len(trace)
    assert shares == pytest.approx(np.array([6, 3, 2]) / 11, abs=0.02)
    assert np.median(trace.output_tokens) == pytest.approx(250, rel=0.05)


def test_the_same_seed_is_the_same_trace():
    one, same, other = (TALK.trace(40, 1.0, seed=seed) for seed in (7, 7, 8))
    assert np.array_equal(one.arrival_s, same.arrival_s) and one.prefix_keys == same.prefix_keys
    assert not np.array_equal(one.prompt_tokens, other.prompt_tokens)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"turns": 0.5}, "turns = 0.5"),
        ({"assistants": 0}, "assistants = 0"),
        ({"think_s": -1.0}, "think_s = -1.0"),
    ],
)
def test_what_is_no_number_of_its_kind_is_named(changes, message):
    with pytest.raises(ValueError, match=message):
        Sessions(**changes)
