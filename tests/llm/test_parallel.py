"""Tensor parallelism against a share added up layer by layer, and a ring that is walked round."""

import math

import pytest

from labutils import llm

from .published import PUBLISHED, weights

LINK = {"latency_s": 13e-6, "rate_bytes_per_s": 170e9}


@pytest.mark.parametrize("name", ("Llama-3.1-70B", "Qwen3-32B"))
@pytest.mark.parametrize("devices, batch, context", ((2, 3, 1001), (4, 17, 700), (8, 1, 5000)))
def test_a_step_is_one_share_of_the_bytes_and_two_exchanges_a_layer(name, devices, batch, context):
    p, card = PUBLISHED[name], llm.accelerator("H100 SXM")
    stored = 2 * sum(math.prod(shape) for _, shape in weights(name))
    expected = stored / devices / (0.77 * 3.35e12)
    for _ in range(p.layers):
        cached = 2 * (p.kv_heads / devices) * p.head_dim * 2 * context * batch
        expected += cached / (0.77 * 3.35e12)
        expected += 2 * (13e-6 + batch * p.hidden * 2 / 170e9)
    step = llm.tensor_parallel_step(
        llm.model(name), card, batch, context, num_devices=devices, bandwidth_share=0.77, **LINK
    )
    assert step.time_s == pytest.approx(expected, rel=1e-9)


def test_one_device_exchanges_nothing():
    spec, card = llm.model("Llama-3.1-8B"), llm.accelerator("A100")
    alone = llm.tensor_parallel_step(spec, card, 5, 800, num_devices=1, **LINK)
    assert alone.reducing_s == 0
    assert alone.time_s == llm.decode_step(spec, card, 5, 800).bytes_time_s


@pytest.mark.parametrize("devices", (2, 3, 8))
def test_the_rate_of_a_ring_is_that_of_walking_round_it(devices):
    message, link = 3e9, 450e9
    walked = 0.0
    for _ in range(2 * (devices - 1)):  # reduce-scatter, then all-gather: a part to the neighbour
        walked += message / devices / link
    rate = llm.ring_rate(link, devices)
    took = llm.all_reduce_time_s(message, latency_s=0, rate_bytes_per_s=rate)
    assert took == pytest.approx(walked, rel=1e-12)


@pytest.mark.parametrize("tokens_per_s, devices", ((21.1e-3, 2), (10.5e-3, 4), (5.3e-3, 8)))
def test_the_printed_reading_times_of_a_70b(tokens_per_s, devices):
    spec, card = llm.model("Llama-3.1-70B"), llm.accelerator("H100 SXM")
    step = llm.tensor_parallel_step(spec, card, 1, 0, num_devices=devices, **LINK)
    assert step.reading_s == pytest.approx(tokens_per_s, rel=0.01)
    assert 160 * 10e-6 < step.reducing_s < 160 * 20e-6


@pytest.mark.parametrize(
    "devices, link, message",
    ((16, LINK, "num_devices = 16"), (2, {**LINK, "latency_s": -1}, "latency_s = -1")),
)
def test_steps_that_cannot_be_are_refused(devices, link, message):
    with pytest.raises(ValueError, match=message):
        llm.tensor_parallel_step(
            llm.model("Llama-3.1-70B"), llm.accelerator("H100"), 1, 9, num_devices=devices, **link
        )
    with pytest.raises(ValueError, match="num_devices = 1"):
        llm.ring_rate(1e9, 1)
