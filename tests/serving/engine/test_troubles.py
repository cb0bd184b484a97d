"""What is wrong with one request ends that request alone; the others get their answers."""

import numpy as np
import pytest
import torch

from labutils.serving import (
    BadPlan,
    BlockManager,
    ContiguousReservation,
    Continuous,
    Engine,
    PageLeak,
    Request,
    StaticBatches,
    StepPlan,
    StepShape,
    WaitUntil,
)

from .jobs import Shaky, plain_answer, ragged_prompts, tiny_model

PROMPTS = ragged_prompts(9, seed=2)
LENGTH = 11
EITHER = pytest.mark.parametrize("overlap", (False, True))


def engine_of(**options):
    return Engine(tiny_model(), **{"page_tokens": 4, "max_sequences": 6, **options})


def serve_beside(engine, trouble):
    """Send the good prompts around ``trouble(engine) -> id``; returns the answer to that one."""
    good = [engine.add_request(prompt, max_output_tokens=LENGTH) for prompt in PROMPTS[:3]]
    bad = trouble(engine)
    good += [engine.add_request(prompt, max_output_tokens=LENGTH) for prompt in PROMPTS[3:]]
    engine.run()
    engine.check()
    for id, prompt in zip(good, PROMPTS):
        answer = engine.answers[id]
        assert (answer.finish_reason, answer.error) == ("length", None)
        assert list(answer.tokens) == plain_answer(prompt, LENGTH)
        assert answer.prompt_tokens == tuple(prompt)
    return engine.answers[bad]


@pytest.mark.parametrize(
    "prompt, longest, message",
    (
        ([], 5, "prompt = .*at least 1 token"),
        ([3, 60, 61, 2], 5, r"prompt\[2\] = 61: expected a token from 0 to 60"),
        (np.array([3, -1]), 5, r"prompt\[1\] = -1"),
        ([3.5, 1], 5, "whole token numbers"),
        ([1] * 100, 21, "prompt of 100 tokens .*at most 120 together"),
        ([1] * 60, 40, "may need 25 pages: expected at most 20"),
        ([1], 0, "max_output_tokens = 0"),
        ([1], "5", "max_output_tokens = '5'"),
        ("words", 5, "prompt is text.*no tokenizer"),
    ),
)
def test_a_request_that_can_never_be_served_is_rejected(prompt, longest, message):
    engine = engine_of(num_pages=20)
    answer = serve_beside(engine, lambda e: e.add_request(prompt, max_output_tokens=longest))
    assert (answer.finish_reason, answer.tokens, answer.ok) == ("rejected", (), False)
    with pytest.raises(ValueError, match=message):
        raise answer.error
    assert str(answer.record.status) == "rejected"
    assert np.isnan(answer.record.finish_s) and np.isnan(answer.record.admitted_s)
    assert (engine.log.status == "rejected").tolist() == [False] * 3 + [True] + [False] * 6


def test_an_id_stands_for_one_request_alone():
    engine = engine_of()
    assert [engine.add_request([1]), engine.add_request([1], id=1), engine.add_request([2])] == [
        0, 1, 2,
    ]  # fmt: skip
    with pytest.raises(ValueError, match="id = 1: expected another one"):
        engine.add_request([1], id=1)
    with pytest.raises(ValueError, match="id = 'x': expected that of a request"):
        engine.cancel("x")
    with pytest.raises(ValueError, match="prompts = 'text': expected a list of prompts"):
        engine.generate("text")


@EITHER
@pytest.mark.parametrize("after", (0, 1, 2, 5, 10))
def test_a_cancelled_request_leaves_at_once(overlap, after):
    def trouble(engine):
        id = engine.add_request([7] * 19, max_output_tokens=30)
        for _ in range(after):
            engine.step()
        assert engine.cancel(id) and not engine.cancel(id)
        return id

    engine = engine_of(token_budget=8, overlap=overlap)
    answer = serve_beside(engine, trouble)
    assert answer.finish_reason == "cancelled"
    assert list(answer.tokens) == plain_answer([7] * 19, 30)[: len(answer.tokens)]
    assert (len(answer.tokens) > 0) == (after == 10)
    assert str(answer.record.status) == "cancelled"


@pytest.mark.parametrize("scheduler", (Continuous(1), StaticBatches(1)))
def test_a_request_that_still_waits_may_be_cancelled(scheduler):
    engine = engine_of(scheduler=scheduler)
    first, second, third = (engine.add_request([n, 2], max_output_tokens=5) for n in (1, 2, 3))
    engine.step()
    assert engine.cancel(second) and engine.answers[second].tokens == ()
    engine.run()
    engine.check()
    for id, prompt in ((first, [1, 2]), (third, [3, 2])):
        assert list(engine.answers[id].tokens) == plain_answer(prompt, 5)


