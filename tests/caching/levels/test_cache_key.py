"""The text of a key: one key, one text."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st

from labutils.caching.levels import key_text

WRITABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
PART = st.one_of(WRITABLE, st.integers(-3, 3), st.booleans(), st.floats(-3, 3, width=16))
KEY = st.tuples(WRITABLE.filter(bool), PART) | st.tuples(WRITABLE.filter(bool), PART, PART)


@given(KEY, KEY)
def test_two_keys_share_a_text_only_if_they_are_one_key(one, other):
    """Same parts, same types, written the same (0.0 and -0.0 may differ)."""
    same = [(type(part), repr(part)) for part in one] == [(type(p), repr(p)) for p in other]
    assert (key_text(one) == key_text(other)) == same


@given(KEY)
def test_the_text_can_be_read_back(key):
    read = json.loads(key_text(key))
    assert read == list(key) and [type(part) for part in read] == [type(part) for part in key]


def test_keys_that_python_holds_for_equal_are_four():
    keys = [("a", 1), ("a", 1.0), ("a", True), ("a", "1")]
    assert len({key_text(key) for key in keys}) == 4
    assert len({*keys}) == 2  # what a dictionary would have made of them


def test_the_border_between_parts_is_part_of_the_key():
    assert key_text(("a", "b", "c")) != key_text(("a", 'b","c'))
    assert key_text(("ab", "c")) != key_text(("a", "bc"))


def test_numbers_of_numpy_are_numbers():
    assert key_text(("a", np.int64(7), np.float64(0.5))) == key_text(("a", 7, 0.5))


@pytest.mark.parametrize(
    "key",
    [
        (), ("a",), ("", 1), (1, "a"), (None, "a"), "ab", ["a", "b"], ("a", None), ("a", b"b"),
        ("a", float("nan")), ("a", float("inf")), ("a", ("b",)), ("a", 1j), ("a", "\ud800"),
        ("\udfff", 1),
    ],
)  # fmt: skip
def test_a_key_that_is_none_is_refused(key):
    with pytest.raises(ValueError, match=r"^key = .*expected"):
        key_text(key)
