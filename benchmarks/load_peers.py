"""AIPerf and GuideLLM beside the course's load generator: the same questions, one after another.

All three have one user, who asks without a pause, each time over a new connection, so that no
generator's own way of drawing arrivals is compared. All begin TTFT when they send and end it at the
first chunk with text. TPOT is the time from first to last such chunk: the peers divide it by the
tokens that the server counted, less one, and ours by the chunks that it saw, less one. (AIPerf
0.13.0, ``transports/aiohttp_client.py`` and ``metrics/types/``; GuideLLM 0.8.1, its
``inter_token_latency``.) The machine has to be quiet: the generators share it with the server, and
slow it down unequally. So each is compared with what the server says of its requests, too.
(GuideLLM is given no temperature, so the answers to it are drawn, and those to the others greedy.)
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import httpx

from labutils import datafile
from labutils.loadtest import LoadPlan, RequestKind, Target, closed_plan, run_load
from labutils.loadtest.plans.planned_request import PlannedRequest
from labutils.metrics import RequestLog
from labutils.metrics.latency import percentile

from .registry import Goal, Row, Settings, Unavailable, benchmark
from .soak import served

PORT, TOKENS = 8_219, 48
URL = f"http://127.0.0.1:{PORT}"
PROMPT = "In run {} question {} is why a queue grows when more comes than can be served"
SAMPLE = {"ignore_eos": True, "temperature": 0}
COMPARED = ("TTFT p50", "TPOT p50", "TPOT mean")


@benchmark
def aiperf(settings: Settings) -> Iterator[Row]:
    """TTFT and TPOT as AIPerf and our generator see them"""
    yield from _compared("AIPerf", _found("aiperf", "aiperf==0.13.0"), _aiperf, settings)


@benchmark
def guidellm(settings: Settings) -> Iterator[Row]:
    """TTFT and TPOT as GuideLLM and our generator see them"""
    yield from _compared("GuideLLM", _found("guidellm", "guidellm==0.8.1"), _guidellm, settings)


def _found(name: str, package: str) -> str:
    program = shutil.which(name)
    if program is None:
        where = f"pip install {package} into an environment of its own"
        raise Unavailable(f"no {name} on the path: {where}")
    return program


def _compared(peer: str, program: str, theirs: Callable, settings: Settings) -> Iterator[Row]:
    seconds, seen = settings.choose(12, 4), {"ours": [], peer: []}
    with served(PORT):
        for number in range(settings.choose(3, 1)):  # words of their own: no prefix is found again
            seen["ours"].append(_beside_the_server(_ours, _plan(seconds, seed=2 * number)))
            with tempfile.TemporaryDirectory(prefix="load-peer-") as folder:
                asks = partial(theirs, program, Path(folder))
                seen[peer].append(_beside_the_server(asks, _plan(seconds, seed=2 * number + 1)))
    for who, runs in seen.items():
        off = [100 * abs(one["TPOT mean"] / one["server"] - 1) for one in runs]
        note = "runs: " + ", ".join(f"{one:.2f}" for one in off)
        goal = Goal(5)
        yield Row(f"TPOT mean, {who} against the server's", max(off), "%", note=note, goal=goal)
    for name in COMPARED[:2]:
        for who, runs in seen.items():
            note = "runs: " + ", ".join(f"{one[name]:.2f}" for one in runs)
            yield Row(f"{name}, {who}", _middle(runs, name), "ms", note=note)
        apart = 100 * abs(_middle(seen[peer], name) / _middle(seen["ours"], name) - 1)
        yield Row(f"  {name}, apart", apart, "%", goal=Goal(5))


def _beside_the_server(asks: Callable[[LoadPlan], dict], plan: LoadPlan) -> dict[str, float]:
    """What a generator says, and the server's mean TPOT of the same requests."""
    spent_s, count = _spent()
    told = asks(plan)
    after_s, after = _spent()
    return told | {"server": 1e3 * (after_s - spent_s) / (after - count)}


