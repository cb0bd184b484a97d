"""streaming.drain · The drain · 8 minutes

> Close the door first. Then wait for those who run, but not for longer than `drain_s`. Who is left
  then hears why, and stops. Only then exit.
> `asyncio.wait(tasks, timeout=…)` waits without cancelling; it refuses an empty list. Jobs that
  have ended take themselves out of `jobs`.
> tasks = [job.task for job in jobs.values()]; wait; for each job left:
  job.log.fail(ProtocolError(503, …, code="draining")); job.leave(); wait for those tasks that are
  not done, 5 s at most; self.exit().

The order is the exercise. A server that waits first and closes its door afterwards never runs dry;
one that exits first cuts everybody. `drain_s` has to be shorter than the patience of whoever sends
the signal (Kubernetes: 30 s by default, and then SIGKILL). And the load balancer has to hear of it:
`/ready` answers 503 from the first moment, while `/health` stays 200, or the process is killed for
being ill.
"""

import asyncio
from types import SimpleNamespace

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise
from labutils.server.life import Server
from labutils.server.protocol import ProtocolError

from .virtual_stage import mistakes_of, now_ms, played, until_ms


def ended(drained):
    """How the check tries ``drained``: who was let in, what each client was told, when it exits.

    ``jobs`` are (ms that its answer still takes, ms that it takes to stop when it is told to).
    The drain is asked for at 0 ms with ``drain_ms`` for those who run, and again at ``again_ms``.
    """
    if not callable(drained):
        return drained

    def told(jobs, drain_ms, again_ms):
        return played(_story(drained, jobs, drain_ms, again_ms))

    return told


async def _story(drained, jobs, drain_ms, again_ms) -> dict:
    told, running, doors = [], {}, []
    for number, (answer_ms, stop_ms) in enumerate(jobs):
        running[number] = _job(number, answer_ms, stop_ms, told, running)
    admission = SimpleNamespace(is_draining=False)
    server = SimpleNamespace(
        front=SimpleNamespace(admission=admission, jobs=running), drain_s=drain_ms / 1e3,
        exit=lambda: told.append([now_ms(), "exit"]),
    )  # fmt: skip
    await asyncio.sleep(0)  # the jobs run
    first = asyncio.create_task(drained(server))
    await until_ms(1)
    doors.append(admission.is_draining)
    await until_ms(again_ms)
    second = asyncio.create_task(drained(server))
    await asyncio.gather(first, second)
    doors.append(admission.is_draining)
    return {"told": sorted(told), "closed": doors}  # what comes at one moment has no order


def _job(number, answer_ms, stop_ms, told, running):
    """A job whose answer takes so long, and so long to stop. Its client hears one end, the first.

    Whoever leaves it ends it as if the client had gone, as ``Job.leave`` does.
    """
    heard = []

    async def answer():
        try:
            await until_ms(answer_ms)
            told.append([now_ms(), f"{number} is answered"])
        except asyncio.CancelledError:
            await asyncio.sleep(stop_ms / 1e3)
            told.append([now_ms(), f"{number} has stopped"])
        finally:
            running.pop(number, None)

    def fail(error):
        if not heard:
            told.append([now_ms(), f"{number} hears {error.status} {error.code}"])
        heard.append(error)

    def leave():
        fail(ProtocolError(499, "the client has left", code="cancelled"))
        task.cancel()

    task = asyncio.create_task(answer())
    return SimpleNamespace(task=task, log=SimpleNamespace(fail=fail), leave=leave)


def says(got, expected) -> str:
    """What happened first that should not have."""
    if got["closed"] != expected["closed"]:
        return "The door is open while it drains: new requests come in."
    for number, wanted in enumerate(expected["told"]):
        one = got["told"][number] if number < len(got["told"]) else [0, "nothing more"]
        if one != wanted:
            return f"At {one[0]:g} ms: {one[1]}; expected at {wanted[0]:g} ms: {wanted[1]}."
    return f"After the exit still came: {got['told'][len(expected['told'])][1]}."


_DRAINED = Server.drained


def _some_drains():
    """Up to four answers under way, some longer than the time that they are given."""
    from hypothesis import strategies as st

    stops = st.integers(0, 6) | st.just(7_000)  # a stuck one
    job = st.tuples(st.integers(1, 25).map(lambda n: 10 * n + 1), stops)
    return st.tuples(
        st.lists(job, max_size=4), st.integers(2, 12).map(lambda n: 10 * n),
        st.sampled_from([5, 35, 300]),
    )  # fmt: skip


