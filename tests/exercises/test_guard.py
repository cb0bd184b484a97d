"""Learner code that hangs, raises, prints, exits: in the main thread, in a worker, in a loop."""

import asyncio
import builtins
import gc
import linecache
import os
import signal
import subprocess
import sys
import threading
import time
import types

import pytest

from labutils.exercises.comparing import culprit
from labutils.exercises.running import guard
from labutils.ground import alarm, stopwatch

PATIENCE = 20  # seconds; far beyond any limit here, so that only a hang reaches it
EARLIER = set()  # threads of tests before, some of which nothing can stop


@pytest.fixture(autouse=True)
def nobody_is_left_behind():
    """A thread that still spins would slow every later test."""
    EARLIER.update(threading.enumerate())
    yield
    assert gone_within(5)


def learners_threads():
    return [t for t in threading.enumerate() if t.name == "learner's code" and t not in EARLIER]


def gone_within(seconds):
    ends = time.monotonic() + seconds
    while learners_threads() and time.monotonic() < ends:
        time.sleep(0.01)
    return not learners_threads()


def spin():
    while True:
        pass


def stubborn():
    while True:
        try:
            time.sleep(0.001)
        except:  # noqa: E722 - that is the learner's mistake under test
            continue


def spam():
    while True:
        print("again " * 100)


def in_worker(call):
    """The result of ``call`` in a thread that is not the main one."""
    box = []
    thread = threading.Thread(target=lambda: box.append(call()))
    thread.start()
    thread.join(PATIENCE)
    return box[0]


def in_main(call):
    return call()


here = pytest.mark.parametrize("somewhere", [in_main, in_worker])


@here
@pytest.mark.parametrize("hang", [spin, spam])
def test_code_that_hangs_is_stopped(hang, somewhere):
    before, started = sys.stdout, time.monotonic()
    outcome = somewhere(lambda: guard.run(hang, seconds=0.1))
    assert outcome.timed_out and outcome.error is None
    assert time.monotonic() - started < PATIENCE
    assert sys.stdout is before
    assert len(outcome.printed) <= 2_000


def test_time_that_ends_in_the_garbage_collector_is_taken_afterwards(monkeypatch):
    """Python prints what is raised in there, and goes on."""
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)

    slow_times = iter((0.3,))

    def slow(phase, info):
        time.sleep(next(slow_times, 0))

    def collects():
        gc.collect()
        spin()

    gc.callbacks.append(slow)
    try:
        assert guard.run(collects, seconds=0.05).timed_out
    finally:
        gc.callbacks.remove(slow)
    assert lost == []


def test_code_that_swallows_everything_is_stopped_all_the_same():
    before = sys.gettrace()
    assert guard.run(stubborn, seconds=0.1).timed_out
    assert sys.gettrace() is before


@here
def test_waiting_for_what_never_comes_does_not_hold_up_the_check(somewhere):
    never = threading.Event()
    try:
        assert somewhere(lambda: guard.run(never.wait, seconds=0.1)).timed_out
    finally:
        never.set()  # or the thread left behind waits on


@pytest.mark.filterwarnings("ignore:coroutine")
def test_a_loop_that_only_forgets_to_await_is_stopped_too():
    """Its end is lost again and again in the warning about a coroutine that nobody awaited."""

    async def news():
        """Nothing comes of it."""

    def forgets():
        while True:
            news()

    for _ in range(3):
        assert guard.run(forgets, seconds=0.05, own_thread=True).timed_out
        assert gone_within(PATIENCE)


BLOCKED = """
import cProfile, threading, time
from labutils.exercises.running import guard

assert guard.run(threading.Event().wait, seconds=0.05, own_thread=True).left_behind
for _ in range(20):  # while it is told to stop, again and again
    time.sleep(0.03)
    assert cProfile.Profile().runcall(lambda: sum(map(abs, range(9)))) == 36
"""


