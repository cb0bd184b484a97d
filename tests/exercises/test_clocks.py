"""Clocks that a function reads: seen in its code, under any name, and in helpers that it uses."""

import asyncio
import time
from datetime import datetime
from time import perf_counter as now_s

import pytest

from labutils.exercises.running.clocks import clock_read_by


def by_module():
    return time.monotonic()


def by_another_name():
    return now_s()


def inside():
    def later():
        return time.perf_counter_ns()

    return later()


def by_a_helper():
    return 2 * by_module()


def wall():
    return time.time()


def of_the_day():
    return datetime.now()


def of_the_loop():
    return asyncio.get_running_loop().time()


def calls_itself(times):
    return calls_itself(times - 1) if times else times


@pytest.mark.parametrize(
    ("function", "clock"),
    [
        (by_module, "monotonic"),
        (by_another_name, "perf_counter"),
        (inside, "perf_counter_ns"),
        (by_a_helper, "monotonic"),
        (wall, "time.time"),
        (of_the_day, "datetime"),
        (of_the_loop, None),
        (calls_itself, None),
        (len, None),
        (print, None),
    ],
)
def test_a_clock_is_found_by_what_it_is(function, clock):
    assert clock_read_by(function) == clock


def test_a_streams_clock_is_none_of_the_machines():
    def mine(stream, call):
        begin = stream.clock()
        stream.launch(call)
        return stream.clock() - begin

    assert clock_read_by(mine) is None
