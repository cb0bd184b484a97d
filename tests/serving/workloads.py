"""Small random workloads that hurt: tiny pools, shared prefixes, bursts, answers of one token."""

from collections.abc import Callable
from dataclasses import dataclass

from hypothesis import strategies as st

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.memory import ContiguousReservation, Unlimited
from labutils.serving.promises import Promise, Promises
from labutils.serving.promises.policies import Promising, every
from labutils.serving.scheduling import ByRule, DynamicBatches, Ordered, StaticBatches
from labutils.serving.simulator import StepCost

PAGE = 4
COST = StepCost(0.005, 0.0007, 0.00003, 0.0011, 0.00013)
OVERLAPPED = StepCost(0.001, 0.0, 0.00003, 0.0, 0.00013, weights_s=0.004, per_linear_token_s=0.0006)

UNPROMISED = Promises(otherwise=Promise())


@dataclass(frozen=True)
class Job:
    """Requests in order of arrival, and the true lengths of their answers."""

    requests: tuple[Request, ...]
    output_tokens: tuple[int, ...]


def prefix_keys(family: int, shared: int, own: int, prompt: int, page_tokens: int = PAGE) -> tuple:
    """Keys of a prompt of which the first ``shared`` tokens are those of its family."""
    common = min(shared, prompt) // page_tokens
    full = prompt // page_tokens
    return tuple((family, at) if at < common else (family, own, at) for at in range(full))


@st.composite
def jobs(draw, *, with_keys: bool, most: int = 14, page_tokens: int = PAGE):
    requests, outputs, now = [], [], 0.0
    for number in range(draw(st.integers(1, most))):
        now += draw(st.sampled_from([0.0, 0.0, 0.003, 0.0171, 0.25]))
        prompt = draw(st.integers(1, 23))
        longest = draw(st.integers(1, 12))
        keys = ()
        if with_keys:
            family, shared = draw(st.integers(0, 1)), draw(st.sampled_from([0, 8, 20]))
            keys = prefix_keys(family, shared, number, prompt, page_tokens)
        priority = draw(st.integers(0, 2))
        requests.append(Request(f"r{number}", prompt, longest, now, keys=keys, priority=priority))
        outputs.append(draw(st.integers(1, longest)))
    return Job(tuple(requests), tuple(outputs))


@dataclass(frozen=True)
class Policy:
    """A policy over so many pages; ``in_order``: it promises first come, first served."""

    make: Callable[[int], Scheduler]
    in_order: bool = True


POLICIES = {
    "prompts first": Policy(lambda pool: Scheduler(5, PagePool(pool, PAGE), token_budget=30)),
    "chunked": Policy(
        lambda pool: Scheduler(5, PagePool(pool, PAGE), token_budget=9, chunked=True)
    ),
    "chunked, a place and a half": Policy(
        lambda pool: Scheduler(2, PagePool(pool, PAGE), token_budget=3, chunked=True)
    ),
    "prompts first, own rule": Policy(lambda pool: ByRule(5, PagePool(pool, PAGE), rule=cautious)),
    "reserved": Policy(
        lambda pool: Scheduler(5, ContiguousReservation(PAGE * pool), token_budget=30)
    ),
    "reserved, chunked": Policy(
        lambda pool: Scheduler(3, ContiguousReservation(PAGE * pool), token_budget=7, chunked=True)
    ),
    "unlimited": Policy(lambda pool: Scheduler(4, Unlimited(), token_budget=6, chunked=True)),
    "static": Policy(lambda pool: StaticBatches(3)),
    "dynamic": Policy(lambda pool: DynamicBatches(4, 0.02)),
    "static, over pages": Policy(lambda pool: StaticBatches(3, PagePool(pool, PAGE))),
    "by priority": Policy(
        lambda pool: Ordered(3, PagePool(pool, PAGE), token_budget=9, chunked=True), in_order=False
    ),
    "shortest prompt first": Policy(
        lambda pool: Ordered(3, PagePool(pool, PAGE), by=lambda request: request.prompt_tokens),
        in_order=False,
    ),
}


def promising(kind: type[Promising]) -> Policy:
    """A policy that knows promises, where nothing was promised to anybody."""
    told = {"promises": UNPROMISED, "step_cost": COST, **kind.tried_with}
    return Policy(lambda pool: kind(3, PagePool(pool, PAGE), **told), kind.in_order)


POLICIES |= {name: promising(kind) for name, kind in every().items()}


def cautious(view) -> bool:
    """An admission rule with headroom, unless no request runs."""
    headroom = 1 if view.running else 0
    fits = view.pages_needed + headroom <= view.free_pages
    return fits and view.running < view.max_sequences
