"""A server at its socket: what HTTP costs beside the engine alone, and what watching it costs."""

import contextlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx

from labutils.engine import Engine
from labutils.server import Limits, Server, Settings as ServerSettings
from labutils.serving.checkpoints import course_model, random_model
from labutils.telemetry import record_traces

from .jobs import WIDE
from .registry import Goal, Row, Settings, benchmark
from .timing import Timing

STREAMS = 64
PROMPT = [7, 3, 9, 1] * 8
STREAM_INTERVAL = 8


@benchmark
def through_http(settings: Settings) -> Iterator[Row]:
    """64 streams through HTTP against the engine alone, the same tokens, one run"""
    model, _ = course_model()
    shapes = {"course model": (model, settings.choose(96, 8))}
    if not settings.quick:
        wide = replace(WIDE, vocab_size=model.spec.vocab_size)
        shapes["12 layers x 768"] = (random_model(wide), 24)
    for name, (model, tokens) in shapes.items():
        fewer_events = f"{STREAM_INTERVAL} tokens an event"
        servers = {
            "through HTTP": _server(model),
            "with log and spans": _server(model, watched=True),
            fewer_events: _server(model, settings=ServerSettings(stream_interval=STREAM_INTERVAL)),
        }
        size, runs = STREAMS * tokens, {way: [] for way in ("alone", *servers)}
        with contextlib.ExitStack() as stack:
            urls = {way: stack.enter_context(one.running()) for way, one in servers.items()}
            for _ in range(1 + settings.choose(5, 1)):
                runs["alone"].append(_alone(model, tokens))
                for way, url in urls.items():
                    runs[way].append(_span_s(_client(url, STREAMS, tokens)))
        timings = {way: Timing(tuple(times[1:]), size) for way, times in runs.items()}
        for way, timing in timings.items():
            yield Row(f"{name}, {way}", 1e9 / timing.best_ns, "tokens/s", 1e9 / timing.median_ns)
        for way in ("through HTTP", fewer_events):
            share = 100 / timings[way].times_slower_than(timings["alone"])[0]
            goal = Goal(92, at_least=True)
            yield Row(f"  {name}, {way} against alone", share, "%", goal=goal)
        cost = timings["with log and spans"].times_slower_than(timings["through HTTP"])[0]
        yield Row(f"  {name}, log and spans of all", 100 * (cost - 1), "% more time", goal=Goal(2))


@benchmark
def first_token(settings: Settings) -> Iterator[Row]:
    """What server and wire add to the first token of an idle server"""
    model, _ = course_model()
    rounds = settings.choose(60, 5)
    server = _server(model)
    with server.running() as url:
        seen, inside = [], []
        for _ in range(rounds):
            before = _sum_of_ttft(server)
            (one,) = _client(url, 1, 4)
            inside.append(_sum_of_ttft(server) - before)
            seen.append(one["first_s"] - one["sent_s"])
    added_ms = 1e3 * statistics.median(a - b for a, b in zip(seen, inside))
    yield Row("first token at the client, p50", 1e3 * statistics.median(seen), "ms")
    yield Row("  added by server and wire, p50", added_ms, "ms", goal=Goal(3))


@benchmark
def beside_hostile_prompts(settings: Settings) -> Iterator[Row]:
    """What ``/health`` takes while eight clients at once send texts that no context holds"""
    model, _ = course_model()
    rounds = settings.choose(5, 1)
    server = _server(model)
    bodies = [json.dumps({"prompt": letter * 990_000}).encode() for letter in "aeiou 1x"]
    client = httpx.Client(verify=False, timeout=120)
    with server.running() as url, client, ThreadPoolExecutor(8) as hostile:
        alone, beside = [_health_s(client, url) for _ in range(20)], []
        for _ in range(rounds):
            sent = [
                hostile.submit(client.post, f"{url}/v1/completions", content=body)
                for body in bodies
            ]
            while not all(one.done() for one in sent):
                beside.append(_health_s(client, url))
            assert {one.result().status_code for one in sent} == {400}
    yield Row("/health alone, worst", 1e3 * max(alone), "ms")
    yield Row("  beside eight prompts of 990,000 characters, worst", 1e3 * max(beside), "ms")


def _health_s(client: httpx.Client, url: str) -> float:
    began_s = time.perf_counter()
    client.get(f"{url}/health").raise_for_status()
    return time.perf_counter() - began_s


@benchmark
def many_streams(settings: Settings) -> Iterator[Row]:
    """500 open streams: each served to its end, or refused in words"""
    model, _ = course_model()
    streams = settings.choose(500, 40)
    server = _server(model, limits=Limits(waiting_tokens=8_000, open_requests=400))
    with server.running() as url:
        begin = time.perf_counter()
        ends = _client(url, streams, 24)
        took_s = time.perf_counter() - begin
    served = sum(one["ended"] for one in ends)
    refused = sum("503" in one.get("status", "") for one in ends)
    yield Row(f"{streams} streams in", took_s, "s", note=f"{served} served, {refused} refused")
    lost = streams - served - refused
    yield Row("  lost", lost, "streams", goal=Goal(0))


def _server(model, *, watched: bool = False, **options) -> Server:
    _, tokenizer = course_model()
    watching = {"recorder": record_traces("bench"), "keep": 1.0, "write": len} if watched else {}
    return Server(_engine(model, tokenizer), **watching, **options)


def _engine(model, tokenizer=None) -> Engine:
    sizes = {"num_pages": 2_048, "max_sequences": STREAMS, "prefix_sharing": False}
    return Engine(model, tokenizer=tokenizer, **sizes)


def _alone(model, tokens: int) -> float:
    """Seconds of the engine for all streams, without a server."""
    engine, begin = _engine(model), time.perf_counter()
    engine.generate([PROMPT] * STREAMS, max_output_tokens=tokens)
    return time.perf_counter() - begin


def _span_s(ends: list[dict]) -> float:
    """Seconds from the first request that was sent to the last event that came."""
    return max(one["last_s"] for one in ends) - min(one["sent_s"] for one in ends)


def _client(url: str, streams: int, tokens: int) -> list[dict]:
    """Run the client in a process of its own; what it saw of each stream."""
    host, port = url.removeprefix("http://").split(":")
    body = {"prompt": PROMPT, "max_tokens": tokens, "temperature": 0, "stream": True}
    command = [sys.executable, "-m", "benchmarks.bare_client", host, port, str(streams)]
    command.append(json.dumps(body | {"ignore_eos": True}))
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


def _sum_of_ttft(server: Server) -> float:
    """Seconds from arrival to first token of all requests so far, as the server counts them."""
    name = "vllm:time_to_first_token_seconds_sum"
    lines = server.front.watch.exposition().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))
