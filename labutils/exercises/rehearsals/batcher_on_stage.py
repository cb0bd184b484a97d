"""A batcher on the stage: its model, its clients' calls, and which errors are whose.

The batcher is made by ``make(model, max_batch=…, window_s=…, max_waiting=…)``, entered with ``async
with``, and asked with ``await batcher.submit(item)``.
"""

import asyncio
import concurrent.futures
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial

from labutils.serving.batcher.dynamic_batcher import BatchFailed, Overloaded
from labutils.serving.batcher.virtual_loop import VirtualLoop

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


class Unreadable(Exception):
    """An error of the model of which no batcher has heard: it has to catch whatever comes."""


class BatcherOnStage:
    """The batcher of a scene, and the model that it calls."""

    spares = ()  # errors of which a task may die

    def __init__(self, stage):
        self.stage = stage
        self.own: list[asyncio.Task] = []  # those of the batcher itself

    @asynccontextmanager
    async def opened(self, make: Callable) -> AsyncIterator[None]:
        """Enter the batcher, for as long as the scene is played."""
        opens, loop = self.stage.scene.opens, self.stage.loop
        self.batcher = make(
            self.model,
            max_batch=opens.max_batch,
            window_s=opens.window_ms / 1000,
            max_waiting=opens.max_waiting,
            **opens.options,
        )
        if isinstance(getattr(self.batcher, "_worker", None), concurrent.futures.Executor):
            self.batcher._worker = _Worker(loop)
        before = len(loop.tasks)
        async with self.batcher:
            self.own = loop.tasks[before:]
            yield

    async def ask(self, event):
        """What a client gets for its item."""
        patience = event.patience_ms
        own = {} if patience is None else {"patience_s": patience / 1000}
        return await self.batcher.submit(event.name, **own)

    def stop(self) -> None:
        """Cancel the batcher's own task, as a server does that shuts down."""
        for task in self.own:
            task.cancel()

    def kind_of_answer(self, event, answer) -> str:
        """Whose result this is."""
        return "answered" if answer == self.result(event.name) else "another's answer"

    def kind_of_error(self, error: Exception) -> str:
        """Whose error this is: the batcher's refusal, the model's, or one of its own code."""
        if isinstance(error, Overloaded):
            return "refused"
        if isinstance(error, BatchFailed):
            return "failed"
        return "raised" if isinstance(error, SLIPS) else "failed"

    def model(self, names: list) -> list:
        names, start_ms, stage = tuple(names), self.stage.now_ms, self.stage
        if strangers := [name for name in names if name not in stage.scene.names]:
            raise ValueError(
                f"the model takes what was handed to submit, not a {type(strangers[0]).__name__}"
            )
        if stage.calls and start_ms < stage.calls[-1].end_ms:
            raise RuntimeError("the device is busy: it takes one batch at a time")
        spent_ms = stage.scene.opens.batch_ms(len(names))
        stage.note_call(start_ms, start_ms + spent_ms, names, not stage.loop.in_worker)
        stage.loop.work(spent_ms / 1000)
        habits = {name: stage.scene.habit(name) for name in names}
        if "poison" in habits.values():
            raise Unreadable("the model cannot read one of the items")
        copies = {"lost": 0, "doubled": 2}
        return [self.result(n) for n, habit in habits.items() for _ in range(copies.get(habit, 1))]

    def result(self, name: str) -> str | int | None:
        """The result that the model should give for this item."""
        habit = self.stage.scene.habit(name)
        return {"zero": 0, "none": None}.get(habit, f"result for {name}")


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
