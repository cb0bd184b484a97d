"""streaming.events · The event stream · 9 minutes

> A loop of two cases: there is something new within a heartbeat, or there is not. Where does it
  end?
> `await log.wait(self.at, self.settings.heartbeat_s)` is True if there is something after number
  `self.at`, or the end. Then `log.since(self.at)` has it as bytes. Note how far you are *before*
  you send: more may come meanwhile.
> while True: if not await log.wait(…): await send(PING); continue. events, self.at =
  log.since(self.at), len(log.events); await send(events); return if log.is_closed and self.at ==
  len(log.events).

The log stands between two speeds. The engine writes and never waits; the client reads when it can,
and gets in one piece what has gathered meanwhile. `await send` is the back-pressure: it returns
when there is room on the connection. What is new *after* the sending decides whether it goes on,
hence the order. And three ends can be told apart: `[DONE]`, `event: error`, and neither, which is a
connection that was cut.
"""

import asyncio
import inspect
from types import SimpleNamespace

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise
from labutils.server.event_log import EventLog
from labutils.server.outgoing import EventStream
from labutils.server.protocol import ProtocolError
from labutils.server.settings import Settings

from .virtual_stage import mistakes_of, now_ms, played

MOST_SENT = 60


class StillSending(RuntimeError):
    """More pieces went out than there can be."""


def sent(send_all):
    """How the check tries ``send_all``: when it sent what.

    ``gaps_ms`` lie before each event, the last one before the end, which is done or broken. A
    client takes ``pause_ms`` for whatever it is sent, and has read ``after`` events before.
    """
    if not callable(send_all):
        return send_all

    def told(gaps_ms, is_done, pause_ms, heartbeat_ms, after):
        return played(_story(send_all, gaps_ms, is_done, pause_ms, heartbeat_ms, after))

    return told


class NotAwaited(RuntimeError):
    """A coroutine was made, and nothing of it ever ran."""


def _noting(name, function, made):
    """The same function; ``made`` keeps the coroutines that come of it, each with its name."""

    def noted(*args):
        made.append((name, function(*args)))
        return made[-1][1]

    return noted


def _refuse_unawaited(made) -> None:
    idle = [(n, one) for n, one in made if inspect.getcoroutinestate(one) == inspect.CORO_CREATED]
    for _, one in idle:
        one.close()
    if idle:
        raise NotAwaited(f"`{idle[0][0]}(…)` is not awaited, so nothing of it happens")


async def _story(send_all, gaps_ms, is_done, pause_ms, heartbeat_ms, after) -> list:
    log, got, made = EventLog(), [], []
    log.wait = _noting("log.wait", log.wait, made)
    settings = Settings(heartbeat_s=heartbeat_ms / 1e3)
    for number in range(after):
        log.write({"n": number})
    stream = SimpleNamespace(job=SimpleNamespace(log=log), settings=settings, at=after)

    async def send(body):
        if len(got) > MOST_SENT:
            raise StillSending("it sends on and on")
        at_ms = now_ms()
        await asyncio.sleep(pause_ms / 1e3)
        got.append([at_ms, _numbers(body)])

    writing = asyncio.create_task(_written(log, gaps_ms, is_done))
    try:
        await send_all(stream, _noting("send", send, made))
    except StillSending:
        _refuse_unawaited(made)
        raise
    _refuse_unawaited(made)
    got.append([now_ms(), "returned"])
    await writing
    return got


async def _written(log, gaps_ms, is_done) -> None:
    *before, last = gaps_ms
    for gap_ms in before:
        await asyncio.sleep(gap_ms / 1e3)
        log.write({"n": len(log.events)})
    await asyncio.sleep(last / 1e3)
    if is_done:
        log.end()
    else:
        log.fail(ProtocolError(503, "it broke"))


