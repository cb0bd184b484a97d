"""The engine gives the recorded tokens, whatever its limits: ``python test_engine.py``, or pytest.

``expected.json`` holds prompts and, in float64, the tokens that follow them one prompt at a time.
"""

import json
from pathlib import Path

from my_engine import Engine, PagePool, Sampling, Scheduler
from my_engine.weights import load
from torch import float64

RECORDED = json.loads((Path(__file__).parent / "expected.json").read_text(encoding="utf-8"))
MODEL, TOKENIZER = load(dtype=float64)
LIMITS = {
    "one at a time": (1, 100, 512, True),
    "in chunks": (5, 200, 7, True),
    "whole prompts first": (4, 200, 64, False),
    "memory that runs out": (6, 11, 16, True),
}


def engine_with(max_sequences: int, num_pages: int, token_budget: int, chunked: bool) -> Engine:
    """An engine with these limits, over pages of 8 tokens."""
    pool = PagePool(num_pages, 8)
    limits = {"token_budget": token_budget, "chunked": chunked}
    return Engine(MODEL, Scheduler(max_sequences, pool, **limits), tokenizer=TOKENIZER)


def served(engine: Engine, answers: list[dict]) -> list:
    """The requests of ``answers``, served to their end; every page is checked after every step."""
    for one in answers:
        how = Sampling(**one["sampling"])
        engine.add_request(one["prompt"], max_output_tokens=len(one["tokens"]), sampling=how)
    while engine.open:
        assert engine.step() is not None
        engine.check()
    requests = list(engine.requests.values())
    for request in requests:
        if request.error is not None:
            raise AssertionError(f"request {request.id} {request.finish_reason}") from request.error
    return requests


def test_tokens_are_those_recorded_whatever_the_limits():
    for name, limits in LIMITS.items():
        requests = served(engine_with(*limits), RECORDED["answers"])
        for one, request in zip(RECORDED["answers"], requests):
            assert request.answer == one["tokens"], f"{name}: {one['prompt']!r}"
            assert request.text == one["text"]
        preempted = sum(request.preemptions for request in requests)
        assert (preempted > 0) == (name == "memory that runs out"), (name, preempted)


def test_a_prompt_that_comes_again_is_found():
    engine = engine_with(3, 100, 64, True)
    for _ in range(2):
        requests = served(engine, RECORDED["answers"][:3])
    assert [request.cached for request in requests[3:]] == [
        (request.prompt_tokens - 1) // 8 * 8 for request in requests[3:]
    ]
    assert [request.answer for request in requests[3:]] == [r.answer for r in requests[:3]]


def test_a_cancelled_request_gives_its_pages_back():
    engine = engine_with(3, 30, 16, True)
    ids = [engine.add_request(one["prompt"]) for one in RECORDED["answers"][:3]]
    engine.step()
    assert engine.cancel(ids[1]) and not engine.cancel(ids[1])
    engine.run()
    engine.check()
    assert engine.pool.num_free == 30
    assert [engine.requests[id].finish_reason for id in ids] == ["length", "cancelled", "length"]


if __name__ == "__main__":
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print("passed:", name.removeprefix("test_").replace("_", " "))
