"""Trial answers to the exercises of chapter 04."""

import math

import numpy as np

from labutils import batching
from labutils import simulation as sim
from tests.answers.answer import right, wrong


def best_rate():
    """The highest rate whose p99 is 50 ms, without a window."""
    clock = np.cumsum(np.random.default_rng(7).standard_exponential(200_000))
    model, low, high = batching.AffineBatchTime(0.004, 0.0009), 100, 1000
    while high - low > 1:
        rate = (low + high) / 2
        run = sim.batch_queue(clock / rate, model, max_batch=64, batch_timeout_s=0)
        fits = np.quantile(run.sojourn_time_s, 0.99) <= 0.050
        low, high = (rate, high) if fits else (low, rate)
    return low


RATE = best_rate()


def least(body: str) -> str:
    """The least batch with this body."""
    return f"def least_batch(arrival_rate, fixed_s, per_item_s):\n    {body}\n"


NEXT = """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    full = arrivals[max_batch - 1] if len(arrivals) >= max_batch else math.inf
    start = max(free_s, min(full, arrivals[0] + timeout_s))
    return start, min(max_batch, sum(a <= start for a in arrivals))
"""
DESK = """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.waiting.append((name, now_ms))
    def next_batch(self, now_ms):
        young = not self.waiting or now_ms < self.waiting[0][1] + self.window_ms
        if young and len(self.waiting) < self.max_batch:
            return []
        return self.take()
    def deliver(self, results):
        if len(results) != len(self.running):
            results = ["failed"] * len(self.running)
        for name, result in zip(self.running, results):
            if name not in self.gone:
                self.resolve(name, result)
"""


def changed(text: str, old: str, new: str) -> str:
    """The text with one piece replaced."""
    assert old in text, old
    return text.replace(old, new)


