"""A deployment against sums of its own, its limits, and the functions that drills call."""

import math
from dataclasses import replace

import pytest

from labutils import llm
from labutils.llm.layouts import (
    Deployment,
    Hosts,
    Layout,
    Link,
    Rates,
    device_shares,
    expected_busiest,
    layouts_of,
    link,
    one_hot_expert,
)
from tests.llm.published import PUBLISHED, weights

H100 = Hosts(device=llm.accelerator("H100 SXM"))
FREE = Link(name="free", bytes_per_s=1e30, start_s=0.0, hop_s=0.0)
REACHED = Rates(bandwidth_share=0.7, flops_share=0.4)


def placed(name: str = "Llama-3.1-70B", rates=REACHED, hosts=H100, popularity=None, **shape):
    return Deployment(
        model=llm.model(name), layout=Layout(**shape), hosts=hosts, rates=rates,
        popularity=popularity,
    )  # fmt: skip


@pytest.mark.parametrize("batch, context", ((1, 700), (24, 3001), (100, 128)))
def test_one_card_takes_the_plain_step(batch, context):
    spec, shares = llm.model("Llama-3.1-8B"), {"bandwidth_share": 0.7, "flops_share": 0.4}
    plain = llm.decode_step(spec, H100.device, batch, context, **shares)
    step = placed("Llama-3.1-8B").decode(batch, context)
    assert plain.binding == "bytes"  # where arithmetic hides behind the reading
    assert step.time_s == pytest.approx(plain.time_s, rel=1e-12)
    assert step.terms["read weights"] > 0 and step.all_reduce_s == step.bubble_s == 0


def test_arithmetic_counts_where_it_outlasts_its_own_reading():
    """Kernel by kernel: multiplying 600 rows outlasts the weights, caches are read all the same."""
    p = PUBLISHED["Llama-3.1-8B"]
    count = sum(math.prod(shape) for _, shape in weights("Llama-3.1-8B"))
    linear = 2 * count * 600 / (0.4 * 989e12)
    caches = 600 * 900 * p.layers * 2 * p.kv_heads * p.head_dim * 2 / (0.7 * 3.35e12)
    step = placed("Llama-3.1-8B").decode(600, 900)
    assert step.time_s == pytest.approx(linear + caches, rel=1e-9)
    assert step.largest == "read kv"


@pytest.mark.parametrize("tp", (2, 4, 8))
def test_tensor_parallel_agrees_with_the_function_of_the_drills(tp):
    for batch, context in ((1, 500), (16, 4000)):
        step = placed(tp=tp).decode(batch, context)
        fast, message = H100.inside, 2 * batch * 8192
        ring, short = (
            llm.ring_rate(rate, tp) for rate in (fast.rate_bytes_per_s, fast.short_bytes_per_s)
        )
        ways = (
            (fast.start_s + fast.hop_s, fast.short_bytes_per_s / (tp - 1)),
            (fast.start_s + 2 * fast.hop_s, short),
            (fast.start_s + 2 * (tp - 1) * fast.hop_s, ring),
        )
        latency, rate = min(ways, key=lambda way: way[0] + message / way[1])
        drill = llm.tensor_parallel_step(
            llm.model("Llama-3.1-70B"), H100.device, batch, context, num_devices=tp,
            latency_s=latency, rate_bytes_per_s=rate, bandwidth_share=0.7,
        )  # fmt: skip
        assert step.read_weights_s + step.read_kv_s == pytest.approx(drill.reading_s, rel=1e-12)
        assert step.all_reduce_s == pytest.approx(drill.reducing_s, rel=1e-12)


def test_prefill_is_the_plain_arithmetic_shared_out():
    spec = llm.model("Llama-3.1-70B")
    plain = llm.prefill_time_s(spec, H100.device, 4096, flops_share=0.4)
    free = replace(H100, inside=FREE)
    for shape in ({}, {"tp": 8}, {"sp": 4}, {"tp": 2, "sp": 4}):
        step = placed(hosts=free, **shape).prefill(4096)
        assert step.time_s == pytest.approx(plain / Layout(**shape).cards, rel=1e-9)
        assert placed(**shape).prefill(4096).time_s >= step.time_s


