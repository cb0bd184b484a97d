"""Lab 8's prediction, many times: simulated and measured latency of a server across HTTP."""

from collections.abc import Iterator

import torch

from labutils.exercises.catalog.streaming_server import lab8_loads as load
from labutils.loadtest import Arrivals, open_plan, run_load
from labutils.metrics import RequestLog
from labutils.server import Server
from labutils.serving.trials import Calibration, calibrate

from .registry import Goal, Row, Settings, benchmark

SHARES = (0.5, 0.7)
WITHIN = {"p50": 0.10, "p90": 0.20}


@benchmark
def prediction(settings: Settings) -> Iterator[Row]:
    """TTFT and TPOT at 0.5 and 0.7 of capacity: said by the simulator, then measured"""
    torch.set_num_threads(1)  # as in the lab
    runs, quiet = settings.choose(10, 1), []
    for seed in range(runs):
        errors, alone = _errors(seed, settings)
        worst = {q: max((abs(e), name) for name, e in errors.items() if q in name) for q in WITHIN}
        if not alone.is_noisy:
            quiet.append(all(worst[q][0] <= limit for q, limit in WITHIN.items()))
        (p50, where), (p90, there) = worst["p50"], worst["p90"]
        noise = f"calibrations differ by {100 * alone.noise:.2g} %"
        note = f"{where}; p90 {100 * p90:.1f} % ({there}); {noise}"
        yield Row(f"run {seed}: p50 off by at most", 100 * p50, "%", note=note)
    yield Row("runs on a quiet machine", len(quiet), f"of {runs}")
    if quiet:
        share = 100 * sum(quiet) / len(quiet)
        goal = Goal(80, at_least=True)
        yield Row("  of these: p50 within 10 %, p90 within 20 %", share, "%", goal=goal)


def _errors(seed: int, settings: Settings) -> tuple[dict[str, float], Calibration]:
    """Relative errors by the name of the figure, and the engine's calibration alone."""
    alone = calibrate(
        load.engine, seconds=settings.choose(4, 1), longest_prompt=48, longest_answer=32,
        most_sequences=16, seed=seed,
    )  # fmt: skip
    bursts = load.bursts((1, 2, 4, 8, 16), settings.choose(4, 1))
    wire = load.Wire.fitted(_carried(bursts).records, alone.cost)
    cost = wire.on(alone.cost)
    errors = {}
    for share in SHARES:
        arrivals = Arrivals.poisson(share * load.capacity_per_s(cost))
        plan = open_plan(arrivals, settings.choose(8, 2), [load.kind()], seed=seed)
        said = load.figures(load.simulated(plan, cost), wire_s=wire.request_s)
        found = load.figures(RequestLog.of(_carried(plan).records))
        errors |= {f"{share} {name}": said[name] / found[name] - 1 for name in found}
    return errors, alone


def _carried(plan):
    with Server(load.engine()).running() as url:
        return run_load(plan, load.target(url), processes=2)
