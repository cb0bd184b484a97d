"""Pages of refused drafts come back at once, and nobody loses memory for a guess."""

import pytest

from labutils.engine import PagePool, Request
from labutils.serving.speculation.spare_pages import give_back, make_room
from tests.engine.jobs import plain_answer, ragged_prompts, require_empty

from .drafts import DRAFTS, speculative


@pytest.mark.parametrize("page_tokens", (1, 3, 4))
@pytest.mark.parametrize("draft", DRAFTS)
def test_after_each_step_every_request_holds_what_its_computed_tokens_need(draft, page_tokens):
    engine = speculative(draft, page_tokens=page_tokens, pages=120 // page_tokens)
    for at, prompt in enumerate(ragged_prompts(9, seed=3)):
        engine.add_request(prompt, id=at, max_output_tokens=5 + at)
    while engine.open:
        engine.step()
        engine.check()
        for request in engine.open.values():
            assert request.known == len(request.tokens)
            assert request.room == len(request.pages) * page_tokens
            if request.to_compute == 1:
                assert len(request.pages) == engine.pool.pages_for(request.computed)
    require_empty(engine)


def test_room_is_made_of_free_pages_alone():
    pool, request, other = PagePool(4, 4), Request("a", 6, 20), Request("b", 4, 9)
    pool.start(request)
    pool.start(other)
    assert make_room(pool, request, 2) == 2 and len(request.pages) == 2
    assert make_room(pool, request, 9) == 6 and pool.num_free == 0
    assert make_room(pool, other, 3) == 0
    request.computed = 6
    give_back(pool, request)
    assert len(request.pages) == 2 and request.room == 8 and pool.num_free == 1
    pool.check([request, other])


def test_a_shared_page_that_goes_back_stays_with_its_other_owner():
    pool = PagePool(4, 2)
    pages = [Request(name, 5, 4, keys=("x", "y")) for name in "ab"]
    pool.start(pages[0])
    pages[0].computed = 4
    pool.publish(pages[0], 4)
    pool.start(pages[1])
    assert pages[0].pages[:2] == pages[1].pages[:2]
    pages[1].computed = 2
    give_back(pool, pages[1])
    pool.check(pages)
    assert pool.owners[pages[0].pages[1]] == 1


def test_drafts_stay_within_the_token_budget():
    engine, most = speculative("oracle", budget=7, sequences=4, pages=90), 0
    logits = engine.engine._logits

    def counted(step):
        nonlocal most
        most = max(most, len(step.tokens))
        return logits(step)

    engine.engine._logits = counted
    prompts = ragged_prompts(6, seed=8, longest=9)
    done = engine.generate(prompts, max_output_tokens=12)
    assert [one.answer for one in done] == [plain_answer(p, 12) for p in prompts]
    assert most == 7
