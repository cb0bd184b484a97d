"""streaming.bridge · The bridge · 9 minutes

> Three parts: make an asker; put into the inbox what the engine's thread shall do; await the
  asker's future. And one thing that happens however the `await` ends.
> `self.put(lambda: …)` hands over an action. The first one is `self.add(asker, prompt,
  max_output_tokens, options)`. If the future was cancelled, or is not done, put `self.leave(asker)`
  as well.
> asker = self.asker(on_token); self.put(lambda: self.add(…)); try: return await asker.ended;
  finally: if not asker.ended.done() or asker.ended.cancelled(): self.put(lambda: self.leave(asker),
  quiet=True).

Two worlds, two queues. Into the engine's thread goes an *action*, and the thread takes it when no
step is under way; out of it come *notes*, once a step, by `call_soon_threadsafe`. So neither side
ever touches what the other one owns, and no lock is held while a step runs. The `finally` is the
part that load tests do not find: without it everything works, until users close their browsers and
the engine writes for nobody.
"""

import asyncio
import queue
import threading
from collections import defaultdict
from dataclasses import dataclass, field

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise
from labutils.serving.engine_thread import EngineStopped, EngineThread

from .virtual_stage import mistakes_of, now_ms, played, until_ms

TURN_MS = 10
LONGEST_PROMPT = 8


@dataclass
class _Asked:
    """A request of the stage's engine."""

    left: int
    on_token: object
    answer: list = field(default_factory=list)
    error: Exception | None = None


class _StageEngine:
    """Writes 1, 2, 3 … for each request, one a step; notes whoever calls it at another time."""

    def __init__(self):
        self.open, self.requests, self.in_turn, self.strangers = {}, {}, False, 0

    def add_request(self, prompt, *, max_output_tokens, on_token, id):
        self.strangers += not self.in_turn
        if len(prompt) > LONGEST_PROMPT:
            raise ValueError(f"prompt: {len(prompt)} tokens are too long")
        self.requests[id] = self.open[id] = _Asked(max_output_tokens, on_token)
        return id

    def cancel(self, id):
        self.strangers += not self.in_turn
        self.open.pop(id, None)

    def step(self):
        for id, asked in list(self.open.items()):
            asked.answer.append(len(asked.answer) + 1)
            asked.on_token(id, asked.answer[-1])
            if len(asked.answer) == asked.left:
                del self.open[id]


class _StageThread(EngineThread):
    """The engine's thread without a thread: its turns come every ``TURN_MS`` of the loop's."""

    def __init__(self, engine):
        self.engine, self._inbox = engine, queue.SimpleQueue()
        self._askers, self._notes = {}, defaultdict(list)
        self._closing, self._closed = threading.Lock(), False

    def turn(self):
        """What the thread does between two waits."""
        self.engine.in_turn = True
        while not self._inbox.empty():
            self._inbox.get()()
        if self.engine.open:
            self.engine.step()
        self._hand_out()
        self.engine.in_turn = False

    def stop(self):
        """It has ended; nobody has been told yet."""
        self.engine.in_turn = True
        self._stop(None)
        self.engine.in_turn = False


def bridged(generate):
    """How the check tries ``generate``: what askers got, and what the engine held.

    ``asks`` are (at_ms, tokens of the prompt, tokens of the answer, leaves_at_ms or None). The
    engine computes every 10 ms and stops at ``stop_ms``; those who would leave later leave then.
    """
    if not callable(generate):
        return generate

    def told(asks, stop_ms):
        return played(_story(generate, asks, stop_ms))

    return told


