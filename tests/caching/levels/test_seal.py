"""The seal on a value: whole, of this version, under this key, or not taken."""

import pytest
from hypothesis import given, strategies as st

from labutils.caching.levels.cache_key import key_text
from labutils.caching.levels.seal import BrokenSeal, seal, unseal

MINE, YOURS = key_text(("acme", "answer", 7)), key_text(("zenith", "answer", 7))


@given(st.text(st.characters(exclude_categories=["Cs"])), st.none() | st.binary())
def test_what_was_sealed_comes_back(text, value):
    assert unseal(text, seal(text, value)) == value


def test_nothing_and_an_empty_value_are_two_things():
    assert unseal(MINE, seal(MINE, None)) is None
    assert unseal(MINE, seal(MINE, b"")) == b""
    assert unseal(MINE, seal(MINE, b"0")) == b"0"


def test_no_single_bit_can_turn_over_unseen():
    sealed = seal(MINE, b"\x00value\xff")
    for at in range(len(sealed)):
        for bit in range(8):
            damaged = bytearray(sealed)
            damaged[at] ^= 1 << bit
            with pytest.raises(BrokenSeal):
                unseal(MINE, bytes(damaged))


def test_no_part_of_it_passes_for_the_whole_nor_does_more():
    sealed = seal(MINE, b"value")
    for length in range(len(sealed)):
        with pytest.raises(BrokenSeal):
            unseal(MINE, sealed[:length])
    with pytest.raises(BrokenSeal, match="checksum"):
        unseal(MINE, sealed + b"x")


def test_another_tenants_value_is_refused_although_it_is_whole():
    with pytest.raises(BrokenSeal, match="under another key"):
        unseal(MINE, seal(YOURS, b"secret"))


def test_a_key_that_only_begins_the_same_is_another():
    with pytest.raises(BrokenSeal, match="under another key"):
        unseal("ab", seal("abV", b""))
    with pytest.raises(BrokenSeal, match="under another key"):
        unseal("abV", seal("ab", b"V"))


def test_the_length_of_the_key_is_under_the_checksum_too():
    sealed = bytearray(seal("ab", b"VX"))
    sealed[20:24] = (3).to_bytes(4, "big")  # now it reads as the key abV and the value X
    with pytest.raises(BrokenSeal, match="checksum"):
        unseal("abV", bytes(sealed))


def test_a_value_of_another_version_is_no_value():
    with pytest.raises(BrokenSeal, match="version b'tif0'"):
        unseal(MINE, b"tif0" + seal(MINE, b"value")[4:])


@pytest.mark.parametrize("junk", [b"", b"junk", b"\x00" * 500, "text", None, 7])
def test_junk_is_no_value(junk):
    with pytest.raises(BrokenSeal):
        unseal(MINE, junk)
