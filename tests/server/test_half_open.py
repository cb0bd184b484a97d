"""A client that vanishes without a word frees its memory; one that lives is left alone."""

import json
import socket
import sys
import threading

import pytest

from labutils.loadtest.vanished import vanish
from labutils.server import Settings

from .conftest import settled

HEAD = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b"
ASKED = {"prompt": "A", "max_tokens": 400, "temperature": 0, "ignore_eos": True}


def connected(server, stream) -> tuple:
    """A client whose request runs, and the job of it."""
    body, before = json.dumps({**ASKED, "stream": stream}).encode(), set(server.front.jobs)
    client = socket.create_connection(server.socket.getsockname(), timeout=60)
    client.sendall(HEAD % (len(body), body))
    assert settled(lambda: set(server.front.jobs) - before)
    (id,) = set(server.front.jobs) - before
    return client, server.front.jobs[id]


if sys.platform == "linux":  # elsewhere nobody can vanish so easily

    @pytest.mark.parametrize("stream", [True, pytest.param(False, marks=pytest.mark.full)])
    def test_who_vanishes_is_given_up_while_the_engine_stands_still(serving, stream):
        server = serving(settings=Settings(gone_s=1.0, heartbeat_s=0.1))
        go_on = threading.Event()
        server.engine.on_step = lambda *_: go_on.wait(120)
        try:
            lives, its_job = connected(server, stream)
            client, job = connected(server, stream)
            vanish(client)
            assert settled(lambda: job.log.is_closed, seconds=60)  # nothing else can end it
            assert not its_job.log.is_closed
        finally:
            go_on.set()
        assert settled(lambda: not server.front.jobs, seconds=60)
        assert job.ending.reason == "cancelled" and its_job.ending.reason == "length"
        assert server.engine.pool.num_free == server.engine.pool.num_pages
        client.close()
        lives.close()
