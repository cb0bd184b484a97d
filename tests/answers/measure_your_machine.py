"""Trial answers to the exercises of lab 1."""

from tests.answers.answer import right, wrong

ONE = """
def duration_s(stream, call):
    stream.synchronize()
    begin = stream.clock()
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - begin
"""
WARM = """
def warm_runs(rows, durations_s):
    runs = {}
    for n, seconds in zip(rows, durations_s):
        runs.setdefault(n, []).append(seconds)
    return {n: all_of[1:] for n, all_of in runs.items() if len(all_of) > 1}
"""
SERIES = """
def series_s(stream, call, repeats, warm_up):
    for _ in range(warm_up):
        time_once(stream, call)
    return [time_once(stream, call) for _ in range(repeats)]
"""
QUOTE = """
def quoted(durations_s):
    return tuple(percentile(durations_s, q) for q in (0.1, 0.5, 0.9))
"""


def edited(source: str, old: str, new: str) -> str:
    """The source with one piece replaced."""
    assert old in source
    return source.replace(old, new)


ANSWERS = [
    wrong(
        "machine.one_call",
        "does not wait at the end",
        """
def duration_s(stream, call):
    stream.synchronize()
    begin = stream.clock()
    stream.launch(call)
    return stream.clock() - begin
""",
        true=("launch-alone",),
    ),
    wrong(
        "machine.one_call",
        "does not wait before it starts",
        edited(ONE, "    stream.synchronize()\n    begin", "    begin"),
        true=("pays-for-others",),
    ),
    wrong(
        "machine.one_call",
        "waits nowhere",
        """
def duration_s(stream, call):
    begin = stream.clock()
    stream.launch(call)
    return stream.clock() - begin
""",
        true=("launch-alone",),
    ),
    wrong(
        "machine.one_call",
        "calls it instead of launching it",
        edited(ONE, "stream.launch(call)", "call()"),
    ),
    wrong(
        "machine.one_call",
        "the wall clock of the host",
        edited(ONE, "stream.clock()", "time.perf_counter()"),
        true=("another-clock",),
    ),
    wrong(
        "machine.one_call",
        "starts the watch before it waits",
        """
def duration_s(stream, call):
    begin = stream.clock()
    stream.synchronize()
    stream.launch(call)
    stream.synchronize()
    return stream.clock() - begin
""",
        true=("starts-before-the-wait",),
    ),
    wrong(
        "machine.one_call",
        "the time of the launch is left out",
        """
def duration_s(stream, call):
    stream.synchronize()
    stream.launch(call)
    begin = stream.clock()
    stream.synchronize()
    return stream.clock() - begin
""",
        true=("leaves-the-launch-out",),
    ),
    wrong(
        "machine.one_call",
        "milliseconds",
        edited(ONE, "return stream.clock() - begin", "return 1000 * (stream.clock() - begin)"),
        true=("constant-factor",),
    ),
    wrong(
        "machine.one_call",
        "launched twice",
        edited(ONE, "    stream.launch(call)\n", "    stream.launch(call)\n" * 2),
        true=("launches-twice",),
    ),
    right(
        "machine.one_call",
        "two readings in a list",
        """
def duration_s(stream, call):
    readings = []
    for act in (lambda: None, lambda: stream.launch(call)):
        act()
        stream.synchronize()
        readings.append(stream.clock())
    return readings[1] - readings[0]
""",
    ),
    right(
        "machine.one_call",
        "a lambda that returns nothing",
        """
def duration_s(stream, call):
    stream.synchronize()
    start = -stream.clock()
    stream.launch(lambda: call())
    stream.synchronize()
    return start + stream.clock()
""",
    ),
    wrong(
        "machine.by_shape",
        "empty lists for those that came once",
        edited(WARM, " if len(all_of) > 1", ""),
        true=("keeps-empty-shapes",),
    ),
    wrong(
        "machine.by_shape",
        "the first of the log alone is left out",
        """
def warm_runs(rows, durations_s):
    runs = {}
    for n, seconds in list(zip(rows, durations_s))[1:]:
        runs.setdefault(n, []).append(seconds)
    return runs
""",
        true=("first-of-the-log",),
    ),
    wrong(
        "machine.by_shape",
        "the cold ones stay in",
        edited(WARM, "all_of[1:]", "all_of"),
        true=("keeps-the-cold-of-several",),
    ),
    wrong(
        "machine.by_shape",
        "sorted",
        edited(WARM, "all_of[1:]", "sorted(all_of[1:])"),
        true=("sorted-runs",),
    ),
    wrong(
        "machine.by_shape",
        "sorted first, the quickest left out",
        edited(WARM, "all_of[1:]", "sorted(all_of)[1:]"),
        true=("drops-the-fastest",),
    ),
    wrong(
        "machine.by_shape",
        "the slowest left out",
        edited(WARM, "all_of[1:]", "sorted(all_of)[:-1]"),
        true=("drops-the-slowest-sorted",),
    ),
    wrong(
        "machine.by_shape",
        "means",
        edited(WARM, "all_of[1:]", "float(np.mean(all_of[1:]))"),
        true=("wrong-type",),
    ),
    wrong(
        "machine.by_shape",
        "the last left out",
        edited(WARM, "all_of[1:]", "all_of[:-1]"),
        true=("drops-the-last",),
    ),
    wrong(
        "machine.by_shape",
        "only runs that follow the same shape",
        """
def warm_runs(rows, durations_s):
    runs = {}
    for before, n, seconds in zip(rows, rows[1:], durations_s[1:]):
        if before == n:
            runs.setdefault(n, []).append(seconds)
    return runs
""",
        true=("neighbours-only",),
    ),
    right(
        "machine.by_shape",
        "a set of those seen",
        """
def warm_runs(rows, durations_s):
    seen, runs = set(), {}
    for i in range(len(rows)):
        if rows[i] in seen:
            runs[rows[i]] = runs.get(rows[i], []) + [durations_s[i]]
        seen.add(rows[i])
    return runs
""",
    ),
    right(
        "machine.by_shape",
        "counts",
        """
def warm_runs(rows, durations_s):
    from collections import Counter
    return {
        n: [s for m, s in zip(rows, durations_s) if m == n][1:]
        for n, times in Counter(rows).items() if times >= 2
    }
""",
    ),
    wrong(
        "machine.series",
        "no warm-up",
        edited(SERIES, "    for _ in range(warm_up):\n        time_once(stream, call)\n", ""),
        true=("cold",),
    ),
    wrong(
        "machine.series",
        "the warm-up is among the repeats",
        """
def series_s(stream, call, repeats, warm_up):
    return [time_once(stream, call) for _ in range(repeats)][warm_up:]
""",
        true=("out-of-the-repeats",),
    ),
    wrong(
        "machine.series",
        "all returned",
        """
def series_s(stream, call, repeats, warm_up):
    return [time_once(stream, call) for _ in range(warm_up + repeats)]
""",
        true=("counts-them",),
    ),
    wrong(
        "machine.series",
        "sorted",
        edited(SERIES, "return [", "return sorted([").replace(
            "range(repeats)]", "range(repeats)])"
        ),
    ),
    wrong(
        "machine.series",
        "one warm-up call",
        edited(SERIES, "range(warm_up)", "range(1)"),
        true=("always-one",),
    ),
    wrong(
        "machine.series",
        "the mean",
        """
def series_s(stream, call, repeats, warm_up):
    runs = [time_once(stream, call) for _ in range(warm_up + repeats)]
    return sum(runs[warm_up:]) / repeats
""",
        true=("wrong-type",),
    ),
    wrong(
        "machine.series",
        "the first ones",
        """
def series_s(stream, call, repeats, warm_up):
    return [time_once(stream, call) for _ in range(warm_up + repeats)][:repeats]
""",
        true=("cold",),
    ),
    right(
        "machine.series",
        "a slice",
        """
def series_s(stream, call, repeats, warm_up):
    return [time_once(stream, call) for _ in range(warm_up + repeats)][warm_up:]
""",
    ),
    right(
        "machine.series",
        "a loop over negative numbers",
        """
def series_s(stream, call, repeats, warm_up):
    kept = []
    for k in range(-warm_up, repeats):
        seconds = time_once(stream, call)
        if k >= 0:
            kept.append(seconds)
    return kept
""",
    ),
    wrong(
        "machine.quote",
        "interpolated",
        """
def quoted(durations_s):
    return tuple(float(x) for x in np.percentile(durations_s, [10, 50, 90]))
""",
        true=("interpolated",),
    ),
    wrong(
        "machine.quote",
        "least and largest",
        """
def quoted(durations_s):
    return min(durations_s), percentile(durations_s, 0.5), max(durations_s)
""",
        true=("fastest-to-slowest",),
    ),
    wrong(
        "machine.quote",
        "the mean in the middle",
        """
def quoted(durations_s):
    mean = sum(durations_s) / len(durations_s)
    return percentile(durations_s, 0.1), mean, percentile(durations_s, 0.9)
""",
        true=("mean-in-the-middle",),
    ),
    wrong(
        "machine.quote",
        "high first",
        edited(QUOTE, "(0.1, 0.5, 0.9)", "(0.9, 0.5, 0.1)"),
        true=("out-of-order",),
    ),
    wrong("machine.quote", "the 95th", edited(QUOTE, "0.9)", "0.95)"), true=("up-to-the-95th",)),
    wrong(
        "machine.quote",
        "not sorted",
        """
def quoted(durations_s):
    n = len(durations_s)
    return tuple(durations_s[math.ceil(q * n) - 1] for q in (0.1, 0.5, 0.9))
""",
        true=("unsorted",),
    ),
    wrong(
        "machine.quote",
        "a rank too high",
        """
def quoted(durations_s):
    ordered, n = sorted(durations_s), len(durations_s)
    return tuple(ordered[min(n - 1, int(q * n))] for q in (0.1, 0.5, 0.9))
""",
        true=("one-too-far",),
    ),
    wrong(
        "machine.quote",
        "quartiles",
        edited(QUOTE, "(0.1, 0.5, 0.9)", "(0.25, 0.5, 0.75)"),
        true=("quartiles",),
    ),
    right(
        "machine.quote",
        "numpy's inverted cdf",
        """
def quoted(durations_s):
    return tuple(np.quantile(durations_s, (0.1, 0.5, 0.9), method="inverted_cdf"))
""",
    ),
    right(
        "machine.quote",
        "ranks in whole numbers",
        """
def quoted(durations_s):
    ordered, n = sorted(durations_s), len(durations_s)
    low, middle, high = (ordered[-(-tenths * n // 10) - 1] for tenths in (1, 5, 9))
    return low, middle, high
""",
    ),
    wrong("machine.stages", "reading is slow", "a", true=("a",)),
    wrong("machine.stages", "the model takes no time", "b", true=("b",)),
    wrong("machine.stages", "too few requests", "e", true=("e",)),
    wrong("machine.stages", "a finer clock", "d", true=("d",)),
    wrong("machine.stages", "two of them", "a, c", true=("a",)),
    right("machine.stages", "a capital", "C"),
    right("machine.stages", "in brackets", "(c)"),
    wrong("machine.launches", "one launch", 5e-6 * 3.35e12, true=("one-kernel",)),
    wrong("machine.launches", "gigabytes", 6.7, true=("scale",)),
    wrong("machine.launches", "weights of two bytes", 3.35e9, true=("weights-not-bytes",)),
    wrong("machine.launches", "milliseconds", 6.7e12, true=("scale",)),
    wrong("machine.launches", "GB/s for TB/s", 6.7e6, true=("scale",)),
    wrong(
        "machine.launches", "divided by the launches", 3.35e12 * 5e-6 / 400, true=("other-numbers",)
    ),
    wrong("machine.launches", "seconds of the step", 2e-3, true=("seconds-not-bytes",)),
    right("machine.launches", "a whole number", 6_700_000_000),
    right("machine.launches", "computed", 400 * 5e-6 * 3.35e12),
    wrong("machine.token_job", "the median", 2000, true=("by-the-median",)),
    wrong("machine.token_job", "the mean of the two", 5000, true=("halfway",)),
    wrong("machine.token_job", "in milliseconds", 2_600_000, true=("scale",)),
    wrong("machine.token_job", "the p95", 8000, true=("by-the-p95",)),
    wrong("machine.token_job", "the shares swapped", 7400, true=("shares-swapped",)),
    wrong("machine.token_job", "one step", 0.026, false=("scale",), true=("one-step",)),
    wrong("machine.token_job", "the slow ones alone", 800, true=("slow-ones-alone",)),
    right("machine.token_job", "a float", 90_000 * 0.020 + 10_000 * 0.080),
    right("machine.token_job", "a whole number", 2600),
]
