"""The GPU job: the 256-request workload on three shapes, and the bandwidth of each attention path.

``record`` returns what was measured as JSON-ready data and writes it under ``data/gpu_runs/``, from
where the labs show it. ``data/gpu_runs/README.md`` explains each field.
"""

import cProfile
import json
import pstats
import shlex
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from labutils import llm
from labutils.measure import Machine, MachineProfile, copy_bandwidth, matrix_rate

from . import machine
from .jobs import Job, nano_vllm_job
from .registry import Goal, Row

FOLDER = Path(__file__).resolve().parents[1] / "data" / "gpu_runs"
SHAPES = {"Qwen3-0.6B": 0.50, "Llama-3.2-1B": 0.40, "Llama-3.1-8B": 0.60}
"""Models by shape, random weights in bf16, and the share of the floor that is the goal."""

PAGE_TOKENS, MAX_SEQUENCES, TOKEN_BUDGET = 16, 256, 8192
SMALL_POOL = 0.4
"""Pages of the second run, as a share of what the first one used at most: some must give way."""

PATHS = ("gather", "triton", "flex")
BATCHES, CONTEXTS = (8, 32, 128, 256), (256, 1024, 4096)


def record(*, device: str, quick: bool = False, folder: Path = FOLDER, specs=None) -> dict:
    """Measure everything on ``device``, write it into ``folder`` and return it.

    ``quick`` takes 16 requests, one shape and fewer batches. ``specs`` are the models instead of
    ``SHAPES``, for trying the job out where those do not fit.
    """
    specs = specs or [llm.model(name) for name in list(SHAPES)[: 1 if quick else None]]
    requests = 16 if quick else 256
    profile = _profile(device)
    document = {
        **_header(device, profile),
        "quick": quick,
        "runs": [
            run for spec in specs for run in _runs(nano_vllm_job(spec, requests), device, profile)
        ],
        "host": _host(nano_vllm_job(specs[0], requests), device),
        "attention": [],
    }
    folder.mkdir(parents=True, exist_ok=True)
    for point in _attention(specs[0], device, quick):
        document["attention"].append(point)
        _write(document, folder)
    return document


def _write(document: dict, folder: Path) -> None:
    """After every point: what was measured stands, whatever becomes of the next one."""
    stamp = document["date"].replace(":", "").replace("+0000", "Z")
    text = json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / f"{stamp}.json").write_text(text + "\n", encoding="utf-8")


def rows(document: dict) -> Iterator[Row]:
    """The record as rows of the table."""
    for run in document["runs"]:
        goal = SHAPES.get(run["model"]) if not document["quick"] and run["pool"] == "full" else None
        limit = None if goal is None else Goal(goal, at_least=True)
        name = f"{run['model']}, {run['pool']} pool"
        note = f"{run['preemptions']} preemption{'s' * (run['preemptions'] != 1)}"
        yield Row(name, run["output_tokens_per_s"], "tok/s", note=note)
        yield Row("  share of the memory-traffic floor", run["floor_share"], "", goal=limit)
        yield Row("  host and scheduler, by device time", run["host_by_device"], "")
    for point in document["attention"]:
        where = f"{point['path']}, batch {point['batch']}, context {point['context']}"
        yield Row(f"attention, {where}", point["gb_per_s"], "GB/s")


def _header(device: str, profile: MachineProfile) -> dict:
    import torch

    return {
        "device": str(Machine.here(device).gpu or Machine.here(device).cpu),
        "kind": device,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join(["python", "-m", "benchmarks", *sys.argv[1:]]),
        "cuda": torch.version.cuda,
        "machine": machine.describe(),
        "copy_gb_per_s": profile.copy_bandwidth_bytes_per_s / 1e9,
        "matrix_tflop_per_s": profile.matrix_flops_per_s / 1e12,
    }


def _profile(device: str) -> MachineProfile:
    dtype = "bfloat16" if device == "cuda" else "float32"
    profile = MachineProfile(Machine.here(device)).with_copy_bandwidth(copy_bandwidth(device))
    return profile.with_matrix_rate(matrix_rate(device, dtype=dtype))


