"""The events of one answer: written by the engine's side, read by a client at its own pace."""

import asyncio
import json
from collections.abc import Mapping

from .protocol import ProtocolError

PING = b": ping\n\n"  # a comment keeps what idles on the way from closing the connection
DONE = b"data: [DONE]\n\n"


class TooSlow(Exception):
    """A reader is further behind than the log lets it be."""


class EventLog:
    """The numbered server-sent events of one answer, all kept; it bounds how far a client lags.

    ``end`` or ``fail`` closes it once. A log that was closed by ``fail`` before anything stood in
    it can still be answered with a status; later an error is an event, so that a client can tell an
    answer that is done (``[DONE]``) from one that broke (``event: error``) and from a connection
    that was cut (neither). Numbers count from 1, and what follows number n can be read again.
    """

    def __init__(self, most_unread: int = 4_096):
        self.most_unread, self.events = most_unread, []
        self.error: ProtocolError | None = None
        self.is_closed = False
        self.read = 0  # how far the client is
        self._waiting: dict[asyncio.Future, float] = {}  # until when
        self._alarm: asyncio.TimerHandle | None = None

    def write(self, data: Mapping) -> None:
        """One more event. ``TooSlow`` if the client is too far behind; the log is as it was."""
        if len(self.events) - self.read >= self.most_unread:
            raise TooSlow(f"{self.most_unread} events unread")
        self._append(b"data: %b" % json.dumps(data).encode())

    def end(self) -> None:
        """All is said."""
        if not self.is_closed:
            self._close(DONE[:-2])

    def fail(self, error: ProtocolError) -> None:
        """It broke."""
        if not self.is_closed:
            self.error = error
            self._close(b"event: error\ndata: %b" % json.dumps(error.body()).encode())

    def since(self, number: int) -> bytes:
        """All events after that number, as they go over the wire."""
        self.read = len(self.events)
        return b"".join(self.events[number:])

    async def wait(self, number: int, seconds: float) -> bool:
        """Whether there is something after that number, or the end, within ``seconds``."""
        if len(self.events) > number or self.is_closed:
            return True
        loop = asyncio.get_running_loop()
        told, until_s = loop.create_future(), loop.time() + seconds
        self._waiting[told] = until_s
        self._wake_by(until_s, loop)
        try:
            return await told
        finally:
            del self._waiting[told]

    def _wake_by(self, until_s: float, loop) -> None:
        """Have the alarm ring then or before: one for each wait costs more than all the rest."""
        if self._alarm is None or self._alarm.when() > until_s:
            if self._alarm is not None:
                self._alarm.cancel()
            self._alarm = loop.call_at(until_s, self._ring, loop)

    def _ring(self, loop) -> None:
        rings_s, self._alarm = self._alarm.when(), None
        for told, until_s in self._waiting.items():
            if until_s <= rings_s:
                _tell(told, False)
            else:
                self._wake_by(until_s, loop)

    def _append(self, event: bytes) -> None:
        self.events.append(b"id: %d\n%b\n\n" % (len(self.events) + 1, event))
        for one in self._waiting:
            _tell(one, True)

    def _close(self, event: bytes) -> None:
        self.is_closed = True
        self._append(event)
        if self._alarm is not None:  # it would hold the log until it rings
            self._alarm.cancel()


def _tell(told: asyncio.Future, is_more: bool) -> None:
    if not told.done():
        told.set_result(is_more)
