"""What the stand-in for a proxy does to a stream, seen at its two ends."""

import contextlib
import json
import socket
import time

import httpx
import pytest

from labutils.loadtest.proxy import Proxy

HTTP = httpx.Client(verify=False, timeout=30)


def ask(url, model="plain", tokens=3):
    """The moments at which pieces of a stream came, and the whole text."""
    body, pieces = {"model": model, "prompt": "a b", "max_tokens": tokens}, []
    with HTTP.stream("POST", f"{url}/v1/completions", json=body) as response:
        for piece in response.iter_bytes():
            pieces.append((time.monotonic(), piece))
    return pieces


def test_what_passes_is_what_came(served):
    with Proxy(served.url).running() as url:
        direct, passed = ask(served.url), ask(url)
    whole = [b"".join(piece for _, piece in one) for one in (direct, passed)]
    assert whole[0] == whole[1] and whole[0].endswith(b"data: [DONE]\n\n")


def test_an_answer_that_is_no_stream_passes_at_once(served):
    with Proxy(served.url, holds_bytes=10_000).running() as url:
        assert HTTP.post(f"{url}/v1/completions", json={"model": "full"}).status_code == 429


def lumps(url, tokens):
    """What each read of a plain socket finds; a stream ends where its chunks end."""
    body = json.dumps({"model": "plain", "prompt": "a b", "max_tokens": tokens}).encode()
    host, port = url.removeprefix("http://").split(":")
    found = []
    with socket.create_connection((host, int(port)), timeout=30) as client:
        head = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
        client.sendall(head % len(body) + body)
        while not found or not found[-1].endswith(b"0\r\n\r\n"):
            found.append(client.recv(1 << 20))
            assert found[-1], found
    return found


def test_it_holds_a_stream_until_it_has_so_much(served):
    served.behaviour.gap_s = 0.01
    with Proxy(served.url, holds_bytes=900).running() as url:
        found = lumps(url, tokens=20)
    assert len(found) < 8 and all(len(one) >= 900 for one in found[:-1])
    with Proxy(served.url, holds_bytes=1_000_000).running() as url:
        assert len(lumps(url, tokens=5)) == 1


def test_an_error_within_ends_its_connections_too(served):
    with contextlib.ExitStack() as stack:
        with pytest.raises(ZeroDivisionError), Proxy(served.url).running() as url:
            place = ("127.0.0.1", int(url.rpartition(":")[2]))
            client = stack.enter_context(socket.create_connection(place, timeout=10))
            client.sendall(b"POST")
            raise ZeroDivisionError
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(1) == b""


@pytest.mark.parametrize("silence", ["first_s", "gap_s"])
def test_it_cuts_a_stream_that_is_idle(served, silence):
    setattr(served.behaviour, silence, 3.0)
    with Proxy(served.url, idle_s=0.2).running() as url, pytest.raises(httpx.RemoteProtocolError):
        ask(url)


def test_a_connection_that_waits_for_a_question_may_be_idle(served):
    body = {"model": "plain", "prompt": "a b", "max_tokens": 1}
    with Proxy(served.url, idle_s=0.1).running() as url, httpx.Client(verify=False) as http:
        for _ in range(2):
            answer = http.post(f"{url}/v1/completions", json=body)
            assert answer.text.endswith("data: [DONE]\n\n")
            time.sleep(0.3)


@pytest.mark.parametrize("reads_on", [False, True])
def test_a_client_that_leaves_is_passed_on_or_not(served, reads_on):
    served.behaviour.gap_s = 0.01
    body = {"model": "plain", "prompt": "a b", "max_tokens": 40}
    with Proxy(served.url, reads_on=reads_on).running() as url:
        with HTTP.stream("POST", f"{url}/v1/completions", json=body) as response:
            next(response.iter_bytes())
        until = time.monotonic() + 10
        while served.behaviour.streams_open and time.monotonic() < until:
            time.sleep(0.01)
        assert served.behaviour.left_early == (not reads_on)


@pytest.mark.parametrize(
    ("options", "name"), [({"holds_bytes": -1}, "holds_bytes"), ({"idle_s": 0}, "idle_s")]
)
def test_bad_options_are_named(options, name):
    with pytest.raises(ValueError, match=name):
        Proxy("http://127.0.0.1:1", **options)
