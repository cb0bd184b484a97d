"""A fleet: replicas and their door, served, replaced and removed by name."""

import logging
import time
from collections.abc import Callable

from labutils.server.life import Server

from .keeper import free_ports
from .passing_on import Telling

MANY = 10_000  # who may come in, the server's own door says


def serving(*, port: int = 0, **parts) -> str:
    """Serve a fleet of these ``parts`` (those of ``deployed``), here or on the cluster to which
    this process is connected; returns its address."""
    from ray import serve

    logging.getLogger("ray.serve").setLevel(logging.WARNING)  # serve sets it when imported
    port = port or free_ports(1)[0]
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    deployed("fleet", **parts)
    return f"http://127.0.0.1:{port}"


def deployed(
    name: str, *, server: Callable[..., Server], engine: Callable[[], object], router,
    told: Callable = Telling.told, replicas: int = 3, drain_s: float = 5.0,
    autoscaling: dict | None = None, rays_router: str | None = None, within_s: float = 120.0,
) -> None:  # fmt: skip
    """Serve a fleet under ``/name`` ("fleet": under ``/``), replicas and a door of their own.

    ``router`` has ``choose(request, views)`` and is asked at the door for each request; ``told``
    is the door's method that passes an answer on. ``autoscaling`` are Ray's own options, in the
    place of a number of ``replicas``; ``rays_router`` is the address of a router of Ray's own,
    asked in the place of ``router``. Where a fleet of that name is served, its door stays, with its
    ``router``, and Ray replaces its replicas one after the other. ``TimeoutError`` if all are not
    up ``within_s``: Ray waits without a word for cores.
    """
    from ray import serve
    from ray.serve.config import RequestRouterConfig

    from .door import Door
    from .replica import Named, Replica

    many = {"autoscaling_config": autoscaling} if autoscaling else {"num_replicas": replicas}
    held = serve.deployment(
        Replica, max_ongoing_requests=MANY, ray_actor_options={"num_cpus": 0.5},
        health_check_period_s=1, health_check_timeout_s=10, graceful_shutdown_timeout_s=drain_s,
        request_router_config=RequestRouterConfig(request_router_class=rays_router or Named),
        **many,
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
    from ray import serve

    serve.delete(f"{name}'s door")
    serve.delete(name)


def _run(name: str, application, route: str | None, within_s: float) -> None:
    from ray import serve

    _assert_connected()
    serve.run_many(
        [serve.RunTarget(application, name=name, route_prefix=route)],
        wait_for_applications_running=False,
    )
    until_s = time.monotonic() + within_s
    while (status := serve.status().applications[name].status) != "RUNNING":
        if status == "DEPLOY_FAILED" or time.monotonic() > until_s:
            raise TimeoutError(f"{name} is {status} after {within_s:g} s: are there cores?")
        time.sleep(0.1)
        _assert_connected()


def _assert_connected() -> None:
    """A thread may be late, and Serve would start a Ray of its own, which lets everybody in."""
    import ray

    if not ray.is_initialized():
        raise ConnectionError("Ray has ended: there is no fleet any more")
