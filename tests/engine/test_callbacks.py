"""Listeners and hooks: they hear everything once, may cancel and add, and break nobody's answer."""

import pytest

from labutils.engine import Engine, Sampling

from .jobs import plain_answer, require_empty, tiny_model
from .test_troubles import PROMPTS, engine_of, serve_beside


def test_a_listener_hears_each_token_of_its_own_request():
    engine, heard = engine_of(), []
    ids = [
        engine.add_request(prompt, max_output_tokens=7, on_token=lambda *one: heard.append(one))
        for prompt in PROMPTS
    ]
    told = []
    while engine.open:
        told += engine.step()
    assert told == heard
    for id, prompt in zip(ids, PROMPTS):
        assert [token for one, token in heard if one == id] == plain_answer(prompt, 7)


def test_callbacks_may_cancel_and_add():
    engine, added = engine_of(), []

    def listen(id, token):
        if len(added) == 3:
            added.append(engine.add_request(PROMPTS[4], max_output_tokens=6))
            engine.cancel(victim)
            engine.cancel(id)
        else:
            added.append(token)

    victim = engine.add_request([5, 4], max_output_tokens=30)
    request = serve_beside(
        engine, lambda e: e.add_request([9, 9], max_output_tokens=20, on_token=listen)
    )
    assert (request.finish_reason, request.answer[:3]) == ("cancelled", added[:3])
    assert len(request.answer) == 4
    assert engine.requests[victim].finish_reason == "cancelled"
    assert engine.requests[added[3]].answer == plain_answer(PROMPTS[4], 6)


def test_who_is_cancelled_by_a_neighbours_listener_is_told_nothing_more():
    """Both got a token in the same step; the one that comes second does not hear of its own."""
    engine, heard = engine_of(), {}

    def listen(id, token):
        heard.setdefault(id, []).append(token)
        if len(heard[id]) == 3:
            for other in {0, 1, 2} - {id}:
                engine.cancel(other)

    for n in range(3):
        engine.add_request([n, 7], max_output_tokens=9, on_token=listen)
    told = []
    while engine.open:
        told += engine.step()
    require_empty(engine)
    ends = [engine.requests[n].finish_reason for n in range(3)]
    assert sorted(ends) == ["cancelled", "cancelled", "length"]
    for n in range(3):
        said = [token for id, token in told if id == n]
        assert said == heard[n] == engine.requests[n].answer
        assert len(said) == (9 if ends[n] == "length" else 2)


@pytest.mark.parametrize("raises", (False, True))
def test_who_cancels_itself_with_its_last_token_ends_once(raises):
    engine, heard = engine_of(), []

    def listen(id, token):
        heard.append(token)
        if len(heard) == 3:
            assert engine.cancel(id)
            if raises:
                raise ConnectionError("too late to matter")

    request = serve_beside(
        engine, lambda e: e.add_request([8, 1], max_output_tokens=3, on_token=listen)
    )
    assert (request.finish_reason, request.error) == ("cancelled", None)
    assert heard == request.answer == plain_answer([8, 1], 3)


@pytest.mark.parametrize("how", ("on_token", "stop"))
def test_a_callback_that_raises_fails_its_own_request(how):
    calls = []

    def broken(*_):
        calls.append(None)
        if len(calls) == 4:
            raise ConnectionError("the client has gone")

    request = serve_beside(engine_of(), lambda e: e.add_request([8, 1], **{how: broken}))
    assert (request.finish_reason, str(request.error)) == ("failed", "the client has gone")
    assert request.answer == plain_answer([8, 1], 4)


def test_what_the_developers_hook_raises_loses_nothing():
    engine, plans = engine_of(), []

    def hook(given, plan):
        assert given is engine and plan.chunks[0][0].pages
        plans.append(plan)
        if len(plans) in (1, 3):
            raise KeyError("hook")

    engine.on_step, heard = hook, []
    id = engine.add_request(
        PROMPTS[0], max_output_tokens=9, on_token=lambda _, token: heard.append(token)
    )
    for _ in range(2):
        with pytest.raises(KeyError, match="hook"):
            engine.run()
    engine.run()
    require_empty(engine)
    assert engine.requests[id].answer == heard == plain_answer(PROMPTS[0], 9)
    assert len(plans) == 9


def test_a_hook_sees_each_step_before_its_tokens_are_handed_out_and_may_cancel():
    engine, seen = Engine(tiny_model(), token_budget=16), []

    def hook(engine, plan):
        seen.append([(one.id, new, one.computed, len(one.answer)) for one, new in plan.chunks])
        if len(seen) == 3:
            engine.cancel("b")

    engine.on_step = hook
    engine.add_request([1, 2, 3], id="a", max_output_tokens=4)
    engine.add_request([4, 5], id="b", max_output_tokens=9)
    told = []
    while engine.open:
        told += engine.step()
    require_empty(engine)
    assert seen[0] == [("a", 3, 3, 0), ("b", 2, 2, 0)]
    assert seen[1] == [("a", 1, 4, 1), ("b", 1, 3, 1)]
    assert seen[3:] == [[("a", 1, 6, 3)]]
    assert [token for id, token in told if id == "a"] == plain_answer([1, 2, 3], 4)
    assert [token for id, token in told if id == "b"] == plain_answer([4, 5], 2)
    assert engine.requests["b"].answer == plain_answer([4, 5], 2)


def test_generate_answers_in_the_order_of_its_prompts():
    engine = engine_of(max_sequences=2)
    requests = engine.generate(PROMPTS, max_output_tokens=3, sampling=Sampling())
    assert [one.tokens[: one.prompt_tokens] for one in requests] == PROMPTS
    assert [one.answer for one in requests] == [plain_answer(prompt, 3) for prompt in PROMPTS]
