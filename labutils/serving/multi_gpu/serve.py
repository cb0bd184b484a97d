"""Serve a trace under a layout: the same scheduler, copy by copy, on a simulated clock."""

from collections import defaultdict
from dataclasses import replace

import numpy as np

from labutils.engine import PagePool, Request, Scheduler
from labutils.ground import arguments
from labutils.llm.layouts import Deployment, Pools
from labutils.metrics import RequestStatus
from labutils.serving.multi_gpu.arrived import ArrivedCaches
from labutils.serving.multi_gpu.layout_cost import LayoutCost
from labutils.serving.multi_gpu.layout_run import LayoutRun, joined
from labutils.serving.simulator import simulate

PAGE_TOKENS = 16
_EVERYTHING = 2**40  # a token budget that holds whatever there is


def serve_layout(
    trace,
    deployment: Deployment,
    *,
    max_sequences: int = 256,
    token_budget: int = 2048,
    chunked: bool = True,
) -> LayoutRun:
    """Deal ``trace`` to the copies in turn, and serve each part by a scheduler of its own.

    ``max_sequences`` and ``token_budget`` are those of each copy; its pages are what its cards have
    left beside the weights. ``ValueError`` if the layout does not fit.
    """
    rows = dealt(len(trace), deployment.layout.dp)
    cost = LayoutCost(deployment)
    runs = []
    for mine in rows:
        pool = PagePool(pages_of(deployment), PAGE_TOKENS)
        scheduler = Scheduler(max_sequences, pool, token_budget=token_budget, chunked=chunked)
        runs.append(simulate(requests_of(trace, mine), scheduler, cost))
    log = joined(runs, rows, cost)
    return LayoutRun(log, deployment.layout.cards, {"both": tuple(runs)}, np.zeros(len(trace)))


def serve_pools(
    trace, pools: Pools, *, max_sequences: int = 256, token_budget: int = 8192
) -> LayoutRun:
    """Serve ``trace`` by two pools: prefill copies, a link, decode copies.

    1. Prompts are dealt to the prefill copies in turn, and served prompts first, up to
       ``token_budget`` together; each gets its first token.
    2. In the order in which their prompts end, the requests are dealt to the decode copies in turn.
       A cache moves when its prompt is complete and both copies have ports free, and overlaps with
       nothing of its own request. An answer of one token ends here.
    3. The decode copies give those that have come pages and decode; at most ``max_sequences`` in
       each.

    Left out: pages of the prefill pool are free again when a prompt ends, not when its cache has
    gone; and no copy looks at how busy another one is.
    """
    prefill = _prefilled(trace, pools, max_sequences, token_budget)
    first = joined(*prefill)
    ended = first.ok & (trace.output_tokens > 1)
    rows = np.flatnonzero(ended)[np.argsort(first.first_token_s[ended], kind="stable")]
    ready_s = _moved(trace, pools, first.first_token_s, rows)
    parts = [rows[part] for part in dealt(rows.size, pools.decode.layout.dp)]
    parts = [part[np.argsort(ready_s[part], kind="stable")] for part in parts]
    cost, runs = LayoutCost(pools.decode), []
    for mine in parts:
        arrived = ArrivedCaches(pages_of(pools.decode), PAGE_TOKENS)
        scheduler = Scheduler(max_sequences, arrived, token_budget=_EVERYTHING, chunked=True)
        coming = requests_of(trace, mine, ready_s=ready_s)
        runs.append(simulate(coming, scheduler, cost))
    log = _continued(first, joined(runs, parts) if rows.size else None, np.sort(rows))
    moved_s = np.where(ended, ready_s - first.first_token_s, 0.0)
    sides = {"prefill": tuple(prefill[0]), "decode": tuple(runs)}
    return LayoutRun(log, pools.cards, sides, moved_s)


def dealt(count: int, copies: int) -> list[np.ndarray]:
    """Rows 0 to ``count`` − 1, dealt to ``copies`` in turn; copies without any are left out."""
    number = arguments.whole("copies", copies)
    return [np.arange(start, count, number) for start in range(min(number, count))]


def pages_of(deployment: Deployment) -> int:
    """Pages that one copy has; ``ValueError`` if there is not even one."""
    pages = deployment.kv_tokens_per_copy() // PAGE_TOKENS
    if not pages:
        raise ValueError(
            f"layout {deployment.layout}: expected one that fits; {deployment.model.name} takes "
            f"{deployment.weight_bytes_per_card / 1e9:.1f} GB of weights a card"
        )
    return pages


def requests_of(trace, rows, *, ready_s=None, one_token: bool = False) -> list[Request]:
    """The requests of some rows; with ``ready_s`` those that go on behind their first token."""
    done = 0 if ready_s is None else 1
    when = trace.arrival_s if ready_s is None else ready_s
    return [
        Request(
            int(row),
            int(trace.prompt_tokens[row]) + done,
            1 if one_token else int(trace.output_tokens[row]) - done,
            float(when[row]),
        )
        for row in rows
    ]


def _prefilled(trace, pools: Pools, max_sequences: int, token_budget: int):
    """Runs of the prefill copies, their rows, and what a step costs them."""
    rows, cost, runs = dealt(len(trace), pools.prefill.layout.dp), LayoutCost(pools.prefill), []
    for mine in rows:
        pool = PagePool(pages_of(pools.prefill), PAGE_TOKENS)
        scheduler = Scheduler(max_sequences, pool, token_budget=token_budget)
        runs.append(simulate(requests_of(trace, mine, one_token=True), scheduler, cost))
    return runs, rows, cost


def _moved(trace, pools: Pools, first_s: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """When the caches of ``rows`` have come, NaN for others: both copies must have ports free."""
    ready_s, free_s = np.full(len(trace), np.nan), defaultdict(float)
    for turn, row in enumerate(rows.tolist()):
        ends = ("from", row % pools.prefill.layout.dp), ("to", turn % pools.decode.layout.dp)
        begin_s = max(first_s[row], *(free_s[end] for end in ends))
        busy_s = pools.ports_busy_s(int(trace.prompt_tokens[row]))
        free_s.update((end, begin_s + seconds) for end, seconds in zip(ends, busy_s))
        ready_s[row] = begin_s + max(busy_s)
    return ready_s


def _continued(first, then, rows: np.ndarray):
    """The log of all requests: the first token of one pool, the last of the other."""
    if then is None:
        return first
    columns = {name: getattr(first, name).copy() for name in ("last_token_s", "finish_s")}
    columns |= {"output_tokens": first.output_tokens.copy(), "status": first.status.copy()}
    lost = np.asarray(then.status) != str(RequestStatus.OK)
    columns["last_token_s"][rows] = np.where(lost, first.last_token_s[rows], then.last_token_s)
    columns["finish_s"][rows] = then.finish_s
    columns["output_tokens"][rows] += then.output_tokens
    columns["status"][rows] = then.status
    return replace(first, **columns)