EDGE = "if arrival_rate * per_item_s >= 1: return math.inf\n    "
X = "arrival_rate * fixed_s / (1 - arrival_rate * per_item_s)"
ANSWERS = [
    wrong(
        "batch.least_stable",
        "rounded up, equality keeps up",
        least(EDGE + f"return max(1, math.ceil({X}))"),
        true=("met-exactly",),
    ),
    wrong(
        "batch.least_stable",
        "no machine is refused",
        least(f"return math.floor({X}) + 1"),
        true=("never-refuses",),
    ),
    wrong(
        "batch.least_stable",
        "only the fixed price",
        least(EDGE + "return math.floor(arrival_rate * fixed_s) + 1"),
        true=("fixed-cost-alone-or-none",),
    ),
    wrong("batch.least_stable", "not rounded", least(EDGE + f"return {X}"), true=("not-whole",)),
    wrong(
        "batch.least_stable",
        "one too many",
        least(EDGE + f"return math.floor({X}) + 2"),
        true=("one-more",),
    ),
    wrong(
        "batch.least_stable",
        "rounded down",
        least(EDGE + f"return max(1, math.floor({X}))"),
        true=("rounded-down",),
    ),
    wrong(
        "batch.least_stable",
        "costs swapped",
        least(
            "if arrival_rate * fixed_s >= 1: return math.inf\n    "
            "return math.floor(arrival_rate * per_item_s / (1 - arrival_rate * fixed_s)) + 1"
        ),
        true=("costs-swapped",),
    ),
    wrong(
        "batch.least_stable",
        "search stops at 64",
        least(
            "return next((b for b in range(1, 65) "
            "if arrival_rate * (fixed_s + per_item_s * b) < b), math.inf)"
        ),
    ),
    wrong(
        "batch.least_stable",
        "None for none",
        least(EDGE.replace("math.inf", "None") + f"return math.floor({X}) + 1"),
        true=("returns-nothing",),
    ),
    wrong(
        "batch.least_stable",
        "half efficiency",
        least(EDGE + "return max(1, math.ceil(fixed_s / per_item_s))"),
    ),
    right("batch.least_stable", "float from numpy", least(EDGE + f"return np.floor({X}) + 1")),
    right(
        "batch.least_stable",
        "search",
        least(
            EDGE + "b = 1\n    while b <= arrival_rate * (fixed_s + per_item_s * b): b += 1\n"
            "    return b"
        ),
    ),
    wrong(
        "batch.next_batch",
        "waits for the timeout even when full",
        changed(NEXT, "min(full, arrivals[0] + timeout_s)", "arrivals[0] + timeout_s"),
        true=("never-full",),
    ),
    wrong(
        "batch.next_batch",
        "timeout from when the machine is free",
        changed(
            NEXT,
            "max(free_s, min(full, arrivals[0] + timeout_s))",
            "max(free_s, min(full, max(free_s, arrivals[0]) + timeout_s))",
        ),
        true=("window-from-the-server",),
    ),
    wrong(
        "batch.next_batch",
        "at that moment left out",
        changed(NEXT, "a <= start", "a < start"),
        true=("leaves-the-latest",),
    ),
    wrong(
        "batch.next_batch",
        "no room limit",
        changed(
            NEXT,
            "min(max_batch, sum(a <= start for a in arrivals))",
            "sum(a <= start for a in arrivals)",
        ),
        true=("knows-no-room",),
    ),
    wrong(
        "batch.next_batch",
        "those who were there when ready",
        changed(NEXT, "sum(a <= start", "sum(a <= min(full, arrivals[0] + timeout_s)"),
        true=("counts-too-early",),
    ),
    wrong(
        "batch.next_batch",
        "full one too late",
        changed(
            NEXT,
            "arrivals[max_batch - 1] if len(arrivals) >= max_batch",
            "arrivals[max_batch] if len(arrivals) > max_batch",
        ),
        true=("full-one-too-late",),
    ),
    wrong(
        "batch.next_batch",
        "later of full and timeout",
        changed(
            NEXT,
            "min(full, arrivals[0] + timeout_s)",
            "max(full if full < math.inf else 0, arrivals[0] + timeout_s)",
        ),
    ),
    wrong(
        "batch.next_batch",
        "ignores the machine",
        changed(
            NEXT,
            "max(free_s, min(full, arrivals[0] + timeout_s))",
            "min(full, arrivals[0] + timeout_s)",
        ),
        true=("ignores-the-server",),
    ),
    wrong(
        "batch.next_batch",
        "size first",
        changed(
            NEXT,
            "return start, min(max_batch, sum(a <= start for a in arrivals))",
            "return min(max_batch, sum(a <= start for a in arrivals)), start",
        ),
        true=("swapped",),
    ),
    wrong(
        "batch.next_batch",
        "few requests never full are taken at once",
        changed(NEXT, "else math.inf", "else arrivals[-1]"),
    ),
    right(
        "batch.next_batch",
        "bisect",
        """
from bisect import bisect_right
def next_batch(arrivals, free_s, max_batch, timeout_s):
    ready = arrivals[0] + timeout_s
    if len(arrivals) >= max_batch:
        ready = min(ready, arrivals[max_batch - 1])
    start = max(free_s, ready)
    return [start, min(bisect_right(arrivals, start), max_batch)]
""",
    ),
    right("batch.next_batch", "as asked", NEXT),
    wrong("batch.goodput", "the rate of the text", 800, true=("the-rate-of-the-text",)),
    wrong("batch.goodput", "the limit of the machine", 1111, true=("the-limit",)),
    wrong("batch.goodput", "with a window of 5 ms", 0.95 * RATE),
    wrong("batch.goodput", "what a batch of 64 carries", 64 / 0.0616, true=("largest-batches",)),
    wrong("batch.goodput", "mean latency instead of the p99", 900),
    wrong(
        "batch.goodput",
        "largest batch that fits into 50 ms",
        51 / 0.0499,
        true=("largest-batches",),
    ),
    wrong("batch.goodput", "full batches of 16", 0.8 * RATE),
    wrong("batch.goodput", "half of the limit", 555),
    right("batch.goodput", "simulated", RATE),
    right("batch.goodput", "text", f"{round(RATE)} req/s"),
    wrong(
        "batch.repair",
        "window from the look",
        changed(
            DESK,
            "now_ms < self.waiting[0][1] + self.window_ms",
            "now_ms < self.__dict__.setdefault('seen', now_ms) + self.window_ms",
        ),
        true=("window-from-the-look",),
    ),
    wrong(
        "batch.repair",
        "goes one millisecond late",
        changed(DESK, "now_ms < self", "now_ms <= self"),
        true=("late-by-a-moment",),
    ),
    wrong(
        "batch.repair",
        "nobody refused",
        changed(DESK, "len(self.waiting) >= self.max_waiting", "False"),
        true=("takes-everybody",),
    ),
    wrong(
        "batch.repair",
        "one more let in",
        changed(DESK, ">= self.max_waiting", "> self.max_waiting"),
        true=("one-too-many",),
    ),
    wrong(
        "batch.repair",
        "refused without an answer",
        changed(DESK, 'self.resolve(name, "refused")', "return"),
        true=("says-nothing",),
    ),
    wrong(
        "batch.repair",
        "only short results fail",
        changed(DESK, "len(results) != len(self.running)", "len(results) < len(self.running)"),
    ),
    wrong(
        "batch.repair",
        "only those without a result fail",
        changed(
            DESK,
            'results = ["failed"] * len(self.running)',
            'results = list(results) + ["failed"] * len(self.running)',
        ),
        true=("guesses-whose",),
    ),
    wrong(
        "batch.repair",
        "answers who hung up",
        changed(DESK, "if name not in self.gone", "if True"),
        true=("stumbles-over-the-gone",),
    ),
    wrong(
        "batch.repair",
        "hang-up fails the whole batch",
        changed(
            DESK,
            "len(results) != len(self.running)",
            "len(results) != len(self.running) or self.gone",
        ),
        true=("all-for-one",),
    ),
    wrong(
        "batch.repair",
        "raises for a wrong number",
        changed(DESK, 'results = ["failed"] * len(self.running)', 'raise ValueError("results")'),
    ),
    right("batch.repair", "as asked", DESK),
    wrong("batch.levers", "arithmetic too", "c, d, e", true=("e",)),
    wrong("batch.levers", "only the window", "c", true=("without-d",)),
    wrong("batch.levers", "second machine too", "b, c, d", true=("b",)),
    wrong("batch.levers", "only the model", "d", true=("without-c",)),
    wrong("batch.levers", "all", "a, b, c, d, e", true=("a",)),
    wrong("batch.levers", "those that do not", "a, b, e", true=("a",)),
    wrong("batch.levers", "larger batches and the window", "a, c", true=("a",)),
    right("batch.levers", "without comma", "dc"),
    right("batch.levers", "capitals", "C and D"),
]
PAD = """
def padding_share(lengths, batch):
    groups = [lengths[i:i + batch] for i in range(0, len(lengths), batch)]
    total = sum(len(g) * max(g) for g in groups)
    return (total - sum(lengths)) / total
"""
ANSWERS += [
    wrong(
        "batch.padding",
        "last batch counted as full",
        changed(PAD, "len(g)", "batch"),
        true=("last-batch-full",),
    ),
    wrong(
        "batch.padding",
        "over the real tokens",
        changed(PAD, "/ total", "/ sum(lengths)"),
        true=("over-the-useful",),
    ),
    wrong(
        "batch.padding",
        "mean of the shares of the batches",
        changed(
            PAD,
            "return (total - sum(lengths)) / total",
            "return sum(1 - sum(g) / (len(g) * max(g)) for g in groups) / len(groups)",
        ),
        true=("mean-of-shares",),
    ),
    wrong(
        "batch.padding",
        "share that is not padding",
        changed(PAD, "(total - sum(lengths)) / total", "sum(lengths) / total"),
        true=("useful-share",),
    ),
    wrong(
        "batch.padding",
        "padded to the longest of all",
        changed(PAD, "max(g)", "max(lengths)"),
        true=("longest-of-all",),
    ),
    wrong(
        "batch.padding",
        "last batch dropped",
        changed(PAD, "range(0, len(lengths), batch)", "range(0, len(lengths) - batch + 1, batch)"),
    ),
    wrong(
        "batch.padding",
        "sorted first",
        changed(PAD, "    groups", "    lengths = sorted(lengths)\n    groups"),
        true=("sorted-first",),
    ),
    wrong(
        "batch.padding",
        "number of padding tokens",
        changed(PAD, ") / total", ")"),
        true=("tokens-not-share",),
    ),
    wrong(
        "batch.padding",
        "per cent",
        changed(PAD, "return (", "return 100 * ("),
        true=("constant-factor",),
    ),
    right(
        "batch.padding",
        "numpy with zeros",
        """
def padding_share(lengths, batch):
    x = np.array(lengths, float)
    top = np.maximum.reduceat(x, np.arange(0, len(x), batch)).repeat(batch)[:len(x)]
    return 1 - x.sum() / top.sum()
""",
    ),
    right("batch.padding", "as asked", PAD),
]
assert math.isfinite(RATE)
