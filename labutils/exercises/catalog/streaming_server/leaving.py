"""Step 3: whoever leaves takes the work along."""

import asyncio
from types import SimpleNamespace

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.server.outgoing import EventStream

from .virtual_stage import mistaken, now_ms, played

LATE_MS = 500


def raced(until_left):
    """How the check tries ``until_left``: when it ended and how, what was told, what still runs.

    The answer takes ``answer_ms`` and may ``break`` then; the client leaves at ``leaves_ms`` and
    the server's own task is cancelled at ``stopped_ms`` (None: never).
    """
    if not callable(until_left):
        return until_left

    def told(answer_ms, breaks, leaves_ms, stopped_ms):
        return played(_story(until_left, answer_ms, breaks, leaves_ms, stopped_ms))

    return told


async def _story(until_left, answer_ms, breaks, leaves_ms, stopped_ms) -> dict:
    told, ended = [], []

    async def answer():
        await asyncio.sleep(answer_ms / 1e3)
        if breaks:
            raise OSError("the connection is gone")

    async def leaving():
        await asyncio.sleep(90 if leaves_ms is None else leaves_ms / 1e3)

    race = answer(), leaving()

    async def act():
        try:
            await until_left(stream, *race)
            ended.append(["returned", now_ms()])
        except (OSError, asyncio.CancelledError) as error:
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
    return st.tuples(moment, st.booleans(), leaves, stopped)


LEAVING = Exercise(
    id="streaming.leaving",
    title="Whoever leaves",
    minutes=8,
    checker=Function(
        reference=raced(_UNTIL_LEFT),
        inputs=_some_ends,
        num_inputs=60,
        says=says,
        always=(
            (50, False, None, None), (50, False, 22, None), (50, True, None, None),
            (50, False, None, 33), (50, False, 92, None),
        ),
        misconceptions=(
            Misconception(
                "waits-for-both",
                mistaken(raced, _UNTIL_LEFT, "FIRST_COMPLETED", "ALL_COMPLETED"),
                "You wait until both have ended. A client who stays never leaves.",
            ),
            Misconception(
                "sends-on",
                mistaken(raced, _UNTIL_LEFT, "sending.cancel()", "pass"),
                "The client is gone, and somebody still sends to it.",
            ),
            Misconception(
                "cancels-nobody",
                mistaken(raced, _UNTIL_LEFT, "sending.cancel()", "pass", "going.cancel()", "pass"),
                "Whoever lost the race runs on, and both do when your own task is cancelled: "
                "`asyncio.wait` cancels nobody. Whose part is it?",
            ),
            Misconception(
                "keeps-watching",
                mistaken(raced, _UNTIL_LEFT, "going.cancel()", "pass"),
                "The answer is told, and a task still waits for its client to leave: one for each "
                "answer, for good.",
            ),
            Misconception(
                "swallows-the-cancel",
                mistaken(raced, _UNTIL_LEFT, "finally:",
                         "except asyncio.CancelledError:\n        pass\n    finally:"),
                "Your own task was cancelled, and you return as if all were well. Whoever stopped "
                "it waits for its end: raise it again, or let it pass.",
            ),
            Misconception(
                "tells-nobody",
                mistaken(raced, _UNTIL_LEFT, "self.left()", "pass"),
                "The connection is closed, and the engine goes on writing: nobody told the job.",
            ),
            Misconception(
                "left-in-any-case",
                mistaken(raced, _UNTIL_LEFT, "if not is_told:", "if True:"),
                "You say that the client has left when it has its whole answer.",
            ),
            Misconception(
                "hides-the-error",
                mistaken(raced, _UNTIL_LEFT, "sending.result()", "pass"),
                "The answer broke on its way, and you take it for told. Where does the error of a "
                "task stay until somebody asks for it?",
            ),
            Misconception(
                "an-error-is-an-end",
                mistaken(raced, _UNTIL_LEFT, "sending.result()\n            is_told = True",
                              "is_told = True\n            sending.result()"),
                "The answer broke on its way, and the job goes on: for whom?",
            ),
            Misconception(
                "only-when-asked",
                mistaken(raced, _UNTIL_LEFT, "finally:", "except ZeroDivisionError:\n        pass\n"
                              "    if True:"),
                "Your own task was cancelled in the middle of the wait, and everything behind the "
                "wait was passed over. What runs in any case?",
            ),
        ),
    ),
    hints=(
        "Two tasks; wait until the first of them has ended; then clean up, whatever it was.",
        "`asyncio.wait({a, b}, return_when=asyncio.FIRST_COMPLETED)`. A task that is done may hold "
        "an error: `task.result()` raises it. `try … finally` cleans up when your own task is "
        "cancelled, too.",
        "is_told = False; try: await asyncio.wait(…); if sending.done(): sending.result(); is_told "
        "= True; finally: cancel both, and if not is_told: self.left().",
    ),
    explanation=(
        "`asyncio.wait` cancels nobody: neither the tasks that it waits for when it is cancelled "
        "itself, nor the loser of the race. So the cleaning stands in `finally`. And there are "
        "four ends: told, left, broken, stopped from above. Only the first leaves the job alone; "
        "after each of the others nobody reads what the engine still writes. The usual slip is to "
        "think of the client who leaves and to forget the connection that breaks."
    ),
)  # fmt: skip
