"""The hit curve of Mooncake's conversation trace, through the real page pool."""

import pytest

from labutils.engine import PagePool, Request
from labutils.workload import read_mooncake
from tests.conftest import traces_folder

HIT_PERCENT = {1_000: 4.5, 3_000: 6.5, 10_000: 21.2, 30_000: 32.6, 50_000: 35.5, 100_000: 36.4}


@pytest.fixture(scope="module")
def prefix_keys():
    return read_mooncake(traces_folder() / "mooncake_conversation.jsonl.gz", seed=1).prefix_keys


@pytest.mark.traces
@pytest.mark.parametrize("num_pages", HIT_PERCENT)
def test_mooncake_hit_curve(prefix_keys, num_pages):
    """One request after the other; the trace names part-filled last pages too, as if full.

    A token more than the named pages hold lets all of them be found, and its page comes on top.
    """
    pool, cached, named = PagePool(num_pages + 1, 512), 0, 0
    for id, keys in enumerate(prefix_keys):
        request = Request(id, 512 * len(keys) + 1, 1, keys=keys)
        pool.start(request)
        new, request.computed = request.known - request.computed, request.known
        pool.publish(request, new)
        pool.release(request)
        cached, named = cached + request.cached // 512, named + len(keys)
    pool.check()
    assert named == 288_500
    assert 100 * cached / named == pytest.approx(HIT_PERCENT[num_pages], abs=0.1)
