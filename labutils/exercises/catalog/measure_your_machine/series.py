"""machine.series · A warm series · 4 minutes

> Two loops, one after the other. Which of them reads a clock?
> First `warm_up` calls whose durations nobody keeps, then `repeats` durations in a list.
> `time_once(stream, call)` makes a call and returns its duration; drop it `warm_up` times, then
  collect it `repeats` times.

Warm-up calls are made and not counted; the repeats come after them, in full number and in their
order. Two figures follow: the **cold start**, which a user pays after every deployment and every
new shape, and the **steady state**. Both are worth stating. A mixture of the two describes nothing,
and it changes with the number of repeats.
"""

import time
from dataclasses import replace
from itertools import pairwise

from labutils.exercises.checkers import Function
from labutils.exercises.definition.sheet import exercise, mistakes_in, says

from .one_call import ANOTHER_CLOCK, Wrong as OneCall, _duration_s


def _series_of(time_once):
    def series_s(stream, call, repeats, warm_up):
        for _ in range(warm_up):
            stream.launch(call)
        return [time_once(stream, call) for _ in range(repeats)]

    return series_s


_series_s = _series_of(_duration_s)


class Wrong:
    def cold(stream, call, repeats, warm_up):
        """The first durations that you return are those of a machine that has never run this. What
        is warm_up for?"""
        return [_duration_s(stream, call) for _ in range(repeats)]

    def out_of_the_repeats(stream, call, repeats, warm_up):
        """You take the warm-up out of the repeats, so fewer durations come back than were asked
        for."""
        return [_duration_s(stream, call) for _ in range(repeats)][warm_up:]

    def counts_them(stream, call, repeats, warm_up):
        """You return the warm-up calls too."""
        return [_duration_s(stream, call) for _ in range(warm_up + repeats)]

    def always_one(stream, call, repeats, warm_up):
        """You leave out one call whatever warm_up says. Some machines settle after one call, some
        after four, and somebody may want to see the first."""
        return [_duration_s(stream, call) for _ in range(1 + repeats)][1:]

    def leaves_out_the_slowest(stream, call, repeats, warm_up):
        """You return the fastest ones. Leave out by the order in which the calls came, not by how
        long they took."""
        everything = [_duration_s(stream, call) for _ in range(warm_up + repeats)]
        return sorted(everything)[:repeats]

    def in_order_of_size(stream, call, repeats, warm_up):
        """You sort the durations. Asked is the order in which the calls came: a drift shows in it
        alone."""
        return sorted(_series_s(stream, call, repeats, warm_up))

    def one_of_them_repeated(stream, call, repeats, warm_up):
        """You time one call and write its duration down several times. How often do you call the
        watch?"""
        return repeats * _series_s(stream, call, 1, warm_up)

    launch_alone = says("""Your watch stops when `launch` returns. What has the device done by
        then?""")(_series_of(OneCall.launch_alone))
    pays_for_others = says("""The device is still busy when your watch starts, with the warm-up or
        with what others began. Whose time do you measure?""")(_series_of(OneCall.pays_for_others))

    def leaves_out_one_more(stream, call, repeats, warm_up):
        """You leave out one call more than `warm_up`."""
        return _series_s(stream, call, repeats, warm_up + 1)

    def one_value_more(stream, call, repeats, warm_up):
        """You return one duration more than `repeats`."""
        return _series_s(stream, call, repeats + 1, warm_up)

    def numbers_exchanged(stream, call, repeats, warm_up):
        """You exchange `repeats` and `warm_up`. How many durations are asked for?"""
        return _series_s(stream, call, warm_up, repeats)

    def warms_up_each_time(stream, call, repeats, warm_up):
        """You warm up before every run. Once is enough: what was chosen and loaded stays."""
        durations = []
        for _ in range(repeats):
            for _ in range(warm_up):
                stream.launch(call)
            durations.append(_duration_s(stream, call))
        return durations


def _times_them_otherwise(stream, call, repeats, warm_up):
    for _ in range(warm_up):
        stream.launch(call)
    read_s = [time.perf_counter()]
    for _ in range(repeats):
        stream.launch(call)
        stream.synchronize()
        read_s.append(time.perf_counter())
    return [after - before for before, after in pairwise(read_s)]


def _some_series():
    """Jobs whose first ten durations all differ, on a device that may be busy."""
    from hypothesis import strategies as st

    from labutils.measure import Job, ScriptedStream

    def told(numbers):
        factor, repeats, warm_up, busy = numbers
        durations = (1 + factor * place**2 % 97 for place in range(1, 11))  # 97 is prime
        job = Job(*(k / 8 for k in durations))
        return ScriptedStream(busy_s=busy / 4, launch_s=0.0625), job, repeats, warm_up

    numbers = (st.integers(1, 96), st.integers(1, 6), st.integers(0, 4), st.integers(0, 12))
    return st.tuples(*numbers).map(told)


SERIES = exercise(
    __doc__,
    Function(
        _series_s,
        _some_series,
        misconceptions=(replace(ANOTHER_CLOCK, answer=_times_them_otherwise), *mistakes_in(Wrong)),
    ),
)
