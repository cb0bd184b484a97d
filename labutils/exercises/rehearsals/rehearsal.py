"""A scene played on a batcher, in virtual time: how everybody's request ended, and when.

The batcher is made by ``make(model, max_batch=…, window_s=…, max_waiting=…)``, entered with ``async
with``, and asked with ``await batcher.submit(item)``. A check of a second takes milliseconds, and
the same scene ends the same way every time.
"""

import asyncio
import concurrent.futures
import gc
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from labutils.exercises.rehearsals.played import Death, End, ModelCall, Played
from labutils.exercises.rehearsals.scene import Asks, HangsUp, Scene, Stops
from labutils.exercises.trials import guard
from labutils.serving.batcher.dynamic_batcher import BatchFailed, Overloaded
from labutils.serving.batcher.virtual_loop import BusyLoop, Stalled, VirtualLoop, run_virtually

PATIENCE_MS = 5_000.0  # after the last event; who has heard nothing by then never will
MOST_TURNS = 2_000
SLIPS = (
    NameError,
    AttributeError,
    TypeError,
    LookupError,
    AssertionError,
    NotImplementedError,
    asyncio.InvalidStateError,
)
"""Errors of code, not of a model: where a client sees one, the batcher itself has raised."""

_UNAWAITED = re.compile(r"coroutine '(?:\w+\.)*([A-Za-z]\w*)' was never awaited")


def rehearse(make: Callable, scene: Scene, *, seconds: float = 5.0) -> Played:
    """Play a scene on a new batcher; nothing that its code raises comes through.

    The code runs in a fresh thread with a loop of its own, for ``seconds`` of real time at most.
    """
    stage = _Stage(scene)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = guard.run(stage.play, make, seconds=seconds, own_thread=True)
        if run.timed_out or any(not task.done() for task in stage.loop.tasks):
            _sweep(stage)
    forgotten = [_UNAWAITED.search(str(warning.message)) for warning in caught]
    run = replace(run, timed_out=run.timed_out or stage.busy)
    unawaited = tuple(dict.fromkeys(found[1] for found in forgotten if found))
    silent = End("no answer")
    ends = {name: stage.ends.get(name, silent) for name in scene.names}
    return Played(
        scene, ends, stage.asked_ms, tuple(stage.calls), tuple(stage.deaths), run, unawaited
    )


def _sweep(stage: "_Stage") -> None:
    """Let go of what was stopped in the middle, without the interpreter's complaints about it."""
    before, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        stage.clients.clear()
        stage.loop.tasks.clear()
        gc.collect(1)  # they are young, and a full collection takes long
    finally:
        sys.unraisablehook = before


class _Worker(concurrent.futures.Executor):
    """A worker in the time of ``loop``, for code that hands over its calls by ``submit`` itself."""

    def __init__(self, loop: VirtualLoop):
        self._loop = loop

    def submit(self, call, /, *args, **kwargs) -> concurrent.futures.Future:
        """Begin the call; the future is settled on the loop, when its work is done."""
        told = concurrent.futures.Future()
        told.set_running_or_notify_cancel()

        def tell(done: asyncio.Future) -> None:
            if error := done.exception():
                told.set_exception(error)
            else:
                told.set_result(done.result())

        self._loop.run_in_executor(self, partial(call, *args, **kwargs)).add_done_callback(tell)
        return told


