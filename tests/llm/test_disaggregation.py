"""Chunks, pools and shared prefixes against runs that are counted through."""

import random

import pytest

from labutils import llm

from .published import PUBLISHED

LLAMA, H100 = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")


def test_a_chunk_fills_the_gap_beside_the_decodes():
    chunk = llm.prefill_chunk_tokens(
        LLAMA, H100, itl_s=0.05, decode_step_s=0.0121, flops_share=0.45
    )
    took = 0.0121 + chunk * 2 * 8_030_261_248 / (0.45 * 989e12)
    assert took == pytest.approx(0.05, rel=1e-9)
    assert llm.prefill_chunk_tokens(LLAMA, H100, itl_s=0.01, decode_step_s=0.02) == 0


@pytest.mark.parametrize("prompt, chunk", ((1, 512), (512, 512), (513, 512), (20_001, 300)))
def test_the_first_token_waits_for_the_last_chunk(prompt, chunk):
    clock, left = 0.0, prompt
    while left > 0:
        left -= chunk
        clock += 0.07
    assert llm.chunked_prefill_s(prompt, chunk, 0.07) == pytest.approx(clock)


@pytest.mark.parametrize("name, entry", (("Llama-3.1-70B", 2 * 8 * 128), ("DeepSeek-V3", 512 + 64)))
def test_what_is_transferred_is_the_cache_of_every_layer(name, entry):
    moved = sum(entry * 2 * 3001 for _ in range(PUBLISHED[name].layers))
    took = llm.kv_transfer_time_s(llm.model(name), 3001, 37e9)
    assert took == pytest.approx(moved / 37e9, rel=1e-12)


def test_prefill_workers_keep_every_seat_of_a_decode_worker_filled():
    seats, tokens, tpot, prefill, end = 24, 173, 0.019, 0.31, 4000.0
    filled = 0
    for seat in range(seats):  # each seat takes a new request as soon as its last one ends
        clock = seat * 0.01
        while clock < end:
            clock += tokens * tpot
            filled += 1
    ratio = llm.prefill_workers_per_decode_worker(
        prefill_s=prefill, batch=seats, output_tokens=tokens, tpot_s=tpot
    )
    assert ratio == pytest.approx(filled * prefill / end, rel=2e-3)


def test_a_shared_prefix_saves_the_tokens_that_are_not_computed():
    draws, shared = random.Random(11), 900
    prompts = [shared + draws.randint(10, 3000) for _ in range(500)]
    hits = [draws.random() < 0.6 for _ in prompts]
    computed = sum(n - shared * hit for n, hit in zip(prompts, hits))
    got = llm.prefill_share_saved(sum(hits) / 500, shared, sum(prompts) / 500)
    assert got == pytest.approx(1 - computed / sum(prompts), rel=1e-9)


@pytest.mark.parametrize(
    "call, message",
    (
        (lambda: llm.prefill_share_saved(1.1, 1, 2), "hit_rate = 1.1"),
        (lambda: llm.prefill_share_saved(0.5, 3, 2), "shared_tokens = 3"),
        (lambda: llm.chunked_prefill_s(10, 0, 1), "chunk_tokens = 0"),
        (lambda: llm.kv_transfer_time_s(LLAMA, 10, 0), "link_bytes_per_s = 0"),
        (
            lambda: llm.prefill_workers_per_decode_worker(
                prefill_s=1, batch=0, output_tokens=9, tpot_s=1
            ),
            "batch = 0",
        ),
        (
            lambda: llm.prefill_chunk_tokens(LLAMA, H100, itl_s=0, decode_step_s=0),
            "itl_s = 0",
        ),
    ),
)
def test_pools_that_cannot_be_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
