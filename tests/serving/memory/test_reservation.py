"""Contiguous reservation against a line of slots that is painted slot by slot."""

import numpy as np
import pytest

from labutils.engine import OutOfPages, PageLeak, Request, RequestTooLong
from labutils.serving.memory import ContiguousReservation


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


def of(slots, name="r"):
    """A request that reserves so many slots."""
    return Request(name, 1, slots - 1)


@pytest.mark.parametrize("seed", range(12))
def test_walks_agree_with_a_painted_line(seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(20, 90))
    pool, line, live, refused = ContiguousReservation(size), [-1] * size, {}, 0
    for turn in range(200):
        if live and rng.random() < 0.45:
            gone = sorted(live)[int(rng.integers(len(live)))]
            pool.release(live.pop(gone))
            line = [-1 if owner == gone else owner for owner in line]
        else:
            tokens = int(rng.integers(2, 24))
            request = of(tokens, turn)
            fits = [start for start, length in free_runs(line) if length >= tokens]
            assert pool.fits(request) == bool(fits)
            if fits:
                pool.start(request)
                live[turn] = request
                assert request.pages == list(range(fits[0], fits[0] + tokens))
                assert request.room == tokens and request.computed == request.cached == 0
                line[fits[0] : fits[0] + tokens] = [turn] * tokens
            else:
                refused += 1
                with pytest.raises(OutOfPages):
                    pool.start(request)
                assert not request.pages and not request.room
        assert pool.holes == free_runs(line)
        assert pool.num_free == line.count(-1)
        pool.check(live.values())
    assert refused


def test_refuses_although_enough_is_free_in_all():
    pool = ContiguousReservation(100)
    a, b, c, d = (of(slots, name) for name, slots in zip("abcd", (30, 20, 30, 20)))
    for request in (a, b, c, d):
        pool.start(request)
    pool.release(a)
    pool.release(c)
    assert pool.num_free == 60 and pool.longest_hole == 30
    with pytest.raises(OutOfPages, match=r"40 slots in one piece; 60 of 100 are free, .* has 30"):
        pool.start(of(40))
    pool.release(b)
    assert pool.holes == [(0, 80)]
    pool.start(of(40))
    assert d.pages == list(range(80, 100))


def test_a_piece_never_grows_and_nothing_is_longer_than_the_line():
    pool, request = ContiguousReservation(50), Request("a", 12, 18)
    pool.start(request)
    assert request.room == 30
    with pytest.raises(OutOfPages, match="'a' reserved 30 slots, and no more"):
        pool.grow(request)
    pool.refuse_too_long(of(50))
    with pytest.raises(RequestTooLong, match="'r' reserves 51 slots: expected at most 50"):
        pool.refuse_too_long(of(51))


def test_books_that_do_not_agree_are_found():
    pool, request = ContiguousReservation(10), of(4)
    pool.start(request)
    pool.check([request])
    with pytest.raises(PageLeak, match="slot 0 is in no piece and no hole, or in two"):
        pool.check([])
    pool.holes = [(3, 7)]
    with pytest.raises(PageLeak, match="slot 3 is in no piece"):
        pool.check([request])
    pool.holes = [(4, 5)]
    with pytest.raises(PageLeak, match="end at slot 9, not at 10"):
        pool.check([request])


def test_bad_input_names_the_argument():
    with pytest.raises(ValueError, match="num_tokens = -3"):
        ContiguousReservation(-3)
