"""Serve a trace on many replicas behind a router."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from labutils.engine import Scheduler
from labutils.ground import arguments
from labutils.serving.runs.arrivals import patience_of_each
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.simulator.choice import reason_against

from .changes import in_order, loses, send_through
from .replicas_run import ReplicasRun
from .retries import Retries
from .scaling import Roster, Scaling, send_as_scaled


def serve_replicas(
    source,
    schedulers: Sequence[Scheduler],
    step_cost: StepCost | Sequence[StepCost],
    router,
    *,
    output_tokens=None,
    max_output_tokens: int | None = None,
    patience_s=None,
    retries: Retries | None = None,
    changes: Sequence = (),
    scaling: Scaling | None = None,
    seed: int = 0,
) -> ReplicasRun:
    """Serve a trace, or requests in order of arrival, on a replica for each of ``schedulers``.

    Each is a fresh shipped ``Scheduler`` over a pool of its own, which is read and left as it is;
    ``step_cost`` is one for all, or one for each. All pools have pages of one size. At each
    arrival ``router`` chooses: one of ours (``routers``), an object with ``choose(request,
    views)``, or the replica of each request, fixed in advance. ``seed`` draws for those of ours
    that draw. ``retries`` is what clients do after giving up (``patience_s`` counts anew for each
    attempt) or after a crash; each attempt has a row of its own. ``changes`` happen to replicas on
    the way: each ``Joins``, ``Leaves``, ``Crashes`` or ``Slows``. With ``scaling``, and without
    ``changes``, an autoscaler says how many are up: ``schedulers`` are as many as there may ever
    be. All else is as in ``simulate``.
    """
    from labutils.serving.simulator.compiled.job import job_of

    from .ask import Asked
    from .policies import FIXED_POLICY, policy_of
    from .replica_set import ReplicaSet

    schedulers = list(schedulers)
    is_one = isinstance(step_cost, StepCost)
    costs = [step_cost] * len(schedulers) if is_one else list(step_cost)
    _check(schedulers, costs)
    if scaling is not None and changes:
        raise ValueError(f"changes = {changes!r}: expected none together with scaling")
    source = source if hasattr(source, "prompt_tokens") else list(source)
    job = job_of(source, output_tokens, max_output_tokens, schedulers[0].pool.page_tokens)
    if patience_s is not None:
        patience_s = patience_of_each(patience_s, len(job.ids))
    elif retries is not None and not any(map(loses, changes)):
        expected = "expected clients that give up, or a replica that crashes"
        raise ValueError(f"retries are given without patience_s: {expected}")
    replicas = ReplicaSet(job, schedulers, costs, patience_s, retries or Retries())
    roster = None if scaling is None else Roster(scaling, replicas, len(schedulers))
    np.random.default_rng(seed).random(out=replicas.requests.draws)
    policy, every_s = policy_of(router), getattr(router, "report_every_s", None)
    if policy is None and hasattr(router, "choose") and not isinstance(router, np.ndarray):
        every_s = 0.1 if every_s is None else every_s
        send = Asked(router, replicas).send_all
    else:
        if policy is None:
            policy = FIXED_POLICY
            if scaling is not None or any(map(loses, changes)):
                expected = "expected one that chooses, with scaling or a replica that crashes"
                raise ValueError(f"router = {router!r}: {expected}")
            fixed = _fixed(router, len(job.ids), len(schedulers))
            replicas.requests = replicas.requests._replace(fixed=fixed)
        send = partial(replicas.send_all, policy)
    replicas.clock.report_every_s = -1.0 if every_s is None else float(every_s)
    if roster is None:
        send_through(replicas, send, in_order(changes, len(schedulers)))
    else:
        send_as_scaled(replicas, send, roster)
    return replicas.finish(roster)


def _check(schedulers: list, costs: list) -> None:
    arguments.whole("len(schedulers)", len(schedulers))
    if len(costs) != len(schedulers):
        raise ValueError(
            f"step_cost has {len(costs)}: expected one, or one for each of {len(schedulers)}"
        )
    for scheduler, cost in zip(schedulers, costs):
        if reason := reason_against(scheduler, cost, None):
            raise ValueError(f"schedulers: {reason}")
    pools = {id(one.pool) for one in schedulers}
    sizes = {(type(one.pool), one.pool.page_tokens) for one in schedulers}
    if len(pools) < len(schedulers) or len(sizes) > 1:
        raise ValueError("schedulers: expected a pool for each, all with pages of one size")


def _fixed(replica, requests: int, replicas: int) -> np.ndarray:
    column = np.asarray(replica)
    is_good = column.shape == (requests,) and column.dtype.kind in "iu"
    if not is_good or (requests and not 0 <= column.min() <= column.max() < replicas):
        raise ValueError(
            f"router = {replica!r}: expected one of ours, an object with choose(request, views), "
            f"or for each of {requests} requests a replica from 0 to {replicas - 1}"
        )
    return column.astype(np.int64)
