"""Replicas that hold lab 8's server, and the application of which they are a part."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable

from ray import serve
from ray.serve.config import RequestRouterConfig
from ray.serve.request_router import RequestRouter

from labutils.server import ProtocolError
from labutils.server.life import Server

from .door import Door
from .door_desk import Asked
from .keeper import free_ports
from .loopback_ports import keep_to_loopback
from .telling import Telling

MANY = 10_000  # who may come in, the server's own door says


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


def serving(*, port: int = 0, **parts) -> str:
    """Serve a fleet of these ``parts`` (those of ``deployed``), here or on the cluster to which
    this process is connected; returns its address."""
    port = port or free_ports(1)[0]
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    deployed("fleet", **parts)
    return f"http://127.0.0.1:{port}"


def deployed(
    name: str, *, server: Callable[..., Server], engine: Callable[[], object], router,
    told: Callable = Telling.told, replicas: int = 3, drain_s: float = 5.0,
    autoscaling: dict | None = None, within_s: float = 120.0,
) -> None:  # fmt: skip
    """Serve a fleet under ``/name`` ("fleet": under ``/``), replicas and a door of their own.

    ``router`` has ``choose(request, views)`` and is asked at the door for each request; ``told``
    is the door's method that passes an answer on. ``autoscaling`` are Ray's own options, in the
    place of a number of ``replicas``. Where a fleet of that name is served, its door stays, with
    its ``router``, and Ray replaces its replicas one after the other. ``TimeoutError`` if all are
    not up ``within_s``: Ray waits without a word for cores.
    """
    many = {"autoscaling_config": autoscaling} if autoscaling else {"num_replicas": replicas}
    held = serve.deployment(
        Replica, max_ongoing_requests=MANY, ray_actor_options={"num_cpus": 0.5},
        health_check_period_s=1, health_check_timeout_s=10, graceful_shutdown_timeout_s=drain_s,
        request_router_config=RequestRouterConfig(request_router_class=Named), **many,
    )  # fmt: skip
    _run(name, held.bind(server, engine), None, within_s)
    if (door := f"{name}'s door") not in serve.status().applications:
        kind = type("Door", (Door,), {"told": told})
        made = serve.deployment(
            kind, max_ongoing_requests=MANY, ray_actor_options={"num_cpus": 0.5}
        )
        route = "/" if name == "fleet" else f"/{name}"
        _run(door, made.bind(name, engine, router), route, within_s)


def removed(name: str) -> None:
    """End the fleet of that name; its replicas drain first."""
    serve.delete(f"{name}'s door")
    serve.delete(name)


def _run(name: str, application, route: str | None, within_s: float) -> None:
    serve.run_many(
        [serve.RunTarget(application, name=name, route_prefix=route)],
        wait_for_applications_running=False,
    )
    until_s = time.monotonic() + within_s
    while (status := serve.status().applications[name].status) != "RUNNING":
        if status == "DEPLOY_FAILED" or time.monotonic() > until_s:
            raise TimeoutError(f"{name} is {status} after {within_s:g} s: are there cores?")
        time.sleep(0.1)


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
