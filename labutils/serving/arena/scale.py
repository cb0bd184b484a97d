"""The arena's workloads for a smaller server, on which they are as hard as on the large one."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from labutils.engine import Request, Scheduler
from labutils.serving.promises import Promise, Promises, Tenant
from labutils.serving.scheduling.step_shape import StepShape
from labutils.serving.simulator import simulate

from .match import Server
from .workload import Workload

SHRINK = 8
"""Lengths, places, pages and budget are divided by it, so a step holds an eighth of the work."""
ENOUGH = 400
"""Requests from which on a server's time for all of them says what it can do."""
SIZE = {
    name: getattr(Server(), name) // SHRINK
    for name in ("max_sequences", "num_pages", "token_budget")
}


def scaled(
    workloads: Mapping[str, Workload], small: Server
) -> tuple[Server, dict[str, Workload]]:  # fmt: skip
    """The workloads for ``small``, and that server with its ``second_s``.

    A second of the arena lasts there as much shorter as ``small`` takes less time to serve all that
    is asked, first come, first served. Arrivals, promises of a first token and the tenants' pace
    are stretched by it. A promised time between tokens stays where it was between a step that only
    decodes and a step with the whole budget.
    """
    large = Server()
    small = replace(small, second_s=1.0)
    shrunk = {name: _shrunk(one) for name, one in workloads.items()}
    needed = [sum(_busy_s(one, server) for one in group.values())
              for group, server in ((workloads, large), (shrunk, small))]  # fmt: skip
    small = replace(small, second_s=needed[1] / needed[0])
    return small, {name: _slowed(one, large, small) for name, one in shrunk.items()}


def _shrunk(workload: Workload) -> Workload:
    requests = [
        Request(one.id, max(1, one.prompt_tokens // SHRINK), one.max_output_tokens // SHRINK,
                one.arrival_s)
        for one in workload.requests
    ]  # fmt: skip
    return replace(
        workload, requests=requests,
        output_tokens=[max(1, tokens // SHRINK) for tokens in workload.output_tokens],
    )  # fmt: skip


def _busy_s(workload: Workload, server: Server) -> float:
    """Seconds of all steps, first come, first served.

    Requests that are few come again and again: else most of the time would be that in which a
    server with many places waits for its last answers.
    """
    again = -(-ENOUGH // len(workload.requests))
    rows = [*zip(workload.requests, workload.output_tokens)] * again
    at_once = [
        Request(at, one.prompt_tokens, one.max_output_tokens) for at, (one, _) in enumerate(rows)
    ]
    setting = server.setting(workload.promises)
    scheduler = Scheduler(*setting.server(), **setting.options)
    answers = [tokens for _, tokens in rows]
    run = simulate(at_once, scheduler, server.step_cost, output_tokens=answers, compiled=False)
    return float(np.nanmax(run.log.finish_s)) / again


def _slowed(workload: Workload, large: Server, small: Server) -> Workload:
    second_s, promises = small.second_s, workload.promises
    requests = [
        Request(one.id, one.prompt_tokens, one.max_output_tokens, second_s * one.arrival_s)
        for one in workload.requests
    ]
    tenants = [
        Tenant(name=one.name, weight=one.weight, burst_tokens=one.burst_tokens / SHRINK,
               tokens_per_s=one.tokens_per_s / SHRINK / second_s)
        for one in promises.tenants.values()
    ]  # fmt: skip
    told = {id: _promise(one, large, small) for id, one in promises.by_id.items()}
    return replace(workload, requests=requests, promises=Promises(told, tenants=tenants))


def _promise(promise: Promise, large: Server, small: Server) -> Promise:
    (least, most), (least_here, most_here) = _steps_s(large), _steps_s(small)
    place = (promise.tpot_s - least) / (most - least)
    tpot_s = max(least_here + place * (most_here - least_here), least_here)
    return replace(promise, ttft_s=small.second_s * promise.ttft_s, tpot_s=tpot_s)


def _steps_s(server: Server) -> tuple[float, float]:
    """Seconds of a step that decodes for all places over half the memory, and of a full one."""
    decodes, context = server.max_sequences, server.num_pages * 16 // 2
    new = server.token_budget - decodes
    shapes = StepShape(0, 0, decodes, context), StepShape(new, new * new // 2, decodes, context)
    return tuple(map(server.step_cost.time_s, shapes))
