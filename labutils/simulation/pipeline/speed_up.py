"""What a faster stage is worth under load: the same requests once more, beside Amdahl's law."""

from dataclasses import dataclass, field

from labutils.ground.arguments import positive, whole
from labutils.laws.scaling import amdahl_ceiling, amdahl_speedup
from labutils.metrics.latency import percentile
from labutils.simulation.pipeline.pipeline_run import PipelineRun, run_pipeline
from labutils.simulation.pipeline.plan import column_of, with_stage


@dataclass(frozen=True, eq=False)
class SpeedUp:
    """Old time over new time, for the mean, the median and the p99 of the sojourn times.

    ``share`` is the stage's share of the mean, its waiting included; ``amdahl`` and ``ceiling`` are
    what Amdahl's law makes of it, for the factor and for any factor. The gains may exceed both: a
    faster stage also empties its queue. They may fall short too: where the stage runs beside a
    slower one, and where it held back the queue of a stage behind it. ``before`` and ``after``
    are the two runs.
    """

    stage: str
    factor: float
    mean: float
    p50: float
    p99: float
    share: float
    amdahl: float
    ceiling: float
    before: PipelineRun = field(repr=False)
    after: PipelineRun = field(repr=False)

    def waits_moved_s(self) -> dict[str, float]:
        """By how many seconds the mean wait before each stage changed."""
        waits = [run.waiting_time_s.mean(axis=0) for run in (self.before, self.after)]
        names = [stage.name for stage in self.before.stages]
        return dict(zip(names, (waits[1] - waits[0]).tolist()))


def what_if(
    run: PipelineRun,
    stage: str,
    factor: float = 1.0,
    *,
    more_servers: int = 0,
    warm_up: float = 0.1,
) -> SpeedUp:
    """Run the same requests with one stage ``factor`` times as fast, or with more servers there.

    Arrivals and draws are the same (common random numbers), so the gains differ from 1 by the stage
    alone. Amdahl's law sees the factor only: a second server makes no request's work shorter, and
    what it takes from the waits is not in the law. ``warm_up`` is the share of first requests that
    both sides leave out.

    Raises ``ValueError`` for a stage that the run has not, or a factor that is not above 0.
    """
    speed = positive("factor", factor)
    extra = whole("more_servers", more_servers, at_least=0)
    column = column_of(run.plan, stage)
    plan = with_stage(run.plan, stage, servers=run.stages[column].servers + extra)
    services = run.service_s.copy()
    services[:, column] /= speed
    before = run.steady(warm_up)
    after = run_pipeline(plan, run.arrival_s, services).steady(warm_up)
    old, new = _figures(before), _figures(after)
    share = min(1.0, before.shares()[stage])
    gains = {name: old[name] / new[name] for name in old}
    law = {"amdahl": amdahl_speedup(share, speed), "ceiling": amdahl_ceiling(share)}
    return SpeedUp(stage, speed, **gains, share=share, **law, before=before, after=after)


def _figures(run: PipelineRun) -> dict[str, float]:
    p50, p99 = percentile(run.sojourn_time_s, [0.5, 0.99]).tolist()
    return {"mean": float(run.sojourn_time_s.mean()), "p50": p50, "p99": p99}
