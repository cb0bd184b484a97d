"""Greedy answers are those of the target alone, whatever is drafted and whoever is preempted."""

import random

import pytest

from labutils.engine import Sampling
from labutils.serving.speculation import Speculative
from tests.engine.jobs import answers_of, plain_answer, ragged_prompts, require_empty, watched
from tests.rotation import in_turn

from .drafts import DRAFTS, small_engine, speculative

COUNT = 100 if in_turn(__file__) else 12
PROMPTS = ragged_prompts(COUNT, seed=21)
LENGTHS = [random.Random(at).randint(1, 24) for at in range(COUNT)]


def right_answers():
    return [plain_answer(prompt, length) for prompt, length in zip(PROMPTS, LENGTHS)]


@pytest.mark.parametrize("chunked", (True, False))
@pytest.mark.parametrize("draft", DRAFTS)
def test_answers_are_those_of_the_engine_alone_with_preemption(draft, chunked):
    engine = speculative(draft, pages=22, chunked=chunked)
    plans = watched(engine.engine)
    assert answers_of(engine, PROMPTS, LENGTHS) == right_answers()
    assert sum(len(preempted) for _, preempted in plans) > 0, "the pool was to be too small"
    assert engine.tally.verifications > COUNT and not engine.repeated


@pytest.mark.parametrize("tokens", (1, 2, 7))
def test_any_number_of_drafts(tokens):
    engine = speculative("liar", tokens=tokens)
    assert answers_of(engine, PROMPTS[:8], LENGTHS[:8]) == right_answers()[:8]
    assert len(engine.tally.tried) == tokens
    assert not any(engine.tally.stayed[3:]), "every third token is a lie"


def test_no_drafts_is_the_engine_alone():
    alone, engine = small_engine(), speculative(tokens=0)
    plans = [watched(alone), watched(engine.engine)]
    some = {"sampling": Sampling(temperature=1.3, top_k=9, seed=4)}
    answers = [answers_of(one, PROMPTS[:8], LENGTHS[:8], **some) for one in (alone, engine)]
    assert answers[0] == answers[1] and plans[0] == plans[1]
    assert not engine.tally.verifications


def test_a_right_draft_ends_in_fewer_steps():
    steps = {}
    for tokens in (0, 4):
        engine = speculative("oracle", tokens=tokens, pages=60)
        plans = watched(engine.engine)
        answers_of(engine, [[5, 6, 7]], [21])
        steps[tokens] = len(plans)
    assert steps == {0: 21, 4: 1 + 20 // 5}  # the prompt's step gives one, then five in each


def test_the_model_draft_reads_each_token_once_and_drafts_what_it_would_say_alone():
    """Its acceptance is that of a draft that computes its whole text anew for every token."""
    import torch

    from .drafts import blurred

    engine = speculative("model", pages=60)
    prompt = PROMPTS[0]
    said = []
    propose = engine.draft.propose

    def note(requests, counts):
        proposals = propose(requests, counts)
        said.extend((list(one.tokens), list(p.tokens)) for one, p in zip(requests, proposals))
        return proposals

    engine.draft.propose = note
    engine.add_request(prompt, max_output_tokens=24)
    engine.run()
    require_empty(engine)
    assert len(said) > 4
    for text, drafted in said:
        for token in drafted:
            logits = blurred()(torch.tensor([text]), last_only=True)
            assert token == int(logits[0, -1].argmax())
            text = [*text, token]
    accepted = sum(engine.tally.stayed)
    assert 0 < accepted < sum(engine.tally.tried), "the draft is to be right now and then"


def test_a_stop_token_inside_an_accepted_run_ends_the_answer_there():
    prompt = PROMPTS[1]
    right = plain_answer(prompt, 12)
    stop = right[3]
    engine = speculative("oracle", tokens=7, pages=60)
    heard = []
    engine.add_request(
        prompt, id="a", max_output_tokens=12, stop=[stop], on_token=lambda _, t: heard.append(t)
    )
    engine.run()
    require_empty(engine)
    ended = engine.requests["a"]
    expected = right[: right.index(stop) + 1]
    assert ended.answer == heard == expected and ended.finish_reason == "stop"


def test_cancelling_inside_an_accepted_run_ends_the_answer_there():
    engine = speculative("oracle", tokens=7, pages=60)

    def cancel(id, token):
        if len(engine.requests[id].answer) == 4:
            engine.cancel(id)

    engine.add_request(PROMPTS[1], id="a", max_output_tokens=12, on_token=cancel)
    engine.add_request(PROMPTS[2], id="b", max_output_tokens=12)
    engine.run()
    require_empty(engine)
    assert engine.requests["a"].answer == plain_answer(PROMPTS[1], 4)
    assert engine.requests["a"].finish_reason == "cancelled"
    assert engine.requests["b"].answer == plain_answer(PROMPTS[2], 12)


def test_max_tokens_inside_a_run():
    engine = speculative("oracle", tokens=7, pages=60)
    for length in range(1, 12):
        engine.add_request(PROMPTS[3], id=length, max_output_tokens=length)
    engine.run()
    require_empty(engine)
    for length in range(1, 12):
        assert engine.requests[length].answer == plain_answer(PROMPTS[3], length)
        assert engine.requests[length].known == len(engine.requests[length].tokens)


def test_it_wraps_any_engine_and_shows_what_the_engine_has():
    engine = Speculative(small_engine(), DRAFTS["look-up"](), tokens=3)
    done = engine.generate(PROMPTS[:3], max_output_tokens=5)
    assert [one.answer for one in done] == [plain_answer(p, 5) for p in PROMPTS[:3]]
    assert engine.requests is engine.engine.requests
