"""What a worker does: it reads its part of a plan, sends the requests, and writes each record."""

import asyncio
import contextlib
import json
import os
import sys
import threading

from .load_run import LoadRun, Unreachable
from .plans.load_plan import LoadPlan
from .record_lines import as_line
from .target import Target

READY, RECORD, SORRY, DONE = "ready", "record", "sorry", "done"
"""The first word of each line that a worker says."""


def work() -> int:
    """Carry out what standard input orders; an exit code.

    It stops when its input ends: then whoever started it was interrupted, or is gone.
    """
    order = json.loads(sys.stdin.buffer.readline())
    run = LoadRun(
        LoadPlan.from_json(order["plan"]),
        Target(**order["target"]),
        timeout_s=order["timeout_s"],
        on_record=lambda record: _say(RECORD, as_line(record)),
    )
    try:
        asyncio.run(_carry_out(run))
    except Unreachable as error:
        _say(SORRY, str(error))
        return 2
    return 0


async def _carry_out(run: LoadRun) -> None:
    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    async def begin() -> float:
        _say(READY)
        origin_s = float(await loop.run_in_executor(None, sys.stdin.buffer.readline))
        threading.Thread(target=_until_the_end, args=(loop, task), daemon=True).start()
        return origin_s

    try:
        await run.go(begin)
    except asyncio.CancelledError:
        task.uncancel()
    _say(DONE)


def _until_the_end(loop, task) -> None:
    while os.read(0, 1024):
        continue
    loop.call_soon_threadsafe(task.cancel)


def _say(word: str, said: str = "") -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody listens: the end of the input stops it
        sys.stdout.write(f"{word} {said}\n")
        sys.stdout.flush()
