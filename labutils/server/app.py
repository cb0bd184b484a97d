"""The routes: an ASGI application over an engine thread, in the OpenAI protocol."""

import asyncio
import hmac
import math
import re
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from labutils.ground.loopback import is_loopback
from labutils.serving.checkpoints.tokenizer import LONG
from labutils.serving.engine_thread import EngineThread

from .admission import Admission
from .job import Caller, Job
from .outgoing import TWO_LENGTHS, EventStream, error_response, gone, id_headers
from .protocol import Ask, ProtocolError, unknown_model
from .settings import Settings
from .watch import Watch

FAILED = ProtocolError(500, "the server failed", code="failed")
_TWICE = ProtocolError(
    400, "Content-Length and Transfer-Encoding: expected one of them", code=TWO_LENGTHS
)
_NAME = re.compile(r"[\w.:@/=+;-]{1,128}", re.ASCII)  # what may stand in a header and in a log


@dataclass
class Front:
    """The application's state, and its handlers."""

    engine_thread: EngineThread
    admission: Admission
    watch: Watch
    settings: Settings = field(default_factory=Settings)
    streams: type[EventStream] = EventStream
    is_ready: bool = False
    jobs: dict[str, Job] = field(default_factory=dict)  # those that have not ended
    kept: OrderedDict[str, Job] = field(default_factory=OrderedDict)  # streams to be read again

    def __post_init__(self):
        """No text of more characters has so few tokens as the model's context holds."""
        engine = self.engine_thread.engine
        most = engine.model.spec.max_context
        self.longest_text = most * engine.tokenizer.longest if most else self.settings.body_bytes

    def app(self) -> Starlette:
        """The routes."""
        routes = [
            Route("/v1/completions", self._answering(chat=False), methods=["POST"]),
            Route("/v1/chat/completions", self._answering(chat=True), methods=["POST"]),
            Route("/v1/streams/{id}", self._resume),
            Route("/v1/models", self._models),
            Route("/v1/models/{id:path}", self._models),
            Route("/health", self._health),
            Route("/ready", self._ready),
            Route("/metrics", self._metrics),
        ]
        handlers = {ProtocolError: _told, HTTPException: _unknown, Exception: _broken}
        middleware = [Middleware(_OneLength)]
        app = Starlette(routes=routes, exception_handlers=handlers, middleware=middleware)
        app.router.redirect_slashes = False  # it would lead to wherever the Host header says
        return app

    def _answering(self, *, chat: bool):
        async def answer(request: Request) -> Response:
            try:
                job = await self._admitted(request, chat)
            except Exception as error:  # one that nobody foresaw is counted, too
                self.watch.refused(error if isinstance(error, ProtocolError) else FAILED)
                raise
            self.jobs[job.id] = job
            job.start()
            if job.ask.stream:
                self._keep(job)
                return self._stream(job)
            return await self._whole(request, job)

        return answer

    async def _admitted(self, request: Request, chat: bool) -> Job:
        """A job with a ticket, or ``ProtocolError``."""
        self._authorise(request)
        settings, engine = self.settings, self.engine_thread.engine
        caller = _caller(request, settings.resume_s)
        body = await _body(request, settings.body_bytes, settings.body_s)
        ask = Ask.of(
            body, chat=chat, model=settings.model, max_tokens=settings.max_tokens,
            longest_text=self.longest_text,
        )  # fmt: skip
        tokens = await _tokens(engine, ask)
        now_s = engine.clock()
        ticket = self.admission.admit(
            caller.tenant, len(tokens), ask.max_tokens, now_s, ttft_s=caller.ttft_s
        )
        id = f"{'chatcmpl' if chat else 'cmpl'}-{secrets.token_hex(12)}"
        return Job(
            id, ask, caller, tokens, ticket, engine_thread=self.engine_thread,
            admission=self.admission, model=settings.model, on_end=self._ended,
            most_unread=settings.most_unread, stream_interval=settings.stream_interval,
        )  # fmt: skip

    async def _whole(self, request: Request, job: Job) -> Response:
        """The whole answer at once, unless its client leaves before."""
        leaving = asyncio.create_task(gone(request.receive))
        await asyncio.wait({job.task, leaving}, return_when=asyncio.FIRST_COMPLETED)
        leaving.cancel()
        if not job.task.done():
            job.leave()
            return Response(status_code=499)
        if job.log.error:
            raise job.log.error
        found = job.ask.whole(job.id, job.model, job.text, job.ending.reason, job.usage)
        return JSONResponse(found, headers=id_headers(job))

    async def _resume(self, request: Request) -> Response:
        """The events of an answer after ``Last-Event-ID``, while it is kept."""
        self._authorise(request)
        job = self.kept.get(request.path_params["id"])
        if job is None:
            message = "no stream of that id is kept: expected one of the last minute"
            raise ProtocolError(404, message, code="unknown_stream")
        last = request.headers.get("last-event-id", "0")
        if not re.fullmatch(r"[0-9]{1,9}", last) or int(last) > len(job.log.events):
            raise ProtocolError(
                400, "Last-Event-ID: expected the number of an event", code="bad_id"
            )
        return self._stream(job, after=int(last))

    def _stream(self, job: Job, **options) -> EventStream:
        return self.streams(job, self.settings, **options)

    async def _models(self, request: Request) -> Response:
        self._authorise(request)
        most = self.engine_thread.engine.model.spec.max_context
        model = {"id": self.settings.model, "object": "model", "created": 0, "owned_by": "labutils"}
        model |= {"max_model_len": most}
        id = request.path_params.get("id")
        if id is None:
            return JSONResponse({"object": "list", "data": [model]})
        if id != model["id"]:
            raise unknown_model(id, model["id"])
        return JSONResponse(model)

    async def _health(self, request: Request) -> Response:
        """Whether the process is worth keeping."""
        alive = self.engine_thread.is_open
        return PlainTextResponse("ok" if alive else "the engine has stopped", 200 if alive else 503)

    async def _ready(self, request: Request) -> Response:
        """Whether to send requests here: after the warm-up, and not while draining."""
        for reason, holds in (
            ("the engine has stopped", not self.engine_thread.is_open),
            ("draining", self.admission.is_draining),
            ("warming up", not self.is_ready),
        ):
            if holds:
                return PlainTextResponse(reason, 503)
        return PlainTextResponse("ready")

    async def _metrics(self, request: Request) -> Response:
        self._authorise(request)
        return Response(self.watch.exposition(), media_type="text/plain; version=0.0.4")

    def _authorise(self, request: Request) -> None:
        token = self.settings.token
        if token is None:
            return _refuse_pages_of_others(request)
        scheme, _, sent = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(sent.encode(), token.encode()):
            raise ProtocolError(401, "expected a valid bearer token", code="invalid_api_key")

    def _keep(self, job: Job) -> None:
        self.kept[job.id] = job
        if len(self.kept) > self.settings.kept_answers:
            self.kept.popitem(last=False)

    def _ended(self, ending) -> None:
        self.jobs.pop(ending.id, None)
        if ending.refusal is None:
            self.watch.noted(ending)
        else:
            self.watch.refused(ending.refusal)
        loop = asyncio.get_running_loop()
        loop.call_later(self.settings.resume_s, self.kept.pop, ending.id, None)


