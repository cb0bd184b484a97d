"""What the simulator says of a load test, in the nouns of a measured one."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.ground import arguments
from labutils.llm.layouts import Deployment, Hosts, Layout, Rates
from labutils.metrics import RequestLog, RequestStatus
from labutils.metrics.columns import TIMES
from labutils.serving.runs.run import ServingRun
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.simulator import simulate

from .measured_run import MeasuredRun, MeasuredStage, quantiles
from .offered_load import PAGE_TOKENS, Load, workload

_COLUMNS = (*TIMES, "output_tokens", "status")


@dataclass(frozen=True, kw_only=True)
class Physics:
    """What a roofline does not know of an engine and its way to the client.

    ``bandwidth_share`` of the memory's peak, ``per_layer_s`` for kernels that neither read nor
    multiply, ``late_steps`` that a newcomer misses since they were handed over already, ``edge_s``
    between engine and client, and the shares of arithmetic and of memory. Caches of grouped heads
    are read at ``grouped_share`` of that bandwidth. A weight takes ``bytes_per_weight``.
    ``per_step_s`` and ``per_sequence_s`` are other forms of overhead, tried in
    ``benchmarks/real_runs.py``.
    """

    bandwidth_share: float = 0.8
    per_layer_s: float = 0.0
    late_steps: int = 0
    edge_s: float = 0.0
    flops_share: float = 0.5
    usable_share: float = 0.9
    grouped_share: float = 1.0
    bytes_per_weight: float = 2.0
    per_step_s: float = 0.0
    per_sequence_s: float = 0.0


@dataclass(frozen=True, eq=False)
class Prediction:
    """A simulated load test: ``served`` as the engine's log has it, ``seen`` as a client does."""

    measured: MeasuredRun
    load: Load
    served: ServingRun
    seen: ServingRun

    @cached_property
    def run(self) -> MeasuredRun:
        """The prediction in the form of a measurement."""
        stages = tuple(
            _as_stage(stage, _rows(self.seen.log, self.load.stage == number))
            for number, stage in enumerate(self.measured.stages)
        )
        return replace(self.measured, source="simulated", stages=stages)


def simulate_run(
    run: MeasuredRun,
    physics: Physics,
    load: Load | None = None,
    *,
    cost: StepCost | None = None,
    pages: int | None = None,
    patience_s: float | None = None,
) -> Prediction:
    """Serve the load of ``run`` on the simulator.

    ``load`` is that of ``workload(run)`` unless it is given; so are ``cost``, by default the
    roofline with ``physics``, and ``pages``, the room that the weights leave. Requests that end
    without an answer, such as those whose ``patience_s`` is over, are left out of the latencies
    and counted as failed.
    """
    load = workload(run) if load is None else load
    if pages is None:
        pages = pages_of(run, physics)
    pool = PagePool(pages, PAGE_TOKENS)
    scheduler = Scheduler(run.max_running, pool, token_budget=run.token_budget, chunked=True)
    longest = int(load.trace.output_tokens.max())
    served = simulate(
        load.trace,
        scheduler,
        cost_of(run, physics) if cost is None else cost,
        max_output_tokens=longest,
        patience_s=patience_s,
        compiled=True,
    )
    seen = served.seen_from_outside(edge_s=physics.edge_s, late_steps=physics.late_steps)
    return Prediction(run, load, served, seen)


def pages_of(run: MeasuredRun, physics: Physics) -> int:
    """Pages that the weights leave room for; ``ValueError`` where there is none."""
    place = Deployment(
        model=llm.model(run.model),
        layout=Layout(tp=run.tp),
        hosts=Hosts(device=llm.accelerator(run.device)),
        rates=Rates(
            bandwidth_share=physics.bandwidth_share,
            flops_share=physics.flops_share,
            usable_share=physics.usable_share,
            bytes_per_weight=physics.bytes_per_weight,
        ),
    )
    pages = place.kv_tokens_per_copy() // PAGE_TOKENS
    if not pages:
        raise ValueError(f"{run.model} does not fit: {run.tp} x {run.device}")
    return pages


def cost_of(run: MeasuredRun, physics: Physics) -> StepCost:
    """Seconds of a step of ``run``'s engine."""
    model = llm.model(run.model)
    cost = StepCost.from_roofline(
        model,
        llm.accelerator(run.device),
        tp=run.tp,
        bytes_per_weight=physics.bytes_per_weight,
        bandwidth_share=physics.bandwidth_share,
        flops_share=physics.flops_share,
        per_layer_s=physics.per_layer_s,
        overhead_s=physics.per_step_s,
        per_sequence_s=physics.per_sequence_s,
    )
    if model.num_kv_heads == model.num_heads:
        return cost
    share = arguments.share("grouped_share", physics.grouped_share)
    return replace(cost, per_context_token_s=cost.per_context_token_s / share)


def _as_stage(stage: MeasuredStage, log: RequestLog) -> MeasuredStage:
    late = log.status == RequestStatus.TIMED_OUT
    return replace(
        stage,
        failed=int((~log.ok).sum()),
        ttft_s=quantiles(log.ttft_s[log.ok]),
        e2e_s=quantiles(log.e2e_s[log.ok]),
        reported_output_tokens=quantiles(log.output_tokens[log.ok]),
        reported_tpot_s=quantiles(log.tpot_s[log.ok]),
        reported_itl_s={},
        failed_after_s=quantiles(log.e2e_s[late]),
        log=log,
    )


def _rows(log: RequestLog, keep: np.ndarray) -> RequestLog:
    return RequestLog(**{name: getattr(log, name)[keep] for name in _COLUMNS})
