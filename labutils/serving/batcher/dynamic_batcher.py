"""A dynamic batcher for a model that answers many as fast as few: requests one by one, in batches.

Clients await ``submit``. A batch leaves when the device is free and the batch is full, or when its
most urgent request has waited for as long as it may, counted from its *arrival*. Whatever happens
to one (it hangs up, the model raises or loses a result), every other client hears something: its
own result or an error.

>>> import asyncio
>>> async def three():
...     async with DynamicBatcher(lambda words: [word.upper() for word in words]) as batcher:
...         return await asyncio.gather(*map(batcher.submit, ["c1", "c2", "c5"]))
>>> asyncio.run(three())
['C1', 'C2', 'C5']
"""

import asyncio
import contextlib
from bisect import insort
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from labutils.ground.arguments import non_negative, whole


class Overloaded(RuntimeError):
    """The queue is full: the request was not taken. Come back later, or go elsewhere."""


class BatchFailed(RuntimeError):
    """The model did not answer the batch; ``__cause__`` is what went wrong."""


class Closed(RuntimeError):
    """The batcher takes no requests any more."""


@dataclass(eq=False, slots=True)
class Ticket:
    """One request: its item, when it came, until when it may wait for company, its answer."""

    item: Any
    arrival_s: float
    due_s: float
    answer: asyncio.Future


def urgency(ticket: Ticket) -> float:
    """What the queue is sorted by: the moment at which a request has waited long enough."""
    return ticket.due_s


