"""A scene played in virtual time: how everybody's request ended, and when.

What is asked is made by the scene's opening: a batcher (``batcher_on_stage.py``), or computations
that several askers share (``flights.py``). A check of a second takes milliseconds, and the same
scene ends the same way every time.
"""

import asyncio
import gc
import inspect
import re
import sys
import warnings
from collections.abc import Callable
from dataclasses import replace

from labutils.exercises.rehearsals.played import Death, End, ModelCall, Played, Work
from labutils.exercises.rehearsals.scene import Asks, HangsUp, Scene, Stops
from labutils.exercises.running import guard
from labutils.serving.batcher.virtual_loop import BusyLoop, Stalled, VirtualLoop, run_virtually

PATIENCE_MS = 5_000.0  # after the last event; who has heard nothing by then never will
MOST_TURNS = 2_000

_UNAWAITED = re.compile(r"coroutine '(?:\w+\.)*([A-Za-z]\w*)' was never awaited")


def rehearse(make: Callable, scene: Scene, *, seconds: float = 5.0) -> Played:
    """Play a scene on what ``make`` makes anew; nothing that its code raises comes through.

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
    names = dict.fromkeys((*scene.names, *stage.asked_ms))
    return Played(
        scene,
        ends={name: stage.ends.get(name, End("no answer")) for name in names},
        asked_ms=stage.asked_ms,
        calls=tuple(stage.calls),
        deaths=tuple(stage.deaths),
        run=run,
        unawaited=tuple(dict.fromkeys(found[1] for found in forgotten if found)),
        works=stage.works,
        spins=stage.busy,
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


class _Stage:
    """The clients, what they ask, and the notes of one performance."""

    def __init__(self, scene: Scene):
        self.scene = scene
        last_ms = max((event.at_ms for event in scene.events), default=0.0)
        self.horizon_s = (last_ms + PATIENCE_MS) / 1000
        self.loop = VirtualLoop(
            horizon_s=self.horizon_s,
            most_turns=MOST_TURNS,
            pool_busy_s=scene.opens.pool_busy_ms / 1000,
        )
        self.system = scene.opens.on(self)
        self.ends: dict[str, End] = {}
        self.asked_ms: dict[str, float] = {}
        self.calls: list[ModelCall] = []
        self.works: dict[str, Work] = {}
        self.deaths: list[Death] = []
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
        async with self.system.opened(make):
            acts = {Asks: self.starts, HangsUp: self.hangs_up, Stops: self.stops}
            for event in self.scene.events:
                self.loop.call_at(event.at_ms / 1000, acts[type(event)], event)
            # after the last event, not with it: the client that it brings must have asked
            await asyncio.sleep(self.scene.events[-1].at_ms / 1000 + 1e-6)
            await asyncio.gather(*self.clients.values(), return_exceptions=True)
        self.over = True

    def starts(self, event: Asks) -> None:
        self.clients[event.name] = self.loop.create_task(self.client(event))

    def hangs_up(self, event: HangsUp) -> None:
        client = self.clients[event.name]
        if not client.done():
            self.gone.add(event.name)
            client.cancel()

    def stops(self, event: Stops) -> None:
        self.system.stop()

    async def client(self, event: Asks) -> None:
        await self.attempt(event, event.name)
        if event.again and self.ends[event.name].kind == "failed":
            await self.attempt(event, f"{event.name}'s second try")

    async def attempt(self, event: Asks, name: str) -> None:
        self.asked_ms[name] = self.now_ms
        try:
            answer = await self.system.ask(event)
        except asyncio.CancelledError:
            cancelled = asyncio.current_task().cancelling()  # as at the fall of the curtain
            if event.name in self.gone:
                self.ends[name] = End("hung up", self.now_ms)
            elif self.scene.opens.tells_cancelled and not cancelled:
                self.ends[name] = End("cancelled", self.now_ms)
            raise
        except Exception as error:
            self.ends[name] = End(self.system.kind_of_error(error), self.now_ms, error)
        else:
            kind = self.system.kind_of_answer(event, answer)
            kind = "a promise" if inspect.isawaitable(answer) else kind
            kind = "cannot hang up" if event.name in self.gone else kind
            self.ends[name] = End(kind, self.now_ms)

    def ended(self, task: asyncio.Task) -> None:
        """A task has ended: see in a moment whether anybody has asked how."""
        if not self.over and not self.loop.is_closed():
            self.loop.call_soon(self.loop.call_soon, self.note_death, task, self.now_ms)

    def note_death(self, task: asyncio.Task, at_ms: float) -> None:
        # asyncio's own mark of an error of which nobody has heard
        if task._log_traceback and not isinstance(task.exception(), self.system.spares):
            self.deaths.append(Death(at_ms, task.exception()))

    def note_call(self, start_ms: float, end_ms: float, names: tuple, blocks: bool) -> None:
        """Note one call of the model with a batch."""
        self.calls.append(ModelCall(start_ms, end_ms, names, blocks))

    def note_work(self, name: str, start_ms: float, end: End) -> None:
        """How a computation has ended that began at ``start_ms``, or that it goes on."""
        self.works[name] = Work(start_ms, end)

    @property
    def now_ms(self) -> float:
        return round(1000 * self.loop.time(), 6)
