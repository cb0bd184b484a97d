"""Names that a trace brings, cut to the pages of a pool; and what a pool finds under them."""

import pytest

from labutils.engine import PagePool, Request
from labutils.serving.memory import trace_keys
from labutils.workload import read_mooncake
from tests.conftest import traces_folder


def test_pages_of_the_same_size_take_the_keys_as_they_are():
    assert trace_keys((7, 9, 4), 512, 3 * 512, 512) == (7, 9, 4)


def test_a_block_that_the_prompt_fills_in_part_has_no_key():
    assert trace_keys((7, 9, 4), 512, 3 * 512 - 1, 512) == (7, 9)


def test_smaller_pages_split_a_block():
    keys = trace_keys((7, 9), 64, 64 + 37, 16)
    assert keys == ((7, 0), (7, 1), (7, 2), (7, 3), (9, 0), (9, 1))


def test_larger_pages_take_the_key_of_their_last_block():
    assert trace_keys((7, 9, 4, 8, 5), 16, 5 * 16, 32) == (9, 8)


def test_pages_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="page_tokens = 48: expected a divisor or a multiple"):
        trace_keys((7,), 64, 64, 48)


HIT_PERCENT = {1_000: 4.5, 3_000: 6.5, 10_000: 21.2, 30_000: 32.6, 50_000: 35.5, 100_000: 36.4}


@pytest.fixture(scope="module")
def prefix_keys():
    return read_mooncake(traces_folder() / "mooncake_conversation.jsonl.gz", seed=1).prefix_keys


@pytest.mark.traces
@pytest.mark.parametrize("num_pages", HIT_PERCENT)
def test_mooncake_hit_curve(prefix_keys, num_pages):
    """One request after the other; the trace names part-filled last blocks too, as if full.

    A token more than the named blocks hold lets all of them be found, and its page comes on top.
    """
    pool, hits, queries = PagePool(num_pages + 1, 512), 0, 0
    for row, keys in enumerate(prefix_keys):
        request = Request(row, 512 * len(keys) + 1, 1, keys=keys)
        pool.start(request)
        hits, queries = hits + request.cached // 512, queries + len(keys)
        request.computed = request.known
        pool.publish(request, request.known - request.cached)
        pool.release(request)
    pool.check()
    assert queries == 288_500
    assert 100 * hits / queries == pytest.approx(HIT_PERCENT[num_pages], abs=0.1)
