"""Random lives of an engine: whatever happens, contexts and answers are right and pages come back.

Every context of every forward is compared with its text (``echo``), and every step is checked.
"""

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import Phase, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from labutils.engine import Engine, PagePool, Scheduler
from tests.rotation import in_turn

from .echo import Echo, echo_answer
from .jobs import Shaky, plain_answer, require_empty, tiny_model

FAST = Path(__file__).parents[1] / "serving/fast/test_lives.py"  # takes as many steps
WIDE = in_turn(__file__, str(FAST))

STEPS = 10_000 if WIDE else 2_500
# To shrink a failure takes minutes: it is worth them only where somebody waits for it.
PHASES = tuple(Phase) if WIDE else (Phase.explicit, Phase.reuse, Phase.generate)

SCHEDULERS = {
    "chunked": lambda pages: Scheduler(5, PagePool(pages, 4), token_budget=7, chunked=True),
    "prompts first": lambda pages: Scheduler(5, PagePool(pages, 4), token_budget=30),
    "shaky": lambda pages: Shaky(4, PagePool(pages, 4), token_budget=9, chunked=True, seed=pages),
    "shaky, prompts first": lambda pages: Shaky(4, PagePool(pages, 3), token_budget=9, seed=pages),
}


class EchoEngine(Echo, Engine):
    """The plain engine, its model allergic to the token 60."""


class Life:
    """An engine, and what was asked of it.

    A request's callback may raise at its token number ``breaks_at``, or cancel a neighbour or ask
    for more at number ``acts_at``.
    """

    def __init__(self, kind: str, pages: int, engine=EchoEngine, **options):
        scheduler = SCHEDULERS[kind](pages)
        self.engine = engine(tiny_model(), scheduler, allergy=60, **options)
        self.engine.on_step = self.hook
        self.draw = random.Random(pages)
        self.asked, self.cancelled, self.told = {}, set(), {}
        self.hook_raises = 0
        self.seen = Counter()

    def add(self, prompt, longest, *, breaks_at=None, acts_at=None):
        def listen(id, token):
            told = self.told.setdefault(id, [])
            told.append(token)
            if len(told) == acts_at:
                self.act()
            if len(told) == breaks_at:
                raise ConnectionError

        id = len(self.asked)
        self.asked[id] = (prompt, longest, breaks_at)
        self.engine.add_request(prompt, id=id, max_output_tokens=longest, on_token=listen)

    def act(self):
        if self.engine.open and self.draw.random() < 0.6:
            self.cancel(self.draw.choice(list(self.engine.open)))
        elif len(self.engine.open) < 9:
            self.add([self.draw.randrange(60) for _ in range(5)], 3)

    def cancel(self, id):
        if self.engine.cancel(id):
            self.cancelled.add(id)

    def hook(self, engine, plan):
        self.seen["steps"] += 1
        self.seen["preempted"] += len(plan.preempted)
        self.seen["cut"] += any(one.computed < one.known - 1 for one, _ in plan.chunks)
        new, budget = sum(new for _, new in plan.chunks), engine.scheduler.token_budget
        assert new <= budget or len(plan.chunks) == 1
        assert len(engine.scheduler.running) <= engine.scheduler.max_sequences
        if self.hook_raises:
            self.hook_raises -= 1
            raise KeyError("hook")

    def step(self):
        raises = self.hook_raises
        try:
            self.engine.step()
        except KeyError:
            assert self.hook_raises == raises - 1
        self.check()

    def run(self):
        """To the end of all."""
        while self.engine.open:
            self.step()
        require_empty(self.engine)
        assert not self.told

    def check(self):
        """Nothing is lost, twice or left over; every answer that has ended is right."""
        self.engine.check()
        queued = [*self.engine.scheduler.waiting, *self.engine.scheduler.running]
        assert Counter(one.id for one in queued) == Counter(self.engine.open.keys())
        for one in self.engine.scheduler.running:
            assert one.room == len(one.pages) * self.engine.pool.page_tokens >= one.computed
        ended = [id for id, one in self.engine.requests.items() if one.finish_reason]
        assert not set(ended) & self.engine.open.keys()
        for id in ended:
            self.check_answer(id, self.engine.requests.pop(id))

    def check_answer(self, id, request):
        prompt, longest, breaks_at = self.asked[id]
        answer, reason = request.answer, request.finish_reason
        self.seen[reason] += 1
        self.seen["hits"] += bool(request.cached)
        if reason == "rejected":
            assert "may need" in str(request.error) or "context" in str(request.error)
            return
        assert answer == echo_answer(prompt, len(answer)) == self.told.pop(id, [])
        if id in self.cancelled:
            assert reason == "cancelled"
        elif reason == "failed":
            read = [*prompt, *echo_answer(prompt, len(answer) + 1)]  # one was not told
            assert breaks_at == len(answer) or (60 in read and "60" in str(request.error))
        else:
            assert (reason, len(answer)) == ("length", longest)


