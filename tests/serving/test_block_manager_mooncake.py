"""The hit curve of Mooncake's conversation trace, through the real block manager."""

import pytest

from labutils.serving import BlockManager
from labutils.workload import read_mooncake
from tests.conftest import traces_folder

HIT_PERCENT = {1_000: 4.5, 3_000: 6.5, 10_000: 21.2, 30_000: 32.6, 50_000: 35.5, 100_000: 36.4}


@pytest.fixture(scope="module")
def prefix_keys():
    return read_mooncake(traces_folder() / "mooncake_conversation.jsonl.gz", seed=1).prefix_keys


@pytest.mark.traces
@pytest.mark.parametrize("num_blocks", HIT_PERCENT)
def test_mooncake_hit_curve(prefix_keys, num_blocks):
    """One request after the other; the trace names part-filled last blocks too, as if full.

    A token more than the named blocks hold lets all of them be found, and its page comes on top.
    """
    blocks = BlockManager(num_blocks + 1, 512)
    for request_id, keys in enumerate(prefix_keys):
        tokens = 512 * len(keys) + 1
        blocks.allocate(request_id, tokens, keys)
        blocks.publish(request_id, tokens)
        blocks.free(request_id)
    blocks.check()
    assert blocks.queries == 288_500
    assert 100 * blocks.hits / blocks.queries == pytest.approx(HIT_PERCENT[num_blocks], abs=0.1)
