"""The timer on a clock of our own: what is counted, what is not, in which order."""

import pytest

from labutils.measure import timed, timed_in_turn


class Stage:
    """A clock that moves only when something on it happens, and a diary of what happened."""

    def __init__(self):
        self.now_s = 100.0
        self.diary = []
        self.queued_s = 0.0

    def clock(self):
        return self.now_s

    def job(self, name, *durations_s):
        """A call that takes these durations one after the other, the last one from then on."""
        left = list(durations_s)

        def call():
            self.diary.append(name)
            self.now_s += left.pop(0) if len(left) > 1 else left[0]

        return call

    def launch(self, work_s, *, launch_s=0.001):
        """A call that queues its work on a device and returns after the launch."""

        def call():
            self.diary.append("launch")
            self.now_s += launch_s
            self.queued_s += work_s

        return call

    def synchronize(self):
        self.diary.append("wait")
        self.now_s += self.queued_s
        self.queued_s = 0.0


@pytest.fixture
def stage():
    return Stage()


def test_every_duration_is_kept_and_the_cold_start_is_not(stage):
    job = stage.job("job", 9.0, 5.0, 0.3, 0.1, 0.2)
    timing = timed(job, repeats=4, warm_up=2, min_total_s=0, clock=stage.clock)
    assert timing.samples_s == pytest.approx((0.3, 0.1, 0.2, 0.2))
    cold = timed(stage.job("job", 9.0, 0.1), repeats=2, warm_up=0, min_total_s=0, clock=stage.clock)
    assert cold.samples_s == pytest.approx((9.0, 0.1))


def test_it_goes_on_until_enough_time_has_passed(stage):
    timing = timed(stage.job("job", 0.25), repeats=3, min_total_s=2.1, clock=stage.clock)
    assert len(timing.samples_s) == 9  # 8 make 2.0 s
    slow = timed(stage.job("job", 4.0), repeats=3, min_total_s=2.1, clock=stage.clock)
    assert len(slow.samples_s) == 3


def test_calls_take_turns(stage):
    jobs = {"a": stage.job("a", 0.1), "b": stage.job("b", 0.7), 3: stage.job("c", 0.2)}
    timings = timed_in_turn(jobs, repeats=2, warm_up=1, min_total_s=0, clock=stage.clock)
    assert "".join(stage.diary) == "abc" + "abcabc"
    assert list(timings) == ["a", "b", 3]
    assert [t.median_s for t in timings.values()] == pytest.approx([0.1, 0.7, 0.2])


def test_a_slower_second_half_hits_all_alike(stage):
    jobs = {name: stage.job(name, *[0.1] * 5, 0.3) for name in "ab"}  # warm-up takes one
    both = timed_in_turn(jobs, repeats=8, warm_up=1, min_total_s=0, clock=stage.clock)
    assert both["a"].samples_s == pytest.approx(both["b"].samples_s)
    assert both["a"].high_s == pytest.approx(0.3) and both["a"].low_s == pytest.approx(0.1)


def test_with_synchronisation_the_work_counts_and_earlier_work_does_not(stage):
    options = {"repeats": 3, "warm_up": 2, "min_total_s": 0, "clock": stage.clock}
    stage.queued_s = 50.0
    right = timed(stage.launch(0.4), synchronize=stage.synchronize, **options)
    assert right.samples_s == pytest.approx((0.401,) * 3)
    assert stage.diary[:3] == ["launch", "launch", "wait"]
    without = timed(stage.launch(0.4), **options)
    assert without.samples_s == pytest.approx((0.001,) * 3)  # the pitfall, on purpose


def test_an_error_in_the_call_is_not_swallowed(stage):
    def broken():
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        timed(broken, clock=stage.clock)


@pytest.mark.parametrize(
    "bad", [{"repeats": 0}, {"repeats": 2.5}, {"warm_up": -1}, {"min_total_s": float("inf")}]
)
def test_bad_numbers_are_named(bad):
    (name,) = bad
    with pytest.raises(ValueError, match=name):
        timed(lambda: None, **bad)


def test_nothing_to_time_is_named():
    with pytest.raises(ValueError, match="calls"):
        timed_in_turn({})


def test_the_real_clock_runs_forward():
    timing = timed(lambda: sum(range(1000)), repeats=5, min_total_s=0)
    assert len(timing.samples_s) == 5 and timing.low_s > 0
