"""A forecast by sums is the forecast chunk by chunk, to the letter."""

import random

import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.promises.forecast import prefill_s, shape_of
from labutils.serving.runs.step_cost import StepCost

COST = StepCost(0.005, 0.0007, 0.00003, 0.0011, 0.00013)


def chunk_by_chunk(scheduler, request, ahead):
    """Every step as a list of (computed, known, new); places for all."""
    prompts = [[one.computed, one.known] for one in scheduler.running if one.to_compute > 1]
    prompts += [[one.computed, one.known] for one in (*ahead, request)]
    decoding = [one.known for one in scheduler.running if one.to_compute == 1]
    seconds = 0.0
    while prompts:
        chunks = [(known - 1, known, 1) for known in decoding] if scheduler.chunked else []
        left, started, first = scheduler.token_budget - len(chunks), [], True
        while prompts and left > 0:
            computed, known = prompts[0]
            if not scheduler.chunked and not first and known > left:
                break
            new = min(known - computed, left) if scheduler.chunked else known - computed
            chunks.append((computed, known, new))
            left, first, prompts[0][0] = left - new, False, computed + new
            if prompts[0][0] == known:
                started.append(prompts.pop(0)[1])
        seconds += COST.time_s(shape_of(chunks))
        if scheduler.chunked:
            decoding = [known + 1 for known in decoding + started]
    return seconds


@pytest.mark.parametrize("chunked", [True, False])
@pytest.mark.parametrize("seed", range(30))
def test_sums_say_what_chunks_say(seed, chunked):
    draw = random.Random(seed)
    places = draw.randint(12, 20)
    scheduler = Scheduler(places, PagePool(900, 4), token_budget=draw.randint(30, 60),
                          chunked=chunked)  # fmt: skip
    for number in range(draw.randint(0, 5)):
        scheduler.add(Request(number, draw.randint(1, 90), 9))
    for _ in range(draw.randint(0, 4)):
        if plan := scheduler.schedule(0.0):
            scheduler.commit(plan)
    ahead = [Request(f"a{n}", draw.choice([1, 2, 40, 100]), 9) for n in range(draw.randint(0, 6))]
    request = Request("it", draw.randint(1, 120), 9)
    told = prefill_s(scheduler, request, ahead, COST)
    assert told == chunk_by_chunk(scheduler, request, ahead)


def test_a_queue_longer_than_the_budget_has_an_end():
    """More prompts than tokens of a step: once no more decode than there are places, all go on."""
    scheduler = Scheduler(4, PagePool(900, 4), token_budget=4, chunked=True)
    ahead = [Request(number, 1, 9) for number in range(50)]
    assert 0 < prefill_s(scheduler, Request("it", 3, 9), ahead, COST) < 60
