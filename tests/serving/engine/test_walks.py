"""Random lives of an engine: whatever happens, answers are right and pages come back."""

import os
import random

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from labutils.serving import (
    BlockManager,
    ContiguousReservation,
    Continuous,
    Engine,
    Sampling,
    StaticBatches,
)

from .jobs import Echo, Shaky, echo_answer, plain_answer, tiny_model
from .test_troubles import Allergic

FULL = os.environ.get("LABUTILS_FULL") == "1"
STEPS = 10_000 if FULL else 2_500
# To shrink a failure takes minutes: it is worth them only where somebody waits for it.
PHASES = tuple(Phase) if FULL else (Phase.explicit, Phase.reuse, Phase.generate)

SCHEDULERS = {
    "chunked": lambda pool: Continuous(5, BlockManager(pool, 4), token_budget=7, chunked=True),
    "prompts first": lambda pool: Continuous(5, BlockManager(pool, 4), token_budget=30),
    "shaky": lambda pool: Shaky(4, BlockManager(pool, 4), token_budget=9, chunked=True, seed=pool),
    "reserved": lambda pool: Continuous(
        5, ContiguousReservation(4 * pool), token_budget=9, chunked=True
    ),
    "static": lambda pool: StaticBatches(3),
}


class Life:
    """An engine, its model allergic to the token 60, and what was asked of it."""

    def __init__(self, kind: str, pool: int, overlap: bool):
        scheduler = SCHEDULERS[kind](pool)
        self.engine = Engine(
            tiny_model(), scheduler, num_pages=pool, page_tokens=4, overlap=overlap
        )
        self.engine.runner.model = Allergic(Echo(self.engine))
        self.asked, self.cancelled, self.told = {}, set(), {}

    def add(self, prompt, longest, *, breaks_at=None):
        """A request whose callback raises at its token number ``breaks_at``."""
        self.asked[len(self.asked)] = (prompt, longest, breaks_at)

        def listen(id, token):
            self.told.setdefault(id, []).append(token)
            if len(self.told[id]) == breaks_at:
                raise ConnectionError

        self.engine.add_request(
            prompt, id=len(self.asked) - 1, max_output_tokens=longest, on_token=listen
        )

    def cancel(self, id):
        if self.engine.cancel(id):
            self.cancelled.add(id)

    def check_answers(self):
        """Compare every answer with what it should be, and forget it."""
        for id, answer in self.engine.answers.items():
            prompt, longest, breaks_at = self.asked[id]
            if answer.finish_reason == "rejected":
                continue
            right = echo_answer(prompt, len(answer.tokens))
            assert list(answer.tokens) == right == self.told.pop(id, [])
            reason = answer.finish_reason
            if id in self.cancelled:
                assert reason == "cancelled"
            elif reason == "failed":
                allergic = 60 in [*prompt, *echo_answer(prompt, len(right) + 1)]  # one unread
                assert allergic or breaks_at == len(right) or "are free" in str(answer.error)
            else:
                assert (reason, len(right)) == ("length", longest)
        self.engine.answers.clear()


class Lives(RuleBasedStateMachine):
    @initialize(
        kind=st.sampled_from(sorted(SCHEDULERS)), pool=st.integers(5, 30), overlap=st.booleans()
    )
    def start(self, kind, pool, overlap):
        self.life = Life(kind, pool, overlap)

    @rule(
        family=st.integers(0, 3),
        length=st.integers(1, 30),
        longest=st.integers(1, 8),
        breaks_at=st.sampled_from([None, None, None, 1, 4]),
        poison=st.sampled_from([False] * 5 + [True]),
    )
    def add(self, family, length, longest, breaks_at, poison):
        prompt = [(family + at // 9) % 60 for at in range(length)]
        if poison:
            prompt[length // 2] = 60
        self.life.add(prompt, longest, breaks_at=breaks_at)

    @precondition(lambda self: self.life.asked)
    @rule(data=st.data())
    def cancel(self, data):
        self.life.cancel(data.draw(st.integers(0, len(self.life.asked) - 1)))

    @rule(steps=st.integers(1, 6))
    def step(self, steps):
        for _ in range(steps):
            self.life.engine.step()

    @invariant()
    def every_page_is_somewhere(self):
        if hasattr(self, "life"):
            self.life.engine.check()
            self.life.check_answers()

    def teardown(self):
        if hasattr(self, "life"):
            self.life.engine.run()
            self.life.engine.check()
            self.life.check_answers()
            assert not self.life.told


TestLives = Lives.TestCase
TestLives.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    phases=PHASES,
)


def test_thousands_of_random_steps_leave_no_page_behind():
    draw = random.Random(12)
    life = Life("shaky", 17, overlap=True)
    prompts = [[draw.randrange(60) for _ in range(n)] for n in (1, 3, 8, 9, 17, 30, 2, 12)]
    prompts += [[*prompts[5][:13], 60], prompts[4] + prompts[0], [2] * 90]
    while len(life.engine.steps) < STEPS:
        if len(life.engine._open) < 9 and draw.random() < 0.4:
            breaks_at = draw.choice([None] * 9 + [2])
            life.add(draw.choice(prompts), draw.randint(1, 12), breaks_at=breaks_at)
        if draw.random() < 0.02:
            life.cancel(draw.choice([0, *life.engine._open]))
        life.engine.step()
        if len(life.engine.steps) % 100 == 0:
            life.engine.check()
            life.check_answers()
    life.engine.run()
    life.engine.check()
    life.check_answers()
    blocks = life.engine.blocks
    assert blocks.num_used == 0 and blocks.num_free == 17 and not blocks.tables()
    assert not life.told and not life.engine.has_work
    preempted = sum(step.preempted for step in life.engine.steps)
    assert len(life.cancelled) > STEPS // 300 and preempted > STEPS // 20


def test_many_more_requests_than_rows_at_once():
    engine = Engine(tiny_model(), max_sequences=37, token_budget=200)
    prompts = [[n % 60, n // 60] for n in range(80)]
    how = Sampling(temperature=0.0)
    answers = engine.generate(prompts, max_output_tokens=4, sampling=how)
    engine.check()
    assert [list(a.tokens) for a in answers] == [plain_answer(p, 4) for p in prompts]
    assert max(step.rows for step in engine.steps) == 37


def test_tokens_on_the_device_survive_when_more_rows_are_needed():
    engine = Engine(tiny_model(), max_sequences=20)
    prompts = [[n, 3 * n % 60] for n in range(20)]
    for first in (0, 7, 14):  # there is room for 8 rows at first, then for 16
        for at in range(first, min(first + 7, 20)):
            engine.add_request(prompts[at], id=at, max_output_tokens=6)
        engine.step()
    engine.run()
    engine.check()
    for at, prompt in enumerate(prompts):
        assert list(engine.answers[at].tokens) == plain_answer(prompt, 6)
