"""What stands before a server does to its streams: nginx itself, and the stand-in for it.

Each test is about the order of events. The engine stands still where a test says so, and goes on
when the client has seen what it should see by then.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading

import httpx
import psutil
import pytest

from labutils.loadtest.nginx import Nginx, nearest_proxy
from labutils.loadtest.proxy import Proxy
from labutils.server import Settings
from tests.conftest import only_full

from .conftest import settled

HTTP = httpx.Client(verify=False, timeout=60)
ASKED = {"prompt": "A", "temperature": 0, "ignore_eos": True, "stream": True}
BODY = json.dumps({**ASKED, "max_tokens": 60}).encode()
RAW = (
    b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    b"Content-Length: %d\r\n\r\n%b" % (len(BODY), BODY)
)
REAL = pytest.param(Nginx, marks=pytest.mark.nginx)
both = pytest.mark.parametrize("front", [Proxy, REAL])


class Held:
    """An engine's hook: after ``steps`` more steps it stands still until ``go_on``."""

    def __init__(self):
        self.steps, self.taken, self._may = 10**9, 0, threading.Event()

    def __call__(self, engine, plan):
        self.taken += 1
        if self.taken > self.steps:
            self._may.wait(120)

    def after(self, steps: int) -> None:
        self.steps, self.taken = steps, 0

    def go_on(self) -> None:
        self._may.set()


@pytest.fixture
def held(serving):
    """``held(**options)``: a server that is warm, its engine's hook, and its log lines."""
    hooks = []

    def start(**options):
        lines, hook = [], Held()
        server = serving(write=lines.append, **options)
        server.engine.on_step = hook
        hooks.append(hook)
        return server, hook, lines

    yield start
    for hook in hooks:
        hook.go_on()


def readers(server):
    """The streams on their way."""
    return [one for job in server.front.jobs.values() for one in job.readers]


def stream(url, tokens):
    return HTTP.stream("POST", f"{url}/v1/completions", json={**ASKED, "max_tokens": tokens})


def ending(url, tokens, on_line=lambda line: None) -> str:
    """How a stream ended for its client."""
    try:
        with stream(url, tokens) as response:
            lines = [(on_line(line), line)[1] for line in response.iter_lines()]
    except httpx.RemoteProtocolError:
        return "cut"
    return "whole" if "data: [DONE]" in lines else f"HTTP {response.status_code}"


@both
def test_a_proxy_that_collects_passes_nothing_on_before_it_has_so_much(held, front):
    server, hook, _ = held()
    hook.after(4)
    with (
        front(server.url, holds_bytes=4096).running() as url,
        socket.create_connection(url.removeprefix("http://").split(":")) as client,
    ):
        client.sendall(RAW)
        assert settled(lambda: any(one.at >= 2 for one in readers(server)))  # sent, by the server
        client.settimeout(0.3)
        early = b""
        with contextlib.suppress(TimeoutError):
            early = client.recv(1 << 20)
        assert b"data: " not in early
        hook.go_on()
        client.settimeout(60)
        lumps = [*iter(lambda: client.recv(1 << 20), b"")]
    whole = early + b"".join(lumps)
    assert b"data: [DONE]" in whole and whole.count(b"data: ") > 3 * len(lumps)


@both
@pytest.mark.parametrize("options", [{}, {"holds_bytes": 4096, "heeds": True}])
def test_a_proxy_that_heeds_the_header_passes_each_event_on(held, front, options):
    server, hook, _ = held()
    hook.after(3)
    seen = []

    def on_line(line):
        seen.append(line)
        if sum(one.startswith("data: ") for one in seen) == 2:
            hook.go_on()  # never, if these were held back: 300 bytes of 4096

    with front(server.url, **options).running() as url:
        assert ending(url, 40, on_line) == "whole"


@both
def test_a_stream_that_is_cut_for_its_silence_is_no_whole_one(held, front):
    server, hook, _ = held()
    hook.after(3)
    with front(server.url, idle_s=1.0).running() as url:
        assert ending(url, 40) in ("cut", "HTTP 504")  # 504: before the first event came
    hook.go_on()
    assert settled(lambda: not server.front.jobs)


@pytest.mark.parametrize(
    "front", [Proxy, pytest.param(Nginx, marks=[pytest.mark.nginx, pytest.mark.full])]
)
def test_a_heartbeat_keeps_a_silent_stream_open(held, front):
    server, hook, _ = held(settings=Settings(heartbeat_s=0.25))
    hook.after(3)
    beats = []

    def on_line(line):
        beats.extend([line] * (line == ": ping"))
        if len(beats) == 12:  # 3 s, of which 2 would be too many
            hook.go_on()

    with front(server.url, idle_s=2.0).running() as url:
        assert ending(url, 40, on_line) == "whole"
    assert len(beats) >= 12


@both
@pytest.mark.parametrize("holds_bytes", [0, *only_full(4096)])
@pytest.mark.parametrize(("reads_on", "reason"), [(False, "cancelled"), (True, "length")])
def test_whoever_leaves_is_noticed_behind_a_proxy_unless_that_reads_on(
    held, front, holds_bytes, reads_on, reason
):
    server, hook, lines = held()
    hook.after(40)  # events of more than 4096 bytes
    with front(server.url, holds_bytes=holds_bytes, reads_on=reads_on).running() as url:
        with stream(url, 300) as response:
            pieces = response.iter_bytes()  # kept: the connection ends with it
            assert b"data: " in next(pieces)
            (job,) = server.front.jobs.values()
        assert reads_on or settled(lambda: job.log.is_closed)
        hook.go_on()
        assert settled(lambda: lines, seconds=60)
    assert json.loads(lines[0])["reason"] == reason


def test_the_nearest_proxy_is_nginx_where_there_is_one(monkeypatch):
    monkeypatch.setattr(Nginx, "program", lambda *_: None)
    assert nearest_proxy() is Proxy
    with pytest.raises(FileNotFoundError), Nginx("http://127.0.0.1:1").running():
        pass
    monkeypatch.setattr(Nginx, "program", lambda *_: "/usr/sbin/nginx")
    assert nearest_proxy() is Nginx


@pytest.mark.nginx
def test_an_nginx_that_cannot_start_says_why():
    with pytest.raises(RuntimeError, match="invalid"), Nginx("http://127.0.0.1:x").running():
        pass


@pytest.mark.nginx
def test_nginx_starts_in_a_folder_with_any_name(tmp_path, monkeypatch):
    folder = tmp_path / "a b;c {d} $e"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    for options in ({}, {"reads_on": True}, {"holds_bytes": 4096}):
        with Nginx("http://127.0.0.1:1", **options).running() as url:
            assert httpx.get(url, trust_env=False).status_code == 502


STARTING = """
from labutils.loadtest.nginx import Nginx
with Nginx("http://127.0.0.1:1").running() as url:
    print(url, flush=True)
    input()
"""


@pytest.mark.nginx
def test_nginx_ends_with_whoever_started_it_however_that_ends(tmp_path):
    command, pipe = [sys.executable, "-c", STARTING], subprocess.PIPE
    here = os.environ | {"TMPDIR": str(tmp_path)}  # whoever is killed leaves a folder
    started = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=here)
    try:
        started.stdout.readline()
        below = psutil.Process(started.pid).children(recursive=True)
        assert "nginx" in [one.name() for one in below]
    finally:
        started.kill()
        started.communicate()
    assert settled(lambda: not any(one.is_running() for one in below))
