"""What is wrong with one request ends that request alone; the others get their answers."""

import numpy as np
import pytest
import torch

from labutils.engine import Engine, PageLeak, PagePool, Sampling, Scheduler

from .echo import Echo, echo_answer
from .jobs import Allergic, Shaky, plain_answer, ragged_prompts, require_empty, tiny_model

PROMPTS = ragged_prompts(9, seed=2)
LENGTH = 11


def engine_of(kind=Engine, **options):
    return kind(tiny_model(), **{"page_tokens": 4, "max_sequences": 6, **options})


def serve_beside(engine, trouble):
    """Send the good prompts around ``trouble(engine) -> id``; returns that request."""
    good = [engine.add_request(prompt, max_output_tokens=LENGTH) for prompt in PROMPTS[:3]]
    bad = trouble(engine)
    good += [engine.add_request(prompt, max_output_tokens=LENGTH) for prompt in PROMPTS[3:]]
    engine.run()
    require_empty(engine)
    for id, prompt in zip(good, PROMPTS):
        request = engine.requests[id]
        assert (request.finish_reason, request.error) == ("length", None)
        assert request.answer == plain_answer(prompt, LENGTH)
        assert request.tokens[: request.prompt_tokens] == prompt
    return engine.requests[bad]


@pytest.mark.parametrize(
    "prompt, longest, message",
    (
        ([], 5, "prompt_tokens = 0: expected a whole number of at least 1"),
        ([3, 60, 61, 2], 5, r"prompt has token 61: expected 0 to 60"),
        (np.array([3, -1]), 5, r"prompt has token -1: expected 0 to 60"),
        ([1, 10**400], 5, r"prompt has token 10{19}: expected 0 to 60"),
        ([3.5, 1], 5, "whole token numbers"),
        ([1] * 100, 21, "100 tokens of prompt and 21 of answer: expected at most 120 together"),
        ([1] * 60, 40, "may need 25 pages: expected at most 20"),
        ([1], 0, "max_output_tokens = 0"),
        ([1], "5", "max_output_tokens = '5'"),
        ("words", 5, "prompt is text.*no tokenizer"),
    ),
)
def test_a_request_that_can_never_be_served_is_rejected(prompt, longest, message):
    engine = engine_of(num_pages=20)
    request = serve_beside(
        engine, lambda e: e.add_request(prompt, max_output_tokens=longest, arrival_s=1.5)
    )
    assert (request.finish_reason, request.answer) == ("rejected", [])
    with pytest.raises(ValueError, match=message):
        raise request.error
    assert request.arrival_s == 1.5 and request.sent_s > 1.5
    assert request.admitted_s is None and request.finish_s is None
    assert list(engine.requests) == list(range(10))


def test_as_much_as_context_and_memory_can_take_is_served():
    engine = engine_of(num_pages=25)
    whole = engine.add_request([1] * 60, max_output_tokens=41)  # 100 tokens are computed
    engine.run()
    assert engine.requests[whole].finish_reason == "length"
    assert engine.requests[whole].answer == plain_answer([1] * 60, 41)
    for prompt, longest, ends in ((100, 20, "length"), (100, 21, "rejected")):
        engine = engine_of(num_pages=99)
        request = engine.generate([[1] * prompt], max_output_tokens=longest)[0]
        assert request.finish_reason == ends
    engine = Engine(tiny_model(), page_tokens=4, num_pages=2)
    for prompt, longest, ends in ((8, 1, "length"), (7, 2, "length"), (8, 2, "rejected")):
        request = engine.generate([[1] * prompt], max_output_tokens=longest)[0]
        assert request.finish_reason == ends


def test_an_id_stands_for_one_request_alone():
    engine = engine_of()
    ids = [engine.add_request([1]), engine.add_request([1], id=1), engine.add_request([2])]
    assert ids == [0, 1, 2]
    with pytest.raises(ValueError, match="id = 1: expected another one"):
        engine.add_request([1], id=1)
    with pytest.raises(ValueError, match="id = 'x': expected that of a request"):
        engine.cancel("x")
    with pytest.raises(ValueError, match="prompts = 'text': expected a list of prompts"):
        engine.generate("text")


