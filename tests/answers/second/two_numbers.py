"""Second trial answers to the exercises of chapter 01."""

from tests.answers.answer import right, wrong

FLEET = """
import math
from collections import Counter
def fleet_percentile(hosts, q):
    counts = Counter()
    for host in hosts:
        counts.update(host)
    need = q * sum(counts.values()) - 1e-9
    so_far = 0
    for edge in sorted(counts):
        so_far += counts[edge]
        if so_far >= need:
            return edge
"""

PANEL = """
import math
class LatencyTracker:
    def __init__(self, window_ms):
        self.window_ms = window_ms
        self.ended = []
    def record(self, due_ms, sent_ms, done_ms, ok=True):
        late_ms = done_ms - due_ms if ok else math.inf
        self.ended.append((done_ms, late_ms))
    def in_window(self, now_ms):
        return sorted(x for t, x in self.ended if now_ms - self.window_ms < t <= now_ms)
    def report(self, now_ms):
        counts = {}
        for x in self.in_window(now_ms):
            counts[x] = counts.get(x, 0) + 1
        return counts
    def percentile(self, q, now_ms):
        ranked = self.in_window(now_ms)
        return ranked[math.ceil(q * len(ranked)) - 1] if ranked else math.nan
"""


def fleet(old: str, new: str) -> str:
    """The fleet's percentile with one piece replaced."""
    assert old in FLEET
    return FLEET.replace(old, new)


def panel(old: str, new: str) -> str:
    """The tracker with one piece replaced."""
    assert old in PANEL
    return PANEL.replace(old, new)


def ranks(body: str) -> str:
    """The function of ranks with these lines."""
    head = "import math\nimport numpy as np\nfrom scipy.stats import binom\n"
    head += "def rank_interval(n, q):\n"
    return head + "".join(f"    {line}\n" for line in body.splitlines())


