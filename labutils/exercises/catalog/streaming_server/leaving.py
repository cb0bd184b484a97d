"""streaming.leaving · Whoever leaves · 8 minutes

> Two tasks; wait until the first of them has ended; then clean up, whatever it was.
> `asyncio.wait({a, b}, return_when=asyncio.FIRST_COMPLETED)`. A task that is done may hold an
  error: `task.result()` raises it. `try … finally` cleans up when your own task is cancelled, too.
> is_told = False; try: await asyncio.wait(…); if sending.done(): sending.result(); is_told = True;
  finally: cancel both, and if not is_told: self.left().

`asyncio.wait` cancels nobody: neither the tasks that it waits for when it is cancelled itself, nor
the loser of the race. So the cleaning stands in `finally`. And there are four ends: told, left,
broken, stopped from above. Only the first leaves the job alone; after each of the others nobody
reads what the engine still writes. The usual slip is to think of the client who leaves and to
forget the connection that breaks.
"""

import asyncio
from types import SimpleNamespace

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise
from labutils.server.outgoing import EventStream

from .virtual_stage import mistakes_of, now_ms, played

LATE_MS = 500
_ERRORS = {"OSError": OSError, "ValueError": ValueError}


def raced(until_left):
    """How the check tries ``until_left``: when it ended and how, what was told, what still runs.

    The answer takes ``answer_ms`` and then ``breaks`` with an error of this name, or is told
    (""); the client leaves at ``leaves_ms`` and the server's own task is cancelled at
    ``stopped_ms`` (None: never).
    """
    if not callable(until_left):
        return until_left

    def told(answer_ms, breaks, leaves_ms, stopped_ms):
        return played(_story(until_left, answer_ms, breaks, leaves_ms, stopped_ms))

    return told


async def _story(until_left, answer_ms, breaks, leaves_ms, stopped_ms) -> dict:
    told, ended = [], []
    broken = _ERRORS[breaks]("the answer broke") if breaks else None

    async def answer():
        await asyncio.sleep(answer_ms / 1e3)
        if broken:
            raise broken

    async def leaving():
        await asyncio.sleep(90 if leaves_ms is None else leaves_ms / 1e3)

    race = answer(), leaving()

    async def act():
        try:
            await until_left(stream, *race)
            ended.append(["returned", now_ms()])
        except (Exception, asyncio.CancelledError) as error:
            came = (error, *getattr(error, "exceptions", ()))
            if broken not in came and not isinstance(error, asyncio.CancelledError):
                raise  # the learner's own
            ended.append([type(error).__name__, now_ms()])

    stream = SimpleNamespace(left=lambda: told.append(now_ms()))
    task = asyncio.create_task(act())
    if stopped_ms is not None:
        asyncio.get_running_loop().call_later(stopped_ms / 1e3, task.cancel)
    await asyncio.wait({task}, timeout=LATE_MS / 1e3)
    await asyncio.sleep(0.001)
    mine = {task, asyncio.current_task()}
    running = sorted(one.get_coro().__name__ for one in asyncio.all_tasks() - mine)
    for one in race:
        one.close()  # or Python complains of what was never awaited
    if task.done():
        task.result()  # an untouched stub says so
    return {"ended": ended or ["it goes on"], "left": told, "running": running}


def says(got, expected) -> str:
    """What went differently."""
    if got["ended"] != expected["ended"]:
        return f"It ended as {_end(got)}, expected {_end(expected)}."
    if got["left"] != expected["left"]:
        return f"`left` was called at {got['left']} ms, expected at {expected['left']}."
    return f"Afterwards still run: {', '.join(got['running'])}; expected nothing."


def _end(outcome) -> str:
    first = outcome["ended"][0]
    return first if isinstance(first, str) else f"{first[0]} at {first[1]:g} ms"


_UNTIL_LEFT = EventStream.until_left


def _some_ends():
    """An answer that ends or breaks, a client that stays or leaves, a server that is stopped."""
    from hypothesis import strategies as st

    moment = st.integers(1, 40).map(lambda n: 5 * n)
    leaves = st.one_of(st.none(), st.integers(1, 40).map(lambda n: 5 * n + 2))
    stopped = st.one_of(st.none(), st.none(), st.integers(1, 40).map(lambda n: 5 * n + 3))
    return st.tuples(moment, st.sampled_from(["", "", *_ERRORS]), leaves, stopped)


