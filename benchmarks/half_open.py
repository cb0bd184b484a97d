"""How long a server keeps the memory of a client that is not there any more."""

import json
import socket
import sys
import time
from collections.abc import Iterator

from labutils.engine import Engine
from labutils.loadtest.vanished import vanish
from labutils.server import Server, Settings
from labutils.serving.checkpoints import course_model

from . import registry
from .registry import Goal, Row, Unavailable, benchmark

HEAD = b"POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%b"
UNBOUND_S = 3_600.0
TOKENS = 480


@benchmark
def half_open(settings: registry.Settings) -> Iterator[Row]:
    """Seconds until the pages of a client that left are free; its answer takes 20 s"""
    if sys.platform != "linux":
        raise Unavailable("a client can vanish so easily on Linux alone")
    gone_s, step_s = settings.choose(5, 1), settings.choose(40, 8) / 1e3
    for name, leave, bound_s, stream in (
        ("says goodbye", socket.socket.close, gone_s, True),
        (f"vanishes from a stream, bound {gone_s} s", vanish, gone_s, True),
        (f"vanishes, no stream, bound {gone_s} s", vanish, gone_s, False),
        ("vanishes from a stream, no bound", vanish, UNBOUND_S, True),
    ):
        held_s, tokens = _held(leave, bound_s, step_s=step_s, stream=stream)
        goal = Goal(2 * gone_s) if bound_s == gone_s else None
        yield Row(name, held_s, "s", goal=goal, note=f"{tokens} of {TOKENS} tokens computed")


def _held(leave, gone_s: float, *, step_s: float, stream: bool) -> tuple[float, int]:
    """Seconds from the moment at which its client leaves to its end, and the tokens computed."""
    model, tokenizer = course_model("draft")
    engine, lines = Engine(model, tokenizer=tokenizer, num_pages=128), []
    engine.on_step = lambda *_: time.sleep(step_s)
    server = Server(engine, settings=Settings(gone_s=gone_s), write=lines.append)
    asked = {"prompt": "A", "max_tokens": TOKENS, "ignore_eos": True, "stream": stream}
    body = json.dumps(asked).encode()
    with server.running(), socket.create_connection(server.socket.getsockname()) as client:
        client.sendall(HEAD % (len(body), body))
        while not engine.scheduler.running:
            time.sleep(0.001)
        begin = time.perf_counter()
        leave(client)
        while not lines:
            time.sleep(0.001)
        held_s = time.perf_counter() - begin
    return held_s, json.loads(lines[0])["output_tokens"]
