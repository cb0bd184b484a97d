"""AIPerf beside the course's load generator: alike requests, one after the other, one server.

Both begin TTFT before they connect and end it at the first chunk with text. AIPerf begins when it
sends; our reports begin when the request was due, so ours from the send is compared. TPOT is the
time from first to last such chunk: AIPerf divides it by the tokens that the server counted, less
one, and ours by the chunks that it saw, less one. (AIPerf 0.13.0, ``transports/aiohttp_client.py``
and ``metrics/types/``.) The machine has to be quiet: both generators share it with the server.
"""

import json
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from labutils import datafile
from labutils.latency import percentile
from labutils.loadtest import Arrivals, LoadPlan, RequestKind, Target, open_plan, run_load
from labutils.loadtest.plans.planned_request import PlannedRequest
from labutils.metrics import RequestLog

from .registry import Goal, Row, Settings, Unavailable, benchmark
from .soak import served

RATE_PER_S, PORT = 4.0, 8_219
PROMPT = "In run {} question {} is why a queue grows when more comes than can be served"
SAMPLE = {"ignore_eos": True, "temperature": 0}
THEIRS = {"TTFT p50": "time_to_first_token", "TPOT p50": "inter_token_latency"}
LATE = "TTFT p50 from the intended moment"


@benchmark
def load_peers(settings: Settings) -> Iterator[Row]:
    """TTFT and TPOT as AIPerf and our generator see them: a new connection for each request"""
    program = shutil.which("aiperf")
    if program is None:
        raise Unavailable(
            "no aiperf on the path: pip install aiperf==0.13.0 into an environment of its own"
        )
    ours, theirs = [], []
    with served(PORT):
        for number in range(settings.choose(3, 1)):  # words of their own: no prefix is found again
            ours.append(_ours(_plan(settings.choose(30, 5), seed=2 * number)))
            theirs.append(_theirs(program, _plan(settings.choose(30, 5), seed=2 * number + 1)))
    for name in THEIRS:
        seen = {"ours": _middle(ours, name), "AIPerf": _middle(theirs, name)}
        for who, runs in (("ours", ours), ("AIPerf", theirs)):
            note = "runs: " + ", ".join(f"{one[name]:.2f}" for one in runs)
            yield Row(f"{name}, {who}", seen[who], "ms", note=note)
        apart = 100 * abs(seen["AIPerf"] / seen["ours"] - 1)
        yield Row(f"  {name}, apart", apart, "%", goal=Goal(5))
    yield Row(f"{LATE}, ours", _middle(ours, LATE), "ms", note="what our reports call TTFT")


def _middle(runs: list[dict], name: str) -> float:
    return sorted(one[name] for one in runs)[len(runs) // 2]


def _plan(seconds: float, seed: int) -> LoadPlan:
    drawn = open_plan(Arrivals.poisson(RATE_PER_S), seconds, [RequestKind()], seed=seed)
    requests = [
        PlannedRequest(id=one.id, at_s=one.at_s, max_tokens=48, prompt=PROMPT.format(seed, one.id))
        for one in drawn.requests
    ]
    return LoadPlan(requests=requests, seconds=seconds)


def _ours(plan: LoadPlan) -> dict[str, float]:
    target = Target(f"http://127.0.0.1:{PORT}", extra=SAMPLE)
    log = RequestLog.of(run_load(plan, target).records)
    columns = {"TTFT p50": log.ttft_from_send_s, "TPOT p50": log.tpot_s, LATE: log.ttft_s}
    return {name: 1e3 * float(percentile(column, 0.5)) for name, column in columns.items()}


def _theirs(program: str, plan: LoadPlan) -> dict[str, float]:
    """What AIPerf says of the same plan, which it replays as a trace with timestamps."""
    lines = [
        {
            "timestamp": round(1e3 * one.at_s),
            "text_input": one.prompt,
            "output_length": one.max_tokens,
        }
        for one in plan.requests
    ]
    with tempfile.TemporaryDirectory(prefix="aiperf-") as folder:
        trace = Path(folder) / "trace.jsonl"
        trace.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        options = {
            "model": "course", "url": f"http://127.0.0.1:{PORT}", "endpoint-type": "completions",
            "tokenizer": str(datafile("checkpoints/target")), "input-file": str(trace),
            "custom-dataset-type": "mooncake-trace", "connection-reuse-strategy": "never",
            "ui": "none", "artifact-dir": folder, "workers-max": "1", "record-processors": "1",
        }  # fmt: skip
        command = [
            program,
            "profile",
            "--streaming",
            "--use-server-token-count",
            "--fixed-schedule",
        ]
        command += ["--no-gpu-telemetry", "--no-server-metrics"]
        command += [word for name, value in options.items() for word in (f"--{name}", value)]
        for name, value in SAMPLE.items():
            command += ["--extra-inputs", f"{name}:{json.dumps(value)}"]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        told = json.loads((Path(folder) / "profile_export_aiperf.json").read_text())
    return {name: told[key]["p50"] for name, key in THEIRS.items()}