ANSWERS = [
    wrong("two.which_number", "the latency", "c", true=("c",)),
    wrong("two.which_number", "those inside", "d", true=("d",)),
    wrong("two.which_number", "the throughput", "a", true=("a",)),
    wrong("two.which_number", "two that do not fit each other", "b, d", true=("d",)),
    wrong("two.which_number", "both with the 800", "a and b", true=("a",)),
    right("two.which_number", "a capital", "B"),
    wrong(
        "two.rank_interval",
        "upper rank read off like the lower one",
        ranks("return binom.ppf([0.025, 0.975], n, q)"),
        true=("a-rank-too-near",),
    ),
    wrong(
        "two.rank_interval",
        "one more at both ends",
        ranks("return binom.ppf(0.025, n, q) + 1, binom.ppf(0.975, n, q) + 1"),
        true=("a-rank-too-near",),
    ),
    wrong(
        "two.rank_interval",
        "the approximation cut down at both ends",
        ranks(
            "half = 1.96 * math.sqrt(n * q * (1 - q))\nreturn int(n * q - half), int(n * q + half)"
        ),
        true=("one-less",),
    ),
    wrong(
        "two.rank_interval",
        "shares in place of ranks",
        ranks("half = 1.96 * math.sqrt(q * (1 - q) / n)\nreturn q - half, q + half"),
        true=("shares",),
    ),
    wrong(
        "two.rank_interval",
        "ninety per cent",
        ranks(
            "half = 1.645 * math.sqrt(n * q * (1 - q))\n"
            "return math.floor(n * q - half), math.ceil(n * q + half)"
        ),
    ),
    right(
        "two.rank_interval",
        "searched in the summed probabilities",
        ranks(
            "below = np.cumsum(binom.pmf(np.arange(n + 1), n, q))\n"
            "low, high = np.searchsorted(below, [0.025, 0.975])\n"
            "return low, high + 1"
        ),
    ),
    wrong(
        "two.fleet_percentile",
        "a later host overwrites the counts of an earlier one",
        fleet("counts = Counter()", "counts = {}"),
        true=("overwrites",),
    ),
    wrong(
        "two.fleet_percentile",
        "edges in the order in which they came",
        fleet("sorted(counts)", "counts"),
        true=("in-the-order-of-arrival",),
    ),
    wrong(
        "two.fleet_percentile",
        "more than the share",
        fleet("so_far >= need", "so_far > need + 2e-9"),
        true=("more-than-a-share",),
    ),
    wrong(
        "two.fleet_percentile",
        "the rank rounded down",
        fleet("q * sum(counts.values()) - 1e-9", "int(q * sum(counts.values()))"),
    ),
    wrong(
        "two.fleet_percentile",
        "mean of the hosts' percentiles",
        FLEET.replace("def fleet_percentile", "def pooled") + "def fleet_percentile(hosts, q):\n"
        "    own = [pooled([host], q) for host in hosts if host]\n"
        "    return sum(own) / len(own)\n",
        true=("averages-percentiles",),
    ),
    right(
        "two.fleet_percentile",
        "bisection in the running sums",
        "import bisect, itertools, math\n"
        "def fleet_percentile(hosts, q):\n"
        "    rows = sorted((edge, n) for host in hosts for edge, n in host.items())\n"
        "    sums = list(itertools.accumulate(n for _, n in rows))\n"
        "    return rows[bisect.bisect_left(sums, math.ceil(q * sums[-1] - 1e-9))][0]\n",
    ),
    wrong(
        "two.tracker",
        "failures still drop out",
        panel(
            "        late_ms = done_ms - due_ms if ok else math.inf\n        self",
            "        late_ms = done_ms - due_ms\n        if ok: self",
        ),
        true=("drops-failures",),
    ),
    wrong(
        "two.tracker",
        "still only the last hundred",
        "from collections import deque\n" + panel("ended = []", "ended = deque(maxlen=100)"),
        true=("still-a-count-window",),
    ),
    wrong(
        "two.tracker",
        "still counts from sending",
        panel("done_ms - due_ms", "done_ms - sent_ms"),
        true=("from-the-send",),
    ),
    wrong("two.tracker", "still no latency is zero", panel("else math.nan", "else 0.0")),
    wrong(
        "two.tracker",
        "the window by the moment of sending",
        panel("append((done_ms, late_ms))", "append((sent_ms, late_ms))"),
        true=("window-not-by-the-end",),
    ),
    right(
        "two.tracker",
        "numpy arrays from a list of rows",
        "import math\n"
        "import numpy as np\n"
        "class LatencyTracker:\n"
        "    def __init__(self, window_ms):\n"
        "        self.window_ms, self.done, self.late = window_ms, [], []\n"
        "    def record(self, due_ms, sent_ms, done_ms, ok=True):\n"
        "        self.done.append(done_ms)\n"
        "        self.late.append(done_ms - due_ms if ok else math.inf)\n"
        "    def in_window(self, now_ms):\n"
        "        done, late = np.array(self.done), np.array(self.late)\n"
        "        return np.sort(late[(done > now_ms - self.window_ms) & (done <= now_ms)])\n"
        "    def report(self, now_ms):\n"
        "        return dict(zip(*np.unique(self.in_window(now_ms), return_counts=True)))\n"
        "    def percentile(self, q, now_ms):\n"
        "        ranked = self.in_window(now_ms)\n"
        "        if not len(ranked):\n"
        "            return math.nan\n"
        "        return ranked[math.ceil(q * len(ranked)) - 1]\n",
    ),
    wrong("two.users", "shares added up", "20 %", true=("adds-up",)),
    wrong("two.users", "those who meet none", 0.99**20, true=("all-slow",)),
    wrong("two.users", "the share of requests", "1 %", true=("one-percent",)),
    wrong("two.users", "exactly one slow request", 20 * 0.01 * 0.99**19, true=("just-one",)),
    wrong("two.users", "all twenty slow", 0.01**20, true=("every-request-slow",)),
    right("two.users", "in per cent", "18.2 %"),
    wrong("two.enough", "five per cent on the one side", 2995, true=("one-sided",)),
    wrong("two.enough", "one request above the percentile", 1000, true=("one-in-a-thousand",)),
    wrong("two.enough", "ten times that of the p99", 3680, true=("ten-of-p99",)),
    wrong("two.enough", "99 per cent confidence", 4603, true=("one-per-cent-a-side",)),
    wrong("two.enough", "that of the p99", 368, true=("of-p99",)),
    right("two.enough", "with a comma and a word", "3,688 requests"),
    wrong("two.workload", "the car only", "b", true=("without-d",)),
    wrong("two.workload", "those bound by throughput", "a, c", true=("a",)),
    wrong("two.workload", "a deadline taken for a latency", "a, b, d", true=("a",)),
    wrong("two.workload", "everything but the billion", "b, c, d", true=("c",)),
    wrong("two.workload", "the typist only", "d", true=("without-b",)),
    right("two.workload", "the other order, with and", "D and B"),
]
