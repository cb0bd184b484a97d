"""The serving engine on a fixed job: against transformers, and as a share of the machine's floor.

On a machine with a GPU the GPU job runs as well (``benchmarks.gpu_job``).
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from labutils.measure import Machine, MachineProfile, copy_bandwidth, matrix_rate

from . import gpu_job, peers
from .jobs import SMALL, WIDE, Job, ragged_job
from .registry import Goal, Row, Settings, Unavailable, benchmark
from .timing import Contender, Timing, side_by_side

PEERS = {"generate": "transformers generate", "continuous": "transformers continuous batching"}


@dataclass(frozen=True)
class EngineSettings:
    """How the engine runs the job; the memory is enough for everybody."""

    max_sequences: int = 64
    token_budget: int = 512
    page_tokens: int = 16
    num_pages: int = 2048
    attention: str = "auto"


@dataclass(frozen=True)
class Goals:
    """Times as fast as each peer, and the share of the floor."""

    generate: float
    continuous: float
    floor: float | None = None


@benchmark
def small_shape(settings: Settings) -> Iterator[Row]:
    """Engine, 4 layers × 256: 64 ragged requests, the same tokens as transformers"""
    job = ragged_job(SMALL, settings.choose(64, 8))
    yield from _against_peers(job, settings, Goals(2.5, 2.5))


@benchmark
def wide_shape(settings: Settings) -> Iterator[Row]:
    """Engine, 12 layers × 768: the same job cut to 24 requests"""
    job = ragged_job(WIDE, settings.choose(24, 3))
    yield from _against_peers(job, settings, Goals(1.5, 1.3, floor=0.45))


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
    timings = side_by_side(
        {
            "engine": Contender(lambda: last.update(engine=serve(model, job, ours))),
            "generate": Contender(
                lambda: last.update(generate=peers.generate(theirs, *work, static))
            ),
            "continuous": Contender(
                lambda: last.update(continuous=peers.continuous(theirs, *work, paged))
            ),
        },
        rounds=settings.choose(3, 1),
    )
    engine = last["engine"]
    differing = sum(
        peers.differ(theirs, job.prompts, answers_of(engine), last[peer]) for peer in PEERS
    )
    goals = None if settings.quick else goals
    yield from _rates(job, timings, ours, static, paged)
    yield from _ratios(timings, goals)
    yield Row("  answers that differ from a peer's", differing, "", goal=Goal(0))
    yield from _shares(job, engine, ours, timings["engine"], goals)


def serve(model, job: Job, settings: EngineSettings):
    """An engine that has served the whole job; nothing may have gone wrong."""
    from labutils.serving import Engine

    engine = Engine(model, **asdict(settings))
    for row, (prompt, length) in enumerate(zip(job.prompts, job.lengths)):
        engine.add_request(prompt, max_output_tokens=length, id=row)
    engine.run()
    engine.check()
    assert all(answer.finish_reason == "length" for answer in engine.answers.values())
    return engine


def answers_of(engine) -> list[list[int]]:
    """The tokens of every answer, in the order of the job."""
    return [list(engine.answers[row].tokens) for row in range(len(engine.answers))]


def _same_weights(theirs):
    """Our model with the weights of transformers' one, packed once for all engines."""
    from labutils.serving.checkpoints import load_hf_state, model_from_config
    from labutils.serving.fast.packed_linear import packed

    config = json.loads(theirs.config.to_json_string())
    return packed(load_hf_state(model_from_config(config), theirs.state_dict()))


def _profile_now() -> MachineProfile:
    """Copy bandwidth and matrix rate of this machine at this moment."""
    profile = MachineProfile(Machine.here())
    return profile.with_copy_bandwidth(copy_bandwidth()).with_matrix_rate(matrix_rate())


def _rates(job: Job, timings: dict[str, Timing], ours, static, paged) -> Iterator[Row]:
    notes = {"engine": ours, "generate": static, "continuous": paged}
    for name, timing in timings.items():
        label = PEERS.get(name, "engine")
        best, median = (job.output_tokens / ns * 1e9 for ns in (timing.best_ns, timing.median_ns))
        yield Row(label, best, "tok/s", median, note=f"{notes[name]}; {job}")


def _ratios(timings: dict[str, Timing], goals: Goals | None) -> Iterator[Row]:
    for name, label in PEERS.items():
        best, median = timings[name].times_slower_than(timings["engine"])
        goal = None if goals is None else Goal(getattr(goals, name), at_least=True)
        yield Row(f"  engine / {label}", best, "×", median, goal)


def _shares(job: Job, engine, ours: EngineSettings, timing: Timing, goals) -> Iterator[Row]:
    """Of the floor, by rates measured now; and of the step that is not the model's."""
    from labutils.serving.trials import memory_floor

    profile = _profile_now()
    copy, matrix = profile.copy_bandwidth_bytes_per_s, profile.matrix_flops_per_s
    floor = memory_floor(
        job.spec,
        job.trace,
        profile,
        max_sequences=ours.max_sequences,
        token_budget=ours.token_budget,
    )
    limit = None if goals is None or goals.floor is None else Goal(goals.floor, at_least=True)
    best, median = (floor.share(ns / 1e9) for ns in (timing.best_ns, timing.median_ns))
    rates = f"by {copy / 1e9:.3g} GB/s and {matrix / 1e9:.3g} GFLOP/s, measured beside it"
    yield Row("  share of the machine's floor", best, "", median, limit, rates)
    outside = sum(step.schedule_s + step.host_s for step in engine.steps)
    whole = outside + sum(step.device_s for step in engine.steps)
    yield Row("  scheduler and host, share of a step", outside / whole, "")
