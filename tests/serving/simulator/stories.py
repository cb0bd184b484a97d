"""Random stories for two tellings of one run, and what they have to agree on."""

from typing import NamedTuple

import numpy as np

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.memory import Unlimited
from labutils.serving.simulator import StepCost, simulate
from labutils.workload import RequestTrace

COSTS = (
    StepCost(0.005, 0.0007, 0.00003, 0.0011, 0.00013),
    StepCost(0.001, 0.0, 0.00003, 0.0, 0.00013, weights_s=0.004, per_linear_token_s=0.0006),
    StepCost(0.01),
    StepCost(0.0, 0.001, per_linear_token_s=0.0003),
)


class Story(NamedTuple):
    """What comes, under which rules; ``scheduler()`` is a fresh one each time."""

    source: object
    rules: dict
    memory: tuple
    cost: StepCost
    options: dict

    def scheduler(self) -> Scheduler:
        pool = PagePool(*self.memory) if self.memory else Unlimited()
        return Scheduler(self.rules["places"], pool, **self.rules["limits"])


def story(seed: int) -> Story:
    """A small story that hurts: tiny pools, shared prefixes, bursts, refusals, odd sizes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 4)) if rng.random() < 0.1 else int(rng.integers(3, 41))
    page = int(rng.choice([1, 2, 3, 4, 5, 8, 16]))
    chunked, places = bool(rng.random() < 0.6), int(rng.integers(1, 9))
    least = places if chunked else 1
    limits = {"token_budget": int(least + rng.integers(0, 40)), "chunked": chunked}
    prompt, longest = rng.integers(1, 45, n), rng.integers(1, 30, n)
    output = rng.integers(1, longest + 1) if n else longest
    arrival_s = _arrivals(rng, n)
    names_traced = rng.random() < 0.5
    if names_traced:
        source, options = _trace(rng, page, arrival_s, prompt, output), {}
        if rng.random() < 0.5:
            options["max_output_tokens"] = int(np.max(output, initial=1) + rng.integers(0, 9))
    else:
        source = _requests(rng, page, arrival_s, prompt, longest)
        options = {"output_tokens": output.tolist()}
    if rng.random() < 0.2:
        options["until_s"] = float(rng.uniform(0, 1.5 * max([*arrival_s, 0.1])))
    memory = ()
    if rng.random() < 0.9:
        most = -(-int(np.max(prompt + np.max(longest, initial=1), initial=2)) // page)
        memory = (max(1, int(most * rng.choice([0.6, 1.0, 1.0, 1.2, 2.0, 5.0]))), page)
    cost = COSTS[rng.integers(len(COSTS))]
    return Story(source, {"places": places, "limits": limits}, memory, cost, options)


def patience(seed: int, told: Story) -> float | np.ndarray:
    """How long the clients of a story wait: all as long; or as long as they had to, more or less;
    or all for ever but one, who leaves while it has lost its memory."""
    rng, n = np.random.default_rng([seed, 1]), len(told.source)
    if rng.random() < 0.3:
        return float(rng.choice([0.01, 0.05, 0.1, 0.3]))
    run = simulate(told.source, told.scheduler(), told.cost, compiled=False, **told.options)
    patience_s, spans, came = np.full(n, np.inf), run.timeline, len(run.ids)
    lost = np.flatnonzero(spans.phase == "preempted")
    if lost.size and rng.random() < 0.5:
        at = rng.choice(lost)
        row, left_s = spans.request[at], rng.uniform(spans.start_s[at], spans.end_s[at])
        patience_s[row] = left_s - run.log.intended_arrival_s[row]
        return patience_s
    shares = rng.choice([rng.uniform(0, 1, came), rng.uniform(0.9, 1.1, came), np.ones(came)])
    patience_s[:came] = np.where(run.log.ok, run.log.e2e_s * shares, np.inf)
    return patience_s


def _arrivals(rng, n: int) -> np.ndarray:
    """Ties, bursts, pauses; sometimes late, so that a clock is not always near 0."""
    gaps = rng.choice([0.0, 0.0, 0.003, 0.0171, 0.25, rng.exponential(0.1)], n)
    return np.cumsum(gaps) + rng.choice([0.0, 0.0, 1_234.5])


def _keys(rng, blocks: int) -> tuple:
    """Chained names: the first blocks are perhaps those of a family, the rest its own."""
    family, shared = int(rng.integers(3)), int(rng.choice([0, 1, 2, 5, 99]))
    own = int(rng.integers(10**9))
    return tuple((family, at) if at < shared else (family, own, at) for at in range(blocks))


def _requests(rng, page: int, arrival_s, prompt, longest) -> list[Request]:
    named = rng.random() < 0.8
    return [
        Request(f"r{row}", int(p), int(m), float(t), keys=_keys(rng, p // page) if named else ())
        for row, (t, p, m) in enumerate(zip(arrival_s, prompt, longest))
    ]


def _trace(rng, page: int, arrival_s, prompt, output) -> RequestTrace:
    """Its blocks are smaller or larger than pages, and the last one of a prompt is cut."""
    block = int(rng.choice([page, 3 * page, 2 * page] + [d for d in (1, 2, 4) if page % d == 0]))
    names = None
    if rng.random() < 0.8:
        names = tuple(_keys(rng, -(-int(p) // block)) for p in prompt)
    return RequestTrace(arrival_s, prompt, output, names, block if names is not None else None)


def assert_equal_runs(plain, twin) -> None:
    """All numbers of two runs: the same, to the last bit."""
    assert list(plain.ids) == list(twin.ids)
    for table in ("rows", "requests", "stays"):
        mine, theirs = getattr(plain, table), getattr(twin, table)
        assert mine.keys() == theirs.keys()
        for name in mine:
            np.testing.assert_array_equal(mine[name], theirs[name], err_msg=f"{table} {name}")
    np.testing.assert_array_equal(plain.gaps.counts, twin.gaps.counts)
    assert plain.gaps.longest_s == twin.gaps.longest_s
    np.testing.assert_array_equal(plain.times_s, twin.times_s)
    mine, theirs = plain.telemetry, twin.telemetry
    for name in mine.__dataclass_fields__:
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name), err_msg=name)
    for name in ("ttft_s", "tpot_s", "e2e_s", "admitted_s", "status", "itl_s"):
        np.testing.assert_array_equal(getattr(plain.log, name), getattr(twin.log, name))
    for q in (0.5, 0.99):
        np.testing.assert_equal(plain.gaps.quantile(q), twin.gaps.quantile(q))