def test_a_prompt_in_chunks_is_a_train_through_the_stages():
    whole = placed(pp=4, hosts=replace(H100, inside=FREE))
    alone = whole.prefill(8192).time_s
    for chunks in (2, 4, 8):
        step = whole.prefill(8192, chunk_tokens=8192 // chunks)
        assert step.time_s == pytest.approx(alone * (chunks + 3) / (4 * chunks), rel=1e-9)
        assert step.bubble_s / step.time_s == pytest.approx(3 / (chunks + 3))


def test_a_pipeline_shortens_no_token_and_waits_when_it_is_nearly_empty():
    free = replace(H100, inside=FREE)
    one, many = (placed(pp=8, hosts=free).decode(batch, 1000) for batch in (1, 64))
    assert one.time_s == pytest.approx(placed(hosts=free).decode(1, 1000).time_s, rel=1e-9)
    assert one.bubble_s / one.time_s == pytest.approx(7 / 8)
    assert many.bubble_s == 0
    caches = 64 * llm.model("Llama-3.1-70B").kv_bytes(1000) / 8 / (0.7 * 3.35e12)
    assert many.read_kv_s == pytest.approx(caches)


def test_replicas_share_the_requests_and_nothing_else():
    assert placed(dp=4).decode(64, 900) == placed().decode(16, 900)
    assert placed(dp=4).decode(61, 900) == placed().decode(16, 900)  # the fullest copy
    assert placed(dp=2, tp=4).max_batch(2000) == 2 * placed(tp=4).max_batch(2000)


def test_caches_by_hand():
    """70 B on 8 H100: 72 GB usable a card, 17.64 GB of weights, 40,960 B of a token's cache."""
    eight = placed(tp=8)
    assert eight.weight_bytes_per_card == pytest.approx(2 * 70.554e9 / 8, rel=1e-4)
    left = 0.9 * 80e9 - eight.weight_bytes_per_card
    assert eight.kv_tokens_per_copy() == math.floor(left / (2 * 1 * 128 * 80 * 2))
    assert eight.max_batch(2000) == math.floor(left / (2 * 1 * 128 * 80 * 2 * 2000))
    assert not placed().fits() and placed(tp=2).fits() and not placed(tp=2).fits(64, 2000)
    assert placed(pp=4, dp=2).fits(64, 2000)


def test_latent_caches_are_whole_on_every_card():
    spec = llm.model("DeepSeek-V3")
    cut = placed("DeepSeek-V3", tp=8, ep=8)
    assert cut.stage.kv_share == 1
    assert cut.decode(32, 4000).read_kv_s == pytest.approx(
        32 * spec.kv_bytes(4000) / (0.7 * 3.35e12)
    )


def test_experts_by_hand():
    """Mixtral on 8 cards, an expert on each: 16 tokens a card, 128 in all, two picks each."""
    spec = llm.model("Mixtral-8x7B")
    step = placed("Mixtral-8x7B", dp=8, ep=8).decode(128, 1000)
    expert = 3 * 4096 * 14336 * 32  # all layers
    plain = spec.parameters - 8 * expert
    busiest = expected_busiest((1 / 8,) * 8, 128, 2, 8)
    touched = min(1, busiest * (1 - 0.75**128))
    assert step.read_weights_s == pytest.approx(2 * (plain + touched * expert) / (0.7 * 3.35e12))
    bytes_out = busiest * 16 * 2 * 4096 * 3 * 7 / 8
    assert step.all_to_all_s == pytest.approx(32 * (2 * 3.5e-6 + bytes_out / 360e9))
    assert step.all_reduce_s == 0


def test_placed_experts_leave_one_all_reduce_to_their_layers():
    """DeepSeek-V3: 3 layers without experts and 58 with; the experts' sum comes by all-to-all."""
    whole, cut = (
        placed("DeepSeek-V3", tp=8, dp=2, ep=ep).decode(64, 1000).all_reduce_s for ep in (16, 1)
    )
    assert cut > 0 and whole / cut == pytest.approx((3 * 2 + 58) / (61 * 2))


def test_a_hot_expert_lengthens_a_step_and_even_picks_shorten_it():
    hot = one_hot_expert(128, 0.15)
    wide = {"dp": 8, "ep": 8, "rates": Rates(bandwidth_share=0.7)}
    skewed, flat = (
        placed("Qwen3-235B-A22B", popularity=popularity, **wide).decode(4096, 1000)
        for popularity in (hot, None)
    )
    assert skewed.arithmetic_s > 1.5 * flat.arithmetic_s > 0
    assert skewed.all_to_all_s > 1.5 * flat.all_to_all_s
    assert max(device_shares(hot, 8)) == pytest.approx(0.15 + 15 * 0.85 / 127)


def test_beyond_a_host_experts_travel_over_the_network():
    spec, wide = llm.model("DeepSeek-V3"), placed("DeepSeek-V3", dp=32, ep=32)
    step, out = wide.decode(32 * 64, 2000), link("400 Gbit/s")
    busiest = expected_busiest((1 / 32,) * 32, 32 * 64, 8, 256)
    layers, rows = spec.layers - 3, 64 * busiest
    sent = rows * 8 * 7168 * 3 * 24 / 32
    assert step.all_to_all_s == pytest.approx(layers * (2 * 20e-6 + sent / out.rate_bytes_per_s))


def test_a_free_link_makes_tensor_parallel_the_fastest_and_a_slow_one_the_slowest():
    free, slow = replace(H100, inside=FREE), replace(H100, inside=replace(FREE, bytes_per_s=1e9))
    spec = llm.model("Llama-3.1-70B")
    for hosts, tp in ((free, 8), (slow, 1)):
        steps = {
            layout: Deployment(model=spec, layout=layout, hosts=hosts).decode(256, 3000).time_s
            for layout in layouts_of(spec, 8)
            if layout.pp == 1
        }
        assert min(steps, key=steps.get).tp == tp


def test_terms_add_up_and_grow_with_batch_and_context():
    for layout in layouts_of(llm.model("Mixtral-8x7B"), 8):
        whole = Deployment(model=llm.model("Mixtral-8x7B"), layout=layout, hosts=H100)
        for batch in (8, 64, 512):
            step = whole.decode(batch, 1000)
            assert sum(step.terms.values()) == step.time_s
            assert all(seconds >= 0 for seconds in step.terms.values())
            assert whole.decode(2 * batch, 1000).time_s > 0.99 * step.time_s
            assert whole.decode(batch, 2000).time_s > step.time_s


def test_sequence_parallel_divides_a_long_prompt_and_sends_its_cache_round():
    spec = llm.model("Llama-3.1-70B")
    long = placed(tp=2, sp=4)
    step = long.prefill(131_072)
    moved = spec.kv_bytes(131_072) / (2 * 4) * 3
    assert step.sequence_exchange_s == pytest.approx(
        80 * 3 * 2.5e-6 + moved / H100.inside.rate_bytes_per_s
    )
    assert step.time_s < 0.3 * placed(tp=2).prefill(131_072).time_s
    assert long.decode(8, 100_000).read_kv_s == pytest.approx(
        placed(tp=2).decode(8, 100_000).read_kv_s / 4
    )
    assert long.decode(8, 100_000).read_weights_s == placed(tp=2).decode(8, 1).read_weights_s


def test_money_and_tokens_per_card():
    eight = placed(tp=8)
    seconds = eight.decode(64, 2000).time_s
    assert eight.tokens_per_s_per_card(64, 2000) == pytest.approx(64 / seconds / 8)
    cost = eight.cost_per_million_tokens(64, 2000, price_per_hour=2.5)
    assert cost == pytest.approx(8 * 2.5 / 3600 * seconds / 64 * 1e6)


def test_launches_are_a_floor_that_no_layout_divides():
    late = replace(REACHED, launch_s=2e-3)
    for shape in ({}, {"tp": 8}, {"dp": 8}):
        more = placed(rates=late, **shape).decode(8, 10).time_s
        assert more - placed(**shape).decode(8, 10).time_s == pytest.approx(2e-3)


@pytest.mark.parametrize("name, layers", (("Llama-3.1-70B", 80), ("CodeLlama-34B", 48)))
def test_each_layer_takes_its_time_once_a_token_however_it_is_cut(name, layers):
    slow = replace(REACHED, per_layer_s=3e-5)
    for shape in ({}, {"tp": 8}, {"pp": 4}, {"dp": 8}):
        more = placed(name, rates=slow, **shape).decode(64, 10).time_s
        assert more - placed(name, **shape).decode(64, 10).time_s == pytest.approx(layers * 3e-5)


@pytest.mark.parametrize(
    "made, message",
    (
        (lambda: placed(pp=3), "pp = 3: expected a divisor of the 80 layers"),
        (lambda: placed().decode(0, 10), "batch = 0"),
        (lambda: placed().prefill(10, chunk_tokens=0), "chunk_tokens = 0"),
        (lambda: Rates(bandwidth_share=0), "bandwidth_share = 0"),
        (lambda: Rates(per_layer_s=-1e-6), "per_layer_s = -1e-06"),
        (lambda: Hosts(device=llm.accelerator("L4"), host_cards=0), "host_cards = 0"),
        (
            lambda: placed(hosts=Hosts(device=llm.accelerator("RTX 4090")), tp=2).decode(1, 1),
            "RTX 4090 has none",
        ),
    ),
)
def test_what_cannot_be_is_refused(made, message):
    with pytest.raises(ValueError, match=message):
        made()
