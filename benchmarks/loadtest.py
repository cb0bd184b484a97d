"""The load generator's own limit: streams a second from one process, and how late it is then."""

import asyncio
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from labutils.loadtest import Arrivals, LoadReport, RequestKind, Target, open_plan, run_load
from labutils.loadtest.report.figures import LATE_S

from .registry import Goal, Row, Settings, benchmark

TOKENS = 32
GAP_S = 0.01
RATES = (20, 40, 80, 160, 320)
ORDINARY = 20
"""Streams a second that a lab asks for; they have to leave in time."""
EVENT = b'data: {"choices": [{"index": 0, "text": "word ", "finish_reason": null}]}\n\n'
DONE = b"data: [DONE]\n\n"


@benchmark
def lateness(settings: Settings) -> Iterator[Row]:
    """Streams of 32 tokens at 10 ms, from a server that does nothing else: how late they leave"""
    with _served() as url:
        for processes in (1, 2):
            sustained = 0
            for rate in RATES[: settings.choose(len(RATES), 1)]:
                reports = [
                    _report(url, rate, settings.choose(5, 1), processes)
                    for _ in range(settings.choose(3, 1))
                ]
                best = min(reports, key=lambda report: report.lateness.p99_s)
                yield _row(f"{_count(processes)}, {rate}/s: late at p99", best, rate)
                if best.lateness.p99_s > LATE_S:
                    break
                sustained = rate
            yield Row(f"{_count(processes)}: streams a second in time", sustained, "/s")


@benchmark
def effort(settings: Settings) -> Iterator[Row]:
    """Processor time of one stream of 32 tokens in the generator"""
    spent = []
    with _served() as url:
        for _ in range(settings.choose(5, 1)):
            begin = time.process_time()
            report = _report(url, ORDINARY, settings.choose(5, 1), 1)
            spent.append((time.process_time() - begin) / report.recorded)
    best, median = 1e3 * min(spent), 1e3 * statistics.median(spent)
    yield Row("one stream", best, "ms", median, note=f"at most {1e3 / best:,.0f} streams/s a core")


def _row(name: str, report: LoadReport, rate: int) -> Row:
    late, tpot = report.lateness, report.latency("TPOT")
    quantiles = [1e3 * tpot.at(q) for q in (0.5, 0.99)]
    note = "p50 {:.2f} ms; TPOT p50 {:.2f}, p99 {:.2f} ms".format(1e3 * late.p50_s, *quantiles)
    goal = Goal(1e3 * LATE_S) if rate == ORDINARY else None
    return Row(name, 1e3 * late.p99_s, "ms", goal=goal, note=note)


def _count(processes: int) -> str:
    return "1 process" if processes == 1 else f"{processes} processes"


def _report(url: str, rate: float, seconds: float, processes: int) -> LoadReport:
    plan = open_plan(Arrivals.poisson(rate), seconds, [RequestKind(max_tokens=TOKENS)], seed=5)
    return LoadReport.of(run_load(plan, Target(url), processes=processes).records, plan)


@contextmanager
def _served() -> Iterator[str]:
    """The address of the trivial server, in a process of its own."""
    command = [sys.executable, "-m", __name__, "serve"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


async def _serve() -> None:
    server = await asyncio.start_server(_connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


async def _connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """HTTP as far as the generator needs it: every POST is answered with the same stream."""
    try:
        while head := (await reader.readuntil(b"\r\n\r\n")).lower():
            await reader.readexactly(_length(head))
            if head.startswith(b"post"):
                await _stream(writer)
            else:
                writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _stream(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(TOKENS):
        await asyncio.sleep(GAP_S)
        writer.write(_chunk(EVENT))
    writer.write(_chunk(DONE) + b"0\r\n\r\n")
    await writer.drain()


def _chunk(content: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(content), content)


def _length(head: bytes) -> int:
    _, found, rest = head.partition(b"content-length:")
    return int(rest.split(b"\r\n")[0]) if found else 0


if __name__ == "__main__":
    asyncio.run(_serve())