async def _story(generate, asks, stop_ms) -> dict:
    thread = _StageThread(_StageEngine())
    tasks = [asyncio.create_task(_ask(generate, thread, n, one)) for n, one in enumerate(asks)]
    leaving = [
        asyncio.create_task(_leave(task, leaves_ms))
        for task, (*_, leaves_ms) in zip(tasks, asks)
        if leaves_ms is not None and leaves_ms < stop_ms
    ]
    held = []
    for turn in range(1, int(stop_ms // TURN_MS) + 1):
        await until_ms(turn * TURN_MS)
        thread.turn()
        held.append(len(thread.engine.open))
    await until_ms(stop_ms)
    thread.stop()
    for task, (*_, leaves_ms) in zip(tasks, asks):
        if leaves_ms is not None and leaves_ms >= stop_ms:
            task.cancel()
    await asyncio.wait(tasks, timeout=0.2)
    await asyncio.gather(*leaving)
    asked = [_outcome(task) for task in tasks]
    return {"asked": asked, "held": held, "out of turn": thread.engine.strangers}


async def _ask(generate, thread, number, ask):
    at_ms, prompt, answer, _ = ask
    await until_ms(at_ms)
    heard = []
    try:
        request = await generate(
            thread, [7] * prompt, max_output_tokens=answer, id=f"r{number}",
            on_token=lambda token: heard.append((token, now_ms())),
        )  # fmt: skip
    except (ValueError, EngineStopped) as error:
        return [type(error).__name__, now_ms(), heard]
    return [list(getattr(request, "answer", ["nothing"])), now_ms(), heard]


def _outcome(task):
    """What an asker got; an error that it should not get is raised."""
    if not task.done():
        return "never ends"
    return "left" if task.cancelled() else task.result()


async def _leave(task, moment):
    await until_ms(moment)
    task.cancel()


def says(got, expected) -> str:
    """What went differently."""
    if got["out of turn"]:
        return "The engine was called from the event loop, not from its own thread."
    for number, (one, other) in enumerate(zip(got["asked"], expected["asked"])):
        if one != other:
            return f"Request {number}: {_end(one)}, expected: {_end(other)}."
    return f"Requests in the engine after each step: {got['held']}, expected {expected['held']}."


def _end(one) -> str:
    if isinstance(one, str):
        return {"left": "it left"}.get(one, one)
    end, at_ms, heard = one
    end = end if isinstance(end, str) else f"{len(end)} tokens"
    return f"{end} at {at_ms:g} ms, {len(heard)} tokens heard"


_GENERATE = EngineThread.generate


def _some_asks():
    """Up to four requests, some too long, some whose client leaves."""
    from hypothesis import strategies as st

    moments = st.integers(0, 9).map(lambda n: 10 * n + 3)
    leaves = st.one_of(st.none(), st.integers(3, 15).map(lambda n: 10 * n + 7))
    one = st.tuples(moments, st.integers(1, 9), st.integers(1, 6), leaves)
    one = one.filter(lambda ask: ask[3] is None or ask[3] > ask[0])
    return st.tuples(st.lists(one, min_size=1, max_size=4), st.sampled_from([75, 125, 195]))


_MISTAKES = """
calls-the-engine: You add the request from the event loop, while the engine's thread may be in the
    middle of a step. What is the inbox for?
- self.put(lambda: self.add(asker, prompt, max_output_tokens, options))
+ self.add(asker, prompt, max_output_tokens, options)

options-lost: What the client asked for beside the prompt is lost. Its `options` go to `self.add` as
    they are, one dict, for its last argument.
- max_output_tokens, options))
+ max_output_tokens, {}))

leaves-at-once: You let the asker leave before anything was waited for. When is the client gone?
= self.put(lambda: self.add(asker, prompt, max_output_tokens, options))
+ self.put(lambda: self.leave(asker), quiet=True)

never-leaves: A request whose asker was cancelled is computed to its end, for nobody. Where does an
    `await` end that is cancelled, and what still runs then?
- self.put(lambda: self.leave(asker), quiet=True)
+ pass

leaves-out-of-turn: You cancel from the event loop. The engine may be computing that very request:
    who may touch it?
- self.put(lambda: self.leave(asker), quiet=True)
+ self.leave(asker)

swallows-the-cancel: Whoever was cancelled returns as if all were well. Raise it again, or let it
    pass: `finally` sees it, too.
- finally:
+ except asyncio.CancelledError:

loud: The engine's thread had ended when somebody left, and your code raises. That request needs no
    cancelling any more: what does `quiet` say?
- self.put(lambda: self.leave(asker), quiet=True)
+ self.put(lambda: self.leave(asker))

deaf: The answer comes, and nobody hears its tokens on the way. What does an asker have to know?
- asker = self.asker(on_token)
+ asker = self.asker()

polls: You look again and again whether it has ended, and are late by up to a look. A future can be
    awaited.
= try:
+     while not asker.ended.done():
+         await asyncio.sleep(0.004)
"""

BRIDGE = exercise(
    __doc__,
    Function(
        reference=bridged(_GENERATE),
        inputs=_some_asks,
        num_inputs=40,
        seconds=10.0,
        says=says,
        always=(
            ([(3, 2, 3, None), (13, 9, 2, None), (23, 1, 6, 47)], 125),
            ([(3, 1, 20, 200), (13, 1, 2, None)], 75),
            ([(3, 1, 20, None), (13, 1, 30, 37)], 75),
            ([(3, 1, 2, None), (83, 1, 2, None)], 75),
        ),
        misconceptions=mistakes_of(bridged, _GENERATE, _MISTAKES),
    ),
)
