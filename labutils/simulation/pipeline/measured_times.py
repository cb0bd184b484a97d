"""A pipeline made of measured stage times: its stages, and services drawn from real requests."""

from collections.abc import Mapping

import numpy as np

from labutils.ground.arguments import whole
from labutils.laws.queueing import Stage
from labutils.metrics.latency.stage_samples import columns_of
from labutils.simulation.draws.draw_checks import generator
from labutils.simulation.pipeline.plan import stages_of


def measured_stages(
    stage_times: Mapping[str, object], *, servers: Mapping[str, int] | None = None
) -> dict[str, Stage]:
    """A ``Stage`` for each name, with the mean and the spread of its measured times in seconds.

    ``stage_times`` maps names to what each request took there, measured where nobody waited: a
    wait inside a span would be simulated a second time. ``servers`` says how many a stage has,
    where it is not one. Put the stages together as they stand: ``[s["embed"], Parallel(…)]``.

    Raises ``ValueError`` for times that are no sample, and for servers of an unknown stage.
    """
    names, times = columns_of(stage_times)
    known = dict(servers or {})
    if unknown := sorted(set(known) - set(names)):
        raise ValueError(f"servers = {unknown[0]!r}: expected one of {', '.join(names)}")
    means = times.mean(axis=0)
    return {
        name: Stage(name, mean, servers=known.get(name, 1), scv=variance / mean**2 if mean else 0.0)
        for name, mean, variance in zip(names, means.tolist(), times.var(axis=0).tolist())
    }


def resampled_services(
    plan, stage_times: Mapping[str, object], n: int, rng: np.random.Generator
) -> np.ndarray:
    """Service times of ``n`` requests, requests × stages, each row one of the measured requests.

    Rows are drawn whole, with replacement: a request that was slow at two stages is so here too,
    which independent draws for each stage would lose. The columns follow the plan.

    Raises ``ValueError`` where a stage of the plan was not measured.
    """
    names, times = columns_of(stage_times)
    wanted = [stage.name for stage in stages_of(plan)]
    if missing := [name for name in wanted if name not in names]:
        raise ValueError(f"stage_times: no times of {missing[0]!r}, only of {', '.join(names)}")
    rows = generator("rng", rng).integers(len(times), size=whole("n", n))
    return times[rows][:, [names.index(name) for name in wanted]]
