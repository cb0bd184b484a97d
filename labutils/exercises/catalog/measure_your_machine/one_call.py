"""The first sin: a stopwatch that stops when the work has been queued."""

import time

from labutils.exercises.checkers import Function
from labutils.exercises.definition.exercise import Exercise, Misconception
from labutils.exercises.trials.clocks import clock_read_by


def _duration_s(stream, call):
    stream.synchronize()
    begin = stream.clock()
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - begin


def _launch_alone(stream, call):
    begin = stream.clock()
    stream.launch(call)
    return stream.clock() - begin


def _pays_for_others(stream, call):
    begin = stream.clock()
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - begin


def _starts_before_the_wait(stream, call):
    begin = stream.clock()
    stream.synchronize()
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - begin


def _leaves_the_launch_out(stream, call):
    stream.synchronize()
    stream.launch(call)
    begin = stream.clock()
    stream.synchronize()
    return stream.clock() - begin


def _calls_it_itself(stream, call):
    stream.synchronize()
    begin = stream.clock()
    call()
    stream.synchronize()
    return stream.clock() - begin


def _twice(stream, call):
    stream.synchronize()
    begin = stream.clock()
    stream.launch(call)
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - begin


def _measures_the_second(stream, call):
    stream.launch(call)
    return _duration_s(stream, call)


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


ONE_CALL = Exercise(
    id="machine.one_call",
    title="How long does one call take?",
    minutes=6,
    checker=Function(
        reference=_duration_s,
        inputs=_some_moments,
        misconceptions=(
            ANOTHER_CLOCK,
            Misconception(
                "calls-it-itself",
                _calls_it_itself,
                "You call it yourself, and the stream hears nothing of it: its clock stands still. "
                "Which of its methods queues a call?",
            ),
            Misconception(
                "launch-alone",
                _launch_alone,
                "Your watch stops when `launch` returns. What has the device done by then?",
            ),
            Misconception(
                "pays-for-others",
                _pays_for_others,
                "The device was still busy when your watch started. Whose time did you measure?",
            ),
            Misconception(
                "starts-before-the-wait",
                _starts_before_the_wait,
                "You wait for earlier work while your watch runs already. Which of the two comes "
                "first?",
            ),
            Misconception(
                "leaves-the-launch-out",
                _leaves_the_launch_out,
                "Your watch starts after the launch. The host's part belongs to the call: on an "
                "idle device nothing begins before it.",
            ),
            Misconception(
                "measures-the-second",
                _measures_the_second,
                "You launch the call once before your watch starts, and time the next one. "
                "Warming up comes later, and whoever calls decides about it.",
            ),
            Misconception(
                "launches-twice",
                _twice,
                "You launch the call more than once while the watch runs.",
            ),
        ),
    ),
    hints=(
        "Two things may still run on the device: what others have queued before, and your own "
        "call. At which two moments must it be idle?",
        "`stream.synchronize()` waits until the device is idle. You need it twice, and `launch` "
        "stands between the two.",
        "Wait; read the clock; launch; wait; read the clock again. Return the difference.",
    ),
    explanation=(
        "`launch` puts the call into a queue and returns; the result will be there later. A clock "
        "around it measures the queueing. Waiting *after* the launch makes the watch stop when the "
        "work is done. Waiting *before* the watch starts keeps the work of others out: without "
        "it the first measurement after a busy moment is too long, the others are not, and you "
        "call it noise. In torch the wait is `torch.cuda.synchronize()`; reading a value back "
        "(`.item()`, `.cpu()`, `print`) waits too, without saying so."
    ),
)