_MISTAKES = """
lets-them-in: New requests are let in while it drains, so it never ends.
- admission.is_draining = True

closes-the-door-late: The door closes when those who run have ended, and others come in meanwhile.
    What comes first?
- admission.is_draining = True
=     await asyncio.wait(tasks, timeout=self.drain_s)
+ admission.is_draining = True

sleeps-all-of-it: You sleep all of `drain_s`, also where everybody has ended before. What ends the
    wait with the last answer?
- if tasks:
-     await asyncio.wait(tasks, timeout=self.drain_s)
+ await asyncio.sleep(self.drain_s)

waits-for-nobody: Nobody runs, and `asyncio.wait` refuses an empty list: the server never exits.
- if tasks:
+ if True:

waits-for-no-late-one: Nobody is late, and `asyncio.wait` refuses an empty list: the server never
    exits.
- if late := [task for task in tasks if not task.done()]:
-     await asyncio.wait(late, timeout=5)
+ late = [task for task in tasks if not task.done()]
+ await asyncio.wait(late, timeout=5)

goes-without-exit: Nobody runs, and you return: the server stands there, closed. What ends it?
- if tasks:
+ if not tasks:
+     return
+ else:

tells-the-whole: You tell everybody who ran at the beginning that it is over, also whose answer is
    whole by now. Who is left in `jobs`?
= tasks = [job.task for job in jobs.values()]
+ everybody = list(jobs.values())
- for job in jobs.values():
+ for job in everybody:

waits-for-the-first: You wait for the first answer to end, and call all others late.
- await asyncio.wait(tasks, timeout=self.drain_s)
+ await asyncio.wait(tasks, timeout=self.drain_s, return_when=asyncio.FIRST_COMPLETED)

tells-too-early: You tell those who run that it is over, and then give them time. They may have
    ended within it.
- why = ProtocolError(503, "the server shut down before the end", code="draining")
= for job in jobs.values():
-     job.log.fail(why)
= tasks = [job.task for job in jobs.values()]
+ why = ProtocolError(503, "the server shut down before the end", code="draining")
+ for job in jobs.values():
+     job.log.fail(why)

one-after-the-other: A late one is told when the one before it has stopped. The five seconds are for
    all of them together: who hears first?
- for job in jobs.values():
-     job.log.fail(why)
-     job.leave()
+ for job in list(jobs.values()):
+     job.log.fail(why)
+     job.leave()
+     await asyncio.wait([job.task], timeout=5)
- if late := [task for task in tasks if not task.done()]:
-     await asyncio.wait(late, timeout=5)

cuts-at-once: Answers that would have ended in time are cut.
- await asyncio.wait(tasks, timeout=self.drain_s)
+ pass

cancels-while-it-waits: `wait_for` cancels what it waits for when the time is over, and so those are
    stopped to whom you still have to speak. What waits without cancelling?
- await asyncio.wait(tasks, timeout=self.drain_s)
+ try:
+     await asyncio.wait_for(asyncio.gather(*tasks), self.drain_s)
+ except TimeoutError:
+     pass

waits-for-good: You wait for the last answer, however long it takes. Whoever sent SIGTERM sends
    SIGKILL then, and every client is cut.
- await asyncio.wait(tasks, timeout=self.drain_s)
+ await asyncio.wait(tasks)

says-nothing: The late ones read that they have left, which is not so: `leave()` says that, where
    nobody has said more before it. Who has to speak first?
- job.log.fail(why)

computes-on: The late ones are told that it is over, and go on computing.
- job.leave()

leaves-them-behind: It exits while the late ones are still stopping. Their last event may not have
    gone out.
- await asyncio.wait(late, timeout=5)
+ pass

waits-for-the-stuck: One that is stuck does not stop, and the server never ends. How long may the
    late ones take?
- await asyncio.wait(late, timeout=5)
+ await asyncio.wait(late)

as-long-again: The late ones get `drain_s` once more to stop. They have 5 s.
- await asyncio.wait(late, timeout=5)
+ await asyncio.wait(late, timeout=self.drain_s)

sleeps-the-five: You sleep all of the 5 s, also where the late ones have stopped before.
- await asyncio.wait(late, timeout=5)
+ await asyncio.sleep(5)

never-exits: All have ended, and the server stays. What ends it?
- self.exit()
+ pass

twice: The second call drains once more. Signals come twice.
- if admission.is_draining:
+ if False:
"""

DRAIN = exercise(
    __doc__,
    Function(
        reference=ended(_DRAINED),
        inputs=_some_drains,
        num_inputs=60,
        says=says,
        always=(
            ([], 50, 5),
            ([(21, 0), (91, 3)], 50, 35),
            ([(21, 0), (31, 2)], 50, 300),
            ([(211, 0), (231, 6), (41, 1)], 60, 5),
            ([(71, 8_000), (81, 3)], 50, 5),
        ),
        misconceptions=mistakes_of(ended, _DRAINED, _MISTAKES),
    ),
)