def test_a_profiler_goes_on_beside_a_thread_that_cannot_be_stopped():
    """In a process of its own: CPython 3.11 would wait there for ever."""
    subprocess.run([sys.executable, "-c", BLOCKED], timeout=60, check=True)


def test_what_cannot_be_stopped_is_said_and_told_again_until_it_can():
    never = threading.Event()
    outcome = guard.run(never.wait, seconds=0.05, own_thread=True)
    assert outcome.timed_out and outcome.left_behind and learners_threads()
    never.set()
    assert gone_within(PATIENCE)
    assert not guard.run(spin, seconds=0.05, own_thread=True).left_behind


@here
def test_values_errors_and_prints_come_back(somewhere):
    def talk(word):
        print("saying", word)
        return word * 2

    outcome = somewhere(lambda: guard.run(talk, "ab", seconds=5))
    assert (outcome.value, outcome.printed) == ("abab", "saying ab\n")
    for function, kind in ((lambda: 1 / 0, ZeroDivisionError), (sys.exit, SystemExit)):
        assert isinstance(somewhere(lambda f=function: guard.run(f, seconds=5)).error, kind)


@here
def test_a_debugger_has_all_the_time_it_wants(somewhere):
    def traced():
        before = sys.gettrace()
        sys.settrace(lambda *args: None)
        try:
            assert guard.under_debugger()
            return guard.run(lambda: time.sleep(0.3) or "stepped", seconds=0.05)
        finally:
            sys.settrace(before)

    assert somewhere(traced).value == "stepped"
    assert not guard.under_debugger()


def test_an_attached_debugpy_counts_and_a_loaded_one_does_not(monkeypatch):
    class FakeDebugpy:
        connected = False

        def is_client_connected(self):
            return self.connected

    monkeypatch.setitem(sys.modules, "debugpy", FakeDebugpy())
    assert not guard.under_debugger()
    sys.modules["debugpy"].connected = True
    assert guard.under_debugger()


