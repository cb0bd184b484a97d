"""Long load on a server in a process of its own: clients that leave, slow ones, a kill."""

import subprocess
import sys
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import httpx
import psutil

from labutils.loadtest import Arrivals, LoadPlan, RequestKind, Target, open_plan, run_load
from labutils.metrics import RequestRecord
from labutils.server.command import course_engine

from .registry import Goal, Row, Settings, benchmark

RATE_PER_S = 20.0
MANNERS = {"leave_share": 0.1, "leave_after": 3, "slow_share": 0.05, "slow_pause_s": 0.02}


@benchmark
def killed_and_restarted(settings: Settings) -> Iterator[Row]:
    """10,000 requests, a tenth leaves, a twentieth reads slowly; a kill and a restart midway"""
    seconds = settings.choose(round(10_000 / RATE_PER_S), 6)
    port, again = 8_217, []
    with served(port) as first:
        restart = threading.Timer(seconds / 2, partial(_restart, first, port, again))
        restart.start()
        plan, records = _load(port, seconds)
        restart.join()
        try:
            left = _open_requests(port)
        finally:
            again[0].kill()
            again[0].wait()
    for status, count in Counter(_end(record) for record in records).most_common():
        yield Row(f"ended as {status!r}", count, "requests")
    lost = len(plan) - len(records)
    yield Row("  without an end of their own", lost, "requests", goal=Goal(0))
    wrong = sum(wanted != said for wanted, said in _answers(plan, records))
    yield Row("  other answers than the engine's alone", wrong, "requests", goal=Goal(0))
    yield Row("  still open or holding memory afterwards", left, "", goal=Goal(0))


@benchmark
def memory(settings: Settings) -> Iterator[Row]:
    """Ten minutes of the same load: what the server's process grows by"""
    seconds = settings.choose(600, 6)
    port = 8_218
    with served(port) as process:
        resident = psutil.Process(process.pid).memory_info
        _load(port, max(seconds / 10, 3))  # what grows once: pools of threads, buffers, caches
        before = resident().rss
        _, records = _load(port, seconds)
        grown = resident().rss - before
        left = _open_requests(port)
    yield Row(f"resident, after {len(records)} requests", before / 1e6, "MB")
    yield Row("  grown by", grown / 1e6, "MB", goal=Goal(20))
    yield Row("  still open or holding memory afterwards", left, "", goal=Goal(0))


def _load(port: int, seconds: float) -> tuple[LoadPlan, tuple[RequestRecord, ...]]:
    """The plan, and what became of it."""
    kind = RequestKind(prompt_words=24, max_tokens=24, **MANNERS)
    plan = open_plan(Arrivals.poisson(RATE_PER_S), seconds, [kind], seed=17)
    target = Target(f"http://127.0.0.1:{port}", extra={"ignore_eos": True, "temperature": 0})
    return plan, run_load(plan, target, timeout_s=60).records


def _answers(plan: LoadPlan, records) -> list[tuple[int, int]]:
    """The CRC-32 of each whole answer, of the engine alone and as it came over the wire.

    No two prompts are alike, so an answer that belongs to somebody else is another one.
    """
    engine, asked = course_engine(), {request.id: request for request in plan.requests}
    whole = [record for record in records if record.ok]
    prompts = [asked[record.id].asked(record.id) for record in whole]
    alone = engine.generate(prompts, max_output_tokens=24)
    return [
        (zlib.crc32(one.text.encode()), record.tags["answer_crc32"])
        for one, record in zip(alone, whole)
    ]


def _end(record) -> str:
    reason = str(record.tags.get("reason", "")).split(":")[0]
    return f"{record.status}: {reason}" if reason else str(record.status)


@contextmanager
def served(port: int) -> Iterator[subprocess.Popen]:
    """The course's server in a process of its own, from the moment it is ready."""
    process = _started(port)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _started(port: int) -> subprocess.Popen:
    command = [sys.executable, "-m", "labutils.server", "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    for _ in range(600):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/ready", timeout=1).status_code == 200:
                return process
        except httpx.HTTPError:
            time.sleep(0.1)
    process.kill()
    raise RuntimeError(f"no server at port {port} after a minute")


def _restart(process: subprocess.Popen, port: int, again: list) -> None:
    process.kill()
    process.wait()
    again.append(_started(port))


def _open_requests(port: int) -> float:
    """Requests that run or wait, and the share of the memory that is held, a moment later."""
    time.sleep(1)
    names = ("vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:kv_cache_usage_perc")
    lines = httpx.get(f"http://127.0.0.1:{port}/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(names))
