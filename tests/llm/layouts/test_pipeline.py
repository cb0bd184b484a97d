"""Bubbles against a pipeline that is played stage by stage."""

import pytest

from labutils.llm.layouts import bubble_share, decode_micro_batches, decode_round_s, train_s


def played(stages: int, micro_batches: int, rounds: int, stage_s: float) -> list[float]:
    """When each round of tokens is complete: a micro-batch enters a stage when both are free, and
    its next round when its last one has left the pipeline."""
    free = [0.0] * stages
    ready = [0.0] * micro_batches
    done = []
    for _ in range(rounds):
        for batch in range(micro_batches):
            now = ready[batch]
            for stage in range(stages):
                now = free[stage] = max(now, free[stage]) + stage_s
            ready[batch] = now
        done.append(max(ready))
    return done


@pytest.mark.parametrize("stages, micro_batches", ((1, 3), (4, 1), (4, 8), (8, 5), (3, 17)))
def test_a_train_fills_and_drains(stages, micro_batches):
    (end,) = played(stages, micro_batches, 1, 0.25)
    assert train_s(stages, micro_batches, 0.25) == pytest.approx(end)
    idle = 1 - micro_batches * 0.25 / end
    assert bubble_share(stages, micro_batches) == pytest.approx(idle)


@pytest.mark.parametrize("stages, micro_batches", ((1, 3), (4, 1), (4, 3), (4, 4), (4, 9), (8, 5)))
def test_a_full_pipeline_brings_a_round_of_tokens_every_so_often(stages, micro_batches):
    done = played(stages, micro_batches, 12, 0.25)
    assert decode_round_s(stages, micro_batches, 0.25) == pytest.approx(done[-1] - done[-2])


def test_more_micro_batches_than_stages_bring_no_token_earlier():
    """A stage that waits for memory takes as long for half a micro-batch."""
    best = min(range(1, 33), key=lambda m: (decode_round_s(4, m, 0.01), -m))
    assert best == decode_micro_batches(4, 32) == 4
    assert decode_micro_batches(4, 3) == 3
    assert decode_micro_batches(1, 9) == 1


@pytest.mark.parametrize("call", (bubble_share, decode_micro_batches))
def test_pipelines_without_stages_are_refused(call):
    with pytest.raises(ValueError, match="stages = 0"):
        call(0, 1)
