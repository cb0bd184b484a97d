"""A plan carried out by this process, or by several that share its clock."""

import asyncio
import contextlib
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tqdm.auto import tqdm

from labutils.ground import arguments
from labutils.metrics import RequestRecord

from .load_run import DEFAULT_TIMEOUT_S, LoadRun, Unreachable
from .plans.load_plan import LoadPlan
from .record_lines import from_line
from .target import Target
from .worker import DONE, READY, RECORD, SORRY

MOST_PROCESSES = 64
MOST_LINE = 1 << 28
HEAD_START_S = 0.05
"""From the word to the first request, so that every worker has heard it."""
STOP_S = 2.0
_LEAST_S = 1e-9


class WorkerDied(RuntimeError):
    """A worker ended before its part of the plan did."""


@dataclass(frozen=True)
class Carried:
    """What became of a plan: the records, in the order in which the requests ended.

    ``ended_s`` is when the run was interrupted, None if it was not; ``lost`` says which worker
    died, if one did. Either way the records are those that there are.
    """

    records: tuple[RequestRecord, ...] = field(repr=False)
    ended_s: float | None = None
    lost: str = ""


def run_load(
    plan: LoadPlan, target: Target, *, processes: int = 1,
    timeout_s: float = DEFAULT_TIMEOUT_S, progress: bool = False,
) -> Carried:  # fmt: skip
    """Carry ``plan`` out and return its records, also when the run is interrupted (Ctrl-C).

    With more than one of ``processes`` the plan is dealt out in turn to workers, fresh
    interpreters that share the machine's monotonic clock. It works in a notebook too. Raises
    ``Unreachable`` before the first request if nobody listens at the target.
    """
    most = min(MOST_PROCESSES, len(plan), plan.users or MOST_PROCESSES)
    processes = arguments.whole("processes", processes, at_most=most)
    parts = [plan.part(which, processes) for which in range(processes)]
    arguments.positive("timeout_s", timeout_s)
    with tqdm(total=len(plan) if plan.is_open else None, unit="req", disable=not progress) as bar:
        if processes == 1:
            return _in_loop(_here(LoadRun(
                plan, target, timeout_s=timeout_s, on_record=lambda _: bar.update()
            )))  # fmt: skip
        return _in_loop(_there(parts, target, timeout_s, bar))


def _in_loop(carrying) -> Carried:
    """Run it in an event loop of its own; where one runs already (a notebook), in a thread."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(carrying)
    began = []

    async def begin() -> Carried:
        began.append((asyncio.get_running_loop(), asyncio.current_task()))
        return await carrying

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(asyncio.run, begin())
        try:
            return future.result()
        except KeyboardInterrupt:  # it reached this thread; the run is in the other one
            for loop, task in began:
                loop.call_soon_threadsafe(task.cancel)
            return future.result()


async def _here(run: LoadRun) -> Carried:
    try:
        await run.go()
    except asyncio.CancelledError:  # Ctrl-C: asyncio.run cancels first
        return Carried(tuple(run.records), max(run.now(), _LEAST_S))
    return Carried(tuple(run.records))


async def _there(parts: list[LoadPlan], target: Target, timeout_s: float, bar) -> Carried:
    """Start the workers, wait until all are ready, say when it begins, gather their records."""
    records: list[RequestRecord] = []

    def keep(record: RequestRecord) -> None:
        records.append(record)
        bar.update()

    async with contextlib.AsyncExitStack() as stack:
        workers = [await stack.enter_async_context(_Worker()) for _ in parts]
        await asyncio.gather(
            *(one.prepare(part, target, timeout_s) for one, part in zip(workers, parts))
        )
        origin_s = time.perf_counter() + HEAD_START_S
        for one in workers:
            await one.say(repr(origin_s))
        reading = [asyncio.create_task(one.records(keep)) for one in workers]
        ended_s = None
        try:
            await asyncio.wait(reading)
        except asyncio.CancelledError:  # what is on its way ends as cancelled, and is heard of
            ended_s = max(time.perf_counter() - origin_s, _LEAST_S)
            for one in workers:
                one.stop()
            await asyncio.wait(reading, timeout=STOP_S)
    deaths = [str(task.exception()) for task in reading if task.done() and task.exception()]
    return Carried(tuple(records), ended_s, "; ".join(deaths))


class _Worker:
    """A worker as its parent sees it. It stops by itself when its standard input ends."""

    async def __aenter__(self) -> "_Worker":
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "labutils.loadtest", "worker",
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=MOST_LINE,
            env={**os.environ, "PYTHONPATH": _import_path()}, start_new_session=True,
        )  # fmt: skip
        return self

    async def __aexit__(self, *_) -> None:
        self.stop()
        try:
            await asyncio.wait_for(self._process.wait(), STOP_S)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def stop(self) -> None:
        """Tell the worker to stop, and to send the records of its requests."""
        self._process.stdin.close()

    async def prepare(self, part: LoadPlan, target: Target, timeout_s: float) -> None:
        """Hand over its part, and wait until it has found the server."""
        order = {"plan": part.to_json(), "target": asdict(target), "timeout_s": timeout_s}
        await self.say(json.dumps(order))
        word, said = await self._hear()
        if word != READY:
            raise Unreachable(said) if word == SORRY else WorkerDied(f"a worker said {word!r}")

    async def say(self, line: str) -> None:
        with contextlib.suppress(ConnectionError):  # whoever died is missed when it is heard
            self._process.stdin.write(line.encode() + b"\n")
            await self._process.stdin.drain()

    async def records(self, keep) -> None:
        """Hand each record to ``keep`` until it is done; ``WorkerDied`` if it ends without that."""
        while True:
            word, said = await self._hear()
            if word == DONE:
                return
            if word != RECORD:
                raise WorkerDied(f"a worker said {word!r}")
            keep(from_line(said))

    async def _hear(self) -> tuple[str, str]:
        line = (await self._process.stdout.readline()).decode()
        if not line.endswith("\n"):
            code = await self._process.wait()
            raise WorkerDied(f"a worker ended with exit code {code} before its part of the plan")
        word, _, said = line.strip().partition(" ")
        return word, said


def _import_path() -> str:
    """The workers import the package that this process has, wherever they start."""
    mine = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(filter(None, (mine, os.environ.get("PYTHONPATH"))))
