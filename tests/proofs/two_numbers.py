"""Proofs of chapter 01: mistakes that learners make, and right answers of other styles."""

import inspect
import math
from collections import Counter, defaultdict

import numpy as np
from scipy.stats import binom

from labutils.exercises.catalog.two_numbers import trackers
from labutils.exercises.definition.verdict import Status
from labutils.latency import percentile_of_all, rank_interval
from tests.proofs.proof import Proof

# --- two.rank_interval --------------------------------------------------------------------------


def variance_of_the_slow_ones_alone(n, q):
    width = 1.96 * math.sqrt(n * (1 - q)) / q**4
    return n * q - 2 * width, n * q + 2 * width


def not_rounded(n, q):
    width = 1.96 * math.sqrt(n * q * (1 - q))
    return n * q - width, n * q + width


def one_end_only(n, q):
    return rank_interval(n, q)[1]


def around_the_middle(n, q):
    width = 1.96 * math.sqrt(n * q * (1 - q))
    return n / 2 - width, n / 2 + width


def ends_exchanged(n, q):
    low, high = rank_interval(n, q)
    return high, low


def a_percent_either_side(n, q):
    return math.floor(n * (q - 0.01)), math.ceil(n * min(1, q + 0.01))


def rounded_outwards(n, q):
    width = 1.96 * math.sqrt(n * q * (1 - q))
    return math.floor(n * q - width), math.ceil(n * q + width)


def rounded_to_the_nearest(n, q):
    width = 1.96 * math.sqrt(n * q * (1 - q))
    return [round(n * q - width), round(n * q + width)]


def by_summing_the_binomial(n, q):
    ranks = np.arange(n + 1)
    below = binom.cdf(ranks, n, q)  # P(K <= k)
    low = int(ranks[below > 0.025][0])
    return low, int(ranks[below >= 0.975][0]) + 1


def with_the_interval_of_scipy(n, q):
    low, high = binom.interval(0.95, n, q)
    return np.array([low, high])


def one_more_than_scipy(n, q):
    low, high = with_the_interval_of_scipy(n, q)
    return low, high + 1


def counted_from_zero(n, q):
    low, high = with_the_interval_of_scipy(n, q)
    return low - 1, high


# --- two.fleet_percentile -----------------------------------------------------------------------


