"""An answer on its way out: as events at the pace of its client, or as an error."""

import asyncio
import contextlib
import json
import math
import re

from starlette.responses import Response

from .event_log import PING
from .job import Job
from .protocol import ProtocolError
from .settings import Settings

_STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-cache"),
    (b"x-accel-buffering", b"no"),  # asks a proxy (nginx) not to collect what should stream
]  # fmt: skip

TWO_LENGTHS = "two_lengths"  # the code of a request that says twice where it ends
_NUMBER = re.compile(rb"^id: [0-9]+\n", re.MULTILINE)


class EventStream(Response):
    """Sends the events of a job after number ``after``, at the pace of its client.

    Numbers go to who means to read again: vLLM's own client takes no line but ``data:``.
    The status is sent with the first event, so that what is refused before it gets one of its own.
    Whoever leaves takes the job along, after the time that its ``Caller`` asked for. Whoever does
    not read holds up nobody: the log bounds what waits, and a broken stream is given up.
    """

    def __init__(self, job: Job, settings: Settings, *, after: int | None = None):
        self.job, self.settings, self.at, self.begun = job, settings, after or 0, False
        self.is_numbered = after is not None or job.ending.caller.resume_s > 0
        self.background = None

    async def __call__(self, scope, receive, send) -> None:
        self.job.readers.add(self)
        try:
            await self.until_left(self._answer(scope, send), gone(receive))
        finally:
            self.job.readers.discard(self)

    async def until_left(self, answer, leaving) -> None:
        """Run the coroutine ``answer`` until it ends, or until ``leaving`` does: nobody is there.

        However this ends, neither goes on; and unless the answer was told to its end, the job
        hears that its client has ``left``. An error of ``answer`` is raised.
        """
        sending, going = asyncio.create_task(answer), asyncio.create_task(leaving)
        is_told = False
        try:
            await asyncio.wait({sending, going}, return_when=asyncio.FIRST_COMPLETED)
            if sending.done():
                sending.result()
                is_told = True
        finally:
            sending.cancel()
            going.cancel()
            if not is_told:
                self.left()

    async def send_all(self, send) -> None:
        """Send all that the log holds and comes to hold, to its end, as soon as it is there.

        Where nothing comes for ``settings.heartbeat_s``, a ``PING`` goes out.
        """
        log = self.job.log
        while True:
            if not await log.wait(self.at, self.settings.heartbeat_s):
                await send(PING)
                continue
            events, self.at = log.since(self.at), len(log.events)
            await send(events)
            if log.is_closed and self.at == len(log.events):
                return

    async def _answer(self, scope, send) -> None:
        """The whole response: a status of its own for what failed at once, or the stream."""
        log = self.job.log

        async def send_body(body: bytes) -> None:
            if log.error and not self.begun and len(log.events) == 1:
                return await error_response(log.error)(scope, None, send)
            body = body if self.is_numbered else _NUMBER.sub(b"", body)
            seconds = self.settings.stalled_s if log.is_closed else None
            return await asyncio.wait_for(self._send(send, body), seconds)

        with contextlib.suppress(TimeoutError):  # it was cut, and does not even read that
            await self.send_all(send_body)
            if self.begun:
                await send({"type": "http.response.body", "body": b""})

    async def _send(self, send, body: bytes) -> None:
        if not self.begun:
            self.begun = True
            headers = [
                *_STREAM_HEADERS,
                *((k.encode(), v.encode()) for k, v in id_headers(self.job).items()),
            ]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body, "more_body": True})

    def left(self) -> None:
        """The client is gone: its job may go, too, at once or after the time that it asked for."""
        self.job.readers.discard(self)
        if seconds := self.job.ending.caller.resume_s:
            asyncio.get_running_loop().call_later(seconds, self._gives_up)
        else:
            self._gives_up()

    def _gives_up(self) -> None:
        if not self.job.readers:  # nobody has come back, or reads beside it
            self.job.leave()


async def gone(receive) -> None:
    """Returns when the client has closed its connection."""
    while (await receive())["type"] != "http.disconnect":
        pass


def id_headers(job: Job) -> dict[str, str]:
    """By what an answer can be found again, in a log and on the server."""
    return {"x-request-id": job.ending.caller.request_id, "x-response-id": job.id}


def error_response(error: ProtocolError) -> Response:
    """The answer to a request that gets none."""
    headers = {"www-authenticate": "Bearer"} if error.status == 401 else {}
    if error.status in (408, 413) or error.code == TWO_LENGTHS:  # the rest is not read
        headers["connection"] = "close"
    if error.retry_after_s is not None:
        headers["retry-after"] = str(max(1, math.ceil(error.retry_after_s)))
    return Response(
        json.dumps(error.body()), error.status, headers=headers, media_type="application/json"
    )
