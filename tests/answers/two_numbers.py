"""Trial answers to the exercises of chapter 01."""

from fractions import Fraction

from tests.answers.answer import right, wrong

TRACKER = """
class LatencyTracker:
    def __init__(self, window_ms):
        self.window_ms = window_ms
        self.ended = deque()
    def record(self, due_ms, sent_ms, done_ms, ok=True):
        self.ended.append((done_ms, done_ms - due_ms if ok else math.inf))
    def in_window(self, now_ms):
        return sorted(late for done, late in self.ended if now_ms - self.window_ms < done <= now_ms)
    def report(self, now_ms):
        return dict(Counter(self.in_window(now_ms)))
    def percentile(self, q, now_ms):
        ranked = self.in_window(now_ms)
        return ranked[math.ceil(q * len(ranked)) - 1] if ranked else math.nan
"""


def tracker(old: str, new: str) -> str:
    """The tracker with one piece replaced."""
    assert old in TRACKER
    return "from collections import Counter, deque\n" + TRACKER.replace(old, new)


def ranks(body: str) -> str:
    """The function of ranks with this body."""
    return f"from scipy.stats import binom\ndef rank_interval(n, q):\n    {body}\n"


ANSWERS = [
    wrong("two.which_number", "the first sentence", "a", true=("a",)),
    wrong("two.which_number", "the sentence with the other number", "d", true=("d",)),
    wrong("two.which_number", "the latency", "c", true=("c",)),
    wrong("two.which_number", "both sentences that say 800", "a, b", true=("a",)),
    wrong("two.which_number", "the two that disagree", "b, d", true=("d",)),
    right("two.which_number", "in brackets", "(b)"),
    right("two.which_number", "capital with a full stop", "B."),
    wrong(
        "two.rank_interval",
        "upper rank without the one",
        ranks("return binom.ppf(0.025, n, q), binom.ppf(0.975, n, q)"),
        true=("a-rank-too-near",),
    ),
    wrong(
        "two.rank_interval",
        "five per cent on each side",
        ranks("return binom.ppf(0.05, n, q), binom.ppf(0.95, n, q) + 1"),
        true=("five-percent-a-side",),
    ),
    wrong(
        "two.rank_interval",
        "ranks from zero",
        ranks("return binom.ppf(0.025, n, q) - 1, binom.ppf(0.975, n, q)"),
        true=("a-rank-too-near",),
    ),
    wrong(
        "two.rank_interval",
        "one more at the wrong end",
        ranks("return binom.ppf(0.025, n, q) + 1, binom.ppf(0.975, n, q)"),
        true=("a-rank-too-near",),
    ),
    wrong(
        "two.rank_interval",
        "spread without the n",
        ranks(
            "s = 1.96 * math.sqrt(q * (1 - q)); return math.floor(n * q - s), math.ceil(n * q + s)"
        ),
    ),
    wrong(
        "two.rank_interval",
        "one standard deviation",
        ranks("s = math.sqrt(n * q * (1 - q)); return math.floor(n * q - s), math.ceil(n * q + s)"),
        true=("one-deviation",),
    ),
    wrong(
        "two.rank_interval",
        "upper end first",
        ranks("return binom.ppf(0.975, n, q) + 1, binom.ppf(0.025, n, q)"),
        true=("swapped",),
    ),
    wrong(
        "two.rank_interval",
        "shares instead of ranks",
        ranks("return binom.ppf(0.025, n, q) / n, (binom.ppf(0.975, n, q) + 1) / n"),
        true=("shares",),
    ),
    wrong(
        "two.rank_interval",
        "variance for the deviation",
        ranks(
            "s = 1.96 * n * q * (1 - q); return max(1, math.floor(n * q - s)), "
            "min(n, math.ceil(n * q + s))"
        ),
    ),
    right(
        "two.rank_interval",
        "a list of whole numbers",
        ranks("return [int(binom.ppf(0.025, n, q)), int(binom.ppf(0.975, n, q)) + 1]"),
    ),
    right(
        "two.rank_interval",
        "array from isf",
        ranks("return np.array([binom.ppf(0.025, n, q), binom.isf(0.025, n, q) + 1])"),
    ),
    wrong(
        "two.fleet_percentile",
        "mean of the percentiles",
        """
def one(host, q):
    total, seen = sum(host.values()), 0
    for edge in sorted(host):
        seen += host[edge]
        if seen >= q * total:
            return edge
    return 0
def fleet_percentile(hosts, q):
    return sum(one(h, q) for h in hosts) / len(hosts)
""",
        true=("averages-idle-hosts-too",),
    ),
    wrong(
        "two.fleet_percentile",
        "later hosts overwrite equal edges",
        """
def fleet_percentile(hosts, q):
    merged = {}
    for host in hosts:
        merged.update(host)
    total, seen = sum(merged.values()), 0
    for edge in sorted(merged):
        seen += merged[edge]
        if seen >= q * total:
            return edge
""",
        true=("overwrites",),
    ),
    wrong(
        "two.fleet_percentile",
        "edges not sorted",
        """
def fleet_percentile(hosts, q):
    merged = {}
    for host in hosts:
        for edge, count in host.items():
            merged[edge] = merged.get(edge, 0) + count
    total, seen = sum(merged.values()), 0
    for edge, count in merged.items():
        seen += count
        if seen >= q * total:
            return edge
""",
        true=("in-the-order-of-arrival",),
    ),
    wrong(
        "two.fleet_percentile",
        "more than the share, not at least",
        """
def fleet_percentile(hosts, q):
    merged = {}
    for host in hosts:
        for edge, count in host.items():
            merged[edge] = merged.get(edge, 0) + count
    total, seen = sum(merged.values()), 0
    for edge in sorted(merged):
        seen += merged[edge]
        if seen > q * total:
            return edge
    return edge
""",
        true=("more-than-a-share",),
    ),
    wrong(
        "two.fleet_percentile",
        "quantile of the edges without counts",
        """
def fleet_percentile(hosts, q):
    edges = sorted(edge for host in hosts for edge in host)
    return edges[math.ceil(q * len(edges)) - 1]
""",
        true=("counts-buckets-once",),
    ),
    wrong(
        "two.fleet_percentile",
        "worst host",
        """
def one(host, q):
    total, seen = sum(host.values()), 0
    for edge in sorted(host):
        seen += host[edge]
        if seen >= q * total:
            return edge
    return 0
def fleet_percentile(hosts, q):
    return max(one(h, q) for h in hosts)
""",
        true=("worst-host",),
    ),
    wrong(
        "two.fleet_percentile",
        "numpy's interpolating quantile",
        """
def fleet_percentile(hosts, q):
    every = [edge for host in hosts for edge, count in host.items() for _ in range(count)]
    return np.quantile(every, q)
""",
        true=("interpolates",),
    ),
    wrong(
        "two.fleet_percentile",
        "lower edge of the bucket",
        """
def fleet_percentile(hosts, q):
    every = sorted(edge for host in hosts for edge, count in host.items() for _ in range(count))
    edges = sorted(set(every))
    k = edges.index(every[math.ceil(q * len(every)) - 1])
    return edges[k - 1] if k else 0
""",
        true=("bucket-before",),
    ),
    right(
        "two.fleet_percentile",
        "candidates tried one by one",
        """
def fleet_percentile(hosts, q):
    total = sum(sum(h.values()) for h in hosts)
    edges = {e for h in hosts for e in h}
    below = lambda x: sum(c for h in hosts for e, c in h.items() if e <= x)
    return min(e for e in edges if below(e) >= q * total)
""",
    ),
    right(
        "two.fleet_percentile",
        "numpy cumulated",
        """
def fleet_percentile(hosts, q):
    pairs = np.array([(e, c) for h in hosts for e, c in h.items()], float)
    pairs = pairs[np.argsort(pairs[:, 0])]
    seen = np.cumsum(pairs[:, 1])
    return pairs[np.searchsorted(seen, q * seen[-1]), 0]
""",
    ),
    wrong(
        "two.tracker",
        "counts from the send",
        tracker("done_ms - due_ms", "done_ms - sent_ms"),
        true=("from-the-send",),
    ),
    wrong(
        "two.tracker",
        "keeps a hundred",
        tracker("deque()", "deque(maxlen=100)"),
        true=("still-a-count-window",),
    ),
    wrong("two.tracker", "empty window is 0", tracker("math.nan", "0.0")),
    wrong(
        "two.tracker",
        "failures left out",
        tracker(
            "self.ended.append((done_ms, done_ms - due_ms if ok else math.inf))",
            "ok and self.ended.append((done_ms, done_ms - due_ms))",
        ),
        true=("drops-failures",),
    ),
    wrong(
        "two.tracker",
        "report is a dict of percentiles",
        tracker("dict(Counter(self.in_window(now_ms)))", '{"p99": self.percentile(0.99, now_ms)}'),
    ),
    wrong(
        "two.tracker", "window ignored", tracker(" if now_ms - self.window_ms < done <= now_ms", "")
    ),
    wrong(
        "two.tracker",
        "failures with their time",
        tracker(" if ok else math.inf", ""),
        true=("failures-as-quick-answers",),
    ),
    wrong(
        "two.tracker",
        "larger bound of entries",
        tracker("deque()", "deque(maxlen=1000)"),
        true=("still-a-count-window",),
    ),
    wrong(
        "two.tracker", "None for nothing", tracker("math.nan", "None"), true=("returns-nothing",)
    ),
    wrong(
        "two.tracker",
        "report lists the values",
        tracker("dict(Counter(self.in_window(now_ms)))", "self.in_window(now_ms)"),
        true=("wrong-type",),
    ),
    wrong(
        "two.tracker",
        "window by the due time",
        tracker("append((done_ms, ", "append((due_ms, "),
        true=("window-not-by-the-end",),
    ),
    right("two.tracker", "as asked", tracker("deque()", "[]")),
    right(
        "two.tracker",
        "other internals",
        """
class Tracker:
    def __init__(self, window_ms):
        self.w, self.by_ms = window_ms, {}
    def record(self, due_ms, sent_ms, done_ms, ok=True):
        self.by_ms.setdefault(done_ms, []).append(done_ms - due_ms if ok else float("inf"))
    def report(self, now_ms):
        counts = {}
        for done, lates in self.by_ms.items():
            if now_ms - self.w < done <= now_ms:
                for late in lates:
                    counts[late] = counts.get(late, 0) + 1
        return counts
    def percentile(self, q, now_ms):
        counts = self.report(now_ms)
        need, seen = math.ceil(q * sum(counts.values())), 0
        for late in sorted(counts):
            seen += counts[late]
            if seen >= need:
                return late
        return float("nan")
""",
    ),
    wrong("two.users", "adds the shares", 20 * 0.01, true=("adds-up",)),
    wrong("two.users", "share of the lucky ones", 0.99**20, true=("all-slow",)),
    wrong("two.users", "share of one request", "1 %", true=("one-percent",)),
    wrong("two.users", "all twenty slow", 0.01**20, true=("every-request-slow",)),
    wrong("two.users", "per cent without the sign", 18.2, true=("scale",)),
    wrong("two.users", "exactly one slow request", 20 * 0.01 * 0.99**19, true=("just-one",)),
    wrong("two.users", "one slow in ten", 1 - 0.9**20),
    wrong("two.users", "nineteen requests", 1 - 0.99**19),
    right("two.users", "exact fraction", 1 - Fraction(99, 100) ** 20),
    right("two.users", "text", "18.2 %"),
    wrong("two.enough", "five per cent on one side", 2995, true=("one-sided",)),
    wrong("two.enough", "the number for a p99", 368, true=("of-p99",)),
    wrong("two.enough", "ten times the number for a p99", 3680, true=("ten-of-p99",)),
    wrong("two.enough", "one request above on average", 1000, true=("one-in-a-thousand",)),
    wrong("two.enough", "rounded down", 3687, true=("rounded-down",)),
    wrong("two.enough", "two more nines", 36888, false=("scale",)),
    wrong("two.enough", "one per cent on the side", 4603, true=("one-per-cent-a-side",)),
    wrong("two.enough", "both ends shared out again", 4380, true=("shared-out-again",)),
    right("two.enough", "text with separator", "3,688"),
    right("two.enough", "a float", 3688.0),
    wrong("two.workload", "only the car", "b", true=("without-d",)),
    wrong("two.workload", "only the typing", "d", true=("without-b",)),
    wrong("two.workload", "the throughput-bound ones", "a, c", true=("a",)),
    wrong("two.workload", "a deadline taken for latency", "a, b, d", true=("a",)),
    wrong("two.workload", "all", "a, b, c, d", true=("a",)),
    wrong("two.workload", "the weekend for the typing", "b, c", true=("c",)),
    right("two.workload", "without comma", "bd"),
    right("two.workload", "capitals and a word", "D and B"),
]
