"""Engines serve with other schedulers and memories, and an auditor stops them at a wrong plan."""

import pytest

from labutils.engine import Engine, PagePool, Plan, Scheduler
from labutils.serving.fast import FastEngine
from labutils.serving.memory import ContiguousReservation
from labutils.serving.scheduling import Audited, BadPlan, StaticBatches
from tests.engine.jobs import plain_answer, ragged_prompts, tiny_model

PROMPTS, LENGTHS = ragged_prompts(12, seed=3), [1 + 5 * at % 17 for at in range(12)]
ENGINES = (Engine, FastEngine, lambda *args: FastEngine(*args, overlap=True))
SCHEDULERS = {
    "one piece each": lambda: Scheduler(
        6, ContiguousReservation(300), token_budget=99, chunked=True
    ),
    "closed batches": lambda: StaticBatches(4, PagePool(90, 4)),
    "audited": lambda: Audited(
        Scheduler(5, PagePool(30, 4), token_budget=9, chunked=True), in_order=True
    ),
}


@pytest.mark.parametrize("engine", ENGINES, ids=("plain", "fast", "overlap"))
@pytest.mark.parametrize("name", SCHEDULERS)
def test_answers_stay_what_they_are(name, engine):
    served = engine(tiny_model(), SCHEDULERS[name]())
    for at, (prompt, length) in enumerate(zip(PROMPTS, LENGTHS)):
        served.add_request(prompt, id=at, max_output_tokens=length)
    served.run()
    served.check()
    assert served.pool.num_free == served.pool.num_pages
    answers = [served.requests[at].answer for at in range(12)]
    assert answers == [plain_answer(*one) for one in zip(PROMPTS, LENGTHS)]


@pytest.mark.parametrize("engine", ENGINES, ids=("plain", "fast", "overlap"))
def test_a_wrong_plan_stops_the_engine_and_harms_no_answer(engine):
    class Greedy(Scheduler):
        """Its third plan computes more of the newest request than there is."""

        plans = 0

        def schedule(self, now_s):
            self.plans += 1
            plan = super().schedule(now_s)
            if self.plans != 3:
                return plan
            *others, (newest, new) = plan.chunks
            return Plan([*others, (newest, new + 7)])

    served = engine(tiny_model(), Audited(Greedy(3, PagePool(60, 4), token_budget=50)))
    served.add_request([5, 6, 7], id="a", max_output_tokens=9)
    with pytest.raises(BadPlan, match=r"'a' .*8"):
        served.run()
    told = served.requests["a"].answer
    assert told == plain_answer([5, 6, 7], 9)[: len(told)] and len(told) in (1, 2)


def test_an_audited_engine_that_runs_out_of_pages():
    tight = Scheduler(5, PagePool(18, 4), token_budget=9, chunked=True)
    engine = FastEngine(tiny_model(), Audited(tight), overlap=True)
    right = [plain_answer(*one) for one in zip(PROMPTS, LENGTHS)]
    for at, (prompt, length) in enumerate(zip(PROMPTS, LENGTHS)):
        engine.add_request(prompt, id=at, max_output_tokens=length)
    engine.run()
    assert [engine.requests[at].answer for at in range(12)] == right
    assert sum(step.preempted for step in engine.steps) > 0