def _spent() -> tuple[float, float]:
    """Sum and number of the times per token that the server has counted."""
    lines = httpx.get(f"{URL}/metrics").text.splitlines()
    name = "vllm:request_time_per_output_token_seconds_"
    return tuple(
        sum(float(line.split()[-1]) for line in lines if line.startswith(f"{name}{part}"))
        for part in ("sum", "count")
    )


def _middle(runs: list[dict], name: str) -> float:
    return sorted(one[name] for one in runs)[len(runs) // 2]


def _plan(seconds: float, seed: int) -> LoadPlan:
    """One user, who asks one question after another."""
    drawn = closed_plan(1, seconds, [RequestKind()], seed=seed)
    requests = [
        PlannedRequest(id=r.id, at_s=r.at_s, max_tokens=TOKENS, prompt=PROMPT.format(seed, r.id))
        for r in drawn.requests
    ]
    return replace(drawn, requests=requests)


def _ours(plan: LoadPlan) -> dict[str, float]:
    log = RequestLog.of(run_load(plan, Target(URL, extra=SAMPLE)).records)
    found = percentile(log.ttft_from_send_s, 0.5), percentile(log.tpot_s, 0.5), log.tpot_s.mean()
    return {name: 1e3 * float(one) for name, one in zip(COMPARED, found)}


def _aiperf(program: str, folder: Path, plan: LoadPlan) -> dict[str, float]:
    _write(folder, [{"text": request.prompt} for request in plan.requests])
    options = {
        "model": "course", "url": URL, "endpoint-type": "completions", "concurrency": "1",
        "tokenizer": str(datafile("checkpoints/target")), "input-file": "questions.jsonl",
        "custom-dataset-type": "single_turn", "connection-reuse-strategy": "never",
        "ui": "none", "artifact-dir": str(folder), "workers-max": "1", "record-processors": "1",
        "benchmark-duration": f"{plan.seconds:g}",
    }  # fmt: skip
    flags = ["streaming", "use-server-token-count", "no-gpu-telemetry", "no-server-metrics"]
    command = [program, "profile", *(f"--{flag}" for flag in flags), *_words(options)]
    for name, value in {**SAMPLE, "max_tokens": TOKENS}.items():
        command += ["--extra-inputs", f"{name}:{json.dumps(value)}"]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    told = json.loads((folder / "profile_export_aiperf.json").read_text())
    first, between = told["time_to_first_token"], told["inter_token_latency"]
    return dict(zip(COMPARED, (first["p50"], between["p50"], between["avg"])))


def _guidellm(program: str, folder: Path, plan: LoadPlan) -> dict[str, float]:
    _write(folder, [{"prompt": r.prompt, "output_tokens_count": TOKENS} for r in plan.requests])
    options = {
        "backend": f"kind=openai_http,target={URL},model=course,request_format=/v1/completions",
        "data": "kind=json_file,path=questions.jsonl", "profile": "kind=synchronous",
        "constraint": f"kind=max_duration,seconds={plan.seconds:g}",
        "output": "kind=json,path=told.json",
    }  # fmt: skip
    command = [program, "run", "--disable-progress", *_words(options)]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=offline)
    told = json.loads((folder / "told.json").read_text())["benchmarks"][0]["metrics"]
    names = "time_to_first_token_ms", "inter_token_latency_ms"
    first, between = (told[name]["successful"] for name in names)
    medians = (one["percentiles"]["p50"] for one in (first, between))
    return dict(zip(COMPARED, (*medians, between["mean"])))


def _write(folder: Path, questions: list[dict]) -> None:
    lines = "".join(f"{json.dumps(question)}\n" for question in questions)
    (folder / "questions.jsonl").write_text(lines)


def _words(options: dict[str, str]) -> list[str]:
    return [word for name, value in options.items() for word in (f"--{name}", value)]