class DynamicBatcher:
    """Gathers requests into batches of up to ``max_batch`` for ``model``, on one device.

    ``model`` takes a list of items and returns as many results in the same order; it is called in
    a worker thread. A request waits for company for ``window_s`` seconds at most, less where it
    says so, and longer only while the device is busy. When ``max_waiting`` wait, the next one is
    refused. With ``bisect`` a batch that the model fails on is tried again in halves, so that only
    the request to blame fails. Batchers that share a ``device`` (a lock) take turns on it.

    Invariant: every request that was taken is in ``waiting`` (sorted by urgency), in ``running``,
    or answered; and a request whose client hung up while it waited is in no batch.
    """

    def __init__(
        self,
        model: Callable[[list], Sequence],
        *,
        max_batch: int = 32,
        window_s: float = 0.0,
        max_waiting: int = 1024,
        bisect: bool = False,
        device: asyncio.Lock | None = None,
    ):
        self.model = model
        self.max_batch = whole("max_batch", max_batch)
        self.window_s = non_negative("window_s", window_s)
        self.max_waiting = whole("max_waiting", max_waiting)
        self.bisect = bisect
        self.device = device or asyncio.Lock()
        self.waiting: list[Ticket] = []
        self.running: list[Ticket] = []
        self.closing = False
        self._news = asyncio.Event()
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="batcher")
        self._serving: asyncio.Task | None = None

    async def __aenter__(self) -> "DynamicBatcher":
        self._serving = asyncio.create_task(self.serve())
        return self

    async def __aexit__(self, *_) -> None:
        await self.close()

    # ---- what the lab rebuilds -----------------------------------------------------------------

    async def submit(self, item, *, patience_s: float | None = None):
        """Return the model's result for ``item``, which waits ``patience_s`` at most for company.

        If cancelled, it leaves the queue and re-raises. ``Overloaded`` where the queue is full.
        """
        if len(self.waiting) >= self.max_waiting:
            raise Overloaded(f"{len(self.waiting)} requests wait already")
        patience_s = self.window_s if patience_s is None else patience_s
        arrival_s = self.now()
        ticket = Ticket(item, arrival_s, arrival_s + patience_s, asyncio.Future())
        self.line_up(ticket)
        try:
            return await ticket.answer
        except asyncio.CancelledError:
            self.forget(ticket)
            raise

    async def until_ready(self) -> None:
        """Return as soon as a batch should leave: it is full, or its most urgent member is due."""
        while len(self.waiting) < self.max_batch:
            due_s = self.waiting[0].due_s if self.waiting else None
            if due_s is not None and due_s <= self.now():
                return
            await self.news(until_s=due_s)

    async def run(self, batch: list[Ticket]) -> None:
        """Have the model answer a batch while the loop goes on; deliver, or say that it failed."""
        items = [ticket.item for ticket in batch]
        work = asyncio.get_running_loop().run_in_executor(self._worker, self.call, items)
        try:
            results = await work
        except Exception as error:
            await self.rescue(batch, error)
        else:
            self.deliver(batch, results)

    def deliver(self, batch: list[Ticket], results: Sequence) -> None:
        """Give every member of the batch its own result, or all an error if they do not match."""
        if len(results) != len(batch):
            self.fail(batch, ValueError(f"{len(results)} results for {len(batch)} requests"))
            return
        for ticket, result in zip(batch, results):
            if not ticket.answer.done():
                ticket.answer.set_result(result)

    async def rescue(self, batch: list[Ticket], error: Exception) -> None:
        """Fail the batch, or with ``bisect`` try its halves, so that only the bad item fails."""
        if not self.bisect or len(batch) == 1:
            self.fail(batch, error)
            return
        half = len(batch) // 2
        await self.run(batch[:half])
        await self.run(batch[half:])

    # ---- the scaffold --------------------------------------------------------------------------

    async def serve(self) -> None:
        """Batch after batch; should the batcher itself fail, everybody hears, and it closes."""
        try:
            while True:
                await self.until_ready()
                async with self.device:
                    self.running = self.take()
                    if self.running:
                        await self.run(self.running)
                    self.running = []
        except BaseException as error:
            self.closing = True
            self.fail([*self.running, *self.waiting], error)
            raise

    def now(self) -> float:
        """The loop's clock in seconds: monotonic, so that nobody's deadline jumps."""
        return asyncio.get_running_loop().time()

    def tell(self) -> None:
        """Wake whoever waits for news."""
        self._news.set()

    async def news(self, *, until_s: float | None) -> None:
        """Wait until somebody tells something, or until a moment (``None``: however long)."""
        self._news.clear()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout_at(until_s):
                await self._news.wait()

    def line_up(self, ticket: Ticket) -> None:
        """Put a ticket into the queue, by urgency, and tell the loop; ``Closed`` if none runs."""
        if self.closing or self._serving is None:
            raise Closed("the batcher is not open: use it inside `async with`")
        insort(self.waiting, ticket, key=urgency)
        self.tell()

    def take(self) -> list[Ticket]:
        """Move the most urgent, ``max_batch`` at most, out of the queue."""
        batch, self.waiting = self.waiting[: self.max_batch], self.waiting[self.max_batch :]
        return batch

    def forget(self, ticket: Ticket) -> None:
        """Take a ticket out of the queue, if it still waits there."""
        if ticket in self.waiting:
            self.waiting.remove(ticket)

    def call(self, items: list) -> list:
        """The model's results, in a worker thread."""
        try:
            return list(self.model(items))
        except StopIteration as error:  # no future can hold it: the caller would wait for ever
            raise RuntimeError("the model raised StopIteration") from error

    def fail(self, batch: Sequence[Ticket], error: BaseException) -> None:
        """Tell each member an error of its own: one shared by all would grow with every raise."""
        for ticket in batch:
            if not ticket.answer.done():
                failed = BatchFailed(f"{type(error).__name__}: {error}")
                failed.__cause__ = error
                ticket.answer.set_exception(failed)

    async def close(self) -> None:
        """Take nobody any more, answer those who wait at once, and stop."""
        self.closing = True
        for ticket in self.waiting:
            ticket.due_s = float("-inf")
        self.tell()
        open_answers = [ticket.answer for ticket in (*self.running, *self.waiting)]
        if open_answers:
            await asyncio.wait(open_answers)
        if self._serving is not None and not self._serving.done():
            self._serving.cancel()
            await asyncio.wait([self._serving])
        self._worker.shutdown(wait=False)
