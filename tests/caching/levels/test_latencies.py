"""What a value costs from each level: that each answer comes from the level that is said."""

import asyncio

import pytest

from labutils.caching import level_latencies
from labutils.caching.levels import SqliteStore, redis_or_sqlite


async def measured(num_requests):
    computed, store = [], SqliteStore(":memory:")

    async def compute():
        computed.append(1)
        await asyncio.sleep(0.002)
        return b"value"

    took_s = await level_latencies(store, compute, num_requests=num_requests)
    await store.aclose()
    return took_s, len(computed)


def test_one_computation_fills_both_levels_and_each_new_key_is_computed():
    took_s, computed = asyncio.run(measured(7))
    assert list(took_s) == ["process", "shared", "compute"]
    assert all(row.shape == (7,) and (row > 0).all() for row in took_s.values())
    assert computed == 1 + 8
    assert (took_s["compute"] >= 0.002).all()  # a sleep may be late, not early


@pytest.mark.redis
@pytest.mark.parametrize("fault", ["kill", "stall"])
def test_what_a_dead_or_silent_store_cannot_answer_is_not_called_shared(fault):
    async def story():
        async with redis_or_sqlite(timeout_s=0.05) as shared:
            getattr(shared.server, fault)()

            async def compute():
                return b"value"

            return await level_latencies(shared.store, compute, num_requests=9)

    took_s = asyncio.run(story())
    assert {level: len(row) for level, row in took_s.items()} == {
        "process": 9, "shared": 0, "compute": 9
    }  # fmt: skip


def test_a_number_of_requests_below_one_is_refused():
    with pytest.raises(ValueError, match="num_requests = 0"):
        asyncio.run(measured(0))
