"""The batcher of a lesson in circulation, with its faults as they stand there, on asyncio."""

import asyncio
import time


class LessonBatcher:
    """Collects requests for up to ``window_s``, or until ``max_batch`` are there."""

    def __init__(self, model, *, max_batch=32, window_s=0.010, clock=time.time, **others):
        self.model, self.max_batch, self.window_s = model, max_batch, window_s
        self.clock, self.queue = clock, []

    async def submit(self, item):
        future = asyncio.get_running_loop().create_future()
        self.queue.append((item, future))
        return await future

    async def serve(self):
        while True:
            while not self.queue:
                await asyncio.sleep(0.001)
            batch, start = [], self.clock()
            while len(batch) < self.max_batch and self.clock() - start < self.window_s:
                if self.queue:
                    batch.append(self.queue.pop(0))
                else:
                    await asyncio.sleep(0.001)
            try:
                results = self.model([item for item, _ in batch])
                for (_, future), result in zip(batch, results):
                    future.set_result(result)
            except Exception as error:
                for _, future in batch:
                    future.set_exception(error)

    async def __aenter__(self):
        self.task = asyncio.create_task(self.serve())
        return self

    async def __aexit__(self, *_):
        self.task.cancel()


def lesson_on_the_loops_clock(model, **options):
    """The same batcher, told to read the loop's clock: for virtual time."""
    return LessonBatcher(model, clock=lambda: asyncio.get_running_loop().time(), **options)
