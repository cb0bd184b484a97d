"""A server that one may kill and stall, that keeps to itself, and that never stays behind."""

import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil
import pytest

from labutils.caching.levels import RedisServer

STARTING = """
import sys, time
from labutils.caching.levels import RedisServer
server = RedisServer().start()
print(server.pid, server.socket, flush=True)
"""


def said(server: RedisServer, words: str, *, within_s: float = 2.0) -> bytes:
    """What it answers to a line; nothing where it does not."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(within_s)
        line.connect(server.socket)
        line.sendall(words.encode() + b"\r\n")
        try:
            return line.recv(4096)
        except TimeoutError:
            return b""


def is_alive(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def happens(condition) -> bool:
    """Whether it comes true, within a time that only a failure takes."""
    until = time.monotonic() + 20
    while not condition() and time.monotonic() < until:
        time.sleep(0.01)
    return condition()


@pytest.mark.redis
def test_it_is_private_and_leaves_nothing_behind():
    with RedisServer(memory_mib=8) as server:
        folder = Path(server.socket).parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert said(server, "SET key value") == b"+OK\r\n"
        assert b"$1\r\n0\r\n" in said(server, "CONFIG GET port")
        assert b"save\r\n$0\r\n" in said(server, "CONFIG GET save")
        assert b"no" in said(server, "CONFIG GET appendonly")
        assert b"8388608" in said(server, "CONFIG GET maxmemory")
        assert psutil.Process(server.pid).net_connections(kind="inet") == []
        pid = server.pid
    assert not folder.exists() and not psutil.pid_exists(pid)
    assert (server.is_running, server.pid) == (False, None)


@pytest.mark.redis
def test_killed_it_is_gone_and_started_again_it_is_another_and_empty():
    with RedisServer() as server:
        first = server.pid
        said(server, "SET key value")
        assert server.start() is server and server.pid == first
        server.kill()
        assert not server.is_running and not psutil.pid_exists(first)
        with pytest.raises(OSError):
            said(server, "PING")
        server.kill()
        with pytest.raises(RuntimeError, match=r"start\(\) it first"):
            server.stall()
        server.start()
        assert server.pid != first and said(server, "GET key") == b"$-1\r\n"
    server.stop()
    with server:
        assert said(server, "PING") == b"+PONG\r\n"


@pytest.mark.redis
def test_stalled_it_accepts_and_says_nothing_until_it_is_resumed_and_can_be_stopped():
    with RedisServer() as server:
        said(server, "SET key value")
        server.stall()
        assert server.is_running and said(server, "GET key", within_s=0.1) == b""
        server.resume()
        assert said(server, "GET key") == b"$5\r\nvalue\r\n"
        server.stall()
        assert said(server.start(), "GET key") == b"$5\r\nvalue\r\n"  # the same one goes on
        server.stall()
        process = server._running.process
    assert process.returncode == 0  # it heard that it was to end, and was not killed


@pytest.mark.redis
def test_stopping_a_cell_spares_it():
    """An interrupt goes to the kernel's whole group, to which neither it nor its watch belongs."""
    with RedisServer() as server:
        watch = server._running.watch.pid
        assert os.getpgid(0) not in {os.getpgid(server.pid), os.getpgid(watch)}
    assert not psutil.pid_exists(watch)


@pytest.mark.redis
@pytest.mark.parametrize("way", ["at its end", "killed", "killed while it stalls"])
def test_it_ends_with_the_interpreter_however_that_ends(way):
    more = {"at its end": "", "killed": "time.sleep(60)"}
    text = STARTING + more.get(way, "server.stall(); print('stalled', flush=True); time.sleep(60)")
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as child:
        pid, address = child.stdout.readline().split()
        if "stalls" in way:
            child.stdout.readline()
        if "killed" in way:
            child.send_signal(signal.SIGKILL)
        child.wait(60)
    assert happens(lambda: not is_alive(int(pid)))
    assert happens(lambda: not Path(address).parent.exists())


@pytest.mark.redis
def test_a_forked_child_that_ends_leaves_it_alone():
    with RedisServer() as server:
        child = os.fork()
        if not child:
            server.stop()
            os._exit(0)
        os.waitpid(child, 0)
        assert is_alive(server.pid) and said(server, "PING") == b"+PONG\r\n"


def test_a_path_too_long_for_a_socket_is_not_taken(monkeypatch, tmp_path):
    deep = tmp_path / ("deep" * 30)
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert len(RedisServer().socket) <= 100 and not list(deep.iterdir())


@pytest.mark.redis
def test_it_ends_with_the_object():
    server = RedisServer().start()
    pid, folder = server.pid, Path(server.socket).parent
    del server
    assert not psutil.pid_exists(pid) and not folder.exists()


def test_without_a_redis_server_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="no redis-server on the path"):
        RedisServer().start()


def test_a_server_that_does_not_start_is_an_error_with_its_last_words(monkeypatch, tmp_path):
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\necho first\necho cannot allocate >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    server = RedisServer()
    with pytest.raises(RuntimeError, match="does not start: cannot allocate"):
        server.start()
    assert not server.is_running


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"^memory_mib = 0"):
        RedisServer(memory_mib=0)
