"""Requests of similar length share a batch: a batcher for each bucket, and one device for all."""

import asyncio
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack

from labutils.serving.batcher.dynamic_batcher import DynamicBatcher


class LengthBuckets:
    """A dynamic batcher for each class of lengths, on one device.

    ``edges`` ascend: a request of length n goes to the first bucket whose edge is at least n, so
    the last edge is the longest request that is taken. A batch is padded to its longest member,
    and members of one bucket differ little. ``options`` go to every ``DynamicBatcher``; the buckets
    take turns on the device in the order in which their batches became ready.
    """

    def __init__(
        self, model: Callable, edges: Sequence[float], *, length: Callable = len, **options
    ):
        self.edges, self.length = list(edges), length
        if not self.edges or self.edges != sorted(set(self.edges)):
            raise ValueError(f"edges = {self.edges!r}: expected one or more, ascending")
        device = asyncio.Lock()
        self.batchers = [DynamicBatcher(model, device=device, **options) for _ in self.edges]
        self._open = AsyncExitStack()

    async def __aenter__(self) -> "LengthBuckets":
        for batcher in self.batchers:
            await self._open.enter_async_context(batcher)
        return self

    async def __aexit__(self, *details) -> None:
        await self._open.__aexit__(*details)

    async def submit(self, item, **options):
        """The model's result for ``item``; ``ValueError`` for one beyond the last edge."""
        size = self.length(item)
        if size > self.edges[-1]:
            raise ValueError(f"length = {size!r}: expected at most {self.edges[-1]}, the last edge")
        return await self.batchers[bisect_left(self.edges, size)].submit(item, **options)
