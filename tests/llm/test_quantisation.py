"""Narrow weights against packed arrays, and the gain of a step against the roofline's bytes."""

import numpy as np
import pytest

from labutils import llm


@pytest.mark.parametrize("bits, group, scale_bits", ((4, 128, 16), (4, 32, 8), (2, 64, 32)))
def test_stored_bytes_are_those_of_a_packed_array(bits, group, scale_bits):
    weights = 128 * 33
    packed = np.packbits(np.zeros(weights * bits, dtype=np.uint8)).nbytes
    scales = np.zeros(weights // group, dtype=f"u{scale_bits // 8}").nbytes
    got = llm.stored_bytes_per_weight(bits, group=group, scale_bits=scale_bits)
    assert got == pytest.approx((packed + scales) / weights, rel=1e-12)


def test_without_groups_a_weight_has_its_own_bits():
    assert [llm.stored_bytes_per_weight(bits) for bits in (16, 8, 4)] == [2, 1, 0.5]


@pytest.mark.parametrize(
    "batch, context, width, value", ((1, 700, 1, 2), (37, 4001, 0.5625, 2), (9, 50, 2, 1))
)
def test_the_gain_is_that_of_two_steps_that_wait_for_memory(batch, context, width, value):
    spec, card = llm.model("Qwen3-8B"), llm.accelerator("A100")
    before = llm.decode_step(spec, card, batch, context)
    after = llm.decode_step(
        spec, card, batch, context, bytes_per_weight=width, bytes_per_value=value
    )
    got = llm.decode_bytes_ratio(
        spec, batch, context, bytes_per_weight=width, bytes_per_value=value
    )
    assert got == pytest.approx(before.bytes_time_s / after.bytes_time_s, rel=1e-12)


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: llm.stored_bytes_per_weight(0), "bits = 0"),
        (lambda: llm.stored_bytes_per_weight(4, group=0), "group = 0"),
        (
            lambda: llm.decode_bytes_ratio(llm.model("Phi-4"), 0, 9, bytes_per_weight=1),
            "batch = 0",
        ),
    ),
)
def test_weights_that_cannot_be_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
