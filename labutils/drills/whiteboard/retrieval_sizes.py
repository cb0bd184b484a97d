"""How large the parts of d12 are: GPUs for prompts and answers together, workers before them."""

import math
from itertools import count

from labutils import llm
from labutils.laws.capacity import steady_batch
from labutils.laws.queueing import Stage

FIXED, PASSAGE, ANSWER, TAKEN = 600, 300, 250, 8  # tokens; passages in a prompt
TPOT_S, MFU, REACHED = 0.04, 0.5, 0.6
SEARCHES, MOST_BUSY = 1.4, 0.6  # searches a question; of a stage's workers
EMBED_S, DENSE_S, KEYWORD_S, RERANK_S = 0.008, 0.005, 0.006, 0.03


def prompt_tokens(passages: int) -> int:
    """Instructions and passages."""
    return FIXED + passages * PASSAGE


def prefill_s(model, device, passages: int) -> float:
    """Of one prompt; the instructions, the same for all, are in the prefix cache."""
    return llm.prefill_time_s(
        model, device, prompt_tokens(passages), cached_tokens=FIXED, flops_share=MFU
    )


def tpot_s(model, device, rate: float, gpus: int, passages: int) -> float:
    """Time per token where prefills of ``rate / gpus`` questions come first; inf if overloaded."""
    left = 1 - rate / gpus * prefill_s(model, device, passages)
    read = REACHED * device.bandwidth_bytes_per_s * left
    made = rate / gpus * ANSWER
    sequence_s = model.kv_bytes(prompt_tokens(passages) + ANSWER / 2) / read
    if left <= 0 or made * sequence_s >= 1:
        return math.inf
    return steady_batch(made, model.weight_bytes() / read, sequence_s) / made


def gpus(model, device, rate: float, passages: int = TAKEN) -> int:
    """The fewest that keep the time per token."""
    return next(n for n in count(1) if tpot_s(model, device, rate, n, passages) <= TPOT_S)


def stages(rate: float, *, embedded: float) -> list[tuple[Stage, int]]:
    """Each stage before the model, and the workers that it needs at that rate."""
    rows = (
        ("embedding", EMBED_S, SEARCHES * (1 - embedded)),
        ("dense search", DENSE_S, SEARCHES),
        ("keyword search", KEYWORD_S, SEARCHES),
        ("reranking", RERANK_S, 1),
    )
    stages = [Stage(name, mean_s, visits=visits) for name, mean_s, visits in rows]
    return [(stage, math.ceil(stage.utilization(rate) / MOST_BUSY)) for stage in stages]
