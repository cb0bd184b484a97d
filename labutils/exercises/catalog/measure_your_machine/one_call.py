"""machine.one_call · How long does one call take? · 6 minutes

> Two things may still run on the device: what others have queued before, and your own call. At
  which two moments must it be idle?
> `stream.synchronize()` waits until the device is idle. You need it twice, and `launch` stands
  between the two.
> Wait; read the clock; launch; wait; read the clock again. Return the difference.

`launch` puts the call into a queue and returns; the result will be there later. A clock around it
measures the queueing. Waiting *after* the launch makes the watch stop when the work is done.
Waiting *before* the watch starts keeps the work of others out: without it the first measurement
after a busy moment is too long, the others are not, and you call it noise. In torch the wait is
`torch.cuda.synchronize()`; reading a value back (`.item()`, `.cpu()`, `print`) waits too, without
saying so.
"""

import dis
import inspect
import time
from collections.abc import Callable
from itertools import pairwise

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Misconception
from labutils.exercises.definition.sheet import exercise, mistakes_in
from labutils.exercises.running.clocks import clock_read_by
from labutils.ground.patches import patches


def _duration_s(stream, call):
    stream.synchronize()
    begin = stream.clock()
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - begin


class Wrong:
    def calls_it_itself(stream, call):
        """Between your two readings the stream's clock stands still. Do you call `call` yourself,
        of which the stream hears nothing, or keep `stream.clock` without parentheses, and read the
        clock twice at the end?"""
        stream.synchronize()
        begin = stream.clock()
        call()
        stream.synchronize()
        return stream.clock() - begin

    def launch_alone(stream, call):
        """Your watch stops when `launch` returns. What has the device done by then?"""
        begin = stream.clock()
        stream.launch(call)
        return stream.clock() - begin

    def pays_for_others(stream, call):
        """The device was still busy when your watch started. Whose time did you measure?"""
        begin = stream.clock()
        stream.launch(call)
        stream.synchronize()
        return stream.clock() - begin

    def starts_before_the_wait(stream, call):
        """You wait for earlier work while your watch runs already. Which of the two comes first?"""
        begin = stream.clock()
        stream.synchronize()
        stream.launch(call)
        stream.synchronize()
        return stream.clock() - begin

    def leaves_the_launch_out(stream, call):
        """Your watch starts after the launch. The host's part belongs to the call: on an idle
        device nothing begins before it."""
        stream.synchronize()
        stream.launch(call)
        begin = stream.clock()
        stream.synchronize()
        return stream.clock() - begin

    def measures_the_second(stream, call):
        """You launch the call once before your watch starts, and time the next one. Warming up
        comes later, and whoever calls decides about it."""
        stream.launch(call)
        return _duration_s(stream, call)

    def launches_twice(stream, call):
        """You launch the call more than once while the watch runs."""
        stream.synchronize()
        begin = stream.clock()
        stream.launch(call)
        stream.launch(call)
        stream.synchronize()
        return stream.clock() - begin


def _mean_of(times: int) -> Misconception:
    """The mistake of launching so many calls and dividing by their number."""

    def answer(stream, call):
        stream.synchronize()
        begin = stream.clock()
        for _ in range(times):
            stream.launch(call)
        stream.synchronize()
        return (stream.clock() - begin) / times

    return Misconception(
        f"mean-of-{times}",
        answer,
        "You launch several calls and divide by their number. All launches but the first hide "
        "behind the work before them, and warm calls hide a cold one. For how many were you asked?",
    )


def _on_another_clock(stream, call):
    stream.synchronize()
    begin = time.perf_counter()
    stream.launch(call)
    stream.synchronize()
    return time.perf_counter() - begin


ANOTHER_CLOCK = Misconception(
    "another-clock",
    _on_another_clock,
    "You read another clock than the stream's. The check's device lives on a clock of its own, "
    "and what yours says there is chance. How does one ask a stream for the time?",
    shows=clock_read_by,
)


def _synchronize_uncalled(function: Callable) -> bool:
    """Whether `synchronize` stands in the code without its parentheses: named, and let go of."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    steps = pairwise(dis.get_instructions(code)) if code else ()
    return any(one.argval == "synchronize" and then.opname == "POP_TOP" for one, then in steps)


_UNCALLED = patches("""
without-parentheses: `stream.synchronize` without parentheses names the method, and nobody waits.
    What makes a call of it?
= stream.launch(call)
- stream.synchronize()
+ stream.synchronize
""")[0]
WITHOUT_PARENTHESES = Misconception(
    _UNCALLED.name, _UNCALLED.of(_duration_s), _UNCALLED.message, shows=_synchronize_uncalled
)


def _some_moments():
    """A device that is idle or busy, a launch that takes a while, a job whose time changes."""
    from hypothesis import strategies as st

    from labutils.measure import Job, ScriptedStream

    busy = st.one_of(st.just(0.0), st.integers(1, 40).map(lambda k: k / 4))
    launch = st.integers(1, 31).map(lambda k: k / 128)
    seconds = st.integers(1, 90).map(lambda k: k / 8)
    streams = st.builds(ScriptedStream, busy_s=busy, launch_s=launch)
    jobs = st.builds(Job, seconds, seconds)
    return st.tuples(streams, jobs)


ONE_CALL = exercise(
    __doc__,
    Function(
        _duration_s,
        _some_moments,
        misconceptions=(
            ANOTHER_CLOCK,
            WITHOUT_PARENTHESES,
            *mistakes_in(Wrong),
            *map(_mean_of, (2, 3, 5, 8, 10, 20, 100)),
        ),
    ),
)
