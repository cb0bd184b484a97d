"""The serving engines on a fixed job: against transformers, and as a share of the machine's floor.

Two of them: the plain engine, and the fast one around it. Both get packed weights.

On a machine with a GPU the GPU job runs as well (``benchmarks.gpu_job``).
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass

from labutils.measure import (
    CopyBandwidth,
    Machine,
    MachineProfile,
    MatrixRate,
    copy_bandwidth,
    matrix_rate,
)

from . import gpu_job, peers
from .jobs import SMALL, WIDE, Job, ragged_job
from .registry import Goal, Row, Settings, Unavailable, benchmark
from .timing import Contender, Timing, side_by_side

PEERS = {"generate": "transformers generate", "continuous": "transformers continuous batching"}
OURS = {"plain": "engine", "fast": "fast engine"}


@dataclass(frozen=True)
class EngineSettings:
    """How both engines run the job; the memory is enough for everybody."""

    max_sequences: int = 64
    token_budget: int = 512
    page_tokens: int = 16
    num_pages: int = 2048


@dataclass(frozen=True)
class Goals:
    """Times as fast as each peer, and the share of the floor. They hold for both engines."""

    generate: float
    continuous: float
    floor: float | None = None


@benchmark
def small_shape(settings: Settings) -> Iterator[Row]:
    """Engines, 4 layers × 256: 64 ragged requests, the same tokens as transformers"""
    job = ragged_job(SMALL, settings.choose(64, 8))
    yield from _against_peers(job, settings, Goals(4.0, 3.0))


@benchmark
def wide_shape(settings: Settings) -> Iterator[Row]:
    """Engines, 12 layers × 768: the same job cut to 24 requests"""
    job = ragged_job(WIDE, settings.choose(24, 3))
    yield from _against_peers(job, settings, Goals(3.63, 2.47, floor=0.63))


@benchmark
def on_a_gpu(settings: Settings) -> Iterator[Row]:
    """Engine on a GPU: 256 requests, host and device time, GB/s of each attention path"""
    import torch

    if not torch.cuda.is_available():
        raise Unavailable("no GPU here; what runs above is the CPU job, and no GPU figure exists")
    yield from gpu_job.rows(gpu_job.record(device="cuda", quick=settings.quick))


def _against_peers(job: Job, settings: Settings, goals: Goals) -> Iterator[Row]:
    theirs = peers.qwen3(job.spec)
    model = _same_weights(theirs)
    ours, static, paged = EngineSettings(), peers.StaticSettings(), peers.ContinuousSettings()
    work = job.prompts, job.lengths
    last: dict[str, object] = {}
    calls = {
        "plain": lambda: serve("plain", model, job, ours),
        "fast": lambda: serve("fast", model, job, ours),
        "generate": lambda: peers.generate(theirs, *work, static),
        "continuous": lambda: peers.continuous(theirs, *work, paged),
    }
    rates = Rates()
    contenders = {name: Contender(_noted(last, name, call)) for name, call in calls.items()}
    timings = side_by_side(
        {**contenders, "rates": Contender(rates.measure)}, rounds=settings.choose(3, 1)
    )
    del timings["rates"]
    differing = sum(
        peers.differ(theirs, job.prompts, answers_of(last[kind]), last[peer])
        for kind in OURS
        for peer in PEERS
    )
    goals = None if settings.quick else goals
    yield from _rates(job, timings, ours, static, paged)
    yield from _ratios(timings, goals)
    yield Row("  answers that differ from a peer's", differing, "", goal=Goal(0))
    yield from _shares(job, ours, timings, rates.best(), goals)
    yield _outside(last["fast"])


def _noted(last: dict[str, object], name: str, call: Callable[[], object]) -> Callable[[], None]:
    """``call``; what it returned stands in ``last[name]``."""
    return lambda: last.update({name: call()})


def serve(kind: str, model, job: Job, settings: EngineSettings):
    """An engine, "plain" or "fast", that has served the whole job; nothing may have gone wrong."""
    from labutils.engine import Engine
    from labutils.serving.fast import FastEngine

    engine = {"plain": Engine, "fast": FastEngine}[kind](model, **asdict(settings))
    for row, (prompt, length) in enumerate(zip(job.prompts, job.lengths)):
        engine.add_request(prompt, max_output_tokens=length, id=row)
    engine.run()
    engine.check()
    assert all(request.finish_reason == "length" for request in engine.requests.values())
    return engine


def answers_of(engine) -> list[list[int]]:
    """The tokens of every answer, in the order of the job."""
    return [engine.requests[row].answer for row in range(len(engine.requests))]


def _same_weights(theirs):
    """Our model with the weights of transformers' one, packed once for all engines."""
    from labutils.serving.checkpoints import load_hf_state, model_from_config
    from labutils.serving.fast.packed_linear import packed

    config = json.loads(theirs.config.to_json_string())
    return packed(load_hf_state(model_from_config(config), theirs.state_dict()))


