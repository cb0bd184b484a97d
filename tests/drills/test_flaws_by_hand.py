"""Flaws about memory: the lines of the claim and the answer follow from the printed figures."""

import re

import pytest

from labutils.drills.catalog import find

PREFIX = {"k": 1e3, "M": 1e6, "G": 1e9}


def sizes(text: str) -> list[float]:
    """Every size that a text prints, in bytes."""
    return [float(n) * PREFIX[p] for n, p in re.findall(r"([\d.]+) ([kMG])B(?!/)", text)]


def whole(pattern: str, text: str) -> int:
    return int(re.search(pattern, text)[1].replace(",", ""))


def bandwidth(story: str) -> float:
    return 1e12 * float(re.search(r"\(([\d.]+) TB/s\)", story)[1])


@pytest.mark.parametrize("seed", range(25))
def test_users_on_a_card_follow_from_the_story(seed):
    drill = find("users_on_a_card").drill(seed)
    weights, per_token, memory = sizes(drill.story)
    each = whole(r"holds ([\d,]+) tokens", drill.story) * per_token
    usable = whole(r"may use (\d+) %", drill.story) / 100 * memory
    assert sizes(drill.options.texts["a"]) == pytest.approx([each], rel=2e-3)
    assert drill.answer == pytest.approx((usable - weights) / each - 0.5, abs=0.6)


@pytest.mark.parametrize("seed", range(25))
def test_what_a_step_reads_follows_from_the_story(seed):
    drill = find("cache_is_all_we_read").drill(seed)
    weights, per_token = sizes(drill.story)
    context = whole(r"with ([\d,]+) tokens", drill.story)
    users = 1 if "for one user" in drill.story else whole(r"for (\d+) users", drill.story)
    cache = users * context * per_token
    assert sizes(drill.options.texts["b"]) == pytest.approx([cache], rel=2e-3)
    assert drill.answer == pytest.approx(bandwidth(drill.story) / (weights + cache), rel=3e-3)


@pytest.mark.parametrize("seed", range(25))
def test_the_batch_that_keeps_the_promise_follows_from_the_story(seed):
    drill = find("defend_smaller_batch").drill(seed)
    weights, per_token = sizes(drill.story)
    context = whole(r"([\d,]+) tokens a user", drill.story)
    promise_s = float(re.search(r"a token every ([\d.]+) ms", drill.story)[1]) / 1000
    bytes_for_caches = promise_s * bandwidth(drill.story) - weights
    assert drill.answer == pytest.approx(bytes_for_caches / (context * per_token) - 0.5, abs=0.6)


@pytest.mark.parametrize("seed", range(25))
def test_users_with_a_narrow_cache_follow_from_the_story(seed):
    drill = find("defend_narrow_cache").drill(seed)
    usable, weights, per_token = sizes(drill.story)
    context = whole(r"users with ([\d,]+) tokens", drill.story)
    fit = (usable - weights) / (context * per_token / 2)
    assert drill.answer == pytest.approx(fit - 0.5, abs=0.6)
