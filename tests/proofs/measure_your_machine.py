"""Proofs of lab 1: mistakes that learners make, and right answers of other styles."""

import time
from time import perf_counter as seconds_now

from labutils.exercises.definition.verdict import Status
from tests.proofs.proof import Proof

# --- machine.one_call ---------------------------------------------------------------------------


def around_the_launch(stream, call):
    started = stream.clock()
    stream.launch(call)
    ended = stream.clock()
    stream.synchronize()
    return ended - started


def waits_before_alone(stream, call):
    stream.synchronize()
    started = stream.clock()
    stream.launch(call)
    return stream.clock() - started


def waits_after_alone(stream, call):
    started = stream.clock()
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - started


def watch_first(stream, call):
    started = stream.clock()
    for wait in (stream.synchronize, lambda: stream.launch(call), stream.synchronize):
        wait()
    return stream.clock() - started


def watch_late(stream, call):
    stream.synchronize()
    stream.launch(call)
    started = stream.clock()
    stream.synchronize()
    ended = stream.clock()
    return ended - started


def the_wrong_way_round(stream, call):
    stream.synchronize()
    started = stream.clock()
    stream.launch(call)
    stream.synchronize()
    return started - stream.clock()


def in_milliseconds(stream, call):
    return 1000 * by_two_readings(stream, call)


def without_a_stream(stream, call):
    started = stream.clock()
    call()
    return stream.clock() - started


def by_the_hosts_clock(stream, call):
    stream.synchronize()
    started = time.perf_counter()
    stream.launch(call)
    stream.synchronize()
    return time.perf_counter() - started


def by_another_name(stream, call):
    """It forgets to wait as well; what its clock says is chance all the same."""

    def now():
        return seconds_now()

    started = now()
    stream.launch(call)
    return now() - started


def warms_up_first(stream, call):
    stream.launch(call)
    return by_two_readings(stream, call)


def by_two_readings(stream, call):
    readings = []
    for launches in (0, 1):
        if launches:
            stream.launch(call)
        stream.synchronize()
        readings.append(stream.clock())
    return readings[1] - readings[0]


def with_a_list(stream, call):
    stream.synchronize()
    times = [stream.clock()]
    stream.launch(call)
    stream.synchronize()
    times += [stream.clock()]
    return max(times) - min(times)


# --- machine.by_shape ---------------------------------------------------------------------------


def all_of_them(rows, durations_s):
    found = {}
    for n, seconds in zip(rows, durations_s):
        found[n] = [*found.get(n, []), seconds]
    return found


def not_the_first_of_all(rows, durations_s):
    return all_of_them(rows[1:], durations_s[1:])


def with_empty_lists(rows, durations_s):
    return {n: runs[1:] for n, runs in all_of_them(rows, durations_s).items()}


def with_the_lonely(rows, durations_s):
    return {n: runs[1:] or runs for n, runs in all_of_them(rows, durations_s).items()}


def without_the_slowest(rows, durations_s):
    found = {}
    for n, runs in all_of_them(rows, durations_s).items():
        if len(runs) > 1:
            runs.remove(max(runs))
            found[n] = runs
    return found


def if_the_shape_stays(rows, durations_s):
    found = {}
    for at in range(1, len(rows)):
        if rows[at] == rows[at - 1]:
            found.setdefault(rows[at], []).append(durations_s[at])
    return found


def sorted_runs(rows, durations_s):
    return {n: sorted(runs) for n, runs in by_sets(rows, durations_s).items()}


def by_sets(rows, durations_s):
    met, found = set(), {}
    for n, seconds in zip(rows, durations_s):
        if n in met:
            found.setdefault(n, []).append(seconds)
        met.add(n)
    return found


def by_comprehension(rows, durations_s):
    return {
        n: tuple(s for at, s in enumerate(durations_s) if rows[at] == n and n in rows[:at])
        for n in set(rows)
        if list(rows).count(n) > 1
    }


# --- machine.series -----------------------------------------------------------------------------

SERIES_COLD = """
def mine(stream, call, repeats, warm_up):
    return [time_once(stream, call) for _ in range(repeats)]
"""

