"""What a value costs from each level: that each answer comes from the level that is said."""

import asyncio

import pytest

from labutils.caching import level_latencies
from labutils.caching.levels import SqliteStore


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


def test_a_number_of_requests_below_one_is_refused():
    with pytest.raises(ValueError, match="num_requests = 0"):
        asyncio.run(measured(0))
