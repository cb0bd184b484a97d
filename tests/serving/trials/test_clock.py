"""The clock of trials: set by a yardstick, without pauses; one core, given back."""

import os

import pytest
import torch

from labutils.serving.trials.clock import WINDOW, TrialClock, one_core


class Machine:
    """A source whose work takes ``slow`` times as long as usual."""

    def __init__(self):
        self.now_s, self.slow = 7.0, 1.0

    def source(self):
        return self.now_s

    def work(self, seconds):
        self.now_s += self.slow * seconds

    def clock(self):
        return TrialClock(lambda: self.work(0.002), source=self.source)


def test_without_a_yardstick_it_is_the_source():
    machine = Machine()
    clock = machine.clock()
    machine.work(0.5)
    assert clock() == pytest.approx(0.5)
    clock.skip(3.0)
    clock.skip(-1.0)
    assert clock() == pytest.approx(3.5)


def test_what_a_slow_machine_takes_longer_is_taken_out():
    machine = Machine()
    clock = machine.clock()
    for _ in range(WINDOW):
        clock.tick()
    assert clock() == pytest.approx(0.0)  # the yardstick's own time does not count
    clock.calibrate()
    machine.slow = 1.7
    for _ in range(WINDOW):
        clock.tick()
    before_s = clock()
    machine.work(0.3)
    assert clock() - before_s == pytest.approx(0.3)
    clock.scale = 1.1
    clock.tick()
    before_s = clock()
    machine.work(0.3)
    assert clock() - before_s == pytest.approx(0.33)


def test_one_interrupted_yardstick_changes_nothing():
    machine = Machine()
    clock = machine.clock()
    for _ in range(WINDOW):
        clock.tick()
    clock.calibrate()
    machine.slow = 50
    clock.tick()
    machine.slow = 1
    before_s = clock()
    machine.work(0.3)
    assert clock() - before_s == pytest.approx(0.3)


def test_core_and_threads_are_given_back_also_on_error():
    threads = torch.get_num_threads()
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    with pytest.raises(ZeroDivisionError), one_core() as core:
        assert torch.get_num_threads() == 1
        if cores is not None:
            assert os.sched_getaffinity(0) == {core} <= cores
        1 / 0  # noqa: B018
    assert torch.get_num_threads() == threads
    if cores is not None:
        assert os.sched_getaffinity(0) == cores


def test_a_system_without_cores_to_choose(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.delattr(os, "sched_setaffinity", raising=False)
    with one_core() as core:
        assert core is None and torch.get_num_threads() == 1