SERIES_SLICED = """
def mine(stream, call, repeats, warm_up):
    return [time_once(stream, call) for _ in range(repeats)][warm_up:]
"""

SERIES_FASTEST = """
def mine(stream, call, repeats, warm_up):
    durations = [time_once(stream, call) for _ in range(repeats + warm_up)]
    return sorted(durations)[:repeats]
"""

SERIES_FIRST_ONLY = """
def mine(stream, call, repeats, warm_up):
    time_once(stream, call)
    return [time_once(stream, call) for _ in range(repeats)]
"""

SERIES_ALL = """
def mine(stream, call, repeats, warm_up):
    warm = [time_once(stream, call) for _ in range(warm_up)]
    return warm + [time_once(stream, call) for _ in range(repeats)]
"""

SERIES_TOTAL = """
def mine(stream, call, repeats, warm_up):
    for _ in range(warm_up):
        time_once(stream, call)
    return sum(time_once(stream, call) for _ in range(repeats)) / repeats
"""

SERIES_LAUNCHED = """
def mine(stream, call, repeats, warm_up):
    for _ in range(warm_up):
        stream.launch(call)
    durations = []
    while len(durations) < repeats:
        durations.append(time_once(stream, call))
    return durations
"""

SERIES_CUT = """
def mine(stream, call, repeats, warm_up):
    return [time_once(stream, call) for _ in range(warm_up + repeats)][warm_up:]
"""

SERIES_BY_HAND = """
def mine(stream, call, repeats, warm_up):
    durations = []
    for number in range(warm_up + repeats):
        stream.synchronize()
        begin = time.perf_counter()
        stream.launch(call)
        stream.synchronize()
        durations.append(time.perf_counter() - begin)
    return durations[warm_up:]
"""

# --- machine.quote ------------------------------------------------------------------------------

QUOTE_MEAN = """
def mine(durations_s):
    low, high = (percentile(durations_s, q) for q in (0.1, 0.9))
    return low, sum(durations_s) / len(durations_s), high
"""

QUOTE_RANGE = """
def mine(durations_s):
    return min(durations_s), percentile(durations_s, 0.5), max(durations_s)
"""

QUOTE_NUMPY = """
def mine(durations_s):
    return np.percentile(durations_s, [10, 50, 90])
"""

QUOTE_QUARTILES = """
def mine(durations_s):
    return [percentile(durations_s, q / 100) for q in (25, 50, 75)]
"""

QUOTE_TWENTIETHS = """
def mine(durations_s):
    return [percentile(durations_s, q / 100) for q in (5, 50, 95)]
"""

QUOTE_MEDIAN = """
def mine(durations_s):
    import statistics

    low, high = percentile(durations_s, 0.1), percentile(durations_s, 0.9)
    return low, statistics.median(durations_s), high
"""

QUOTE_SIGMA = """
def mine(durations_s):
    mean, sigma = np.mean(durations_s), np.std(durations_s)
    return mean - sigma, mean, mean + sigma
"""

QUOTE_ONE_TOO_FAR = """
def mine(durations_s):
    ascending = sorted(durations_s)
    return tuple(ascending[len(ascending) * tenths // 10] for tenths in (1, 5, 9))
"""

QUOTE_SORTS_IN_PLACE = """
def mine(durations_s):
    durations_s.sort()
    return [durations_s[math.ceil(q * len(durations_s)) - 1] for q in (0.1, 0.5, 0.9)]
"""

QUOTE_AT_ONCE = """
def mine(durations_s):
    return percentile(durations_s, [0.1, 0.5, 0.9])
"""

QUOTE_BY_NUMPY = """
def mine(durations_s):
    return np.quantile(durations_s, [0.1, 0.5, 0.9], method="inverted_cdf").tolist()
"""

