"""Published figures: that they are what their sources say, and that the room stays near them."""

import statistics
from dataclasses import replace

import pytest

from labutils.llm.layouts import link
from labutils.llm.layouts.published import FAST, HALF, job_s, place, published

FIGURES = {one.name: one for one in published()}


def test_each_has_a_source_and_a_reason_and_a_name_of_its_own():
    assert len(FIGURES) == len(published()) >= 25
    assert all(one.source and one.reason and one.measured > 0 for one in FIGURES.values())


def test_half_are_within_a_fifth_and_only_old_attention_and_split_pcie_are_off_by_more_than_half():
    errors = {name: abs(one.error) for name, one in FIGURES.items() if not one.is_fitted}
    assert statistics.median(errors.values()) < 0.2
    far = {name for name, error in errors.items() if error > 0.56}
    old = {name for name in far if "2048 tokens" in name and "caches rule" in FIGURES[name].reason}
    assert len(old) == 2 and far - old == {name for name in FIGURES if "8 A800" in name}


def test_beside_stands_what_the_constants_of_the_chapter_say():
    """0.8 of the bandwidth, a millisecond of the host, the link's own floor; by hand for TP8."""
    one = FIGURES["Llama-2-70B, 16 bits, TP8, batch 1"]
    read_s = (2 * 68.977e9 + 100 * 327_680) / 8 / (0.8 * 2.039e12)
    each_s = 1e-6 + 2.5e-6 + 7 * 2 * 8192 / (0.16 * 300e9)
    step_s = read_s + 160 * each_s + 1e-3
    assert one.as_taught() == pytest.approx(1 / step_s, rel=1e-4)
    assert one.error_as_taught == pytest.approx(0.28, abs=0.005) != one.error
    jobs = [one for one in FIGURES.values() if not one.as_taught]
    assert jobs and all(one.error_as_taught == one.error for one in jobs)


def test_experts_of_two_decode_pools_are_within_a_twentieth_with_half_of_the_step_exchanged():
    pools = [one for name, one in FIGURES.items() if "DeepSeek-V3" in name]
    assert len(pools) == 2 and all(abs(one.error) < 0.05 for one in pools)
    step = pools[0].computed.func.__self__.decode(88 * 128, 4989)
    assert 0.5 < step.all_to_all_s / step.time_s < 0.6


def test_one_stream_on_more_cards_is_faster_by_less_than_the_cards():
    rates = [FIGURES[f"Llama-2-70B, 16 bits, TP{n}, batch 1"] for n in (2, 4, 8)]
    for one in (lambda x: x.measured, lambda x: x.computed()):
        two, four, eight = map(one, rates)
        assert 1.5 < four / two < 2 and 1.5 < eight / four < 2


def test_what_was_fitted_fits():
    alone = place("Llama-2-7B", "A100", FAST)
    assert 1 / alone.decode(1, 100).time_s == pytest.approx(104.9, rel=0.02)
    slow = replace(link("NVLink 3"), start_s=25e-6)
    eight = place("Llama-2-7B", "A100", FAST, slow, tp=8)
    assert 1 / eight.decode(1, 100).time_s == pytest.approx(328.43, rel=0.03)


def test_a_job_is_its_prompts_and_then_a_step_for_each_further_token():
    placed = place("Llama-2-70B", "A100", HALF, tp=4)
    by_steps = sum(placed.decode(8, 256 + token).time_s for token in range(1, 65))
    prompts = 8 * placed.prefill(256).time_s
    assert job_s(placed, 8, 256, 65) == pytest.approx(prompts + by_steps, rel=1e-3)