class _Stage:
    """The clients, the model and the notes of one performance."""

    def __init__(self, scene: Scene):
        self.scene = scene
        last_ms = max((event.at_ms for event in scene.events), default=0.0)
        self.loop = VirtualLoop(
            horizon_s=(last_ms + PATIENCE_MS) / 1000,
            most_turns=MOST_TURNS,
            pool_busy_s=scene.opens.pool_busy_ms / 1000,
        )
        self.ends: dict[str, End] = {}
        self.asked_ms: dict[str, float] = {}
        self.calls: list[ModelCall] = []
        self.deaths: list[Death] = []
        self.own: list[asyncio.Task] = []  # those of the batcher itself
        self.clients: dict[str, asyncio.Task] = {}
        self.gone: set[str] = set()
        self.over = self.busy = False

    def play(self, make: Callable) -> None:
        remembering = self.loop.get_task_factory()

        def noting(loop, coroutine, **options):
            task = remembering(loop, coroutine, **options)
            task.add_done_callback(self.ended)
            return task

        self.loop.set_task_factory(noting)
        self.loop.set_exception_handler(lambda *_: None)
        try:
            run_virtually(self.main(make), loop=self.loop)
        except BusyLoop:
            self.busy = True
        except Stalled:  # somebody never hears anything: that is an end like others
            pass

    async def main(self, make: Callable) -> None:
        opens = self.scene.opens
        batcher = make(
            self.model,
            max_batch=opens.max_batch,
            window_s=opens.window_ms / 1000,
            max_waiting=opens.max_waiting,
            **opens.options,
        )
        if isinstance(getattr(batcher, "_worker", None), concurrent.futures.Executor):
            batcher._worker = _Worker(self.loop)
        before = len(self.loop.tasks)
        async with batcher:
            self.own = self.loop.tasks[before:]
            acts = {Asks: self.starts, HangsUp: self.hangs_up, Stops: self.stops}
            for event in self.scene.events:
                self.loop.call_at(event.at_ms / 1000, acts[type(event)], event, batcher)
            # after the last event, not with it: the client that it brings must have asked
            await asyncio.sleep(self.scene.events[-1].at_ms / 1000 + 1e-6)
            await asyncio.gather(*self.clients.values(), return_exceptions=True)
        self.over = True

    def starts(self, event: Asks, batcher) -> None:
        self.clients[event.name] = self.loop.create_task(self.client(event, batcher))

    def hangs_up(self, event, batcher) -> None:
        client = self.clients[event.name]
        if not client.done():
            self.gone.add(event.name)
            client.cancel()

    def stops(self, event, batcher) -> None:
        for task in self.own:
            task.cancel()

    async def client(self, event: Asks, batcher) -> None:
        self.asked_ms[event.name] = self.now_ms
        patience = event.patience_ms
        own = {} if patience is None else {"patience_s": patience / 1000}
        try:
            answer = await batcher.submit(event.name, **own)
        except asyncio.CancelledError:
            if event.name in self.gone:  # others are cancelled when the curtain falls
                self.ends[event.name] = End("hung up", self.now_ms)
            raise
        except Exception as error:
            self.ends[event.name] = End(_kind(error), self.now_ms, error)
        else:
            right = self.result(event.name)
            kind = "answered" if answer == right else "another's answer"
            kind = "a promise" if inspect.isawaitable(answer) else kind
            kind = "cannot hang up" if event.name in self.gone else kind
            self.ends[event.name] = End(kind, self.now_ms)

    def ended(self, task: asyncio.Task) -> None:
        """A task has ended: see in a moment whether anybody has asked how."""
        if not self.over and not self.loop.is_closed():
            self.loop.call_soon(self.loop.call_soon, self.note_death, task, self.now_ms)

    def note_death(self, task: asyncio.Task, at_ms: float) -> None:
        if task._log_traceback:  # asyncio's own mark of an error of which nobody has heard
            self.deaths.append(Death(at_ms, task.exception()))

    @property
    def now_ms(self) -> float:
        return round(1000 * self.loop.time(), 6)

    def model(self, names: list) -> list:
        names, start_ms = tuple(names), self.now_ms
        if strangers := [name for name in names if name not in self.scene.names]:
            raise ValueError(
                f"the model takes what was handed to submit, not a {type(strangers[0]).__name__}"
            )
        if self.calls and start_ms < self.calls[-1].end_ms:
            raise RuntimeError("the device is busy: it takes one batch at a time")
        spent_ms = self.scene.opens.batch_ms(len(names))
        blocks = not self.loop.in_worker
        self.calls.append(ModelCall(start_ms, start_ms + spent_ms, names, blocks))
        self.loop.work(spent_ms / 1000)
        habits = {name: self.scene.habit(name) for name in names}
        if "poison" in habits.values():
            raise ValueError("the model cannot read one of the items")
        copies = {"lost": 0, "doubled": 2}
        return [self.result(n) for n, habit in habits.items() for _ in range(copies.get(habit, 1))]

    def result(self, name: str) -> str | int | None:
        """What the model should say to this one."""
        return {"zero": 0, "none": None}.get(self.scene.habit(name), f"result for {name}")


def _kind(error: Exception) -> str:
    if isinstance(error, Overloaded):
        return "refused"
    if isinstance(error, BatchFailed):
        return "failed"
    return "raised" if isinstance(error, SLIPS) else "failed"
