"""The threads of one stage: so many calls run at once, the others stand in line."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from opentelemetry import context

from labutils.ground import arguments
from labutils.telemetry import stage


class StageThreads:
    """``await threads.run(call, *args)`` runs a plain function in one of ``servers`` threads.

    It leaves two spans side by side: ``wait.NAME`` from the asking to the start of the work, and
    ``NAME`` for the work. So the time in line is never taken for the stage's own.

    An asker that is cancelled in line leaves it. Work that has begun runs to its end: Python
    cannot stop a thread.
    """

    def __init__(self, name: str, servers: int, tracer):
        self.name, self.tracer = name, tracer
        self.servers = arguments.whole("servers", servers)
        self._threads = ThreadPoolExecutor(servers, thread_name_prefix=name)

    async def run(self, call: Callable, *args, **attributes):
        """The result of ``call(*args)``, or what it raises; ``attributes`` go to its span.

        ``RuntimeError`` after ``close``.
        """
        asked_in = context.get_current()
        waiting = self.tracer.start_span(f"wait.{self.name}")

        def work():
            waiting.end()
            token = context.attach(asked_in)
            try:
                with stage(self.tracer, self.name, **attributes):
                    return call(*args)
            finally:
                context.detach(token)

        try:
            future = self._threads.submit(work)
        except RuntimeError:  # shut down
            waiting.end()
            raise RuntimeError(f"the stage {self.name} is closed and takes no more work") from None
        try:
            return await asyncio.wrap_future(future)
        finally:
            if future.cancelled():  # it left while in line, so nobody else ends its span
                waiting.end()

    def close(self) -> None:
        """Take no more work; what has begun runs to its end."""
        self._threads.shutdown(wait=True, cancel_futures=True)
