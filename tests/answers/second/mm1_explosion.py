"""Second trial answers to the exercises of chapter 03."""

import math

import numpy as np

from labutils import simulation as sim
from tests.answers.answer import right, wrong

WAITS = """
def waiting_times(arrivals, services):
    waits = [0.0] * len(arrivals)
    for i in range(1, len(arrivals)):
        gap = arrivals[i] - arrivals[i - 1]
        waits[i] = max(0.0, waits[i - 1] + services[i - 1] - gap)
    return waits
"""

FLEET = """
import math
from labutils import queueing
def least_servers(arrival_rate, mean_service_time, max_mean_wait):
    a = arrival_rate * mean_service_time
    c = math.floor(a) + 1
    while queueing.erlang_c(a, c) * mean_service_time / (c - a) > max_mean_wait:
        c += 1
    return c
"""


def recursion(old: str, new: str) -> str:
    """The recursion of the waits with one piece replaced."""
    assert old in WAITS
    return WAITS.replace(old, new)


def fleet(old: str, new: str) -> str:
    """The search for the least fleet with one piece replaced."""
    assert old in FLEET
    return FLEET.replace(old, new)


def queue(scv: float, n: int = 400_000) -> sim.QueueRun:
    """A run of the last exercise's queue, with services of this scv."""
    rng = np.random.default_rng(11)
    arrivals = sim.poisson_arrivals(70, n, rng)
    return sim.fifo_queue(arrivals, 0.010 * sim.draw_unit("gamma", n, rng, scv))