@EITHER
@pytest.mark.parametrize("scheduler", ("paged", "reserved", "none"))
def test_callbacks_may_cancel_and_add(overlap, scheduler):
    schedulers = {
        "paged": None,
        "reserved": Continuous(6, ContiguousReservation(300), token_budget=99, chunked=True),
        "none": StaticBatches(6),
    }
    engine, added = engine_of(scheduler=schedulers[scheduler], overlap=overlap), []

    def listen(id, token):
        if len(added) == 3:
            added.append(engine.add_request(PROMPTS[4], max_output_tokens=6))
            engine.cancel(victim)
            engine.cancel(id)
        else:
            added.append(token)

    victim = engine.add_request([5, 4], max_output_tokens=30)
    answer = serve_beside(
        engine, lambda e: e.add_request([9, 9], max_output_tokens=20, on_token=listen)
    )
    assert (answer.finish_reason, list(answer.tokens[:3])) == ("cancelled", added[:3])
    assert len(answer.tokens) == 4
    assert engine.answers[victim].finish_reason == "cancelled"
    assert list(engine.answers[added[3]].tokens) == plain_answer(PROMPTS[4], 6)


@EITHER
@pytest.mark.parametrize("raises", (False, True))
def test_who_cancels_itself_with_its_last_token_ends_once(overlap, raises):
    engine, heard = engine_of(overlap=overlap), []

    def listen(id, token):
        heard.append(token)
        if len(heard) == 3:
            assert engine.cancel(id)
            if raises:
                raise ConnectionError("too late to matter")

    answer = serve_beside(
        engine, lambda e: e.add_request([8, 1], max_output_tokens=3, on_token=listen)
    )
    assert (answer.finish_reason, answer.error) == ("cancelled", None)
    assert heard == list(answer.tokens) == plain_answer([8, 1], 3)


@EITHER
@pytest.mark.parametrize("how", ("on_token", "stop"))
def test_a_callback_that_raises_fails_its_own_request(overlap, how):
    calls = []

    def broken(*_):
        calls.append(None)
        if len(calls) == 4:
            raise ConnectionError("the client has gone")

    engine = engine_of(overlap=overlap)
    answer = serve_beside(engine, lambda e: e.add_request([8, 1], **{how: broken}))
    assert (answer.finish_reason, str(answer.error)) == ("failed", "the client has gone")
    assert list(answer.tokens) == plain_answer([8, 1], 4)
    assert str(answer.record.status) == "failed"


class Allergic:
    """A model that raises whenever it reads the token 60, the first ``times`` times."""

    def __init__(self, model, times=10**9):
        self.model, self.times = model, times

    def __call__(self, tokens, *args, **options):
        if (tokens == 60).any() and self.times > 0:
            self.times -= 1
            raise FloatingPointError("token 60 disagrees with me")
        return self.model(tokens, *args, **options)


@EITHER
@pytest.mark.parametrize("place", (0, 9, 20))
def test_a_model_that_raises_fails_who_is_at_fault(overlap, place):
    """The others were in the same call: what they computed in it is computed again, once."""
    prompts = [[token % 60 for token in prompt] for prompt in PROMPTS]
    bad = [7] * 21
    bad[place] = 60
    engine = engine_of(token_budget=8, overlap=overlap)
    engine.runner.model = Allergic(engine.runner.model)
    ids = [engine.add_request(prompt, max_output_tokens=9) for prompt in prompts[:4]]
    failing = engine.add_request(bad)
    ids += [engine.add_request(prompt, max_output_tokens=9) for prompt in prompts[4:]]
    engine.run()
    engine.check()
    answer = engine.answers[failing]
    assert (answer.finish_reason, answer.tokens) == ("failed", ())
    assert "token 60" in str(answer.error)
    ended = 0
    for id, prompt in zip(ids, prompts):
        expected, got = plain_answer(prompt, 9), engine.answers[id]
        if 60 in expected[:-1]:  # it reads its own answer
            expected = expected[: expected.index(60) + 1]
        assert list(got.tokens) == expected
        assert got.finish_reason == ("length" if len(expected) == 9 else "failed")
        ended += got.ok
    assert ended >= 6


def test_pages_that_were_never_written_are_never_found():
    """The failed prompt comes again, and shares only what was computed before."""
    engine = engine_of(token_budget=8)
    engine.runner.model = Allergic(engine.runner.model, times=1)
    prompt = [7] * 13 + [60] + [9] * 12
    first, second = (engine.add_request(prompt, max_output_tokens=5) for _ in range(2))
    engine.run()
    engine.check()
    assert engine.answers[first].finish_reason == "failed"
    assert list(engine.answers[second].tokens) == plain_answer(prompt, 5)
    third = engine.generate([prompt], max_output_tokens=5)[0]
    assert list(third.tokens) == plain_answer(prompt, 5)
    assert third.record.cached_tokens == 24


