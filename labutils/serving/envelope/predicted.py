"""What the simulator says of one stage of anybody's load test."""

from dataclasses import dataclass, replace

import numpy as np

from labutils.ground import arguments
from labutils.metrics import RequestLog
from labutils.serving.measured.measured_run import MeasuredRun, MeasuredStage, Quantiles, quantiles
from labutils.serving.measured.offered_load import Load, workload
from labutils.serving.measured.simulated import Physics, simulate_run
from labutils.serving.runs.step_cost import StepCost

from .faults import timeout

MOST_REQUESTS = 200_000


@dataclass(frozen=True, kw_only=True)
class Assumed:
    """What a report does not say of the engine.

    ``cost`` and ``pages`` follow from ``physics`` and the run's model and cards (None). Of each
    prompt ``cached_tokens`` are in the prefix cache (None: all of it).
    """

    physics: Physics
    cost: StepCost | None = None
    pages: int | None = None
    cached_tokens: int | None = 0


def predicted(
    run: MeasuredRun, stage: MeasuredStage, assumed: Assumed, *, seed: int = 0
) -> dict[str, Quantiles | float]:
    """Quantiles of "e2e_s", "ttft_s" and "tpot_s", "requests_per_s" and "gave_up" of a stage.

    Where all failures took equally long, that is the clients' patience. In a closed loop as many
    requests run as there are clients, and as one leaves the next begins.
    """
    arguments.whole("requests", stage.requests, at_most=MOST_REQUESTS)
    _require_lengths(run, stage)
    clients = stage.concurrency if stage.rate_per_s is None else None
    places, budget = run.max_running, run.token_budget
    if clients:
        places, stage = min(places, clients), replace(stage, rate_per_s=np.inf, log=None)
    alone = replace(run, stages=(stage,), max_running=places, token_budget=max(budget, places))
    told = simulate_run(
        alone,
        assumed.physics,
        _load(alone, assumed.cached_tokens, seed),
        cost=assumed.cost,
        pages=assumed.pages,
        patience_s=None if clients else patience_s(alone, stage),
    )
    if clients:
        return _in_a_circle(told.served.log, assumed.physics, clients)
    seen, log = told.run.stages[0], told.run.stages[0].log
    per_s = log.throughput_per_s(0.0, stage.duration_s)
    said = {"e2e_s": seen.e2e_s, "ttft_s": seen.ttft_s, "tpot_s": seen.reported_tpot_s}
    return said | {"requests_per_s": per_s, "gave_up": seen.failed / len(log)}


def patience_s(run: MeasuredRun, stage: MeasuredStage) -> float | None:
    """After how long clients gave up; None where failures do not say so."""
    return stage.failed_after_s["median"] if timeout(run, stage).shown else None


def _require_lengths(run: MeasuredRun, stage: MeasuredStage) -> None:
    answers = run.output_tokens or stage.reported_output_tokens.get("mean")
    for name, value in (("prompt", stage.prompt_tokens.get("mean")), ("output", answers)):
        if not value:
            raise ValueError(f"the number of {name} tokens is not known: --{name}-tokens N")


def _load(run: MeasuredRun, cached_tokens: int | None, seed: int) -> Load:
    if cached_tokens is None:
        return workload(run, seed=seed)
    return workload(run, cached=False, shared_tokens=cached_tokens, seed=seed)


def _in_a_circle(log: RequestLog, physics: Physics, clients: int) -> dict:
    """The log of requests that were all there at once, as ``clients`` see it who take turns.

    A request begins when it is admitted; where that many clients would then ask too often, the rest
    of the round (Little's law) is a wait for a place.
    """
    ok = log.ok
    later_s = physics.edge_s + physics.late_steps * np.nan_to_num(log.tpot_s[ok])
    e2e_s = log.finish_s[ok] - log.admitted_s[ok] + later_s
    ttft_s = log.first_token_s[ok] - log.admitted_s[ok] + later_s
    served_per_s = ok.sum() / log.finish_s[ok].max()
    wait_s = max(0.0, clients / served_per_s - e2e_s.mean())
    columns = {"e2e_s": e2e_s + wait_s, "ttft_s": ttft_s + wait_s, "tpot_s": log.tpot_s[ok]}
    said = {name: quantiles(column) for name, column in columns.items()}
    return said | {"requests_per_s": float(clients / (e2e_s + wait_s).mean()), "gave_up": 0.0}
