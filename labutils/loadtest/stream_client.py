"""One streamed request, from the moment it is sent to its end, however that comes."""

import asyncio
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import aiohttp

from labutils.ground.characters import printable
from labutils.metrics import RequestRecord, RequestStatus

from .event_stream import EventStream, ServerEvent, StreamTooLong
from .plans.load_plan import LoadPlan
from .plans.planned_request import PlannedRequest
from .target import Target

MOST_REASON = 200
MOST_ERROR_BYTES = 1 << 16
FULL = (429, 503)
"""The answers by which a server sends a request off: the client's limit, or its own."""

LEFT, INTERRUPTED, UNREACHABLE, CUT = "left", "interrupted", "unreachable", "cut"


def open_client(target: Target) -> aiohttp.ClientSession:
    """A client that never waits for a connection, asks no proxy and goes nowhere else.

    Every request has a connection of its own, as users have. Kept ones would save the handshake,
    but the server may close one at the very moment in which it is used again.
    """
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, force_close=True),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
        cookie_jar=aiohttp.DummyCookieJar(), headers=dict(target.headers),
    )  # fmt: skip


@dataclass
class Seen:
    """What a client has seen of one request so far. The first ending that is told counts."""

    request: PlannedRequest
    id: str | int
    due_s: float
    sent_s: float
    token_times_s: list[float] = field(default_factory=list)
    finish_s: float | None = None
    status: RequestStatus = RequestStatus.FAILED
    usage: dict = field(default_factory=dict)
    tags: dict[str, object] = field(default_factory=dict)
    crc: int = 0  # of the answer's text so far

    def end(self, status: RequestStatus, at_s: float, reason: str = "", **tags) -> None:
        """It ended now, like this."""
        if self.finish_s is None:
            self.status, self.finish_s = status, at_s
            self.tags |= tags | ({"reason": printable(reason[:MOST_REASON])} if reason else {})

    def read(self, event: ServerEvent, at_s: float) -> None:
        """Take in one event: a token, a count, an error or the end."""
        if event.data.strip() == "[DONE]":
            return self.end(RequestStatus.OK, at_s)
        chunk = _json(event.data)
        if event.name == "error" or chunk.get("error"):
            return self.end(RequestStatus.FAILED, at_s, f"error event: {_message(chunk)}")
        if isinstance(chunk.get("usage"), dict):
            self.usage = chunk["usage"]
        choice = _choice(chunk.get("choices"))
        self.crc = zlib.crc32(str(choice.get("text") or "").encode(), self.crc)
        if _holds_token(choice) and self.finish_s is None:
            self.token_times_s.append(at_s)
            if len(self.token_times_s) == self.request.leave_after:
                self.end(RequestStatus.CANCELLED, at_s, LEFT)
        return None

    def record(self) -> RequestRecord:
        """The record of it; in the tags stand what the server counted, and the answer's CRC-32."""
        prompt = _count(self.usage, "prompt_tokens", self.request.prompt_words)
        details = self.usage.get("prompt_tokens_details")
        cached = _count(details, "cached_tokens", 0) if isinstance(details, dict) else 0
        tags = {"kind": self.request.kind, "tenant": self.request.tenant, **self.tags}
        if self.request.is_slow:
            tags["slow_reader"] = True
        if "completion_tokens" in self.usage:
            tags["server_output_tokens"] = _count(self.usage, "completion_tokens", 0)
        if self.status is RequestStatus.OK:
            tags["answer_crc32"] = self.crc
        return RequestRecord(
            self.id, self.due_s, self.sent_s,
            token_times_s=self.token_times_s, finish_s=self.finish_s, status=self.status,
            prompt_tokens=prompt, cached_tokens=min(cached, prompt), tags=tags,
        )  # fmt: skip