ANSWERS = [
    wrong(
        "mm1.recursion",
        "the request's own service in place of the one before",
        recursion("services[i - 1]", "services[i]"),
        true=("own-service",),
    ),
    wrong(
        "mm1.recursion",
        "no floor at zero",
        recursion(
            "max(0.0, waits[i - 1] + services[i - 1] - gap)", "waits[i - 1] + services[i - 1] - gap"
        ),
        true=("negative-wait",),
    ),
    wrong(
        "mm1.recursion",
        "the latency, with the own service in it",
        recursion("return waits", "return [w + s for w, s in zip(waits, services)]"),
        true=("sojourn",),
    ),
    wrong(
        "mm1.recursion",
        "forgets that the one before waited as well",
        recursion("waits[i - 1] + services", "services"),
        true=("forgets-the-wait-before",),
    ),
    wrong(
        "mm1.recursion",
        "the floor only at the end",
        recursion(
            "max(0.0, waits[i - 1] + services[i - 1] - gap)", "waits[i - 1] + services[i - 1] - gap"
        ).replace("return waits", "return [max(0.0, w) for w in waits]"),
        true=("idle-time-saved-up",),
    ),
    right(
        "mm1.recursion",
        "sums less their running minimum",
        "import numpy as np\n"
        "def waiting_times(arrivals, services):\n"
        "    steps = np.asarray(services[:-1], float) - np.diff(np.asarray(arrivals, float))\n"
        "    walk = np.concatenate([[0.0], np.cumsum(steps)])\n"
        "    return walk - np.minimum.accumulate(walk)\n",
    ),
    wrong(
        "mm1.load_for_ten",
        "ten inside in place of ten waiting",
        10 / 11,
        true=("counts-those-in-service",),
    ),
    wrong(
        "mm1.load_for_ten",
        "latency of ten service times",
        0.9,
        true=("ten-times-the-service-time",),
    ),
    wrong("mm1.load_for_ten", "two decimals only", 0.92, true=("read-off",)),
    wrong("mm1.load_for_ten", "the other root of the equation", -5 - math.sqrt(35)),
    wrong("mm1.load_for_ten", "takes a whole request off those inside", 11 / 12),
    right("mm1.load_for_ten", "in per cent", "91.61 %"),
    wrong(
        "mm1.least_servers",
        "starts at a fleet that a whole number of busy servers fills",
        fleet("math.floor(a) + 1", "math.ceil(a)"),
    ),
    wrong(
        "mm1.least_servers",
        "the headroom of one server in the denominator",
        fleet("/ (c - a)", "/ (1 - a / c)"),
    ),
    wrong(
        "mm1.least_servers",
        "as if each server had its own queue",
        fleet(
            "queueing.erlang_c(a, c) * mean_service_time / (c - a)",
            "a / c * mean_service_time / (1 - a / c)",
        ),
        true=("split-queues",),
    ),
    wrong(
        "mm1.least_servers",
        "every request waits",
        fleet("queueing.erlang_c(a, c) * mean", "mean"),
        true=("forgets-p-wait",),
    ),
    wrong(
        "mm1.least_servers",
        "returns the largest fleet that breaks the promise",
        fleet("return c", "return c - 1"),
        true=("one-too-few",),
    ),
    right(
        "mm1.least_servers",
        "doubling, then halving",
        "import math\n"
        "from labutils import queueing\n"
        "def least_servers(arrival_rate, mean_service_time, max_mean_wait):\n"
        "    a = arrival_rate * mean_service_time\n"
        "    def keeps(c):\n"
        "        return queueing.erlang_c(a, c) * mean_service_time / (c - a) <= max_mean_wait\n"
        "    low, spare = math.floor(a), 1\n"
        "    while not keeps(low + spare):\n"
        "        spare *= 2\n"
        "    high = low + spare\n"
        "    while high - low > 1:\n"
        "        middle = (low + high) // 2\n"
        "        low, high = (low, middle) if keeps(middle) else (middle, high)\n"
        "    return high\n",
    ),
    wrong(
        "mm1.launch",
        "all that came, none taken off meanwhile",
        f"{20_000 * 1200 / 550} s",
        true=("forgets-the-work-done",),
    ),
    wrong("mm1.launch", "minutes without saying so", 19_450 * 1200 / 550 / 60, true=("scale",)),
    wrong("mm1.launch", "as long as the rush lasted", "20 min", true=("other-numbers",)),
    wrong("mm1.launch", "the backlog in requests", 19_450 * 1200, true=("requests-not-seconds",)),
    wrong("mm1.launch", "the time until the backlog is drained", "5.4 days"),
    right("mm1.launch", "in hours", "11.8 h"),
    wrong("mm1.story", "the source and the order", "c", true=("c",)),
    wrong("mm1.story", "the load offered", "b", true=("b",)),
    wrong("mm1.story", "the most that it finishes", "a", true=("a",)),
    wrong("mm1.story", "two sentences", "c, d", true=("c",)),
    wrong("mm1.story", "the two counters", "a, b", true=("a",)),
    right("mm1.story", "capital in brackets", "(D)"),
    wrong("mm1.peak", "up to load one", 0.2, true=("saturates",)),
    wrong("mm1.peak", "five times more on top", 0.15, true=("grows-by",)),
    wrong("mm1.peak", "times five", 4.5, true=("other-numbers",)),
    wrong("mm1.peak", "the headroom divided", (1 - 0.9) / 5, true=("other-numbers",)),
    wrong("mm1.peak", "the headroom times five", 1 - 5 * (1 - 0.9), true=("latency-fivefold",)),
    right("mm1.peak", "in per cent", "18 %"),
    wrong(
        "mm1.measure_variable",
        "exponential services",
        queue(1).waiting_time_s,
        true=("exponential-services",),
    ),
    wrong("mm1.measure_variable", "latencies", queue(4).sojourn_time_s, true=("sojourn",)),
    wrong("mm1.measure_variable", "milliseconds", 1000 * queue(4).waiting_time_s, true=("scale",)),
    wrong("mm1.measure_variable", "a thousand requests", queue(4, n=1000).waiting_time_s),
    wrong("mm1.measure_variable", "variance of twice the squared mean", queue(2).waiting_time_s),
    right("mm1.measure_variable", "a list", queue(4).waiting_time_s.tolist()),
]