def test_an_engine_that_was_told_nonsense_keeps_nothing_of_it():
    engine = engine_of()
    for options in ({"colour": "red"}, {"stop": 5}):
        with pytest.raises(TypeError):
            engine.add_request([1, 2], id="bad", **options)
    assert not engine.requests and not engine.open
    require_empty(engine)


def test_a_scheduler_without_a_plan_stops_the_run_with_its_requests_names():
    class Lazy(Scheduler):
        def schedule(self, now_s):
            return None

    engine = engine_of(scheduler=Lazy(2, PagePool(9, 4)))
    engine.add_request([1], id="late", max_output_tokens=3)
    assert engine.step() is None
    with pytest.raises(RuntimeError, match=r"schedule planned no step; open: \['late'\]"):
        engine.run()


@pytest.mark.parametrize("after", (0, 1, 2, 5, 10))
def test_a_cancelled_request_leaves_at_once(after):
    def trouble(engine):
        id = engine.add_request([7] * 19, max_output_tokens=30)
        for _ in range(after):
            engine.step()
        held = len(engine.requests[id].pages)
        free = engine.pool.num_free
        assert engine.cancel(id) and not engine.cancel(id)
        assert engine.pool.num_free == free + held and not engine.requests[id].pages
        return id

    request = serve_beside(engine_of(token_budget=8), trouble)
    assert (request.finish_reason, request.error) == ("cancelled", None)
    assert request.answer == plain_answer([7] * 19, 30)[: len(request.answer)]
    assert (len(request.answer) > 0) == (after == 10)


def test_a_request_that_still_waits_may_be_cancelled():
    engine = engine_of(max_sequences=1)
    first, second, third = (engine.add_request([n, 2], max_output_tokens=5) for n in (1, 2, 3))
    engine.step()
    assert engine.cancel(second) and engine.requests[second].answer == []
    engine.run()
    require_empty(engine)
    for id, prompt in ((first, [1, 2]), (third, [3, 2])):
        assert engine.requests[id].answer == plain_answer(prompt, 5)


@pytest.mark.parametrize("place", (0, 9, 20))
def test_a_model_that_raises_fails_who_is_at_fault(place):
    """The others were in the same call: what they computed in it is computed again, once."""
    prompts = [[token % 60 for token in prompt] for prompt in PROMPTS]
    bad = [7] * 21
    bad[place] = 60
    engine = engine_of(token_budget=8)
    engine.model = Allergic(engine.model)
    ids = [engine.add_request(prompt, max_output_tokens=9) for prompt in prompts[:4]]
    failing = engine.add_request(bad)
    ids += [engine.add_request(prompt, max_output_tokens=9) for prompt in prompts[4:]]
    engine.run()
    require_empty(engine)
    assert (engine.requests[failing].finish_reason, engine.requests[failing].answer) == (
        "failed", [],
    )  # fmt: skip
    assert "token 60" in str(engine.requests[failing].error)
    ended = 0
    for id, prompt in zip(ids, prompts):
        expected, got = plain_answer(prompt, 9), engine.requests[id]
        if 60 in expected[:-1]:  # it reads its own answer
            expected = expected[: expected.index(60) + 1]
        assert got.answer == expected
        assert got.finish_reason == ("length" if len(expected) == 9 else "failed")
        ended += got.finish_reason == "length"
    assert ended >= 6


def test_a_failing_neighbour_changes_no_drawn_answer():
    """What is computed again draws the random numbers that it would have drawn at first."""
    how = Sampling(temperature=1.3, seed=5)
    alone = engine_of().generate([[3, 1, 4]], max_output_tokens=9, sampling=how)[0]
    assert 60 not in alone.answer
    engine = engine_of()
    engine.model = Allergic(engine.model)
    id = engine.add_request([3, 1, 4], max_output_tokens=9, sampling=how)
    for _ in range(3):
        engine.step()
        engine.add_request([9, 60, 2])
    engine.run()
    assert engine.requests[id].answer == alone.answer
    assert [engine.requests[n].finish_reason for n in (1, 2, 3)] == ["failed"] * 3