def test_without_a_memory_plan_who_finds_no_page_fails():
    engine = Engine(tiny_model(), StaticBatches(3), num_pages=10, page_tokens=4)
    prompts = [[1, 2, 3], [4] * 12, [5] * 20]
    answers = engine.generate(prompts, max_output_tokens=8)
    engine.check()
    assert [answer.finish_reason for answer in answers] == ["length", "length", "failed"]
    assert "0 of 10 are free" in str(answers[2].error)
    for answer, prompt in zip(answers, prompts):
        assert list(answer.tokens) == plain_answer(prompt, 8)[: len(answer.tokens)]


class Letters:
    """A tokenizer of letters; the token 0 has none."""

    def encode(self, text):
        return [ord(letter) - 64 for letter in text]

    def decode(self, tokens):
        if 0 in tokens:
            raise UnicodeError("token 0 has no letter")
        return "".join(chr(64 + token) for token in tokens)


def test_text_goes_in_and_comes_out():
    engine = Engine(tiny_model(), tokenizer=Letters())
    text = "LATENCY"
    expected = plain_answer(Letters().encode(text), 9)
    free, stopped = (
        engine.generate([text], max_output_tokens=9, stop=s)[0] for s in ((), expected[5:6])
    )
    assert free.text == Letters().decode(expected)
    at = expected.index(expected[5])
    assert list(stopped.tokens) == expected[: at + 1] and stopped.finish_reason == "stop"
    assert stopped.text == free.text[:at] and stopped.ok
    refused = engine.generate(["lower case~"])[0]
    assert refused.finish_reason == "rejected"


def test_an_answer_without_words_fails_alone():
    engine = Engine(tiny_model(), tokenizer=Letters())
    prompt = next([n] for n in range(1, 61) if 0 in plain_answer([n], 12))
    answer = engine.generate([prompt], max_output_tokens=12)[0]
    engine.check()
    assert (answer.finish_reason, answer.text) == ("failed", None)
    assert "no letter" in str(answer.error)
    assert list(answer.tokens) == plain_answer(prompt, 12)


class Scripted:
    """A scheduler that says what it is told to."""

    blocks = None

    def __init__(self, *answers):
        self.answers, self.commits = list(answers), []

    def add(self, request: Request):
        pass

    def schedule(self, now_s):
        return self.answers.pop(0) if self.answers else None

    def commit(self, plan, steps=1):
        self.commits.append(plan)

    def finish(self, request_id):
        pass


@pytest.mark.parametrize(
    "answer, message",
    (
        (StepPlan((("b", 1),)), "request 'b' is scheduled: expected one that has not ended"),
        (StepPlan((("a", 4),)), "'a' is to compute 4 tokens: expected from 1 to 3"),
        (StepPlan((("a", 0),)), "'a' is to compute 0 tokens"),
        (StepPlan((("a", 1), ("a", 1))), "each request at most once"),
        (StepPlan((("a", 1),), ("c",)), "request 'c' is preempted"),
        (StepPlan((("a", 1),), cached=(("a", 3),)), "starts behind 3 cached tokens"),
        ("later", "schedule returned 'later': expected a StepPlan, WaitUntil or None"),
        (None, "schedule returned None: expected a step, since request 'a' waits"),
    ),
)
def test_a_plan_that_cannot_be_carried_out_is_the_schedulers_fault(answer, message):
    engine = Engine(tiny_model(), Scripted(answer), num_pages=9)
    engine.add_request([1, 2, 3], id="a")
    with pytest.raises(BadPlan, match=message):
        engine.run()


def test_a_full_answer_computes_nothing_more():
    engine = Engine(tiny_model(), Scripted(*[StepPlan((("a", 1),))] * 5), num_pages=9, overlap=True)
    engine.add_request([1], id="a", max_output_tokens=2)
    with pytest.raises(BadPlan, match="none once its answer is full"):
        engine.run()


def test_plans_may_come_without_a_shape_and_ask_for_patience():
    plans = [StepPlan((("a", 2),)), WaitUntil(0.0), StepPlan((("a", 1),)), StepPlan((("a", 1),))]
    scheduler = Scripted(*plans)
    engine = Engine(tiny_model(), scheduler, num_pages=9)
    engine.add_request([1, 2, 3], id="a", max_output_tokens=2)
    engine.run()
    shapes = [StepShape(2, 3, 0, 0), StepShape(1, 3, 0, 0), StepShape(0, 0, 1, 4)]
    assert [plan.shape for plan in scheduler.commits] == shapes
    assert [step.shape for step in engine.steps] == shapes
    assert list(engine.answers["a"].tokens) == plain_answer([1, 2, 3], 2)


