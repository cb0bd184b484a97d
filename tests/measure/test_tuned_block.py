"""The block that tries its routines: whichever it keeps, the result is the same."""

import pytest
import torch

from labutils.measure import TunedBlock


@pytest.fixture
def block():
    return TunedBlock(hidden=24, ffn=40, seed=3, dtype="float64")


def test_every_routine_computes_the_block(block):
    values = torch.randn(7, 24, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    wanted = torch.einsum("fh,nh->nf", block._up, values).clamp(min=0) @ block._down.T
    for routine in block._routines():
        assert routine(values) == pytest.approx(wanted)


def test_it_tries_at_a_new_shape_only_and_keeps_the_quickest(block):
    tried = []
    times = {"a": 3.0, "b": 1.0, "c": 2.0}

    def routine(name):
        def run(values):
            tried.append((name, len(values)))

        return run, (lambda: times[name])

    block._routines = lambda: tuple(times)
    block._tried = lambda name, values: routine(name)
    block(5)
    block(5)
    assert tried == [("b", 5), ("b", 5)]
    times["c"] = None  # not known yet: the first one until it is
    block(5)
    assert tried[-1] == ("a", 5)


def test_it_is_cold_again_once_it_has_forgotten(block):
    def tries():
        real, count = block._tried, []
        block._tried = lambda *given: count.append(1) or real(*given)
        block(6)
        block._tried = real
        return len(count)

    assert [tries(), tries()] == [3, 0]
    block.forget()
    assert tries() == 3


def test_bytes_operations_and_floor(block):
    assert block.weight_bytes == 2 * 24 * 40 * 8
    assert block.flops(11) == 2 * 2 * 24 * 40 * 11
    assert block.floor_s(1, bandwidth=15_360, flops_per_s=1e9) == 1.0
    assert block.floor_s(11, bandwidth=1e12, flops_per_s=4224) == 10.0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b: b(0), "rows = 0"),
        (lambda b: b.flops(1.5), "rows = 1.5"),
        (lambda b: b.floor_s(1, bandwidth=0, flops_per_s=1), "bandwidth = 0"),
        (lambda b: TunedBlock(hidden=-1), "hidden = -1"),
    ],
)
def test_bad_input_is_named(block, call, message):
    with pytest.raises(ValueError, match=message):
        call(block)
