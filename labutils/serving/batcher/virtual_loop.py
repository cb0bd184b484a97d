"""An asyncio loop whose clock jumps: a second of waiting passes at once, the same way every time.

A program that only waits (for timers, futures, worker threads) needs no real time to be tested.
This loop runs what is ready, then sets its clock to the next timer. There are no sockets here.

Work that takes time says so with ``loop.work(seconds)``. Called on the loop itself, as a blocking
call, it moves the clock, and whatever was due meanwhile comes late: that is what blocking means.
Called within ``run_in_executor`` or ``asyncio.to_thread`` it delays the result and nobody else.

>>> import asyncio
>>> async def nap():
...     await asyncio.sleep(3600)
...     return asyncio.get_running_loop().time()
>>> run_virtually(nap())
3600.0
"""

import asyncio
import contextlib
from asyncio import events
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any

MOST_TURNS = 20_000  # of the loop at one moment; whoever needs more is waiting in a busy loop
_LAST_TURNS = 20  # for what is cancelled at the end to clean up


class Stalled(RuntimeError):
    """Nothing can happen any more although somebody waits."""


class BusyLoop(Stalled):
    """Something runs again and again at one and the same moment."""


class VirtualLoop(asyncio.BaseEventLoop):
    """An event loop with a clock of its own, in seconds from 0; it ends at ``horizon_s``.

    It remembers its ``tasks``. More than ``most_turns`` at one moment: ``BusyLoop``. Until
    ``pool_busy_s`` other code holds every thread of the pool that ``to_thread`` and the executor
    ``None`` share: what is handed to it waits so long.
    """

    def __init__(
        self,
        *,
        horizon_s: float = float("inf"),
        most_turns: int = MOST_TURNS,
        pool_busy_s: float = 0.0,
    ):
        super().__init__()
        self._clock_resolution = 1e-9
        self._selector = self  # BaseEventLoop asks it what happened outside: nothing ever does
        self._now, self._horizon_s, self._pool_busy_s = 0.0, horizon_s, pool_busy_s
        self._turns, self._most_turns = 0, most_turns
        self._worked_s: float | None = None  # while a worker's call runs: its length so far
        self.tasks: list[asyncio.Task] = []
        self.set_task_factory(_remembering)

    def time(self) -> float:
        """The virtual clock, in seconds; it never goes back."""
        return self._now

    def work(self, seconds: float) -> None:
        """Take so long: of the worker that calls it, or of everybody when called on the loop."""
        if self._worked_s is None:
            self._now += seconds
        else:
            self._worked_s += seconds

    @property
    def in_worker(self) -> bool:
        """Whether the running code was handed to a worker thread."""
        return self._worked_s is not None

    def run_in_executor(self, executor, func: Callable, *args) -> asyncio.Future:
        """Call ``func`` as a worker thread would; the result comes when its work is done."""
        future = self.create_future()
        if executor is None and self._now < self._pool_busy_s:
            self.call_at(self._pool_busy_s, self._works, future, func, args)
        else:
            self._works(future, func, args)
        return future

    def _works(self, future: asyncio.Future, func: Callable, args: tuple) -> None:
        """A worker thread begins with ``func``; ``future`` is settled when its work is done."""
        if future.cancelled():  # nobody waits any more for what never began
            return
        self._worked_s = 0.0
        events._set_running_loop(None)  # a worker thread has none
        try:
            finish = _settled(func, args)
        finally:
            events._set_running_loop(self)
            seconds, self._worked_s = self._worked_s, None
        self.call_later(seconds, finish, future)

    def call_soon(self, callback, *args, context=None):
        """As asyncio's; from a worker it raises ``RuntimeError``, as asyncio's debug mode does."""
        if self.in_worker:
            raise RuntimeError(
                "a worker thread touches a future or a task of the loop; only the loop's own "
                "thread may (loop.call_soon_threadsafe hands it over)"
            )
        return super().call_soon(callback, *args, context=context)

    def call_soon_threadsafe(self, callback, *args, context=None):
        """As asyncio's; from a worker it takes effect after the work done so far."""
        if not self.in_worker:
            return super().call_soon(callback, *args, context=context)
        return super().call_at(self._now + self._worked_s, callback, *args, context=context)

    # ---- what BaseEventLoop expects of whoever knows the outside world -------------------------

    def select(self, timeout: float | None) -> tuple:
        """Let time pass until the next timer; end the run where there is none in time."""
        if timeout == 0:
            self._turns += 1
            if self._turns > self._most_turns:
                raise BusyLoop("time does not pass: something runs again and again without waiting")
            return ()
        self._turns = 0
        next_s = self._scheduled[0].when() if self._scheduled else float("inf")
        if next_s > self._horizon_s or timeout is None:
            self.stop()
        else:
            self._now = max(self._now, next_s)
        return ()

    def _process_events(self, event_list) -> None:
        """There are none."""

    def _write_to_self(self) -> None:
        """Nobody outside has to be woken."""


def run_virtually(main: Coroutine, *, loop: VirtualLoop | None = None) -> Any:
    """Run a coroutine on a virtual clock, and return its result.

    Where another loop runs already (in a notebook's cell) it runs in a thread of its own, and that
    loop stands still meanwhile. Raises ``Stalled`` if the coroutine waits for what cannot happen
    any more.
    """
    if events._get_running_loop() is None:
        return _run(main, loop or VirtualLoop())
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(_run, main, loop or VirtualLoop()).result()


def _run(main: Coroutine, loop: VirtualLoop) -> Any:
    try:
        task = loop.create_task(main)
        task.add_done_callback(lambda _: loop.stop())
        loop.run_forever()
        if not task.done():
            raise Stalled(f"nothing is left to happen at {loop.time():g} s, and it is not done")
        return task.result()
    finally:
        _closed(loop)


def _closed(loop: VirtualLoop) -> None:
    """Cancel what still waits, let it end, and close."""
    loop.set_exception_handler(lambda *_: None)
    loop._turns = 0
    with contextlib.suppress(Stalled):
        for _ in range(_LAST_TURNS):
            for task in (pending := asyncio.all_tasks(loop)):
                task.cancel()
            loop.call_soon(loop.stop)
            loop.run_forever()
            if not pending:
                break
    for task in loop.tasks:  # or Python complains that nobody asked how they ended
        if task.done() and not task.cancelled():
            task.exception()
    loop.close()


def _remembering(loop: VirtualLoop, coroutine, **options) -> asyncio.Task:
    """A task factory: the loop knows every task that it ever had."""
    task = asyncio.Task(coroutine, loop=loop, **options)
    loop.tasks.append(task)
    return task


def _settled(func: Callable, args: tuple) -> Callable[[asyncio.Future], None]:
    """Call ``func``; return what gives its outcome to a future, unless that was cancelled."""
    try:
        outcome, settle = func(*args), asyncio.Future.set_result
    except StopIteration:
        return _refused
    except BaseException as error:
        outcome, settle = error, asyncio.Future.set_exception

    def finish(future: asyncio.Future) -> None:
        if not future.done():
            settle(future, outcome)

    return finish


def _refused(future: asyncio.Future) -> None:
    """Leave the future pending, and say so in the loop's log, as asyncio before Python 3.13."""
    raise TypeError("StopIteration cannot be raised into a Future")
