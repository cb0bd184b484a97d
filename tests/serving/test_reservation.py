"""Contiguous reservation against a line of slots that is painted slot by slot."""

import numpy as np
import pytest

from labutils.serving import ContiguousReservation, OutOfBlocks


def free_runs(line):
    """(start, length) of the runs of free slots (-1), by walking along the line."""
    runs, start = [], None
    for at, owner in enumerate([*line, 0]):
        if owner < 0 and start is None:
            start = at
        elif owner >= 0 and start is not None:
            runs.append((start, at - start))
            start = None
    return runs


@pytest.mark.parametrize("seed", range(12))
def test_walks_agree_with_a_painted_line(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(20, 90))
    pool, line, refused = ContiguousReservation(size), [-1] * size, 0
    for turn in range(200):
        live = sorted({owner for owner in line if owner >= 0})
        if live and rng.random() < 0.45:
            gone = live[int(rng.integers(len(live)))]
            pool.free(gone)
            line = [-1 if owner == gone else owner for owner in line]
        else:
            tokens = int(rng.integers(1, 24))
            fits = [start for start, length in free_runs(line) if length >= tokens]
            assert pool.can_allocate(tokens) == bool(fits)
            if fits:
                assert pool.allocate(turn, tokens) == 0
                assert pool.span(turn) == (fits[0], tokens)
                line[fits[0] : fits[0] + tokens] = [turn] * tokens
            else:
                refused += 1
                with pytest.raises(OutOfBlocks):
                    pool.allocate(turn, tokens)
        assert pool.holes() == tuple(free_runs(line))
        assert pool.used_tokens == size - line.count(-1)
        assert pool.free_tokens == line.count(-1)
    assert refused


def test_refuses_although_enough_is_free_in_all():
    pool = ContiguousReservation(100)
    for name, tokens in (("a", 30), ("b", 20), ("c", 30), ("d", 20)):
        pool.allocate(name, tokens)
    pool.free("a")
    pool.free("c")
    assert pool.free_tokens == 60
    with pytest.raises(OutOfBlocks, match=r"40 tokens in one piece; 60 of 100 are free, .* has 30"):
        pool.allocate("e", 40)
    pool.free("b")
    assert pool.holes() == ((0, 80),)
    pool.allocate("e", 40)


def test_what_is_reserved_is_not_what_is_filled():
    pool = ContiguousReservation(50)
    pool.allocate("a", 30)
    pool.allocate("b", 12)
    pool.extend("a", 7)
    pool.extend("b", 11)
    assert (pool.used_tokens, pool.filled_tokens) == (42, 18)
    assert not pool.can_extend("b", 13)
    with pytest.raises(OutOfBlocks, match="'b' reserved 12 tokens, not 13"):
        pool.extend("b", 13)
    pool.free("a")
    assert pool.filled_tokens == 11


def test_bad_input_names_the_argument():
    pool = ContiguousReservation(10)
    pool.allocate("a", 4)
    with pytest.raises(ValueError, match="request_id = 'a'"):
        pool.allocate("a", 2)
    with pytest.raises(ValueError, match="request_id = 'b'"):
        pool.free("b")
    with pytest.raises(ValueError, match="tokens = 0"):
        pool.allocate("b", 0)
    with pytest.raises(ValueError, match="num_tokens = -3"):
        ContiguousReservation(-3)