def _numbers(body: bytes) -> str:
    """The events of a piece in words."""
    found = []
    for event in body.decode().split("\n\n")[:-1]:
        number = event.partition("\n")[0].removeprefix("id: ")
        kind = "done" if "[DONE]" in event else "broken" if "event: error" in event else ""
        found.append("ping" if event == ": ping" else f"{number}{kind and f' ({kind})'}")
    return ", ".join(found) or "nothing"


def says(got, expected) -> str:
    """The first moment that differs."""
    for number, wanted in enumerate(expected):
        one = got[number] if number < len(got) else [0, "nothing more"]
        if one != wanted:
            return f"At {one[0]:g} ms: {one[1]}; expected at {wanted[0]:g} ms: {wanted[1]}."
    return f"After the end still came: {got[len(expected)][1]}."


_SEND_ALL = EventStream.send_all


def _some_streams():
    """One to six events, each at a moment of its own; a client that is quick or slow."""
    from hypothesis import strategies as st

    gaps = st.lists(st.integers(1, 17).map(lambda n: 7 * n), min_size=1, max_size=6)
    pauses = st.sampled_from([0, 0, 1.1, 19.1, 83.1])  # none ends when an event comes: what
    beats = st.sampled_from([31.03, 53.03, 400])  # comes at one moment has no order
    return st.tuples(gaps, st.booleans(), pauses, beats, st.integers(0, 2))


_MISTAKES = """
no-heartbeat: Nothing goes out while nothing comes. Everybody on the way closes connections that are
    idle: which line of the docstring is about that?
- if not await log.wait(self.at, self.settings.heartbeat_s):
+ if not await log.wait(self.at, 90):

skips-what-came: Events that came while you were sending are lost: `self.at` jumps over them. When
    do you have to note how far you are?
- events, self.at = log.since(self.at), len(log.events)
+ events = log.since(self.at)
= await send(events)
+ self.at = len(log.events)

loses-the-end: A slow client misses the end. The log was closed while you were sending: has
    everything in it gone out?
- if log.is_closed and self.at == len(log.events):
+ if log.is_closed:

while-open: You stop when the log is closed. Closed means that nothing more comes, and not that the
    client has all of it.
- while True:
+ while not log.is_closed:

ends-in-silence: Silence is no end: a ping goes out, and you wait on.
- await send(PING)
+ return

end-before-the-rest: You look at the end before you have sent what came with it. The last events are
    lost.
- events, self.at = log.since(self.at), len(log.events)
+ if log.is_closed:
+     return
+ events, self.at = log.since(self.at), len(log.events)

one-event-each-time: You note one event, and `since` gave you all that followed. They go out again.
- events, self.at = log.since(self.at), len(log.events)
+ events, self.at = log.since(self.at), self.at + 1

a-ping-is-an-event: You count the ping as an event, and the next event is left out.
= await send(PING)
+ self.at += 1

from-the-beginning: The client gets what it has already read. From which number on?
- events, self.at = log.since(self.at), len(log.events)
+ events, self.at = log.since(0), len(log.events)

one-by-one: You send one event at a time. A slow client is kept waiting by each of them: what has
    gathered meanwhile can go out in one piece.
- events, self.at = log.since(self.at), len(log.events)
- await send(events)
+ for event in log.events[self.at:]:
+     self.at += 1
+     await send(event)

never-returns: You go on after the end. What is left to be waited for then?
- if log.is_closed and self.at == len(log.events):
+ if not log.events:
"""

EVENTS = exercise(
    __doc__,
    Function(
        reference=sent(_SEND_ALL),
        inputs=_some_streams,
        num_inputs=60,
        says=says,
        always=(
            ([7, 7, 7], True, 0, 400, 0),
            ([7, 7, 7, 7], True, 19, 400, 0),
            ([7, 119, 7], False, 0, 31, 1),
            ([7, 14, 7], True, 83, 53, 0),
            ([63, 7], True, 83, 31, 0),
        ),
        misconceptions=mistakes_of(sent, _SEND_ALL, _MISTAKES),
    ),
)