def _runs(job: Job, device: str, profile: MachineProfile) -> Iterator[dict]:
    """The job with pages for everybody, then with too few of them."""
    model = _model(job.spec, device)
    _served(model, _first(job, 8), _enough(job))  # compiles, captures, warms up
    full = _run(model, job, "full", _enough(job), profile)
    yield full
    few = max(_pages_of_one(job), int(SMALL_POOL * full["most_pages_in_use"]))
    yield _run(model, job, "small", few, profile)


def _model(spec, device: str):
    import torch

    from labutils.engine.model import LlamaModel

    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    return LlamaModel(spec, dtype=dtype, device=device)


def _pages_of_one(job: Job) -> int:
    longest = max(len(prompt) + length for prompt, length in zip(job.prompts, job.lengths))
    return -(-longest // PAGE_TOKENS)


def _enough(job: Job) -> int:
    """Pages for everybody that may run at a time."""
    return MAX_SEQUENCES * _pages_of_one(job)


def _host(job: Job, device: str) -> list[dict]:
    """Where the host's time goes while it serves ``job``: functions by their own seconds.

    A profiler slows Python down, so compare the shares and not the seconds with ``host_s``.
    """
    model = _model(job.spec, device)
    _served(model, _first(job, 8), _enough(job))
    profile = cProfile.Profile()
    profile.runcall(_served, model, job, _enough(job))
    timed = pstats.Stats(profile).get_stats_profile().func_profiles.items()
    most = sorted(timed, key=lambda one: one[1].tottime, reverse=True)[:15]
    return [{"function": name, "calls": str(of.ncalls), "own_s": of.tottime} for name, of in most]


def _first(job: Job, requests: int) -> Job:
    return Job(job.spec, job.prompts[:requests], job.lengths[:requests])


def _run(model, job: Job, pool: str, num_pages: int, profile) -> dict:
    from labutils.serving.trials import memory_floor

    engine, seconds = _served(model, job, num_pages)
    size = model.embed_tokens.weight.element_size()
    floor = memory_floor(
        job.spec,
        job.trace,
        profile,
        max_sequences=MAX_SEQUENCES,
        token_budget=TOKEN_BUDGET,
        bytes_per_weight=size,
        bytes_per_value=size,
    )
    sums = {
        name: sum(getattr(step, name) for step in engine.steps)
        for name in ("schedule_s", "host_s", "device_s", "preempted")
    }
    return {
        "model": job.spec.name,
        "pool": pool,
        "pages": num_pages,
        "most_pages_in_use": max(step.pages_in_use for step in engine.steps),
        "requests": len(job.prompts),
        "output_tokens": job.output_tokens,
        "seconds": seconds,
        "output_tokens_per_s": job.output_tokens / seconds,
        "floor_s": floor.time_s,
        "floor_share": floor.share(seconds),
        "steps": len(engine.steps),
        "schedule_s": sums["schedule_s"],
        "host_s": sums["host_s"],
        "device_s": sums["device_s"],
        "host_by_device": (sums["schedule_s"] + sums["host_s"]) / sums["device_s"],
        "preemptions": sums["preempted"],
    }


def _served(model, job: Job, num_pages: int):
    """An engine that has served ``job``, and the seconds that it took."""
    from labutils.serving.fast import FastEngine

    engine = FastEngine(
        model,
        num_pages=num_pages,
        page_tokens=PAGE_TOKENS,
        max_sequences=MAX_SEQUENCES,
        token_budget=TOKEN_BUDGET,
    )
    for prompt, length in zip(job.prompts, job.lengths):
        prompt = [token % job.spec.vocab_size for token in prompt]
        engine.add_request(prompt, max_output_tokens=length)
    begin = time.perf_counter()
    engine.run()
    seconds = time.perf_counter() - begin
    engine.check()
    assert all(request.finish_reason == "length" for request in engine.requests.values())
    return engine, seconds


def _attention(spec, device: str, quick: bool) -> Iterator[dict]:
    """GB/s at which each path reads the KV of one layer, for decoding batches of equal rows."""
    from .attention_rate import attention_rate

    batches, contexts = (BATCHES[:2], CONTEXTS[:2]) if quick else (BATCHES, CONTEXTS)
    for path in PATHS if device == "cuda" else PATHS[:1]:
        for batch in batches:
            for context in contexts:
                rate = attention_rate(path, spec, batch, context, PAGE_TOKENS, device)
                yield {"path": path, "batch": batch, "context": context, **rate}