def test_memory_that_is_not_given_back_is_noticed():
    blocks = BlockManager(20, 4)
    blocks.free = lambda request_id: None
    engine = Engine(tiny_model(), Continuous(3, blocks, token_budget=9, chunked=True))
    engine.add_request([1, 2, 3], max_output_tokens=2)
    with pytest.raises(BadPlan, match="still has memory for 4 tokens"):
        engine.run()


def test_memory_that_is_kept_after_preemption_is_noticed():
    scheduler = Scripted(StepPlan((("a", 5),)), StepPlan((), ("a",)))
    scheduler.blocks = BlockManager(9, 4)
    scheduler.blocks.allocate("a", tokens=5)
    engine = Engine(tiny_model(), scheduler)
    engine.add_request([1] * 5, id="a")
    with pytest.raises(BadPlan, match="'a' ended or was preempted and still has memory for 8"):
        engine.run()


def test_without_a_memory_plan_who_is_preempted_gives_its_pages_back():
    first, second = StepPlan((("a", 9), ("b", 2))), StepPlan((("b", 1),), ("a",))
    plans = [first, second, StepPlan((("a", 10), ("b", 1))), StepPlan((("a", 1),))]
    engine = Engine(tiny_model(), Scripted(*plans), num_pages=9, page_tokens=4)
    prompts = {"a": [5] * 9, "b": [7, 2]}
    for id, prompt in prompts.items():
        engine.add_request(prompt, id=id, max_output_tokens=3)
    engine.run()
    engine.check()
    assert [step.pages_in_use for step in engine.steps] == [4, 1, 4, 3]
    assert [engine.answers[id].record.preemptions for id in "ab"] == [1, 0]
    for id, prompt in prompts.items():
        assert list(engine.answers[id].tokens) == plain_answer(prompt, 3)


def test_a_step_may_only_preempt_where_ends_are_reported_late():
    """The first answer is full but not read, and holds the page that the second one needs."""
    engine = engine_of(num_pages=4, overlap=True)
    prompts = {"a": [5] * 7, "b": [9, 2, 3, 8, 1, 1, 6]}
    for (id, prompt), longest in zip(prompts.items(), (2, 4)):
        engine.add_request(prompt, id=id, max_output_tokens=longest)
    engine.run()
    engine.check()
    assert [(step.rows, step.preempted) for step in engine.steps[:3]] == [(2, 0), (2, 0), (0, 1)]
    for (id, prompt), longest in zip(prompts.items(), (2, 4)):
        assert list(engine.answers[id].tokens) == plain_answer(prompt, longest)


def test_check_notices_a_table_that_moved():
    engine = engine_of()
    engine.add_request([1] * 9)
    engine.step()
    engine.check()
    engine.runner.tables[engine._open[0].row, 1] += 1
    with pytest.raises(PageLeak, match="its pages moved"):
        engine.check()


@EITHER
def test_what_the_developers_hook_raises_loses_nothing(overlap):
    engine, plans = engine_of(overlap=overlap), []

    def hook(given, plan):
        assert given is engine and given.blocks.tables()
        plans.append(plan)
        if len(plans) == 3:
            raise KeyError("hook")

    engine.on_step = hook
    id = engine.add_request(PROMPTS[0], max_output_tokens=9)
    with pytest.raises(KeyError, match="hook"):
        engine.run()
    engine.run()
    engine.check()
    assert list(engine.answers[id].tokens) == plain_answer(PROMPTS[0], 9)
    assert len(plans) == len(engine.steps)


def test_preemption_and_failure_in_one_step():
    """The part that fails is not reported as computed, the preempted one comes back."""
    scheduler = Shaky(4, BlockManager(30, 4), token_budget=8, chunked=True, seed=1)
    engine = Engine(tiny_model(), scheduler)
    engine.runner.model = Allergic(engine.runner.model)
    prompts = [[n] * 9 + [60] * (n % 3 == 0) for n in range(12)]
    answers = engine.generate(prompts, max_output_tokens=4)
    engine.check()
    assert [a.finish_reason == "failed" for a in answers[::3]] == [True] * 4
    assert scheduler.taken > 3
    for answer, prompt in zip(answers, prompts):
        assert list(answer.tokens) == plain_answer(prompt, 4)[: len(answer.tokens)]


def test_the_device_says_no_only_once():
    """An error that does not come again, as of a full memory in a large batch, fails nobody."""
    engine = engine_of()
    run, failures = engine.runner.run, []

    def tight(parts):
        if len(parts) > 2:
            failures.append(len(parts))
            raise torch.OutOfMemoryError("too many at once")
        return run(parts)

    engine.runner.run = tight
    answers = engine.generate(PROMPTS, max_output_tokens=5)
    assert [list(a.tokens) for a in answers] == [plain_answer(p, 5) for p in PROMPTS]
    assert max(failures) == 6