_MISTAKES = """
waits-for-both: You wait until both have ended. A client who stays never leaves.
- await asyncio.wait({sending, going}, return_when=asyncio.FIRST_COMPLETED)
+ await asyncio.wait({sending, going}, return_when=asyncio.ALL_COMPLETED)

sends-on: The client is gone, and somebody still sends to it.
- sending.cancel()

cancels-nobody: Whoever lost the race runs on, and both do when your own task is cancelled:
    `asyncio.wait` cancels nobody. Whose part is it?
- sending.cancel()
- going.cancel()

keeps-watching: The answer is told, and a task still waits for its client to leave: one for each
    answer, for good.
- going.cancel()

swallows-the-cancel: Your own task was cancelled, and you return as if all were well. Whoever
    stopped it waits for its end: raise it again, or let it pass.
=         is_told = True
+ except asyncio.CancelledError:
+     pass

tells-nobody: The connection is closed, and the engine goes on writing: nobody told the job.
- self.left()
+ pass

left-in-any-case: You say that the client has left when it has its whole answer.
- if not is_told:
+ if True:

hides-the-error: The answer broke on its way, and you take it for told. Where does the error of a
    task stay until somebody asks for it?
- sending.result()

an-error-is-an-end: The answer broke on its way, and the job goes on: for whom?
= if sending.done():
+     is_told = True
= sending.result()
- is_told = True

only-when-asked: Your own task was cancelled in the middle of the wait, and everything behind the
    wait was passed over. What runs in any case?
- finally:
+ except ZeroDivisionError:
+     pass
+ if True:

stopped-in-the-wait: Your own task was cancelled in the middle of the wait, and everything behind
    the wait was passed over. What runs in any case?
- try:
-     await asyncio.wait({sending, going}, return_when=asyncio.FIRST_COMPLETED)
+ await asyncio.wait({sending, going}, return_when=asyncio.FIRST_COMPLETED)
+ try:

left-unless-cancelled: Your own task was cancelled, and nobody told the job. Is a `CancelledError`
    an `Exception`?
=         sending.result()
-         is_told = True
+     is_told = sending.done()
+ except asyncio.CancelledError:
+     is_told = True
+     raise

watches-the-told: The answer is told, and a task still waits for its client to leave: one for each
    answer, for good.
- going.cancel()
- if not is_told:
+ if not is_told:
+     going.cancel()

leaving-first: The answer broke in the same moment in which the client left, and nobody hears its
    error. Which of the two do you ask first?
- if sending.done():
+ if not going.done():

some-errors-alone: The answer broke with an error that is not on your list, and the job goes on.
    Which errors can `answer` raise?
=         is_told = True
+ except (OSError, asyncio.CancelledError):
+     raise
+ except Exception:
+     is_told = True
+     raise

a-group-of-errors: Your `TaskGroup` hands on the answer's error wrapped in an `ExceptionGroup`.
    Whoever awaits you looks for the error itself.
- try:
-     await asyncio.wait({sending, going}, return_when=asyncio.FIRST_COMPLETED)
-     if sending.done():
-         sending.result()
-         is_told = True
+ async def each(task):
+     await task
+ try:
+     async with asyncio.TaskGroup() as group:
+         group.create_task(each(sending))
+         await asyncio.wait({sending, going}, return_when=asyncio.FIRST_COMPLETED)
+         is_told = sending.done() and not sending.exception()
+         sending.cancel()
"""

LEAVING = exercise(
    __doc__,
    Function(
        reference=raced(_UNTIL_LEFT),
        inputs=_some_ends,
        num_inputs=60,
        says=says,
        always=(
            (50, "", None, None),
            (50, "", 22, None),
            (50, "OSError", None, None),
            (50, "ValueError", None, None),
            (50, "", None, 33),
            (50, "", 92, None),
            (50, "OSError", 50, None),
        ),
        misconceptions=mistakes_of(raced, _UNTIL_LEFT, _MISTAKES),
    ),
)
