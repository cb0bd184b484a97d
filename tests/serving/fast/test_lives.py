"""Random lives of the fast engine, in step and ahead of it: see ``tests.engine.test_lives``."""

import pytest

from labutils.serving.fast import FastEngine
from tests.engine.echo import Echo
from tests.engine.jobs import plain_answer, require_empty, tiny_model
from tests.engine.test_lives import SCHEDULERS, STEPS, Life, long_life
from tests.rotation import in_turn


class EchoFast(Echo, FastEngine):
    """The fast engine, its model allergic to the token 60."""


@pytest.mark.parametrize("overlap", (False, True))
@pytest.mark.parametrize("kind", SCHEDULERS if in_turn(__file__) else [*SCHEDULERS][-1:])
def test_thousands_of_random_steps_lose_nothing(kind, overlap):
    life = Life(kind, 17, engine=EchoFast, overlap=overlap)
    seen = long_life(life, STEPS)
    assert seen["preempted"] > STEPS // 100 and seen["length"] > STEPS // 20
    assert min(seen["cancelled"], seen["failed"]) > STEPS // 300
    records = life.engine.steps
    assert len(records) == seen["steps"]
    assert sum(record.preempted for record in records) == seen["preempted"]
    assert max(record.rows for record in records) == life.engine.scheduler.max_sequences


def test_more_requests_arrive_while_others_are_in_flight():
    engine = FastEngine(tiny_model(), max_sequences=20, overlap=True)
    prompts = [[n, 3 * n % 60] for n in range(20)]
    for first in (0, 7, 14):
        for at in range(first, min(first + 7, 20)):
            engine.add_request(prompts[at], id=at, max_output_tokens=6)
        engine.step()
    engine.run()
    require_empty(engine)
    for at, prompt in enumerate(prompts):
        assert engine.requests[at].answer == plain_answer(prompt, 6)


def test_a_step_may_only_preempt_where_ends_are_reported_late():
    """The first answer is full but not read, and holds the page that the second one needs."""
    engine = FastEngine(tiny_model(), page_tokens=4, num_pages=4, overlap=True)
    prompts = {"a": [5] * 7, "b": [9, 2, 3, 8, 1, 1, 6]}
    for (id, prompt), longest in zip(prompts.items(), (2, 4)):
        engine.add_request(prompt, id=id, max_output_tokens=longest)
    engine.run()
    require_empty(engine)
    assert [(step.rows, step.preempted) for step in engine.steps[:3]] == [(2, 0), (2, 0), (0, 1)]
    for (id, prompt), longest in zip(prompts.items(), (2, 4)):
        assert engine.requests[id].answer == plain_answer(prompt, longest)