def test_pages_that_were_never_written_are_never_found():
    """The failed prompt comes again, and shares only what was computed before."""
    engine = engine_of(token_budget=8)
    engine.model = Allergic(engine.model, times=1)
    prompt = [7] * 13 + [60] + [9] * 12
    first, second = (engine.add_request(prompt, max_output_tokens=5) for _ in range(2))
    engine.run()
    engine.check()
    assert engine.requests[first].finish_reason == "failed"
    assert engine.requests[second].answer == plain_answer(prompt, 5)
    third = engine.generate([prompt], max_output_tokens=5)[0]
    assert third.answer == plain_answer(prompt, 5)
    assert third.cached == 24


def test_prompts_of_another_salt_find_nothing():
    engine, prompt = engine_of(), [7] * 13
    for salt, found in (("A", 0), ("A", 12), ("B", 0), ("", 0), ("B", 12)):
        (one,) = engine.generate([prompt], max_output_tokens=5, salt=salt)
        assert (one.cached, one.answer) == (found, plain_answer(prompt, 5))
    require_empty(engine)


def test_preemption_and_failure_in_one_step():
    """The part that fails is not reported as computed, the preempted one comes back."""
    scheduler = Shaky(4, PagePool(30, 4), token_budget=8, chunked=True, seed=1)
    engine = Engine(tiny_model(), scheduler)
    engine.model = Allergic(engine.model)
    prompts = [[n] * 9 + [60] * (n % 3 == 0) for n in range(12)]
    requests = engine.generate(prompts, max_output_tokens=4)
    require_empty(engine)
    assert [one.finish_reason == "failed" for one in requests[::3]] == [True] * 4
    assert scheduler.taken > 3
    for request, prompt in zip(requests, prompts):
        assert request.answer == plain_answer(prompt, 4)[: len(request.answer)]


def test_the_device_says_no_only_once():
    """An error that does not come again, as of a full memory in a large batch, fails nobody."""
    failures = []

    class Tight(Engine):
        def _logits(self, step):
            if len(step.lengths) > 2:
                failures.append(len(step.lengths))
                raise torch.OutOfMemoryError("too many at once")
            return super()._logits(step)

    requests = engine_of(Tight).generate(PROMPTS, max_output_tokens=5)
    assert [one.answer for one in requests] == [plain_answer(p, 5) for p in PROMPTS]
    assert max(failures) == 6


def test_who_runs_out_of_pages_is_preempted_and_comes_back():
    """Nine pages for three contexts of up to five: the newest gives way, and the oldest never."""

    class EchoEngine(Echo, Engine):
        pass

    engine = engine_of(EchoEngine, num_pages=9, max_sequences=3)
    prompts = [[n, 5, n, 7, n] for n in range(4)]
    requests = engine.generate(prompts, max_output_tokens=14)
    require_empty(engine)
    assert [one.answer for one in requests] == [echo_answer(prompt, 14) for prompt in prompts]
    assert requests[0].preemptions == 0 < sum(one.preemptions for one in requests)


def test_check_notices_a_page_that_moved():
    engine = engine_of()
    engine.add_request([1] * 9)
    engine.step()
    engine.check()
    pages = engine.requests[0].pages
    pages[1] += 1
    with pytest.raises(PageLeak, match=f"page {min(pages[1] - 1, pages[1])}"):
        engine.check()


def test_memory_that_is_not_given_back_is_noticed():
    pool = PagePool(20, 4)
    pool.release = lambda request: request.pages.clear()
    engine = Engine(tiny_model(), Scheduler(3, pool, token_budget=9, chunked=True))
    engine.generate([[1, 2, 3]], max_output_tokens=2)
    with pytest.raises(PageLeak, match="page 0: in 0 places"):
        engine.check()
