"""Replicas that hold lab 8's server, and who of Ray's sends to them."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable

from ray.serve.request_router import RequestRouter

from labutils.server import ProtocolError
from labutils.server.life import Server

from .door_desk import Asked
from .loopback_ports import keep_to_loopback


class Named(RequestRouter):
    """Sends each request to the replica that it was given to, and never to another."""

    async def choose_replicas(self, candidate_replicas, pending_request=None):
        """Ray asks here; an error of a learner's router goes to the client, not into Ray's log."""
        by_name = {one.replica_id.unique_id: one for one in candidate_replicas}
        asked: Asked = pending_request.args[0]
        try:
            chosen = asked.chosen(list(by_name))
        except Exception as error:
            asked.error, chosen = f"the router: {error!r}"[:200], None
        if chosen is None:
            asked.error = asked.error or f"replica {asked.number} is not there"
            chosen = next(iter(by_name))  # somebody has to say so
        return [[by_name[chosen]]]


class Replica:
    """One engine's server inside a replica: its routes, door and events are lab 8's.

    ``server`` is ``Server`` or a learner's own, ``engine`` makes an engine.
    """

    async def __init__(self, server: Callable[..., Server], engine: Callable[[], object]):
        import torch

        keep_to_loopback()
        torch.set_num_threads(1)
        self.engine = engine
        self.server = server(engine())
        self.server.socket.close()  # requests come through Ray
        self.app = self.server.front.app()
        await self.server._warm_up()

    async def ask(self, asked: Asked) -> AsyncIterator:
        """The status, the headers and this process first; then the body, piece by piece."""
        if asked.error:
            raise ProtocolError(500, asked.error, code="router")
        pieces, left = asyncio.Queue(), asyncio.Event()
        answering = asyncio.create_task(self.app(_scope(asked), _from(asked, left), pieces.put))
        answering.add_done_callback(lambda _: pieces.put_nowait({"type": "end"}))
        try:
            while (said := await pieces.get())["type"] != "end":
                if said["type"] == "http.response.start":
                    yield said["status"], said["headers"], os.getpid()
                elif said["body"]:
                    yield said["body"]
        finally:
            left.set()


def _scope(asked: Asked) -> dict:
    path, _, query = asked.path.partition("?")
    return {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http",
        "method": asked.method, "path": path, "raw_path": path.encode(), "root_path": "",
        "query_string": query.encode(), "headers": asked.headers, "client": None, "server": None,
    }  # fmt: skip


def _from(asked: Asked, left: asyncio.Event):
    """What the server hears of its client: the body, and later that it is gone."""
    said = [{"type": "http.request", "body": asked.body, "more_body": False}]

    async def receive() -> dict:
        if said:
            return said.pop()
        await left.wait()
        return {"type": "http.disconnect"}

    return receive
