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


def test_half_of_them_are_within_a_fifth_and_only_old_attention_is_off_by_more_than_a_half():
    errors = {name: abs(one.error) for name, one in FIGURES.items() if not one.is_fitted}
    assert statistics.median(errors.values()) < 0.2
    far = {name for name, error in errors.items() if error > 0.56}
    assert far and all(
        "2048 tokens" in name and "caches rule" in FIGURES[name].reason for name in far
    )


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
