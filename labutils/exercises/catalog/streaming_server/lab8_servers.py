"""What lab 8 runs beside its exercises: handlers to compare, a server of the learner's parts."""

import asyncio
import contextlib
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence

import httpx

from labutils.exercises.actions import piece
from labutils.exercises.running.assembly import assembled
from labutils.server.admission import Admission
from labutils.server.life import Server
from labutils.server.outgoing import EventStream
from labutils.serving.engine_thread import EngineThread

from .bridge import bridged
from .door import answered
from .drain import ended
from .events import sent
from .leaving import raced

PIECES = {
    "generate": ("streaming.bridge", bridged, EngineThread),
    "send_all": ("streaming.events", sent, EventStream),
    "until_left": ("streaming.leaving", raced, EventStream),
    "admit": ("streaming.door", answered, Admission),
    "drained": ("streaming.drain", ended, Server),
}
"""For each method of the lab: its exercise, how that tries it, and whose method it is."""


_LINES = {
    "data: {": "token", ": ping": "ping", "data: [DONE]": "whole", "event: error": "broken",
}  # fmt: skip
_OPEN = ("sent", "token", "ping")


def server_of(*methods: Callable) -> type[Server]:
    """``Server`` with these methods in it, and the course's where one does not pass its check.

    ``ValueError`` for what has another name than the lab's.
    """
    mine: dict[type, dict[str, Callable]] = {kind: {} for *_, kind in PIECES.values()}
    for method in methods:
        name = getattr(method, "__name__", repr(method))
        if name not in PIECES:
            raise ValueError(f"a method {name}: expected one of {', '.join(PIECES)}")
        exercise_id, adapter, kind = PIECES[name]
        tried = adapter(method)
        if piece(exercise_id, tried) is tried:
            mine[kind][name] = method
    made = {kind: assembled(kind, **own) for kind, own in mine.items()}
    return type(
        "Server", (made[Server],),
        {"threads": made[EngineThread], "streams": made[EventStream],
         "admissions": made[Admission]},
    )  # fmt: skip


async def moments(answer: Callable, asks: Sequence[tuple[float, int]]) -> list[list[float]]:
    """When each token of each answer was heard, in seconds from the start.

    ``asks`` are (seconds until it asks, tokens); ``await answer(tokens, hears)`` calls ``hears``.
    """
    begun_s = time.perf_counter()

    async def ask(at_s, tokens):
        heard: list[float] = []
        await asyncio.sleep(at_s)
        await answer(tokens, lambda _: heard.append(time.perf_counter() - begun_s))
        return heard

    return await asyncio.gather(*(ask(*one) for one in asks))


async def heard(url: str, body: Mapping, asks: Sequence[tuple[float, int]]) -> list[list]:
    """What each of several clients hears, as (seconds from the start, what) in order.

    ``asks`` are (seconds until it asks, tokens). It has "sent", then hears "token" or "ping"; at
    last its stream is "whole", "broken" (an error event) or "cut", or it was "refused".
    """
    begun_s = time.perf_counter()

    async def ask(at_s, tokens):
        await asyncio.sleep(at_s)
        told: list[tuple[float, str]] = []

        def note(what):
            told.append((time.perf_counter() - begun_s, what))

        note("sent")
        asked = {**body, "max_tokens": tokens}
        with contextlib.suppress(httpx.HTTPError):
            async with http.stream("POST", f"{url}/v1/completions", json=asked) as response:
                if response.status_code == 503:
                    note("refused")
                async for line in response.aiter_lines():
                    what = next((_LINES[some] for some in _LINES if line.startswith(some)), None)
                    if what and told[-1][1] in _OPEN:
                        note(what)
        if told[-1][1] in _OPEN:
            note("cut")
        return told

    async with httpx.AsyncClient(verify=False, trust_env=False, timeout=60) as http:
        return await asyncio.gather(*(ask(*one) for one in asks))


def digest(predicted) -> str:
    """Eight letters that no other predictions have (the beginning of their SHA-256)."""
    return hashlib.sha256(repr(predicted).encode()).hexdigest()[:8]
