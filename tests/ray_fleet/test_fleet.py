"""A fleet on a Ray of this machine alone: it streams, it is closed, and nobody is lost unsaid."""

import contextlib
import ctypes
import fcntl
import socket
import struct
import sys
import threading

import httpx
import psutil
import pytest

from labutils.exercises.catalog.streaming_server import lab8_loads as load, lab8_servers as kit
from labutils.loadtest import closed_plan, run_load

pytestmark = [pytest.mark.ray, pytest.mark.full, pytest.mark.timeout(600)]
NEW_NETWORK, SET_FLAGS, UP = 0x4000_0000, 0x8914, 1  # Linux: CLONE_NEWNET, SIOCSIFFLAGS, IFF_UP


class LeastInFlight:
    def choose(self, request, views):
        if request.prompt_tokens == 1:
            raise RuntimeError("a prompt of one token")
        return min(views.up, key=lambda number: views.in_flight[number])


def parts():
    return {"server": kit.server_of(), "engine": load.engine, "router": LeastInFlight()}


@contextlib.contextmanager
def network_with_nobody_else():
    """A network namespace of this thread's own, where the system allows one: on Linux, to root."""
    if sys.platform != "linux":
        yield
        return
    libc = ctypes.CDLL(None)
    with open("/proc/thread-self/ns/net") as before:
        if is_allowed := libc.unshare(NEW_NETWORK) == 0:
            with socket.socket() as within:
                fcntl.ioctl(within, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))
        try:
            yield
        finally:
            if is_allowed:
                libc.setns(before.fileno(), NEW_NETWORK)


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    from labutils.ray_fleet import local_ray, serving

    with network_with_nobody_else(), local_ray(folder=tmp_path_factory.mktemp("ray")):
        yield serving(**parts())
    assert not psutil.Process().children(recursive=True)


def test_an_interrupt_while_it_starts_leaves_nothing(tmp_path, monkeypatch):
    import ray

    from labutils.ray_fleet import local_ray

    begin = ray.init

    def interrupted(*given, **named):
        begin(*given, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(ray, "init", interrupted)
    with network_with_nobody_else(), pytest.raises(KeyboardInterrupt), local_ray(folder=tmp_path):
        pytest.fail("it was not interrupted")
    assert not ray.is_initialized() and not psutil.Process().children(recursive=True)


def test_nothing_is_deployed_once_ray_has_ended():
    """Serve would start a Ray by its defaults."""
    from labutils.ray_fleet import deployed

    with pytest.raises(ConnectionError, match="Ray has ended"):
        deployed("fleet", **parts())
    assert not psutil.Process().children(recursive=True)


def test_nobody_else_reaches_it(url):
    mine = psutil.Process()
    listening = [
        connection.laddr.ip.removeprefix("::ffff:")
        for one in (mine, *mine.children(recursive=True))
        for connection in one.net_connections()
        if connection.status == psutil.CONN_LISTEN
    ]
    assert len(listening) > 10 and {*listening} == {"127.0.0.1"}


def test_an_answer_streams_from_the_replica_that_was_chosen(url):
    asked = {"prompt": "A queue grows when", "max_tokens": 8, "temperature": 0, "stream": True}
    with httpx.stream("POST", f"{url}/v1/completions", json=asked) as response:
        lines = [line for line in response.iter_lines() if line]
    assert response.headers["x-replica"] in "012" and lines[-1] == "data: [DONE]"
    assert len(lines) > 5


def test_each_replica_has_routes_of_its_own(url):
    assert httpx.get(f"{url}/replicas/2/ready").text == "ready"
    assert "vllm:" in httpx.get(f"{url}/replicas/1/metrics").text
    assert httpx.get(f"{url}/replicas/9/ready").status_code == 500


def test_an_error_of_the_router_is_told(url):
    answer = httpx.post(f"{url}/v1/completions", json={"prompt": [1], "max_tokens": 1})
    assert answer.status_code == 500 and "a prompt of one token" in answer.text


@pytest.mark.parametrize("prompt", [5, [[1], [2]], [10**30] * 40])
def test_what_is_no_prompt_hears_the_servers_own_word(url, prompt):
    answer = httpx.post(f"{url}/v1/completions", json={"prompt": prompt, "max_tokens": 2})
    assert answer.status_code == 400 and "prompt" in answer.json()["error"]["message"]


def test_one_replica_is_killed_and_nobody_is_lost_unsaid(url):
    from labutils.ray_fleet import ended, kill, replicas_of

    threading.Timer(1.5, kill, [url, 1]).start()
    carried = run_load(closed_plan(9, 5, [load.kind(max_tokens=200)], seed=7), load.target(url))
    found = ended(carried.records)
    assert found["done"] > 9 and not found["lost unsaid"], found
    who = replicas_of(url)
    assert not who[1]["is_up"] and sum(one["in_flight"] for one in who) == 0


def test_a_second_fleet_stands_beside_the_first_until_it_is_removed(url):
    from labutils.ray_fleet import deployed, removed

    deployed("canary", **parts(), replicas=1)
    asked = {"prompt": "A queue grows when", "max_tokens": 2}
    assert httpx.post(f"{url}/canary/v1/completions", json=asked, timeout=60).status_code == 200
    removed("canary")
    assert httpx.post(f"{url}/canary/v1/completions", json=asked).status_code == 404
    assert httpx.post(f"{url}/v1/completions", json=asked).status_code == 200


def test_replicas_are_replaced_behind_their_door_and_nobody_is_lost(url):
    from labutils.ray_fleet import deployed, ended, replicas_of

    before = {one["replica"] for one in replicas_of(url) if one["is_up"]}
    update = threading.Timer(1.0, deployed, ["fleet"], parts())
    update.start()
    carried = run_load(closed_plan(5, 25, [load.kind(max_tokens=60)], seed=3), load.target(url))
    update.join()
    assert set(ended(carried.records)) == {"done"}
    assert before.isdisjoint(one["replica"] for one in replicas_of(url) if one["is_up"])
