"""The machine's floor, against a count by hand and against limits that no schedule changes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from labutils.llm import ModelSpec
from labutils.measure import Machine, MachineProfile
from labutils.serving.trials.floor import Rates, memory_floor
from labutils.workload import RequestTrace

SPEC = ModelSpec(
    name="odd", layers=3, hidden_size=10, num_heads=6, num_kv_heads=2, head_dim=4, ffn_size=14,
    vocab_size=31, tied_embeddings=True,
)  # fmt: skip
BODY = 3 * (10 * 24 + 2 * 10 * 8 + 24 * 10 + 3 * 10 * 14 + 2 * 10) + 10
LAST = 2 * 10 * 24 + 3 * 10 * 14  # of the last layer: queries, outputs, feed-forward
TABLE, KV, PAIR = 31 * 10, 3 * 2 * 2 * 4, 3 * 4 * 6 * 4  # weights; values; operations
SLOW_MEMORY = Rates(copy_bandwidth_bytes_per_s=1.0, matrix_flops_per_s=1e30)
SLOW_MATH = Rates(copy_bandwidth_bytes_per_s=1e30, matrix_flops_per_s=1.0)


def trace(prompts, outputs):
    return RequestTrace(np.zeros(len(prompts)), prompts, outputs)


def test_two_requests_by_hand():
    """Prompts of 5 and 3, answers of 3 and 1: the first step computes both prompts, two decode."""
    floor = memory_floor(SPEC, trace([5, 3], [3, 1]), SLOW_MEMORY, max_sequences=4)
    assert (floor.steps, floor.output_tokens) == (3, 4)
    assert floor.weight_bytes == 3 * (BODY + TABLE) * 4
    assert floor.kv_bytes == ((5 + 3) + 6 + 7) * KV * 4
    assert floor.time_s == floor.bytes_s == floor.weight_bytes + floor.kv_bytes
    prefill_pairs, contexts = (15 + 6) * 2 / 3, 6 + 7
    flops = 2 * (BODY - LAST) * (8 + 2) + 2 * (LAST + TABLE) * 4 + PAIR * (prefill_pairs + contexts)
    assert floor.flops == pytest.approx(flops, rel=1e-12)
    assert memory_floor(
        SPEC, trace([5, 3], [3, 1]), SLOW_MATH, max_sequences=4
    ).time_s == pytest.approx(flops)


def test_each_step_waits_for_the_longer_of_both():
    """A prompt that computes and a decode that reads: their sum lies above either sum alone."""
    job = trace([90], [40])
    bytes_s = memory_floor(SPEC, job, SLOW_MEMORY, max_sequences=1).bytes_s
    flops_s = memory_floor(SPEC, job, SLOW_MATH, max_sequences=1).flops_s
    balanced = Rates(copy_bandwidth_bytes_per_s=bytes_s, matrix_flops_per_s=flops_s)
    floor = memory_floor(SPEC, job, balanced, max_sequences=1)
    assert floor.bytes_s == pytest.approx(1) and floor.flops_s == pytest.approx(1)
    assert 1.2 < floor.time_s < 2


def test_a_chunk_that_answers_nothing_reads_no_vocabulary():
    job = trace([11], [1])
    whole = memory_floor(SPEC, job, SLOW_MATH, max_sequences=1)
    cut = memory_floor(SPEC, job, SLOW_MATH, max_sequences=1, token_budget=4)
    assert (whole.steps, cut.steps) == (1, 3)
    assert cut.flops == whole.flops
    assert cut.weight_bytes == 4 * (3 * BODY + TABLE)


def test_smaller_numbers_and_arrivals():
    prompts, outputs = [5, 3, 8], [3, 9, 2]
    at_once = memory_floor(SPEC, trace(prompts, outputs), SLOW_MEMORY, max_sequences=2)
    half = memory_floor(
        SPEC, trace(prompts, outputs), SLOW_MEMORY, max_sequences=2, bytes_per_weight=2,
        bytes_per_value=1,
    )  # fmt: skip
    assert half.weight_bytes == at_once.weight_bytes / 2
    assert half.kv_bytes == at_once.kv_bytes / 4
    spread = RequestTrace([0.0, 7.0, 1e4], prompts, outputs)
    assert memory_floor(SPEC, spread, SLOW_MEMORY, max_sequences=2) == at_once


def test_untied_tables_are_read_once():
    """The table of the inputs is looked up, not multiplied."""
    untied = replace(SPEC, tied_embeddings=False)
    job = trace([7, 2], [4, 6])
    tied_floor, floor = (
        memory_floor(spec, job, SLOW_MATH, max_sequences=2) for spec in (SPEC, untied)
    )
    assert floor.flops == tied_floor.flops and floor.weight_bytes == tied_floor.weight_bytes


def test_share_and_rate():
    floor = memory_floor(SPEC, trace([5, 3], [3, 1]), SLOW_MEMORY, max_sequences=4)
    assert floor.share(4 * floor.time_s) == 0.25
    assert floor.tokens_per_s == pytest.approx(4 / floor.time_s)


def test_a_profile_that_lacks_a_rate_is_named():
    profile = MachineProfile(Machine("cpu", "Small Core"))
    profile = profile.with_value("copy_bandwidth_bytes_per_s", 3e9, low=2e9, high=4e9, unit="B/s")
    with pytest.raises(ValueError, match="no matrix_flops_per_s"):
        memory_floor(SPEC, trace([5], [3]), profile, max_sequences=4)
    both = SimpleNamespace(copy_bandwidth_bytes_per_s=3e9, matrix_flops_per_s=0)
    with pytest.raises(ValueError, match="matrix_flops_per_s = 0"):
        memory_floor(SPEC, trace([5], [3]), both, max_sequences=4)