@pytest.fixture
def control_c():
    """Ctrl-C a moment from now; a shell that runs tests in its background ignores the signal."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.usefixtures("control_c")
def test_control_c_interrupts_the_check_itself():
    handler = signal.getsignal(signal.SIGALRM)
    with pytest.raises(KeyboardInterrupt):
        guard.run(spin, seconds=PATIENCE)
    assert signal.getsignal(signal.SIGALRM) is handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


@pytest.mark.usefixtures("control_c")
def test_control_c_interrupts_the_wait_for_a_thread(monkeypatch):
    monkeypatch.setattr(guard, "may_use_alarm", lambda: False)
    with pytest.raises(KeyboardInterrupt):
        guard.run(spin, seconds=PATIENCE)
    assert not learners_threads()


def test_control_c_while_the_thread_starts_leaves_none_behind(monkeypatch):
    start = threading.Thread.start

    def interrupted(thread):
        start(thread)
        if thread.name == "learner's code":
            raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        guard.run(spin, seconds=PATIENCE, own_thread=True)
    assert gone_within(PATIENCE)


def test_a_thread_that_cannot_start_says_so(monkeypatch):
    def full(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", full)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        guard.run(spin, seconds=PATIENCE, own_thread=True)


def test_somebody_elses_alarm_goes_on():
    signal.setitimer(signal.ITIMER_REAL, 300)
    try:
        guard.run(lambda: None, seconds=1)
        assert 290 < signal.getitimer(signal.ITIMER_REAL)[0] <= 300
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_an_alarm_that_rings_before_the_code_begins_is_a_time_out():
    for _ in range(20):
        with pytest.raises(alarm.TimeUp):
            alarm.under_alarm(lambda: sum(range(100_000)), stopwatch.Stopwatch(1e-6))


# ---- coroutines ---------------------------------------------------------------------------------


async def double(number):
    await asyncio.sleep(0)
    print("doubling")
    return 2 * number


async def forever():
    await asyncio.sleep(PATIENCE)


async def busy():
    spin()


async def own_timeout():
    raise TimeoutError("the learner's own")


def test_coroutines_run_in_a_loop_of_their_own_inside_a_running_one():
    async def notebook():
        return guard.run(double, 21, seconds=5)

    for outcome in (asyncio.run(notebook()), guard.run(double, 21, seconds=5)):
        assert (outcome.value, outcome.printed) == (42, "doubling\n")


def test_an_event_loop_ends_where_time_is_up_between_two_steps():
    """It would report any other error there, and wait for ever for a task that it has lost."""

    def at_the_limit():
        raise alarm.TimeUp

    async def waits():
        asyncio.get_running_loop().call_soon(at_the_limit)
        await asyncio.sleep(1)

    with pytest.raises(alarm.TimeUp):
        asyncio.run(waits())


@pytest.mark.parametrize("hang", [forever, busy])
def test_coroutines_that_hang_are_stopped(hang):
    started = time.monotonic()
    assert guard.run(hang, seconds=0.1).timed_out
    assert time.monotonic() - started < PATIENCE / 2


def test_a_timeout_of_the_learners_own_is_an_error():
    outcome = guard.run(own_timeout, seconds=5)
    assert not outcome.timed_out and isinstance(outcome.error, TimeoutError)


# ---- a busy machine -----------------------------------------------------------------------------


def getting(monkeypatch, share):
    """From now on this process gets that share of a processor, as far as a stopwatch sees."""
    clocks = {"perf_counter": time.monotonic, "process_time": lambda: share * time.monotonic()}
    monkeypatch.setattr(stopwatch, "time", types.SimpleNamespace(**clocks))


@pytest.mark.parametrize(
    "worked_s, counted_s",
    [(10.0, 10.0), (3.0, 3.0), (1.0, 2.0), (0.4, 2.0), (0.1, 10.0), (0.0, 10.0), (19.0, 10.0)],
)
def test_of_ten_seconds_on_the_wall_those_count_in_which_the_code_worked(
    monkeypatch, worked_s, counted_s
):
    clocks = {"perf_counter": iter((7.0, 17.0)), "process_time": iter((5.0, 5.0 + worked_s))}
    fakes = {name: times.__next__ for name, times in clocks.items()}
    monkeypatch.setattr(stopwatch, "time", types.SimpleNamespace(**fakes))
    assert stopwatch.Stopwatch(1.0).spent_s() == pytest.approx(counted_s)


def works_for_a_while():
    ends = time.monotonic() + 0.7
    while time.monotonic() < ends:
        pass
    return "done"


async def computes_for_a_while():
    return works_for_a_while()


async def computes_in_turns():
    ends = time.monotonic() + 0.7
    while time.monotonic() < ends:
        await asyncio.sleep(0)
    return "done"


@here
@pytest.mark.parametrize("code", [works_for_a_while, computes_for_a_while, computes_in_turns])
def test_a_busy_machine_gives_code_the_time_that_it_takes_away(monkeypatch, code, somewhere):
    getting(monkeypatch, 0.25)
    outcome = somewhere(lambda: guard.run(code, seconds=0.5))
    assert outcome.value == "done" and not outcome.timed_out
    assert outcome.seconds < 0.5  # what is left for the next input is counted by the same clock
    getting(monkeypatch, 1.0)
    assert somewhere(lambda: guard.run(code, seconds=0.05)).timed_out


@here
@pytest.mark.parametrize("hang", [spin, spam])
def test_code_that_hangs_is_stopped_on_a_busy_machine_too(monkeypatch, hang, somewhere):
    getting(monkeypatch, 0.25)
    assert somewhere(lambda: guard.run(hang, seconds=0.1)).timed_out


@here
def test_a_sleep_is_no_busy_machine(monkeypatch, somewhere):
    getting(monkeypatch, 0.01)
    started = time.monotonic()
    outcome = somewhere(lambda: guard.run(time.sleep, 1.5, seconds=0.1))
    assert outcome.timed_out
    assert time.monotonic() - started < PATIENCE


# ---- the learner's line -------------------------------------------------------------------------


def defined(source, name, file="<cell 7>"):
    """A function defined as a notebook cell defines one: from text that linecache knows."""
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    scope = {}
    exec(compile(source, file, "exec"), scope)
    return scope[name]


def test_an_error_is_shown_on_the_learners_line_and_not_in_our_stack():
    source = "def ratio(a, b):\n    top = a + 1\n    return top / (b - b)\n"
    text = culprit.describe(guard.run(defined(source, "ratio"), 1, 2, seconds=5).error)
    assert text == (
        "ZeroDivisionError: division by zero\nin ratio, line 3:\n    return top / (b - b)"
    )


def test_an_error_inside_a_library_is_shown_where_the_learner_called_it():
    source = "import json\ndef read(text):\n    # a comment\n    return json.loads(text)\n"
    text = culprit.describe(guard.run(defined(source, "read"), "{", seconds=5).error)
    assert text.startswith("json.decoder.JSONDecodeError")
    assert text.endswith("in read, line 4:\n    return json.loads(text)")
    ours = (
        "from labutils.ground.arguments import positive\ndef f(x):\n    return positive('x', x)\n"
    )
    text = culprit.describe(guard.run(defined(ours, "f"), -1, seconds=5).error)
    assert text.endswith("in f, line 3:\n    return positive('x', x)")


def test_the_innermost_of_the_learners_own_functions_is_named():
    source = "def inner(x):\n    return x[9]\n\ndef outer(x):\n    return inner(x)\n"
    text = culprit.describe(guard.run(defined(source, "outer"), [], seconds=5).error)
    assert text.endswith("in inner, line 2:\n    return x[9]")


PROCESS = """import simpy
def collect_all(env):
    yield env.timeout(1)
    {line}
    yield env.timeout(1)