class StreamClient:
    """Sends requests of a plan to a target, and hands each record to ``keep``.

    ``now`` is the clock of the run, in seconds from its start. A request that has not ended
    ``timeout_s`` after the moment at which it was due has timed out.
    """

    def __init__(
        self,
        http: aiohttp.ClientSession,
        target: Target,
        plan: LoadPlan,
        *,
        now: Callable[[], float],
        keep: Callable[[RequestRecord], None],
        timeout_s: float,
    ):
        self._http, self._target, self._plan = http, target, plan
        self._now, self._keep, self._timeout_s = now, keep, timeout_s

    async def ask(self, request: PlannedRequest, due_s: float, *, again: int = 0) -> None:
        """Send it, read the answer, keep the record; only an interruption goes on from here.

        A request that is asked ``again`` has an id of its own, and so words of its own.
        """
        name = f"{request.id}.{again}" if again else request.id
        seen = Seen(request, name, due_s, max(self._now(), due_s))
        try:
            async with asyncio.timeout(due_s + self._timeout_s - seen.sent_s):
                await self._stream(request, seen)
        except TimeoutError:
            seen.end(RequestStatus.TIMED_OUT, self._now(), f"{self._timeout_s:g} s")
        except aiohttp.ClientConnectorError as error:
            seen.end(RequestStatus.FAILED, self._now(), f"{UNREACHABLE}: {error}")
        except aiohttp.ClientPayloadError:
            seen.end(RequestStatus.FAILED, self._now(), f"{CUT}: the connection closed too soon")
        except (aiohttp.ClientError, StreamTooLong, ValueError) as error:
            why = str(error) or type(error).__name__
            seen.end(RequestStatus.FAILED, self._now(), f"{CUT}: {why}")
        except asyncio.CancelledError:
            seen.end(RequestStatus.CANCELLED, self._now(), INTERRUPTED)
            raise
        finally:
            seen.end(RequestStatus.FAILED, self._now(), CUT)
            self._keep(seen.record())

    async def _stream(self, request: PlannedRequest, seen: Seen) -> None:
        body = self._target.body(
            prompt=request.asked(seen.id), max_tokens=request.max_tokens, tenant=request.tenant
        )
        headers = self._target.introduction(
            id=seen.id, tenant=request.tenant, ttft_s=self._plan.promised(request.kind).ttft_s
        )
        asking = self._http.post(
            self._target.endpoint, json=body, headers=headers, allow_redirects=False,
            read_bufsize=1 if request.is_slow else 1 << 16,  # a slow one leaves it in the socket
        )  # fmt: skip
        async with asking as response:
            if replica := response.headers.get("x-replica"):
                seen.tags["replica"] = printable(replica[:MOST_REASON])
            if response.status != 200:
                return await self._refused(response, seen)
            events = EventStream()
            async for piece in response.content.iter_any():
                at_s = self._now()
                for event in events.feed(piece):
                    seen.read(event, at_s)
                    if request.is_slow:
                        await asyncio.sleep(request.pause_s)
                        at_s = self._now()
                if seen.finish_s is not None and seen.status is not RequestStatus.OK:
                    return None  # leaving the block closes the connection
        seen.end(RequestStatus.FAILED, self._now(), f"{CUT}: the stream ended without [DONE]")
        return None

    async def _refused(self, response: aiohttp.ClientResponse, seen: Seen) -> None:
        content = b""
        async for piece in response.content.iter_any():
            content += piece
            if len(content) > MOST_ERROR_BYTES:
                break
        code = response.status
        status = RequestStatus.REJECTED if code in FULL else RequestStatus.FAILED
        told = {"http_status": code}
        if "retry-after" in response.headers:
            told["retry_after"] = response.headers["retry-after"][:MOST_REASON]
        message = _message(_json(content.decode("utf-8", "replace"), strict=False))
        seen.end(status, self._now(), f"HTTP {code}: {message}", **told)


def _json(text: str, *, strict: bool = True) -> dict:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if isinstance(content, dict):
        return content
    if strict:
        raise ValueError(f"an event that is no JSON object: {text[:80]!r}")
    return {"error": text.strip()}


def _message(content: dict) -> str:
    """The message of an OpenAI-style error, or the nearest thing to it."""
    error = content.get("error", content.get("message", content))
    said = error.get("message", error) if isinstance(error, dict) else error
    return str(said) or "no message"


def _choice(choices) -> dict:
    """The first choice of a chunk; empty if it has none."""
    first = choices[0] if isinstance(choices, list) and choices else {}
    return first if isinstance(first, dict) else {}


def _holds_token(choice: dict) -> bool:
    """Whether a choice stands for a token: one with text, or without but not the closing one.

    A token that ends within a character of several bytes may have no text yet.
    """
    return bool(choice) and (bool(choice.get("text")) or choice.get("finish_reason") is None)


def _count(usage: dict, name: str, otherwise: int) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and 0 <= value < 2**53 else otherwise