PROOFS = {
    "machine.one_call": Proof(
        mistakes={
            "around the launch": (around_the_launch, "launch-alone"),
            "waits before alone": (waits_before_alone, "launch-alone"),
            "waits after alone": (waits_after_alone, "pays-for-others"),
            "the watch first": (watch_first, "starts-before-the-wait"),
            "the watch late": (watch_late, "leaves-the-launch-out"),
            "the wrong way round": (the_wrong_way_round, Status.wrong),
            "milliseconds": (in_milliseconds, Status.wrong),
            "calls instead of launching": (without_a_stream, "calls-it-itself"),
            "warms up first": (warms_up_first, "measures-the-second"),
            "by the host's clock": (by_the_hosts_clock, "another-clock"),
            "by another name": (by_another_name, "another-clock"),
        },
        alternatives={
            "two readings": by_two_readings,
            "a list of readings": with_a_list,
        },
    ),
    "machine.by_shape": Proof(
        mistakes={
            "all of them": (all_of_them, "keeps-the-cold"),
            "not the first of all": (not_the_first_of_all, "first-of-the-log"),
            "empty lists": (with_empty_lists, "keeps-empty-shapes"),
            "with the lonely": (with_the_lonely, "keeps-lonely-shapes"),
            "without the slowest": (without_the_slowest, "drops-the-slowest"),
            "if the shape stays": (if_the_shape_stays, "neighbours-only"),
            "sorted": (sorted_runs, "sorted-runs"),
        },
        alternatives={"a set": by_sets, "a comprehension, tuples": by_comprehension},
    ),
    "machine.series": Proof(
        mistakes={
            "cold": (SERIES_COLD, "cold"),
            "out of the repeats": (SERIES_SLICED, "out-of-the-repeats"),
            "the fastest": (SERIES_FASTEST, "leaves-out-the-slowest"),
            "the first only": (SERIES_FIRST_ONLY, "always-one"),
            "all of them": (SERIES_ALL, "counts-them"),
            "their mean": (SERIES_TOTAL, Status.wrong),
            "by hand": (SERIES_BY_HAND, "another-clock"),
        },
        alternatives={"launched without a clock": SERIES_LAUNCHED, "cut off": SERIES_CUT},
    ),
    "machine.quote": Proof(
        mistakes={
            "the mean": (QUOTE_MEAN, "mean-in-the-middle"),
            "the range": (QUOTE_RANGE, "fastest-to-slowest"),
            "numpy's percentiles": (QUOTE_NUMPY, "interpolated"),
            "quartiles": (QUOTE_QUARTILES, "quartiles"),
            "twentieths": (QUOTE_TWENTIETHS, "five-and-ninety-five"),
            "statistics.median": (QUOTE_MEDIAN, "averages-two"),
            "one place too far": (QUOTE_ONE_TOO_FAR, "one-too-far"),
            "mean and deviation": (QUOTE_SIGMA, "mean-and-deviation"),
            "sorts in place": (QUOTE_SORTS_IN_PLACE, "mutates-input"),
        },
        alternatives={"three at once": QUOTE_AT_ONCE, "numpy's inverted CDF": QUOTE_BY_NUMPY},
    ),
    "machine.stages": Proof(
        mistakes={
            "a faster copy": ("a", "a"),
            "the model is free": ("b", "b"),
            "another clock": ("D", "d"),
            "more requests": ("e)", "e"),
            "no option": ("f", Status.unreadable),
        },
        alternatives={"brackets": "(c)", "a capital": "C"},
    ),
    "machine.launches": Proof(
        mistakes={
            "one kernel": ("16.75 MB", "one-kernel"),
            "seconds": (0.002, "seconds-not-bytes"),
            "in weights": (3.35e9, "weights-not-bytes"),
            "all of a second": (3.35e12, "a-second-of-it"),
            "divides the bandwidth": (8.375e9, "per-launch-and-second"),
            "a time": ("2 ms", Status.unit),
            "terabytes": (6.7e-3, Status.scale),
        },
        alternatives={"with a unit": "6.7 GB", "in milliseconds": 2 * 3.35e9},
    ),
    "machine.token_job": Proof(
        mistakes={
            "by the median": (2000, "by-the-median"),
            "by the p95": ("8000 s", "by-the-p95"),
            "half and half": (5000, "halfway"),
            "slow ones are common": (7400, "shares-swapped"),
            "a mean of rates": (2162, "mean-of-rates"),
            "milliseconds": (2_600_000, Status.scale),
        },
        alternatives={"with a unit": "2600 s", "minutes": "43.33 min"},
    ),
}