class Rates:
    """What the machine copies and multiplies per second, measured in each round.

    The best of all rounds count: by those of a busy moment an engine beats the floor.
    """

    def __init__(self) -> None:
        self.copies: list[CopyBandwidth] = []
        self.products: list[MatrixRate] = []

    def measure(self) -> None:
        """Once more."""
        self.copies.append(copy_bandwidth())
        self.products.append(matrix_rate())

    def best(self) -> MachineProfile:
        """A profile of the fastest copy and the fastest product."""
        copy, product = (
            max(each, key=lambda one: one.per_s) for each in (self.copies, self.products)
        )
        profile = MachineProfile(Machine.here())
        return profile.with_copy_bandwidth(copy).with_matrix_rate(product)


def _rates(job: Job, timings: dict[str, Timing], ours, static, paged) -> Iterator[Row]:
    notes = {"plain": ours, "fast": ours, "generate": static, "continuous": paged}
    for name, timing in timings.items():
        best, median = (job.output_tokens / ns * 1e9 for ns in (timing.best_ns, timing.median_ns))
        label = {**OURS, **PEERS}[name]
        yield Row(label, best, "tok/s", median, note=f"{notes[name]}; {job}")


def _ratios(timings: dict[str, Timing], goals: Goals | None) -> Iterator[Row]:
    for kind, ours in OURS.items():
        for name, label in PEERS.items():
            best, median = timings[name].times_slower_than(timings[kind])
            goal = None if goals is None else Goal(getattr(goals, name), at_least=True)
            yield Row(f"  {ours} / {label}", best, "×", median, goal)


def _shares(job: Job, ours: EngineSettings, timings, profile: MachineProfile, goals):
    """Of the floor, by the best rates that the machine showed meanwhile."""
    from labutils.serving.trials import memory_floor

    copy, matrix = profile.copy_bandwidth_bytes_per_s, profile.matrix_flops_per_s
    floor = memory_floor(
        job.spec,
        job.trace,
        profile,
        max_sequences=ours.max_sequences,
        token_budget=ours.token_budget,
    )
    limit = None if goals is None or goals.floor is None else Goal(goals.floor, at_least=True)
    rates = f"by {copy / 1e9:.3g} GB/s and {matrix / 1e9:.3g} GFLOP/s, measured beside it"
    for kind, label in OURS.items():
        runs = timings[kind].best_ns, timings[kind].median_ns
        best, median = (floor.share(ns / 1e9) for ns in runs)
        yield Row(f"  {label}: share of the machine's floor", best, "", median, limit, rates)


def _outside(engine) -> Row:
    """The share of a step that is not the model's."""
    outside = sum(step.schedule_s + step.host_s for step in engine.steps)
    whole = outside + sum(step.device_s for step in engine.steps)
    return Row("  fast engine: scheduler and host, share of a step", outside / whole, "")
