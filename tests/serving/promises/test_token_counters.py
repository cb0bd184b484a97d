"""The virtual token counter: its bound on random stories and planted ones, and its lift."""

import random

import pytest

from labutils.engine import Request, Scheduler
from labutils.serving.memory import Unlimited
from labutils.serving.promises import Promise, Promises
from labutils.serving.promises.policies import TokenCounters, fairness_bound
from labutils.serving.scheduling import Audited
from labutils.serving.simulator import simulate
from tests.serving.promises.fairness import Fairness
from tests.serving.promises.stories import COST, reserved, story

MEMORY = 50


def share_of_bound(seed, make=TokenCounters):
    """How much of twice the bound the worst difference of a random story reaches."""
    draw = random.Random(-seed - 1)
    told = story(seed, weights=draw.choice([(1.0,), (1.0, 2.0)]))
    wp, wq = draw.choice([(1, 2), (0.5, 3), (1, 1), (3, 1)])
    prices = {"prompt_price": wp, "answer_price": wq}
    options = {"token_budget": draw.choice([9, 30]), "chunked": draw.random() < 0.5}
    places = draw.randint(1, 6)
    scheduler = make(places, reserved(MEMORY), **options, **prices, promises=told.promises)
    books = Fairness(scheduler, told.promises, **prices)
    simulate(told.requests, Audited(books), COST, output_tokens=told.output_tokens)
    assert not books.idle
    lightest = min(one.weight for one in told.promises.tenants.values())
    return books.worst / (2 * bound_of(told.requests, places, prices) / lightest)


def bound_of(requests, places, prices, memory=MEMORY):
    """The bound, with as many tokens as so many of these requests may hold at once."""
    together = sum(sorted(one.most for one in requests)[-places:])
    longest = max(one.prompt_tokens for one in requests)
    return fairness_bound(**prices, longest_prompt=longest, memory_tokens=min(memory, together))


def test_the_bound_holds_on_random_stories():
    assert 0.4 < max(share_of_bound(seed) for seed in range(300)) <= 1


@pytest.mark.full
@pytest.mark.timeout(900)
def test_the_bound_holds_on_ten_thousand_stories():
    assert max(share_of_bound(seed) for seed in range(10_000)) <= 1


class NoLift(TokenCounters):
    """Idle time is credit."""

    def wait(self, request, *, first=False):
        self.counters.setdefault(self.promises[request.id].tenant, 0.0)
        Scheduler.wait(self, request, first=first)


class LiftsTheIdleOnly(TokenCounters):
    """A tenant with a request that runs counts as active, though nothing of its own waits."""

    def wait(self, request, *, first=False):
        tenant = self.promises[request.id].tenant
        if any(self.promises[one.id].tenant == tenant for one in self.running):
            self.counters.setdefault(tenant, 0.0)
            Scheduler.wait(self, request, first=first)
        else:
            super().wait(request, first=first)


class FreeAnswers(TokenCounters):
    """Prompts are paid for, answers are not."""

    def commit(self, plan):
        Scheduler.commit(self, plan)


PRICES = {"prompt_price": 1, "answer_price": 2}


def share_of_planted(make, rows, *, places, memory):
    """The same of a story whose ``rows`` are (tenant, longest answer, arrival), prompts of 1."""
    requests = [Request(at, 1, most, when) for at, (_, most, when) in enumerate(rows)]
    promises = Promises([Promise(tenant=tenant) for tenant, *_ in rows])
    scheduler = make(places, reserved(memory), promises=promises, **PRICES)
    books = Fairness(scheduler, promises, **PRICES)
    simulate(requests, books, COST)
    return books.worst / (2 * bound_of(requests, places, PRICES, memory))


CROWDS = [("a", 4, 0.0)] * 600 + [("b", 4, 2.0)] * 400
QUIET = [("b", 100, 0.0), *CROWDS]
LONG_AND_SHORT = [(tenant, most, 0.0) for tenant, most in [("a", 49), ("b", 1)] * 20]


FIRST_B_THEN_A_TWICE = [
    (tenant, MEMORY - less, 0.0)
    for tenant, less in [("b", 1), ("a", 2), ("b", 9), ("a", 1), ("b", 9), ("a", 9)]
]
"""One place, and each answer fills the memory; a's first ends a hair before it has caught up."""


def test_a_planted_story_attains_the_bound_within_a_fifth():
    share = share_of_planted(TokenCounters, FIRST_B_THEN_A_TWICE, places=1, memory=MEMORY)
    assert 0.8 < share <= 1


def test_where_prompts_cost_more_the_bound_is_larger_than_the_papers():
    prices = {"prompt_price": 3, "answer_price": 1}
    rows = [("b", 25), ("a", 24), ("b", 1), ("a", 25), ("b", 1), ("a", 1)]
    requests = [Request(at, 25, most) for at, (_, most) in enumerate(rows)]
    promises = Promises([Promise(tenant=tenant) for tenant, _ in rows])
    books = Fairness(
        TokenCounters(1, reserved(50), promises=promises, **prices), promises, **prices
    )
    simulate(requests, books, COST)
    mine = fairness_bound(**prices, longest_prompt=25, memory_tokens=50)
    assert 2 * max(3 * 25, 1 * 50) < books.worst <= 2 * mine == 200


@pytest.mark.parametrize(
    ("mutant", "rows", "places"),
    [(NoLift, CROWDS, 12), (LiftsTheIdleOnly, QUIET, 12), (FreeAnswers, LONG_AND_SHORT, 1)],
)
def test_what_the_counters_leave_out_breaks_the_bound(mutant, rows, places):
    """``CROWDS``: a is served alone until b comes; ``QUIET``: b has one request that runs."""
    shares = [
        share_of_planted(make, rows, places=places, memory=160) for make in (TokenCounters, mutant)
    ]
    assert shares[0] <= 1 < 1.5 < shares[1]


@pytest.mark.parametrize("seed", range(30))
def test_nothing_is_wasted_and_a_lone_tenant_is_served_as_if_there_were_no_counters(seed):
    told = story(seed, tenants="a")
    options = {"token_budget": 9, "chunked": True}
    runs = [
        simulate(told.requests, scheduler, COST, output_tokens=told.output_tokens)
        for scheduler in (
            TokenCounters(3, Unlimited(), promises=told.promises, **options),
            Scheduler(3, Unlimited(), **options),
        )
    ]
    assert runs[0].log.finish_s.tolist() == runs[1].log.finish_s.tolist()


def test_bad_prices_and_bounds():
    with pytest.raises(ValueError, match="answer_price = 0: expected"):
        TokenCounters(2, Unlimited(), promises=Promises(), answer_price=0)
    with pytest.raises(
        ValueError, match="memory_tokens = 2: expected a whole number of at least 3"
    ):
        fairness_bound(prompt_price=1, answer_price=2, longest_prompt=3, memory_tokens=2)
