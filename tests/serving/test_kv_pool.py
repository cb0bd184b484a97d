"""The pool of pages: what a page weighs, and where a token's key and value go."""

import pytest
import torch

from labutils.engine.model import small_spec
from labutils.serving.attention import context_slots
from labutils.serving.kv_pool import KVPool

SPEC = small_spec(layers=3, num_heads=6, num_kv_heads=2, head_dim=10)


@pytest.mark.parametrize(
    "dtype, width", ((torch.float32, 4), (torch.float64, 8), (torch.bfloat16, 2))
)
def test_a_page_holds_two_vectors_per_token_layer_and_kv_head(dtype, width):
    pool = KVPool(SPEC, 11, 5, dtype=dtype)
    assert pool.bytes_per_page == 2 * 3 * 2 * 10 * width * 5
    assert pool.bytes_per_page == 5 * SPEC.kv_bytes_per_token(width)
    assert pool.num_bytes == 11 * pool.bytes_per_page
    assert pool.num_slots == 55 and pool.keys[2].shape == pool.values[0].shape == (2, 55, 10)


def test_a_write_changes_its_slots_in_its_layer_alone():
    pool = KVPool(SPEC, 7, 3)
    slots = torch.tensor([20, 4, 11])
    key, value = torch.randn(2, 3, 10), torch.randn(2, 3, 10)
    pool.write(1, slots, key, value)
    for layer in range(3):
        for half, new in ((pool.keys, key), (pool.values, value)):
            expected = torch.zeros(2, 21, 10)
            if layer == 1:
                for i, slot in enumerate((20, 4, 11)):
                    expected[:, slot] = new[:, i]
            assert torch.equal(half[layer], expected)


def test_slots_follow_the_table_page_by_page():
    table = torch.tensor([[6, 0, 9, 2], [3, 8, 0, 0]], dtype=torch.int32)
    for length in range(1, 17):
        expected = [int(table[0, i // 4]) * 4 + i % 4 for i in range(length)]
        assert context_slots(table[0], length, 4).tolist() == expected
    both = context_slots(table, 7, 4)
    assert both.tolist() == [[24, 25, 26, 27, 0, 1, 2], [12, 13, 14, 15, 32, 33, 34]]


@pytest.mark.parametrize("name, sizes", (("num_pages", (0, 4)), ("page_tokens", (4, 0))))
def test_an_empty_pool_is_refused(name, sizes):
    with pytest.raises(ValueError, match=f"{name} = 0: expected a whole number of at least 1"):
        KVPool(SPEC, *sizes)
