"""Names that a trace brings, cut to the pages of a pool."""

import pytest

from labutils.serving.memory import trace_keys


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
