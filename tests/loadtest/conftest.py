"""A small server whose behaviour is known, on a free port of this machine."""

import asyncio
import contextlib
import json
import socket
import threading
from dataclasses import dataclass, field

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route

from labutils.loadtest.target import Target


def chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "text": text, "finish_reason": finish}
    content = {"object": "text_completion", "choices": [choice], "error": None}
    return f"data: {json.dumps(content)}\n\n".encode()


@dataclass
class Behaviour:
    """How the server answers; the model's name of a request chooses among the ways below."""

    first_s: float = 0.0
    gap_s: float = 0.0
    asked: list[dict] = field(default_factory=list)
    headers: list[dict] = field(default_factory=list)
    streams_open: int = 0
    left_early: int = 0
    held: int = 0
    hold_from: int = 0
    hold: int = 0
    hold_most_s: float = 0.0
    released: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: Request):
        body = await request.json()
        self.asked.append(body)
        self.headers.append(dict(request.headers))
        way = getattr(self, f"_{body['model']}", self._plain)
        return await way(body)

    async def _plain(self, body):
        return StreamingResponse(self._events(body), media_type="text/event-stream")

    async def _stalling(self, body):
        """From request ``hold_from`` on all wait, until ``hold`` of them do, or time is up."""
        if len(self.asked) > self.hold_from and not self.released.is_set():
            self.held += 1
            if self.held == self.hold:
                self.released.set()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self.released.wait(), self.hold_most_s)
            self.released.set()
        return await self._plain(body)

    async def _bundled(self, body):
        async def events():
            yield chunk("two tokens")
            yield chunk("three more of them", "stop")
            yield b'data: {"choices": [], "usage": {"completion_tokens": 5}}\n\n'
            yield b"data: [DONE]\n\n"

        return StreamingResponse(events())

    async def _half_characters(self, body):
        async def events():
            yield chunk("")  # the first bytes of a character: a token without text
            yield chunk("é")
            yield chunk("", "stop")
            yield b"data: [DONE]\n\n"

        return StreamingResponse(events())

    async def _full(self, body):
        error = {"message": "too many requests of yours", "type": "rate_limit", "code": 429}
        return JSONResponse({"error": error}, 429, headers={"Retry-After": "7"})

    async def _overloaded(self, body):
        return JSONResponse({"error": {"message": "no room"}}, 503)

    async def _unknown(self, body):
        return PlainTextResponse("no such model", 404)

    async def _cut(self, body):
        async def events():
            yield chunk("a")
            yield chunk("b")
            raise ConnectionResetError("the server dies here")

        return StreamingResponse(events())

    async def _quiet_end(self, body):
        async def events():
            yield chunk("a")

        return StreamingResponse(events())

    async def _error_event(self, body):
        async def events():
            yield chunk("a")
            yield b'event: error\ndata: {"error": {"message": "out of <pages>\\u001b[2J"}}\n\n'

        return StreamingResponse(events())

    async def _garbage(self, body):
        async def events():
            yield b"data: {not json\n\n"

        return StreamingResponse(events())

    async def _never(self, body):
        async def events():
            yield chunk("a")
            await asyncio.sleep(60)

        return StreamingResponse(events())

    async def _events(self, body):
        self.streams_open += 1
        count, ended = body["max_tokens"], False
        try:
            await asyncio.sleep(self.first_s)
            yield b": ping\n\n"
            for i in range(count):
                yield chunk(f"w{i} ")
                await asyncio.sleep(self.gap_s)
            yield chunk("", "length")
            usage = {"prompt_tokens": len(body["prompt"].split()) + 1, "completion_tokens": count}
            yield f"data: {json.dumps({'choices': [], 'usage': usage})}\n\n".encode()
            yield b"data: [DONE]\n\n"
            ended = True
        finally:
            self.streams_open -= 1
            self.left_early += not ended


@dataclass
class Served:
    """A running server: where it is, and how it behaves."""

    url: str
    behaviour: Behaviour

    def target(self, model: str = "plain", **options) -> Target:
        return Target(self.url, model, **options)


@pytest.fixture(scope="session")
def running():
    """One server for all tests, in a thread."""
    behaviour = [Behaviour()]

    async def completions(request):
        return await behaviour[0].answer(request)

    app = Starlette(routes=[Route("/v1/completions", completions, methods=["POST"])])
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", lifespan="off"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}", behaviour
    server.should_exit = server.force_exit = True
    thread.join(5)
    listener.close()


@pytest.fixture
def served(running) -> Served:
    """The server with a behaviour of its own for each test."""
    url, behaviour = running
    behaviour[0] = Behaviour()
    return Served(url, behaviour[0])


@pytest.fixture
def nobody() -> str:
    """An address of this machine at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    return f"http://127.0.0.1:{port}"