class Lives(RuleBasedStateMachine):
    @initialize(kind=st.sampled_from(sorted(SCHEDULERS)), pages=st.integers(7, 30),
                sharing=st.booleans())  # fmt: skip
    def start(self, kind, pages, sharing):
        self.life = Life(kind, pages, prefix_sharing=sharing)

    @rule(
        family=st.integers(0, 3),
        length=st.integers(1, 30),
        longest=st.integers(1, 8),
        breaks_at=st.sampled_from([None, None, None, 1, 4]),
        acts_at=st.sampled_from([None, None, None, 1, 3]),
        poison=st.sampled_from([False] * 5 + [True]),
    )
    def add(self, family, length, longest, breaks_at, acts_at, poison):
        prompt = [(family + at // 9) % 60 for at in range(length)]
        if poison:
            prompt[length // 2] = 60
        self.life.add(prompt, longest, breaks_at=breaks_at, acts_at=acts_at)

    @precondition(lambda self: self.life.engine.open)
    @rule(data=st.data())
    def cancel(self, data):
        self.life.cancel(data.draw(st.sampled_from(sorted(self.life.engine.open))))

    @rule(steps=st.integers(1, 6))
    def step(self, steps):
        for _ in range(steps):
            self.life.step()

    @rule()
    def hook_raises(self):
        self.life.hook_raises = 1

    @invariant()
    def nothing_is_lost(self):
        if hasattr(self, "life"):
            self.life.check()

    def teardown(self):
        if hasattr(self, "life"):
            self.life.run()


TestLives = Lives.TestCase
TestLives.settings = settings(
    max_examples=40,
    stateful_step_count=25,
    deadline=None,
    derandomize=True,
    phases=PHASES,
)


def long_life(life: Life, steps: int) -> Counter:
    """At least ``steps`` steps of a busy life; what happened in it."""
    draw = random.Random(12)
    prompts = [[draw.randrange(60) for _ in range(n)] for n in (1, 3, 8, 9, 17, 30, 2, 12)]
    prompts += [[*prompts[5][:13], 60], prompts[4] + prompts[0], [2] * 90]
    while life.seen["steps"] < steps:
        if len(life.engine.open) < 9 and draw.random() < 0.4:
            breaks_at, acts_at = draw.choice([None] * 9 + [2]), draw.choice([None] * 9 + [3])
            prompt, longest = draw.choice(prompts), draw.randint(1, 12)
            life.add(prompt, longest, breaks_at=breaks_at, acts_at=acts_at)
        if life.engine.open and draw.random() < 0.02:
            life.cancel(draw.choice(list(life.engine.open)))
        life.hook_raises = int(draw.random() < 0.02)
        life.step()
    life.run()
    return life.seen


@pytest.mark.parametrize("kind", SCHEDULERS)
def test_thousands_of_random_steps_lose_nothing(kind):
    seen = long_life(Life(kind, 17), STEPS)
    assert min(seen["cancelled"], seen["failed"]) > STEPS // 300
    assert seen["hits"] > STEPS // 60 and seen["rejected"] > 5
    assert seen["preempted"] > STEPS // 100
    assert seen["length"] > STEPS // 20


def test_many_more_requests_than_rows_at_once():
    engine = Engine(tiny_model(), max_sequences=37, token_budget=200)
    prompts, most = [[n % 60, n // 60] for n in range(80)], []
    engine.on_step = lambda _, plan: most.append(len(plan.chunks))
    requests = engine.generate(prompts, max_output_tokens=4)
    require_empty(engine)
    assert [one.answer for one in requests] == [plain_answer(p, 4) for p in prompts]
    assert max(most) == 37
