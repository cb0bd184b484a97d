"""ray.told · Whatever happens, the client hears it · 12 minutes

> Five ends: whole, lost, another error, and two in which the client leaves. Which of them has to
  say something to the client, and which to the desk?
> `try … except ReplicaLost … finally`. The pieces go through one by one, in an `async for` with a
  `yield` in it.
> try: async for piece in pieces: yield piece; except ReplicaLost: yield self.error_event();
  finally: self.over(asked).

A stream has said 200 before its first piece, so nothing but an event in it can still tell of an
error. A client who hears neither an end nor an error takes half an answer for a whole one. For the
desk all ends are one. A client who leaves comes as `GeneratorExit` at the `yield` or as
`CancelledError` at the `await`, and neither is an `Exception`: only `finally` sees them. A count
that is never taken back makes its replica look busy for good. A router that sends to the least busy
one then shuns the replica whose users have left most often, while the others queue.
"""

import asyncio
import inspect
from dataclasses import dataclass, field

from labutils.exercises.catalog.streaming_server.virtual_stage import mistakes_of, now_ms, played
from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise
from labutils.ray_fleet.door_desk import Asked
from labutils.ray_fleet.passing_on import ReplicaLost, Telling

END_MS, LEAVES_MS = 8, 1  # after the last piece, and after the piece that is heard last
EVENT = "the error event"
_ERRORS = (ReplicaLost, ValueError, RuntimeError, OSError)
_ENDS = {"whole": None} | {error.__name__: error for error in _ERRORS}


@dataclass
class _Door:
    """Stands for ``self``; notes what the desk is told of ``asked``, and how early."""

    asked: Asked
    is_over: bool = False
    desk: list[str] = field(default_factory=list)

    def over(self, asked):
        in_time = "over" if self.is_over else "over too early"
        self.desk.append(in_time if asked is self.asked else "over with another request")

    def error_event(self):
        return EVENT.encode()

    def left_by(self, client):
        self.is_over = True
        client.cancel()


def heard_through(told):
    """How the check tries ``told``: what the client heard and when, how it ended, what the desk
    was told.

    Pieces come after ``gaps_ms``, then the answer ``ends``. The client ``leaves`` after so many
    pieces: ("closed", 2) with the second in hand, ("cancelled", 2) while it waits for a third.
    """
    if not callable(told):
        return told

    def hears(gaps_ms, ends, leaves):
        return played(_story(told, gaps_ms, ends, leaves))

    return hears


async def _story(told, gaps_ms, ends, leaves) -> dict:
    door, heard = _Door(Asked("POST", "/v1/completions", [])), []
    broken = _ENDS[ends] and _ENDS[ends]("on the way")
    said = told(door, door.asked, _pieces(door, gaps_ms, broken))
    try:
        ended = await asyncio.create_task(_hear(said, heard, door, leaves))
    except (Exception, asyncio.CancelledError) as error:
        if error is not broken and type(error) not in (ReplicaLost, asyncio.CancelledError):
            raise  # the learner's own
        ended = type(error).__name__
    await asyncio.sleep(0.1)  # the loop closes a generator within theirs; does anything go on?
    return {"heard": heard, "ended": ended, "desk": door.desk}


async def _pieces(door, gaps_ms, broken):
    for number, gap_ms in enumerate(gaps_ms, 1):
        await asyncio.sleep(gap_ms / 1e3)
        if door.is_over:
            door.desk.append("that a piece is taken for nobody")
        yield b"piece %d" % number
    await asyncio.sleep(END_MS / 1e3)
    door.is_over = True
    if broken:
        raise broken


async def _hear(said, heard, door, leaves) -> str:
    """What a client does; returns how it ended."""
    if inspect.isawaitable(said):
        await said  # an untouched stub says so
        raise TypeError("told returns and does not yield: it is no generator")
    while leaves != ("closed", len(heard)) or not heard:
        if leaves == ("cancelled", len(heard)):
            loop, me = asyncio.get_running_loop(), asyncio.current_task()
            loop.call_later(LEAVES_MS / 1e3, door.left_by, me)
        try:
            piece = await anext(said)
        except StopAsyncIteration:
            return "well"
        is_text = isinstance(piece, bytes) and piece
        heard.append([piece.decode() if is_text else repr(piece), now_ms()])
    door.is_over = True
    await said.aclose()
    return "closed"


def says(got, expected) -> str:
    """What went differently."""
    if got["heard"] != expected["heard"]:
        return f"The client heard {_words(got)}, expected {_words(expected)}."
    if got["ended"] != expected["ended"]:
        return f"It ends: {got['ended']}; expected: {expected['ended']}."
    return f"The desk heard {', '.join(got['desk']) or 'nothing'}, expected over, once."


def _words(told) -> str:
    return ", ".join(f"{said} at {at_ms:g} ms" for said, at_ms in told["heard"]) or "nothing"


_TOLD = Telling.told


def _some_answers():
    """Up to four pieces, an end, and a client who may leave."""
    from hypothesis import strategies as st

    gaps = st.lists(st.sampled_from([4, 10, 25]), max_size=4)
    leaves = st.tuples(st.sampled_from(["closed", "cancelled"]), st.integers(0, 4))
    return st.tuples(gaps, st.sampled_from(list(_ENDS)), st.one_of(st.none(), leaves))


