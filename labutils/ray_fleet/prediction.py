"""What the simulator says of a fleet, with steps as dear as they are while all replicas compute."""

from collections.abc import Callable, Iterable, Sequence

from labutils.engine import Request, Scheduler, page_keys
from labutils.loadtest import LoadPlan
from labutils.serving.replicas import ReplicasRun, serve_replicas
from labutils.serving.runs.step_cost import StepCost
from labutils.serving.trials import calibrate


class _Bench:
    """An engine in a process of its own."""

    def __init__(self, engine: Callable[[], object]):
        import torch

        torch.set_num_threads(1)
        self.engine = engine
        engine()

    def ready(self) -> bool:
        return True

    def cost(self, options: dict) -> StepCost:
        return calibrate(self.engine, **options).cost


def costs_together(engine: Callable[[], object], replicas: int, **options) -> list[StepCost]:
    """The cost of a step of each of so many engines, fitted while all of them compute.

    They share the cores of a machine, so a step costs more than it would alone; ``options`` are
    those of ``calibrate``. It needs half of one of Ray's cores for each, beside the fleet's.
    """
    import ray

    bench = ray.remote(num_cpus=0.5)(_Bench)
    benches = [bench.remote(engine) for _ in range(replicas)]
    try:
        ray.get([one.ready.remote() for one in benches])
        return ray.get([one.cost.remote(options) for one in benches])
    finally:
        for one in benches:
            ray.kill(one)


def predicted(
    plan: LoadPlan, schedulers: Sequence[Scheduler], costs: Sequence[StepCost], router,
    encode: Callable[[str], Iterable[int]],
) -> ReplicasRun:  # fmt: skip
    """``plan`` on a simulated clock: replicas with these schedulers and costs behind ``router``."""
    asked = []
    for one in plan.requests:
        tokens = list(encode(one.asked(one.id)))
        keys = page_keys(tokens, schedulers[0].pool.page_tokens)
        asked.append(Request(one.id, len(tokens), one.max_tokens, one.at_s, keys=keys))
    return serve_replicas(asked, schedulers, costs, router)
