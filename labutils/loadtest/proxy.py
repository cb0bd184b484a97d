"""A small reverse proxy, to see what those on the way do to a stream."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

from labutils.ground import arguments

MOST_PIECE = 1 << 16
END_OF_CHUNKS = b"0\r\n\r\n"


class Proxy:
    """Passes connections on to the server at ``url``; ``with proxy.running() as its_url``.

    ``holds_bytes``: of a stream it collects so much before it passes anything on, as nginx does
    with an answer whose length it is not told (0: at once). ``idle_s``: while an answer is due, a
    connection on which nobody says anything for so long is closed. ``reads_on``: when a client
    closes its connection, the answer is still read to its end. ``heeds``: an answer that says
    ``X-Accel-Buffering: no`` is not held.

    One thread and one event loop; chunked answers only (HTTP/1.1), without TLS.
    """

    def __init__(
        self, url: str, *, holds_bytes: int = 0, idle_s: float = 60.0, reads_on: bool = False,
        heeds: bool = False,
    ):  # fmt: skip
        self.to = urlsplit(url)
        self.holds_bytes = arguments.whole("holds_bytes", holds_bytes, at_least=0)
        self.idle_s, self.reads_on = arguments.positive("idle_s", idle_s), reads_on
        self.heeds = heeds

    @contextlib.contextmanager
    def running(self) -> Iterator[str]:
        """Serve in a thread of its own, on a free port of this machine."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, name="proxy")
        thread.start()

        def call(coroutine):
            return asyncio.run_coroutine_threadsafe(coroutine, loop).result(10)

        try:
            server = call(asyncio.start_server(self._serve, "127.0.0.1", 0))
            try:
                yield "http://127.0.0.1:{1}".format(*server.sockets[0].getsockname())
            finally:
                call(_ended(server))
        finally:
            loop.call_soon_threadsafe(loop.stop)
            thread.join()
            loop.close()

    async def _serve(self, reader, writer) -> None:
        """One client's connection, and one to the server for it."""
        with contextlib.suppress(ConnectionError, TimeoutError, asyncio.CancelledError):
            up_reader, up_writer = await asyncio.open_connection(self.to.hostname, self.to.port)
            talk = _Talk(self.idle_s)
            asking = asyncio.create_task(_asked(reader, up_writer, talk))
            answering = asyncio.create_task(self._answered(up_reader, writer, talk))
            try:
                both = {asking} if not self.reads_on else set()
                await asyncio.wait({answering, *both}, return_when=asyncio.FIRST_COMPLETED)
                if answering.done():
                    answering.result()
            finally:
                for task in (asking, answering):
                    task.cancel()
                up_writer.close()
                await asyncio.gather(asking, answering, return_exceptions=True)
        writer.close()

    async def _answered(self, reader, writer, talk) -> None:
        """Pass the server's answer on. The server is not told when a client is gone."""
        held, in_stream = b"", False
        while True:
            piece = await talk.heard(reader)
            in_stream = in_stream or self._is_held(piece)
            at_end = piece.endswith(END_OF_CHUNKS) or not piece
            held += piece
            if at_end or not in_stream or len(held) >= self.holds_bytes:
                if not writer.is_closing():
                    writer.write(held)
                held, in_stream = b"", in_stream and not at_end
                if not self.reads_on:
                    await writer.drain()
            talk.is_due = talk.is_due and not at_end
            if not piece:
                return

    def _is_held(self, head: bytes) -> bool:
        asks_not_to = self.heeds and b"x-accel-buffering: no" in head.lower()
        return b"text/event-stream" in head and not asks_not_to


class _Talk:
    """Whether an answer is due on a connection, and when somebody last said anything."""

    def __init__(self, idle_s: float):
        self.idle_s, self.is_due, self.last_s = idle_s, False, _now_s()

    async def heard(self, reader) -> bytes:
        """What the server says next; ``TimeoutError`` if an answer is due and nobody speaks."""
        while True:
            left_s = self.last_s + self.idle_s - _now_s()
            with contextlib.suppress(TimeoutError):
                piece = await asyncio.wait_for(
                    reader.read(MOST_PIECE), left_s if left_s > 0 else self.idle_s
                )
                self.last_s = _now_s()
                return piece
            if self.is_due and _now_s() - self.last_s >= self.idle_s:
                raise TimeoutError(f"nothing was said for {self.idle_s:g} s")


async def _asked(reader, writer, talk: _Talk) -> None:
    while piece := await reader.read(MOST_PIECE):
        talk.is_due, talk.last_s = True, _now_s()
        writer.write(piece)
        await writer.drain()


def _now_s() -> float:
    return asyncio.get_running_loop().time()


async def _ended(server: asyncio.Server) -> None:
    """Accept no more connections, cancel those that are open, and wait for their ends."""
    server.close()
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