def median_of_the_percentiles(hosts, q):
    each = [_quantile(host, q) for host in hosts if host]
    return sorted(each)[len(each) // 2]


def one_bucket_too_high(hosts, q):
    merged = sum(map(Counter, hosts), Counter())
    edges = sorted(merged)
    at = edges.index(_quantile(merged, q))
    return edges[min(at + 1, len(edges) - 1)]


def mean_and_two_deviations(hosts, q):
    every = [edge for host in hosts for edge, count in host.items() for _ in range(count)]
    return float(np.mean(every) + 2 * np.std(every))


def with_numpys_default(hosts, q):
    return np.percentile(_all_requests(hosts), 100 * q)


def beyond_the_share(hosts, q):
    merged = sum(map(Counter, hosts), Counter())
    seen = 0
    for edge in sorted(merged):
        seen += merged[edge]
        if seen > q * merged.total():
            return edge


def average_by_numpy(hosts, q):
    return sum(np.quantile(_all_requests([h]), q) for h in hosts if h) / sum(map(bool, hosts))


def average_by_counting(hosts, q):
    each = [_quantile(host, q) for host in hosts if host]
    return sum(each) / len(each)


def slowest_of_all(hosts, q):
    return sorted({edge for host in hosts for edge in host})[-1]


def empties_its_hosts(hosts, q):
    merged = Counter()
    for host in hosts:
        while host:
            edge, count = host.popitem()
            merged[edge] += count
    return _quantile(merged, q)


def stumbles_over_an_idle_host(hosts, q):
    total, slowest = Counter(), max(max(host) for host in hosts)
    for host in hosts:
        total.update(host)
    return min(slowest, _quantile(total, q))


def _quantile(counts, q):
    seen = 0
    for edge in sorted(counts):
        seen += counts[edge]
        if seen >= q * sum(counts.values()):
            return edge
    raise IndexError("no requests")


def with_every_request_listed(hosts, q):
    every = sorted(edge for host in hosts for edge in Counter(host).elements())
    return every[math.ceil(q * len(every)) - 1]


def with_numpy(hosts, q):
    return np.quantile(_all_requests(hosts), q, method="inverted_cdf")


def by_shares(hosts, q):
    merged = sum(map(Counter, hosts), Counter())
    upto = 0
    for edge in sorted(merged):
        upto += merged[edge]
        if upto / merged.total() >= q:
            return edge


def _all_requests(hosts):
    edges = [edge for host in hosts for edge in host]
    return np.repeat(edges, [count for host in hosts for count in host.values()])


def with_cumulative_sums(hosts, q):
    merged = defaultdict(int)
    for host in hosts:
        for edge, count in host.items():
            merged[edge] += count
    edges = sorted(merged)
    reached = np.cumsum([merged[edge] for edge in edges])
    return edges[int(np.searchsorted(reached, q * reached[-1]))]


# --- two.tracker --------------------------------------------------------------------------------

HANDED_OUT = inspect.getsource(trackers.HandedOut).replace("HandedOut", "LatencyTracker")

EMPTY = HANDED_OUT.replace("else 0.0", "else math.nan")
FAILED = EMPTY.replace(
    "if ok:\n            self.ended.append((done_ms, done_ms - sent_ms))",
    "self.ended.append((done_ms, done_ms - sent_ms if ok else math.inf))",
)
DUE = FAILED.replace("done_ms - sent_ms", "done_ms - due_ms")
TIMED = """
class LatencyTracker:
    def __init__(self, window_ms):
        self.window_ms = window_ms
        self.ended = {kept}

    def record(self, due_ms, sent_ms, done_ms, ok=True):
        self.ended.append(({moment}, done_ms - due_ms if ok else math.inf))

    def ranked(self, now_ms):
        return sorted(x for t, x in self.ended if now_ms - self.window_ms < t <= now_ms)

    def percentile(self, q, now_ms):
        ranked = self.ranked(now_ms)
        return ranked[{rank}] if ranked else math.nan

    def report(self, now_ms):
        return {report}
"""


def timed(kept="[]", moment="done_ms", rank="math.ceil(q * len(ranked)) - 1", report=None):
    report = report or "dict(Counter(self.ranked(now_ms)))"
    return TIMED.format(kept=kept, moment=moment, rank=rank, report=report)


SHARED = timed().replace("    def __init__", "    shared = []\n\n    def __init__")
SHARED = SHARED.replace("self.ended = []", "self.ended = self.shared")


NO_REPORT = timed().split("    def report")[0]
BETWEEN = timed().replace(
    "return ranked[math.ceil(q * len(ranked)) - 1] if ranked else math.nan",
    "return np.percentile(ranked, 100 * q) if ranked else math.nan",
)
ANSWERS_ONLY = "dict(Counter(x for x in self.ranked(now_ms) if x < math.inf))"
TENTHS = "dict(Counter(10 * math.ceil(x / 10) if x < math.inf else x for x in self.ranked(now_ms)))"


class WithNumpy:
    """Columns of numpy, the workbook's percentile, and old rows forgotten."""

    def __init__(self, window_ms):
        self.window_ms = window_ms
        self.rows = np.empty((0, 2))

    def record(self, due_ms, sent_ms, done_ms, ok=True):
        late = done_ms - due_ms if ok else np.inf
        self.rows = np.vstack((self.rows, (done_ms, late)))

    def _now(self, now_ms):
        self.rows = self.rows[self.rows[:, 0] > now_ms - self.window_ms]
        return self.rows[:, 1]

    def percentile(self, q, now_ms):
        late = self._now(now_ms)
        return percentile_of_all(late[np.isfinite(late)], int(np.isinf(late).sum()), q)

    def report(self, now_ms):
        values, counts = np.unique(self._now(now_ms), return_counts=True)
        return dict(zip(values.tolist(), counts.tolist(), strict=True))


CONVENTION = "a rank further out is harmless, and the check lets it pass"
WHOLE = "binom.ppf returns whole numbers already, as floats"
INSIDE = "return sorted((late_ms for done_ms, late_ms in self.ended if done_ms"
LOW, HIGH = "lower = int(binom.ppf(0.025, n, q))", "upper = int(binom.ppf(0.975, n, q)) + 1"

PROOFS = {
    "two.which_number": Proof(
        mistakes={
            "a": ("a", "a"),
            "c": ("C", "c"),
            "d": ("(d)", "d"),
            "no option": ("e", Status.unreadable),
        },
        alternatives={"capital": "B", "in brackets": " (b) ", "full stop": "B."},
    ),
    "two.rank_interval": Proof(
        mistakes={
            "a wrong variance": (variance_of_the_slow_ones_alone, Status.wrong),
            "not rounded": (not_rounded, "not-whole"),
            "one end only": (one_end_only, Status.wrong),
            "around the middle": (around_the_middle, Status.wrong),
            "ends exchanged": (ends_exchanged, Status.wrong),
            "one percentile more and less": (a_percent_either_side, Status.wrong),
            "without the one more": (with_the_interval_of_scipy, "a-rank-too-near"),
            "counted from 0": (counted_from_zero, "a-rank-too-near"),
            "rounded to the nearest": (rounded_to_the_nearest, "a-rank-too-near"),
        },
        alternatives={
            "normal approximation, rounded outwards": rounded_outwards,
            "by summing the binomial": by_summing_the_binomial,
            "scipy's own interval, one more, an array": one_more_than_scipy,
            "a rank further out": lambda n, q: (rank_interval(n, q)[0] - 1, rank_interval(n, q)[1]),
        },
        equivalent={
            f"{LOW} => lower = binom.ppf(0.025, n, q)": WHOLE,
            f"{HIGH} => upper = binom.ppf(0.975, n, q) + 1": WHOLE,
            f"{HIGH} => upper = int(binom.ppf(0.975, n, q)) + 2": CONVENTION,
        },
    ),
    "two.fleet_percentile": Proof(
        mistakes={
            "median of the percentiles": (median_of_the_percentiles, "middle-host"),
            "the slowest of all": (slowest_of_all, "slowest-of-all"),
            "one bucket too high": (one_bucket_too_high, "one-bucket-too-high"),
            "mean and two deviations": (mean_and_two_deviations, Status.wrong),
            "numpy's default": (with_numpys_default, "interpolates"),
            "beyond the share": (beyond_the_share, "more-than-a-share"),
            "average, by numpy": (average_by_numpy, "averages-interpolated-percentiles"),
            "average, by counting": (average_by_counting, "averages-percentiles"),
            "empties its hosts": (empties_its_hosts, "mutates-input"),
            "stumbles over an idle host": (stumbles_over_an_idle_host, Status.raised),
        },
        alternatives={
            "every request listed": with_every_request_listed,
            "numpy, told how": with_numpy,
            "by shares": by_shares,
            "cumulative sums": with_cumulative_sums,
        },
    ),
    "two.tracker": Proof(
        mistakes={
            "only the empty window mended": (EMPTY, "drops-failures"),
            "failures mended": (FAILED, "from-the-send"),
            "the due time mended": (DUE, "never-forgets"),
            "everything but the report": (
                timed(report='f"p99 {self.percentile(0.99, now_ms)} ms"'),
                Status.wrong,
            ),
            "still a hundred at most": (timed(kept="deque(maxlen=100)"), "still-a-count-window"),
            **{
                f"at most {kept}": (timed(kept=f"deque(maxlen={kept})"), "still-a-count-window")
                for kept in (150, 500, 1000, 2000, 5_000, 20_000, "window_ms")
            },
            "window by the due time": (timed(moment="due_ms"), "window-not-by-the-end"),
            "window by the send": (timed(moment="sent_ms"), "window-not-by-the-end"),
            "a rank too near": (timed(rank="int(q * len(ranked)) - 1"), Status.wrong),
            "a rank too far": (timed(rank="int(q * len(ranked))"), "a-place-too-far"),
            "between two requests": (BETWEEN, "interpolates"),
            "reports answers only": (timed(report=ANSWERS_ONLY), "reports-answers-only"),
            "reports coarse buckets": (timed(report=TENTHS), Status.wrong),
            "no report at all": (NO_REPORT, "no-such-method"),
            "a long list, and by the send": (
                timed(kept="deque(maxlen=1500)", moment="sent_ms"),
                "still-a-count-window",
            ),
            "by the due time, answers only": (
                timed(moment="due_ms", report=ANSWERS_ONLY),
                "window-not-by-the-end",
            ),
            "the report is a list": (timed(report="self.ranked(now_ms)"), Status.wrong),
            "a list shared by all objects": (SHARED, "not-repeatable"),
            "an object instead of the class": ("tracker = 3", Status.unreadable),
        },
        alternatives={
            "a bounded window, written out": timed(kept="deque()"),
            "a bound for memory alone": timed(kept="deque(maxlen=1_000_000)"),
            "a Counter as the report": timed(report="Counter(self.ranked(now_ms))"),
            "numpy, which forgets what is old": WithNumpy,
        },
        equivalent={
            f"{INSIDE} > begin_ms)) => {INSIDE} >= begin_ms))": (
                "which edge belongs to the window is a convention; no story ends a request on it"
            ),
        },
    ),
    "two.users": Proof(
        mistakes={
            "one percent": ("1 %", "one-percent"),
            "adds up": (0.2, "adds-up"),
            "the lucky ones": (0.99**20, "all-slow"),
            "per cent without the sign": (18.2, Status.scale),
        },
        alternatives={"per cent": "18.2 %", "rounded": "18 %", "numpy": 1 - np.power(0.99, 20)},
    ),
    "two.enough": Proof(
        mistakes={
            "one in a thousand": (1000, "one-in-a-thousand"),
            "one side": (2995, "one-sided"),
            "rounded down": (3687, "rounded-down"),
            "of p99": (368, "of-p99"),
            "natural logarithm of the wrong side": (1204, Status.wrong),
        },
        alternatives={"not rounded": math.log(0.025) / math.log(0.999), "as a float": 3688.0},
    ),
    "two.workload": Proof(
        mistakes={
            "one only": ("b", "without-d"),
            "documents": ("a, b", "a"),
            "contracts": (["b", "c", "d"], "c"),
            "no option": ("x", Status.unreadable),
        },
        alternatives={
            "a list": ["d", "b"],
            "capitals": "B D",
            "run together": "bd",
            "in words": "B and D",
            "in brackets": "(b), (d)",
        },
    ),
}