def repaired(until):
    env = simpy.Environment()
    env.process(collect_all(env))
    env.run(until)
"""


@pytest.mark.parametrize(
    "line, words",
    [
        ("rest = 1 / 0", "ZeroDivisionError: division by zero"),
        ("yield env.timeout(-2)", "ValueError: Negative delay -2"),
        ("yield 0.3", "AttributeError: 'float' object has no attribute 'callbacks'"),
        ("open('no such file')", "FileNotFoundError: [Errno 2] No such file or directory"),
    ],
)
def test_an_error_in_a_simulated_process_is_shown_where_it_arose(line, words):
    cell = defined(PROCESS.format(line=line), "repaired", "/nowhere/ipykernel_1/77.py")
    text = culprit.describe(guard.run(cell, 9, seconds=5).error)
    assert text.startswith(words) and "ipykernel" not in text
    assert text.endswith(f"in collect_all, line 4:\n    {line}")


def test_a_cause_with_other_words_does_not_take_the_place_of_what_was_raised():
    source = "def f(x):\n    try:\n        x[9]\n    except IndexError as e:\n"
    source += "        raise ValueError('too short') from e\n"
    text = culprit.describe(guard.run(defined(source, "f"), [], seconds=5).error)
    assert text.startswith("ValueError: too short") and "line 5" in text


# ---- what is around it --------------------------------------------------------------------------


def test_both_streams_are_kept_off_the_page_and_may_be_closed(capfd):
    def writes():
        print("to one")
        print("to the other", file=sys.stderr)
        sys.stdout.close()

    outcome = guard.run(writes, seconds=1)
    assert (outcome.error, outcome.printed) == (None, "to one\nto the other\n")
    assert capfd.readouterr() == ("", "") and not sys.stdout.closed


def test_a_builtin_that_the_code_replaces_is_back_afterwards():
    before = builtins.len, builtins.print

    def replaces():
        builtins.len = lambda _: 7
        del builtins.print
        return len([])

    assert guard.run(replaces, seconds=1).value == 7
    assert (builtins.len, builtins.print) == before