_MISTAKES = """
never-over: The desk never hears that an answer is over. What does the router go by?
- self.over(asked)
+ pass

counted-for-good: An answer that ends by an error, or by its client's leaving, counts as in flight
    for good: what stands behind the `try` is passed over. What runs however a block ends?
- finally:
-     self.over(asked)
+ self.over(asked)

only-if-whole: The desk hears of whole answers alone. Is a lost one still in flight?
- finally:
+ else:

only-if-lost: The desk hears of lost answers alone. What of those that end well?
= yield self.error_event()
+ self.over(asked)
- finally:
-     self.over(asked)

two-ends-alone: The desk hears of whole answers and of lost ones. Which other ends are there?
- yield self.error_event()
+ self.over(asked)
+ yield self.error_event()
- finally:
+ else:

not-if-it-leaves: A client left in the middle, and its answer counts as in flight for good. Is a
    `GeneratorExit`, or a `CancelledError`, an `Exception`?
= yield self.error_event()
+ self.over(asked)
- finally:
-     self.over(asked)
+ except Exception:
+     self.over(asked)
+     raise
+ else:
+     self.over(asked)

only-if-cancelled: A client left with a piece in its hand, and its answer counts as in flight for
    good. What is raised at the `yield` of a generator that is closed?
- try:
+ import asyncio
+ try:
= yield self.error_event()
+ self.over(asked)
- finally:
-     self.over(asked)
+ except (Exception, asyncio.CancelledError):
+     self.over(asked)
+     raise
+ else:
+     self.over(asked)

gone-at-the-event: A client left with the error event in its hand, and its answer counts as in
    flight for good. Do the other branches of a `try` see what is raised in one of them?
= yield self.error_event()
+ self.over(asked)
- finally:
-     self.over(asked)
+ except BaseException:
+     self.over(asked)
+     raise
+ else:
+     self.over(asked)

over-first: The desk hears that it is over before the first piece. Until when is it in flight?
- try:
+ self.over(asked)
+ try:
- finally:
-     self.over(asked)

over-twice: The desk hears of a lost answer twice. `finally` runs after an `except`, too.
= yield self.error_event()
+ self.over(asked)

lost-unsaid: The replica is lost, and the client hears nothing of it. How does it tell half an
    answer from a whole one? What `error_event` returns has to go out, too.
- yield self.error_event()
+ self.error_event()

lost-is-raised: `ReplicaLost` goes on to whoever passes the pieces on, and the connection breaks
    without a word. What can be said yet to a client whose stream has begun?
- except ReplicaLost:
-     yield self.error_event()

raised-on: The client has heard of the loss, and you raise it again. Who is to hear it now?
= yield self.error_event()
+ raise

event-after-all: The error event comes after whole answers, too. When is something lost?
- yield self.error_event()
+ pass
= finally:
=     self.over(asked)
+ yield self.error_event()

event-in-the-end: Your `finally` says something to the client. It runs as well when the answer is
    whole, and when the client has left: to whom do you `yield` then?
- yield self.error_event()
+ pass
= self.over(asked)
+ yield self.error_event()

takes-all-for-lost: You take every error for a lost replica, and nobody hears of a mistake in the
    code. Catch what you know.
- except ReplicaLost:
+ except Exception:

tells-of-all: The client hears of a lost replica whatever the error was. Catch what you know.
- except ReplicaLost:
-     yield self.error_event()
+ except ReplicaLost:
+     yield self.error_event()
+ except Exception:
+     yield self.error_event()
+     raise

hides-other-errors: Another error ends in silence, as if the answer were whole. Who could do
    something about it?
- finally:
+ except Exception:
+     pass
+ finally:

speaks-to-who-left: You catch the client's leaving as well, and `yield` to nobody. Which error says
    that the replica is lost?
- except ReplicaLost:
+ except BaseException:

swallows-the-cancel: Your task was cancelled, and you return as if all were well. Whoever stopped it
    waits for its end: let it pass.
- try:
+ import asyncio
+ try:
- finally:
+ except asyncio.CancelledError:
+     pass
+ finally:

swallows-all: Nothing that is raised comes out, neither another error nor a cancel. Do you `return`
    from a `finally`, or catch what you do not know?
= self.over(asked)
+ return

gathered: You gather the pieces, and the client hears all of them at the end, or none if the replica
    is lost. What does a stream promise?
- async for piece in pieces:
-     yield piece
+ for piece in [piece async for piece in pieces]:
+     yield piece

gathered-and-kept: You gather the pieces, and the client hears all of them at the end. What does a
    stream promise?
- async for piece in pieces:
-     yield piece
+ heard = []
+ try:
+     async for piece in pieces:
+         heard.append(piece)
+ finally:
+     for piece in heard:
+         yield piece
"""

TOLD = exercise(
    __doc__,
    Function(
        reference=heard_through(_TOLD),
        inputs=_some_answers,
        num_inputs=60,
        says=says,
        always=(
            ([10, 4], "whole", None),
            ([10, 4], "ReplicaLost", None),
            ([], "ReplicaLost", None),
            ([10, 4], "ValueError", None),
            ([10, 4], "RuntimeError", None),
            ([10, 4], "OSError", None),
            ([10, 4, 4], "whole", ("closed", 1)),
            ([10, 4], "whole", ("closed", 1)),
            ([10, 4], "whole", ("cancelled", 1)),
            ([10, 4], "ReplicaLost", ("closed", 3)),
        ),
        misconceptions=mistakes_of(heard_through, _TOLD, _MISTAKES),
    ),
)