class _OneLength:
    """Refuses what states its length twice: a proxy in front may have believed the other one."""

    def __init__(self, app):
        self.app = app

    async def __call__(self, scope, receive, send) -> None:
        names = {name for name, _ in scope.get("headers", ())}
        is_twice = {b"content-length", b"transfer-encoding"} <= names
        await (error_response(_TWICE) if is_twice else self.app)(scope, receive, send)


def _refuse_pages_of_others(request: Request) -> None:
    """A page of another site, open in a browser of this machine, is not this machine's user."""
    for name, address in (
        ("Host", f"//{request.headers.get('host', '')}"),
        ("Origin", request.headers.get("origin", "//localhost")),
    ):
        try:
            host = urlsplit(address).hostname or ""
        except ValueError:
            host = ""
        if not is_loopback(host):
            message = f"{name}: expected this machine's own, as localhost is"
            raise ProtocolError(403, message, param=name, code="foreign_page")


async def _body(request: Request, most: int, seconds: float) -> bytes:
    """The body, if it is short and comes in time, as it is."""
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        message = "Content-Encoding: expected none, since a packed body is not served here"
        raise ProtocolError(415, message, param="Content-Encoding", code="bad_header")
    parts, size = [], 0
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                size += len(part)
                if size > most:
                    raise ProtocolError(
                        413, f"the body is longer than {most:,} bytes", code="too_long"
                    )
                parts.append(part)
    except TimeoutError:
        message = f"the body took longer than {seconds:g} s"
        raise ProtocolError(408, message, code="too_slow") from None
    except ClientDisconnect:
        raise ProtocolError(499, "the client has left", code="cancelled") from None
    return b"".join(parts)


async def _tokens(engine, ask: Ask) -> list[int]:
    """Token numbers of the prompt; ``ProtocolError`` unless they fit into the model's context."""
    tokens = ask.prompt
    if isinstance(tokens, str):
        encode = engine.tokenizer.encode
        tokens = await asyncio.to_thread(encode, tokens) if len(tokens) > LONG else encode(tokens)
    most = engine.model.spec.max_context
    if not tokens or (most and len(tokens) + ask.max_tokens > most):
        asked = f"{len(tokens)} tokens of prompt and {ask.max_tokens} of answer"
        message = f"{asked}: expected a prompt, and at most {most} together"
        is_short = 0 < len(tokens) < most
        param = "max_tokens" if is_short else "messages" if ask.chat else "prompt"
        raise ProtocolError(400, message, param=param, code="context_length_exceeded")
    return tokens


def _caller(request: Request, most_resume_s: float) -> Caller:
    """Who asks, by the request's headers."""
    headers = request.headers
    request_id = headers.get("x-request-id") or secrets.token_hex(8)
    tenant = headers.get("x-tenant", "anybody")
    for name, value in (("X-Request-Id", request_id), ("X-Tenant", tenant)):
        if not _NAME.fullmatch(value):
            expected = "expected 1 to 128 letters, digits and .:@/_=+;-"
            raise ProtocolError(400, f"{name}: {expected}", param=name, code="bad_header")
    ttft_ms = _number_header(headers, "X-TTFT-Deadline-Ms", math.inf, math.inf)
    resume_s = _number_header(headers, "X-Resume-Within-S", 0.0, most_resume_s)
    return Caller(request_id=request_id, tenant=tenant, ttft_s=ttft_ms / 1e3, resume_s=resume_s)


def _number_header(headers, name: str, otherwise: float, most: float) -> float:
    if (text := headers.get(name)) is None:
        return otherwise
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= most or value == math.inf:
        expected = "a number above 0" if most == math.inf else f"a number above 0, at most {most:g}"
        raise ProtocolError(400, f"{name}: expected {expected}", param=name, code="bad_header")
    return value


async def _told(request: Request, error: ProtocolError) -> Response:
    return error_response(error)


async def _unknown(request: Request, error: HTTPException) -> Response:
    return error_response(ProtocolError(error.status_code, error.detail, code="unknown_route"))


async def _broken(request: Request, error: Exception) -> Response:
    return error_response(FAILED)
