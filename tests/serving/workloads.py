"""Small random workloads that hurt: tiny pools, shared prefixes, bursts, answers of one token."""

from dataclasses import dataclass
from functools import partial

from hypothesis import strategies as st

from labutils.serving import (
    BlockManager,
    ContiguousReservation,
    Continuous,
    DynamicBatches,
    Request,
    StaticBatches,
    StepCost,
)

COST = StepCost(0.005, 0.0007, 0.00003, 0.0011, 0.00013)


def prefix_keys(family: int, tokens: int, own: int, page_tokens: int):
    """Keys of a prompt whose first ``tokens`` are those of its family, the rest its own."""
    shared = tokens // page_tokens
    return tuple((family, i) if i < shared else (family, own, i) for i in range(99))


@dataclass(frozen=True)
class Job:
    """Requests in order of arrival, and the true lengths of their answers."""

    requests: tuple[Request, ...]
    output_tokens: tuple[int, ...]


def paged_keys(family: int, shared: int, own: int, prompt: int, page_tokens: int):
    return prefix_keys(family, min(shared, prompt), own, page_tokens)[: prompt // page_tokens]


@st.composite
def jobs(draw, *, with_keys: bool, most: int = 14):
    requests, outputs, now = [], [], 0.0
    for number in range(draw(st.integers(1, most))):
        now += draw(st.sampled_from([0.0, 0.0, 0.003, 0.0171, 0.25]))
        prompt = draw(st.integers(1, 23))
        longest = draw(st.integers(1, 12))
        keys = None
        if with_keys:
            family, shared = draw(st.integers(0, 1)), draw(st.sampled_from([0, 8, 20]))
            keys = partial(paged_keys, family, shared, number, prompt)
        requests.append(Request(f"r{number}", prompt, longest, now, keys))
        outputs.append(draw(st.integers(1, longest)))
    return Job(tuple(requests), tuple(outputs))


POLICIES = {
    "prompts first": lambda pool: Continuous(5, BlockManager(pool, 4), token_budget=30),
    "chunked": lambda pool: Continuous(5, BlockManager(pool, 4), token_budget=9, chunked=True),
    "chunked, no sharing": lambda pool: Continuous(
        5, BlockManager(pool, 4, prefix_sharing=False), token_budget=9, chunked=True
    ),
    "prompts first, own rule": lambda pool: Continuous(
        5, BlockManager(pool, 4), admission=lambda view: cautious(view)
    ),
    "reserved": lambda pool: Continuous(5, ContiguousReservation(4 * pool), token_budget=30),
    "reserved, chunked": lambda pool: Continuous(
        3, ContiguousReservation(4 * pool), token_budget=7, chunked=True
    ),
    "unlimited": lambda pool: Continuous(4, token_budget=6, chunked=True),
    "static": lambda pool: StaticBatches(3),
    "dynamic": lambda pool: DynamicBatches(4, 0.02),
}


def cautious(view) -> bool:
    """An admission rule with headroom, unless nobody runs."""
    headroom = 1 if view.running else 0
    fits = view.blocks_needed + headroom <= view.free_blocks
    return fits and view.running < view.max_sequences
