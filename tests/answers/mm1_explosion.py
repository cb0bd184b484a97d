"""Trial answers to the exercises of chapter 03."""

from fractions import Fraction

import numpy as np

from labutils import simulation as sim
from tests.answers.answer import right, wrong


def waits(n=1_000_000, rate=70, shape=0.25, mean=0.010, gap_shape=1.0):
    """Waits of one server with gamma gaps and services."""
    rng = np.random.default_rng(99)
    arrivals = np.cumsum(rng.gamma(gap_shape, 1 / (rate * gap_shape), n))
    services = rng.gamma(shape, mean / shape, n)
    run = sim.fifo_queue(arrivals, services)
    return run.waiting_time_s, services


WAITS, SERVICES = waits()


def step(line: str) -> str:
    """The recursion with this line for the next wait."""
    return f"""
def waiting_times(arrivals, services):
    waits = [0.0]
    for i in range(1, len(arrivals)):
        {line}
    return waits
"""


def least(start: str, test: str) -> str:
    """The search for the least number of servers."""
    return f"""
def least_servers(arrival_rate, mean_service_time, max_mean_wait):
    a = arrival_rate * mean_service_time
    c = {start}
    while {test}:
        c += 1
    return c
"""


WAIT = "queueing.erlang_c(a, c) * mean_service_time / (c - a)"
ANSWERS = [
    wrong(
        "mm1.recursion",
        "own service instead of the one before",
        step("waits.append(max(0, waits[-1] + services[i] - (arrivals[i] - arrivals[i - 1])))"),
        true=("own-service",),
    ),
    wrong(
        "mm1.recursion",
        "no floor at zero",
        step("waits.append(waits[-1] + services[i - 1] - (arrivals[i] - arrivals[i - 1]))"),
        true=("negative-wait",),
    ),
    wrong(
        "mm1.recursion",
        "wait before forgotten",
        step("waits.append(max(0, services[i - 1] - (arrivals[i] - arrivals[i - 1])))"),
        true=("forgets-the-wait-before",),
    ),
    wrong(
        "mm1.recursion",
        "adds the gap",
        step("waits.append(max(0, waits[-1] + services[i - 1] + (arrivals[i] - arrivals[i - 1])))"),
        true=("adds-the-gap",),
    ),
    wrong(
        "mm1.recursion",
        "latency instead of the wait",
        """
def waiting_times(arrivals, services):
    free, out = 0.0, []
    for a, s in zip(arrivals, services):
        free = max(free, a) + s
        out.append(free - a)
    return out
""",
        true=("sojourn",),
    ),
    wrong(
        "mm1.recursion",
        "clock of the server never jumps",
        """
def waiting_times(arrivals, services):
    free, out = arrivals[0], []
    for a, s in zip(arrivals, services):
        out.append(max(0, free - a))
        free += s
    return out
""",
        true=("idle-time-saved-up",),
    ),
    wrong(
        "mm1.recursion",
        "gap to the next request",
        """
def waiting_times(arrivals, services):
    waits = [0.0]
    for i in range(1, len(arrivals)):
        gap = arrivals[i + 1] - arrivals[i] if i + 1 < len(arrivals) else 0
        waits.append(max(0, waits[-1] + services[i - 1] - gap))
    return waits
""",
    ),
    wrong(
        "mm1.recursion",
        "first wait missing",
        """
def waiting_times(arrivals, services):
    w, out = 0.0, []
    for i in range(1, len(arrivals)):
        w = max(0, w + services[i - 1] - (arrivals[i] - arrivals[i - 1]))
        out.append(w)
    return out
""",
    ),
    wrong(
        "mm1.recursion",
        "start times",
        """
def waiting_times(arrivals, services):
    free, out = 0.0, []
    for a, s in zip(arrivals, services):
        start = max(free, a)
        out.append(start)
        free = start + s
    return out
""",
        true=("start-times",),
    ),
    wrong(
        "mm1.recursion",
        "absolute value",
        step("waits.append(abs(waits[-1] + services[i - 1] - (arrivals[i] - arrivals[i - 1])))"),
        true=("absolute-value",),
    ),
    wrong(
        "mm1.recursion",
        "arrivals taken for gaps",
        step("waits.append(max(0, waits[-1] + services[i - 1] - arrivals[i]))"),
        true=("times-as-gaps",),
    ),
    right(
        "mm1.recursion",
        "walk above its minimum in numpy",
        """
def waiting_times(arrivals, services):
    steps = np.asarray(services, float)[:-1] - np.diff(np.asarray(arrivals, float))
    walk = np.concatenate([[0.0], np.cumsum(steps)])
    return walk - np.minimum.accumulate(walk)
""",
    ),
    right(
        "mm1.recursion",
        "generator over the time at which the server is free",
        """
def waiting_times(arrivals, services):
    def each():
        free = float("-inf")
        for a, s in zip(arrivals, services):
            start = max(a, free)
            yield start - a
            free = start + s
    return list(each())
""",
    ),
    wrong(
        "mm1.load_for_ten",
        "those inside instead of those waiting",
        0.9091,
        true=("counts-those-in-service",),
    ),
    wrong("mm1.load_for_ten", "read off, two decimals", 0.92, true=("read-off",)),
    wrong("mm1.load_for_ten", "three decimals", 0.916, true=("three-decimals",)),
    wrong("mm1.load_for_ten", "headroom", 0.0839),
    wrong(
        "mm1.load_for_ten",
        "latency of ten service times",
        0.9,
        true=("ten-times-the-service-time",),
    ),
    wrong("mm1.load_for_ten", "square root of ten elevenths", 0.9535),
    wrong("mm1.load_for_ten", "other root", -10.9161),
    wrong("mm1.load_for_ten", "eleven waiting", 0.9226, true=("eleven",)),
    right("mm1.load_for_ten", "per cent", "91.61 %"),
    right("mm1.load_for_ten", "root", 35**0.5 - 5),
    wrong(
        "mm1.least_servers",
        "latency within the promise",
        least(
            "int(a) + 1",
            f"{WAIT} + mean_service_time > max(max_mean_wait, 1.01 * mean_service_time)",
        ),
    ),
    wrong(
        "mm1.least_servers",
        "wait in service times",
        least("int(a) + 1", "queueing.erlang_c(a, c) / (c - a) > max_mean_wait"),
        true=("forgets-the-service-time",),
    ),
    wrong(
        "mm1.least_servers",
        "probability compared with the promise",
        least("int(a) + 1", "queueing.erlang_c(a, c) > max_mean_wait"),
        true=("p-wait-against-target",),
    ),
    wrong(
        "mm1.least_servers",
        "no factor for the probability",
        least("int(a) + 1", "mean_service_time / (c - a) > max_mean_wait"),
        true=("forgets-p-wait",),
    ),
    wrong(
        "mm1.least_servers",
        "a queue for each server",
        least("int(a) + 1", "(a / c) / (1 - a / c) * mean_service_time > max_mean_wait"),
        true=("split-queues",),
    ),
    wrong(
        "mm1.least_servers",
        "one more than needed",
        least("int(a) + 1", f"{WAIT} > max_mean_wait").replace("return c", "return c + 1"),
        true=("one-too-many",),
    ),
    wrong(
        "mm1.least_servers",
        "only enough to be stable",
        least("int(a) + 1", "False"),
        true=("merely-stable",),
    ),
    wrong(
        "mm1.least_servers",
        "starts at the rounded up load",
        least("int(np.ceil(a))", f"{WAIT} > max_mean_wait"),
    ),
    wrong("mm1.least_servers", "starts at one server", least("1", f"{WAIT} > max_mean_wait")),
    wrong(
        "mm1.least_servers",
        "the rule of 80 %",
        least("int(np.ceil(a / 0.8))", "False"),
        true=("eighty-percent-rule",),
    ),
    wrong(
        "mm1.least_servers",
        "wait not over the spare servers",
        least("int(a) + 1", "queueing.erlang_c(a, c) * mean_service_time > max_mean_wait"),
        true=("not-over-the-spare-servers",),
    ),
    wrong("mm1.least_servers", "always two spare", least("int(np.ceil(a)) + 2", "False")),
    right(
        "mm1.least_servers",
        "library object",
        """
def least_servers(arrival_rate, mean_service_time, max_mean_wait):
    c = int(arrival_rate * mean_service_time) + 1
    while queueing.MMc(arrival_rate, 1 / mean_service_time, c).mean_waiting_time > max_mean_wait:
        c += 1
    return c
""",
    ),
    right(
        "mm1.least_servers",
        "own Erlang recursion",
        """
def least_servers(arrival_rate, mean_service_time, max_mean_wait):
    a, b, c = arrival_rate * mean_service_time, 1.0, 0
    while True:
        c += 1
        b = a * b / (c + a * b)
        if c > a and b / (1 - a / c * (1 - b)) * mean_service_time / (c - a) <= max_mean_wait:
            return c
""",
    ),
    wrong("mm1.launch", "the length of the rush", "20 min", true=("other-numbers",)),
    wrong(
        "mm1.launch",
        "all arrivals queue, nothing served meanwhile",
        20_000 * 1200 / 550,
        true=("forgets-the-work-done",),
    ),
    wrong("mm1.launch", "backlog over the excess rate", 1200, true=("other-numbers",)),
    wrong("mm1.launch", "what the report says", "8 s", true=("what-the-report-says",)),
    wrong("mm1.launch", "drain at the headroom after it", "5.4 days"),
    wrong("mm1.launch", "load as seconds", 36.4, true=("other-numbers",)),
    wrong("mm1.launch", "minutes taken for seconds", 19_450 * 20 / 550, true=("scale",)),
    wrong("mm1.launch", "rush counted in", 20_000 * 1200 / 550 + 1200, true=("rush-counted-in",)),
    wrong(
        "mm1.launch",
        "one service time over one minus the load",
        1 / (550 - 20_000),
        true=("steady-state-formula",),
    ),
    wrong("mm1.launch", "half, on average", "5.9 h", false=("scale",), true=("on-average",)),
    right("mm1.launch", "hours", "11.8 h"),
    right("mm1.launch", "minutes", "707 min"),
    right("mm1.launch", "fraction in seconds", Fraction(19_450 * 1200, 550)),
    wrong("mm1.story", "load near one", "b", true=("b",)),
    wrong("mm1.story", "the assumption", "c", true=("c",)),
    wrong("mm1.story", "the capacity", "a", true=("a",)),
    wrong("mm1.story", "two sentences", "c, d", true=("c",)),
    wrong("mm1.story", "the two counters", "a, b", true=("a",)),
    right("mm1.story", "brackets", "(d)"),
    right("mm1.story", "capital", "D"),
    wrong("mm1.peak", "grows by five times", 0.15, true=("grows-by",)),
    wrong("mm1.peak", "headroom divided", 0.02, true=("other-numbers",)),
    wrong("mm1.peak", "multiplied", 4.5, true=("other-numbers",)),
    wrong("mm1.peak", "peak load", 0.9, true=("other-numbers",)),
    wrong("mm1.peak", "up to load one", 0.2, true=("saturates",)),
    wrong("mm1.peak", "grows to four times", 0.225, true=("fourfold",)),
    wrong("mm1.peak", "one fifth of the headroom kept", 0.98),
    wrong("mm1.peak", "latency grows fivefold", 0.5, true=("latency-fivefold",)),
    right("mm1.peak", "per cent", "18 %"),
    right("mm1.peak", "fraction", Fraction(9, 50)),
    wrong(
        "mm1.measure_variable",
        "exponential services",
        waits(shape=1.0)[0],
        true=("exponential-services",),
    ),
    wrong("mm1.measure_variable", "latencies", WAITS + SERVICES, true=("sojourn",)),
    wrong("mm1.measure_variable", "milliseconds", 1000 * WAITS, true=("scale",)),
    wrong("mm1.measure_variable", "too short", WAITS[:5_000]),
    wrong("mm1.measure_variable", "coefficient of variation 4", waits(shape=1 / 16)[0]),
    wrong("mm1.measure_variable", "clockwork arrivals", waits(gap_shape=1e6)[0]),
    wrong("mm1.measure_variable", "scv 2", waits(shape=0.5)[0]),
    wrong("mm1.measure_variable", "load 0.8", waits(rate=80)[0]),
    wrong("mm1.measure_variable", "equal services", waits(shape=1e6)[0]),
    wrong("mm1.measure_variable", "sorted", np.sort(WAITS), true=("sorted",)),
    wrong("mm1.measure_variable", "only those who wait", WAITS[WAITS > 0]),
    right("mm1.measure_variable", "gamma", WAITS),
    right("mm1.measure_variable", "a list", waits(n=600_000)[0].tolist()),
]
