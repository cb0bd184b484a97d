"""What a client hears of an answer, and what the desk does, if the replica is lost on the way."""

from collections.abc import AsyncIterator

from labutils.server import EventLog, ProtocolError

from .door_desk import Asked, Desk

LOST = ProtocolError(503, "the replica was lost before the end", code="replica_lost")


class ReplicaLost(Exception):
    """The process behind an answer is gone."""


class Telling:
    """Passes an answer on. The ``desk`` counts it as in flight until it is ``over``."""

    desk: Desk

    async def told(self, asked: Asked, pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """The pieces as they come; if the replica is lost on the way, an error event at the end."""
        try:
            async for piece in pieces:
                yield piece
        except ReplicaLost:
            yield self.error_event()
        finally:
            self.over(asked)

    def over(self, asked: Asked) -> None:
        """The desk need not count it any more."""
        if asked.arrival is not None:
            self.desk.ended(asked.arrival)

    def error_event(self) -> bytes:
        """Says to the client that no more will come, and why."""
        log = EventLog()
        log.fail(LOST)
        return log.since(0).partition(b"\n")[2]
