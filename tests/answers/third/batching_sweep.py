"""Answers to chapter 04, batching sweep, as learners hand them in."""

import numpy as np

from tests.answers.answer import right, wrong


def swap(source, *pairs):
    """``source`` with each old text replaced by its new one."""
    for old, new in pairs:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    return source


# ---------------------------------------------------------------- batch.least_stable

LEAST = [
    wrong(
        "batch.least_stable",
        "rounded up: a batch for which exactly as many come does not keep up",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    spare = 1 - arrival_rate * per_item_s
    if spare <= 0:
        return math.inf
    return max(1, math.ceil(arrival_rate * fixed_s / spare))
""",
        true=("met-exactly",),
    ),
    wrong(
        "batch.least_stable",
        "no machine is too slow: a negative batch above the limit",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    return math.floor(arrival_rate * fixed_s / (1 - arrival_rate * per_item_s)) + 1
""",
        true=("never-refuses",),
    ),
    wrong(
        "batch.least_stable",
        "at exactly the limit it divides by zero: > for >=",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    load = arrival_rate * per_item_s
    if load > 1:
        return math.inf
    return int(arrival_rate * fixed_s / (1 - load)) + 1
""",
    ),
    wrong(
        "batch.least_stable",
        "the loop stops where as many come as the batch holds",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    if arrival_rate * per_item_s >= 1:
        return math.inf
    B = 1
    while arrival_rate * (fixed_s + per_item_s * B) > B:
        B += 1
    return B
""",
        true=("met-exactly",),
    ),
    wrong(
        "batch.least_stable",
        "tries 1, 2, 4, 8 ... only",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    if per_item_s * arrival_rate >= 1:
        return math.inf
    size = 1
    while size / (fixed_s + per_item_s * size) <= arrival_rate:
        size *= 2
    return size
""",
    ),
    wrong(
        "batch.least_stable",
        "searches up to 64 and calls the rest impossible",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    for b in range(1, 65):
        come = arrival_rate * (fixed_s + b * per_item_s)
        if come < b:
            return b
    return math.inf
""",
    ),
    wrong(
        "batch.least_stable",
        "not a whole batch",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    if arrival_rate >= 1 / per_item_s:
        return math.inf
    return arrival_rate * fixed_s / (1 - arrival_rate * per_item_s)
""",
        true=("not-whole",),
    ),
    wrong(
        "batch.least_stable",
        "only the fixed price is spread: the requests' own time forgotten",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    if arrival_rate * per_item_s >= 1:
        return math.inf
    return math.floor(arrival_rate * fixed_s) + 1
""",
        true=("fixed-cost-alone-or-none",),
    ),
    wrong(
        "batch.least_stable",
        "the batch of half efficiency, c0 / c1: ignores the rate",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    if arrival_rate * per_item_s >= 1:
        return math.inf
    return math.ceil(fixed_s / per_item_s)
""",
    ),
    wrong(
        "batch.least_stable",
        "rounded to the nearest",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    free_share = 1 - arrival_rate * per_item_s
    return round(arrival_rate * fixed_s / free_share) if free_share > 0 else math.inf
""",
        true=("to-the-nearest",),
    ),
    right(
        "batch.least_stable",
        "the first of all numbers that keeps up",
        """
import itertools
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    if arrival_rate * per_item_s >= 1:
        return math.inf
    keeps_up = (B for B in itertools.count(1) if arrival_rate * (fixed_s + per_item_s * B) < B)
    return next(keeps_up)
""",
    ),
    right(
        "batch.least_stable",
        "exact decimals, so that the edge is an edge",
        """
from fractions import Fraction

def least_batch(arrival_rate, fixed_s, per_item_s):
    rate, c0, c1 = (Fraction(str(x)) for x in (arrival_rate, fixed_s, per_item_s))
    left = 1 - rate * c1
    return rate * c0 // left + 1 if left > 0 else float("inf")
""",
    ),
    right(
        "batch.least_stable",
        "doubles until it keeps up, then halves the interval",
        """
import math

def least_batch(arrival_rate, fixed_s, per_item_s):
    def drowns(B):
        return arrival_rate * (fixed_s + per_item_s * B) >= B

    if arrival_rate * per_item_s >= 1:
        return math.inf
    low, high = 0, 1  # low drowns (or is no batch), high is to keep up
    while drowns(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if drowns(middle):
            low = middle
        else:
            high = middle
    return high
""",
    ),
]

# ---------------------------------------------------------------- batch.next_batch

NEXT = """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    ready = arrivals[0] + timeout_s
    if len(arrivals) >= max_batch:
        ready = min(ready, arrivals[max_batch - 1])
    start = max(ready, free_s)
    size = 0
    for t in arrivals:
        if t <= start and size < max_batch:
            size += 1
    return start, size
"""

STEP = [
    wrong(
        "batch.next_batch",
        "the window opens only when the machine is free",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    begin = max(arrivals[0], free_s)
    start = begin + timeout_s
    if len(arrivals) >= max_batch:
        start = min(start, max(free_s, arrivals[max_batch - 1]))
    size = sum(1 for a in arrivals[:max_batch] if a <= start)
    return start, size
""",
        true=("window-from-the-server",),
    ),
    wrong(
        "batch.next_batch",
        "members are counted when the batch is ready, not when it starts",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    ready_s = arrivals[0] + timeout_s
    if len(arrivals) >= max_batch:
        ready_s = min(ready_s, arrivals[max_batch - 1])
    members = [a for a in arrivals[:max_batch] if a <= ready_s]
    return max(free_s, ready_s), len(members)
""",
        true=("counts-too-early",),
    ),
    wrong(
        "batch.next_batch",
        "who comes at the very moment of the start is left out",
        swap(NEXT, ("if t <= start", "if t < start")),
        true=("leaves-the-latest",),
    ),
    wrong(
        "batch.next_batch",
        "always waits for the window, even when the batch is full",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    start = max(free_s, arrivals[0] + timeout_s)
    size = min(max_batch, sum(a <= start for a in arrivals))
    return start, size
""",
        true=("never-full",),
    ),
    wrong(
        "batch.next_batch",
        "off by one: full with the request after the last place",
        swap(
            NEXT,
            ("len(arrivals) >= max_batch", "len(arrivals) > max_batch"),
            ("arrivals[max_batch - 1]", "arrivals[max_batch]"),
        ),
        true=("full-one-too-late",),
    ),
    wrong(
        "batch.next_batch",
        "no room is minded: takes all that have come",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    full = arrivals[max_batch - 1] if max_batch <= len(arrivals) else float("inf")
    start = max(free_s, min(full, arrivals[0] + timeout_s))
    return start, len([a for a in arrivals if a <= start])
""",
        true=("knows-no-room",),
    ),
    wrong(
        "batch.next_batch",
        "needs as many requests as fit: an IndexError on a short list",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    ready = min(arrivals[max_batch - 1], arrivals[0] + timeout_s)
    start = max(ready, free_s)
    return start, sum(a <= start for a in arrivals[:max_batch])
""",
    ),
    wrong(
        "batch.next_batch",
        "does not wait for the machine",
        swap(NEXT, ("start = max(ready, free_s)", "start = ready")),
        true=("ignores-the-server",),
    ),
    wrong(
        "batch.next_batch",
        "starts when the window is over although full, the later of the two",
        swap(NEXT, ("ready = min(ready,", "ready = max(ready,")),
        true=("the-later-of-both",),
    ),
    wrong(
        "batch.next_batch",
        "each newcomer starts the window again",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    size = 1
    while size < min(max_batch, len(arrivals)) and (
        arrivals[size] <= max(free_s, arrivals[size - 1] + timeout_s)
    ):
        size += 1
    if size == max_batch:
        start = max(free_s, arrivals[size - 1])
    else:
        start = max(free_s, arrivals[size - 1] + timeout_s)
    return start, size
""",
    ),
    wrong(
        "batch.next_batch",
        "if too few are left to fill it, starts with the last of them without waiting",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    last = min(max_batch, len(arrivals)) - 1
    ready = min(arrivals[last], arrivals[0] + timeout_s)
    start = max(free_s, ready)
    return start, sum(1 for a in arrivals[: last + 1] if a <= start)
""",
    ),
    right(
        "batch.next_batch",
        "bisection, and a slice that may be empty",
        """
from bisect import bisect_right

def next_batch(arrivals, free_s, max_batch, timeout_s):
    filled = arrivals[max_batch - 1 : max_batch]
    start = max(free_s, min([arrivals[0] + timeout_s, *filled]))
    return start, bisect_right(arrivals, start, 0, min(max_batch, len(arrivals)))
""",
    ),
    right(
        "batch.next_batch",
        "request by request, until the next one would come too late",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    deadline = max(free_s, arrivals[0] + timeout_s)
    members = []
    for when in arrivals:
        if when > deadline or len(members) == max_batch:
            break
        members.append(when)
    if len(members) == max_batch:
        return max(free_s, members[-1]), max_batch
    return deadline, len(members)
""",
    ),
    right(
        "batch.next_batch",
        "numpy, padded with infinity",
        """
import numpy as np

def next_batch(arrivals, free_s, max_batch, timeout_s):
    places = np.full(max_batch, np.inf)
    head = np.asarray(arrivals, dtype=float)[:max_batch]
    places[: head.size] = head
    start = float(np.maximum(free_s, np.minimum(places[-1], head[0] + timeout_s)))
    return start, int(np.count_nonzero(head <= start))
""",
    ),
]

# ---------------------------------------------------------------- batch.goodput


def _p99_ms(clock, rate, room=64):
    """The notebook's ``p99_ms`` without a window, in plain numpy."""
    arrivals = clock / rate
    finish = np.empty(arrivals.size)
    free, first = 0.0, 0
    while first < arrivals.size:
        start = max(free, arrivals[first])
        last = min(int(np.searchsorted(arrivals, start, side="right")), first + room)
        free = start + 0.004 + 0.0009 * (last - first)
        finish[first:last] = free
        first = last
    return 1000 * np.quantile(finish - arrivals, 0.99)


def _highest_rate():
    """Halve the interval until the rate at which p99 is 50 ms is known to about 2/s."""
    clock = np.cumsum(np.random.default_rng(7).standard_exponential(200_000))
    keeps, breaks = 700.0, 1000.0
    while breaks - keeps > 2:
        middle = (keeps + breaks) / 2
        if _p99_ms(clock, middle) <= 50:
            keeps = middle
        else:
            breaks = middle
    return keeps


BEST = _highest_rate()

GOODPUT = [
    wrong(
        "batch.goodput", "the rate of the textbook's exercise", 800, true=("the-rate-of-the-text",)
    ),
    wrong("batch.goodput", "the limit of the machine, 1 / c1", 1 / 0.0009, true=("the-limit",)),
    wrong("batch.goodput", "full batches of 16 and their upper end", 720),
    wrong(
        "batch.goodput",
        "throughput of full batches of 32",
        32 / (0.004 + 32 * 0.0009),
        true=("mean-for-p99",),
    ),
    wrong(
        "batch.goodput",
        "the promise holds for the mean, not for the p99",
        968,
        true=("mean-for-p99",),
    ),
    wrong(
        "batch.goodput",
        "throughput of the batch that takes 50 ms",
        51 / (0.004 + 51 * 0.0009),
        true=("largest-batches",),
    ),
    wrong(
        "batch.goodput",
        "throughput of the batch that takes 25 ms: one in service, one to wait for",
        933,
    ),
    wrong("batch.goodput", "requests per millisecond", BEST / 1000, true=("scale",)),
    wrong("batch.goodput", "the batch, not the rate", 64),
    right("batch.goodput", "halving the interval, without a window, up to 64", float(BEST)),
    right("batch.goodput", "down to the last ten", int(BEST // 10 * 10)),
]

# ---------------------------------------------------------------- batch.repair

REPAIR = """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            self.resolve(name, "refused")
            return
        self.waiting.append((name, now_ms))

    def next_batch(self, now_ms):
        if not self.waiting:
            return []
        oldest_ms = self.waiting[0][1]
        late = now_ms - oldest_ms >= self.window_ms
        full = len(self.waiting) >= self.max_batch
        if late or full:
            return self.take()
        return []

    def deliver(self, results):
        matching = len(results) == len(self.running)
        for place, name in enumerate(self.running):
            if name in self.gone:
                continue
            self.resolve(name, results[place] if matching else "failed")
"""

BROKEN = [
    wrong(
        "batch.repair",
        "too few results: the first ones are handed out, only the rest fail",
        swap(
            REPAIR,
            ("        matching = len(results) == len(self.running)\n", ""),
            ("results[place] if matching else", "results[place] if place < len(results) else"),
        ),
        true=("guesses-whose",),
    ),
    wrong(
        "batch.repair",
        "too many results are taken to be all right",
        swap(REPAIR, ("len(results) == len(self.running)", "len(results) >= len(self.running)")),
    ),
    wrong(
        "batch.repair",
        "who hung up is taken out before results are matched: the others get their neighbour's",
        """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.waiting.append((name, now_ms))

    def next_batch(self, now_ms):
        if self.waiting and (
            len(self.waiting) >= self.max_batch
            or now_ms >= self.waiting[0][1] + self.window_ms
        ):
            return self.take()
        return []

    def deliver(self, results):
        complete = len(results) == len(self.running)
        callers = [name for name in self.running if name not in self.gone]
        if not complete:
            results = ["failed"] * len(callers)
        for name, result in zip(callers, results):
            self.resolve(name, result)
""",
        true=("closes-the-gap",),
    ),
    wrong(
        "batch.repair",
        "half-finished: the window still opens when the machine asks",
        """
class DynamicBatcher(Desk):
    since_ms = None

    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.waiting.append((name, now_ms))

    def next_batch(self, now_ms):
        if self.waiting and self.since_ms is None:
            self.since_ms = now_ms
        young = self.since_ms is None or now_ms < self.since_ms + self.window_ms
        if young and len(self.waiting) < self.max_batch:
            return []
        self.since_ms = None
        return self.take()

    def deliver(self, results):
        ok = len(results) == len(self.running)
        for i, name in enumerate(self.running):
            if name not in self.gone:
                self.resolve(name, results[i] if ok else "failed")
""",
        true=("window-from-the-look",),
    ),
    wrong(
        "batch.repair",
        "the window opens at the arrival in an empty queue; who is left over after a batch has none",
        swap(
            REPAIR,
            (
                "        self.waiting.append((name, now_ms))\n",
                "        if not self.waiting:\n"
                "            self.since_ms = now_ms\n"
                "        self.waiting.append((name, now_ms))\n",
            ),
            ("        oldest_ms = self.waiting[0][1]\n", ""),
            ("now_ms - oldest_ms >=", "now_ms - self.since_ms >="),
            (
                "            return self.take()\n",
                "            self.since_ms = now_ms\n            return self.take()\n",
            ),
        ),
        true=("the-rest-waits-again",),
    ),
    wrong(
        "batch.repair",
        "a caller that hung up ends the delivery",
        swap(REPAIR, ("                continue\n", "                break\n")),
        true=("stops-at-the-gone",),
    ),
    wrong(
        "batch.repair",
        "one too many may wait: > max_waiting",
        swap(
            REPAIR,
            ("len(self.waiting) >= self.max_waiting", "len(self.waiting) > self.max_waiting"),
        ),
        true=("one-too-many",),
    ),
    wrong(
        "batch.repair",
        "a millisecond too late: after the window instead of at its end",
        swap(REPAIR, (">= self.window_ms", "> self.window_ms")),
        true=("late-by-a-moment",),
    ),
    wrong(
        "batch.repair",
        "the running ones count as waiting",
        swap(
            REPAIR,
            (
                "len(self.waiting) >= self.max_waiting",
                "len(self.waiting) + len(self.running) >= self.max_waiting",
            ),
        ),
        true=("counts-the-running",),
    ),
    wrong(
        "batch.repair",
        "the one too many is dropped without an answer",
        swap(REPAIR, ('            self.resolve(name, "refused")\n', "")),
        true=("says-nothing",),
    ),
    wrong(
        "batch.repair",
        "in a failed batch, who hung up is answered too",
        """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        if len(self.waiting) < self.max_waiting:
            self.waiting.append((name, now_ms))
        else:
            self.resolve(name, "refused")

    def next_batch(self, now_ms):
        if not self.waiting:
            return []
        deadline = self.waiting[0][1] + self.window_ms
        if now_ms < deadline and len(self.waiting) < self.max_batch:
            return []
        return self.take()

    def deliver(self, results):
        if len(results) != len(self.running):
            for name in self.running:
                self.resolve(name, "failed")
            return
        for name, result in zip(self.running, results):
            if name not in self.gone:
                self.resolve(name, result)
""",
    ),
    wrong(
        "batch.repair",
        "results are counted against those still there",
        swap(
            REPAIR,
            (
                "len(results) == len(self.running)",
                "len(results) == len([n for n in self.running if n not in self.gone])",
            ),
        ),
        true=("all-for-one",),
    ),
    wrong(
        "batch.repair",
        "the refused one is told so and queued all the same",
        swap(REPAIR, ('"refused")\n            return\n', '"refused")\n')),
    ),
    wrong(
        "batch.repair",
        "a full batch waits for its window as well",
        swap(REPAIR, ("if late or full:", "if late:")),
        true=("waits-although-full",),
    ),
    right("batch.repair", "three small methods, early return", REPAIR),
    right(
        "batch.repair",
        "a dict of outcomes, and any() over the reasons to start",
        """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        room = self.max_waiting - len(self.waiting)
        self.waiting.append((name, now_ms)) if room > 0 else self.resolve(name, "refused")

    def _reasons(self, now_ms):
        yield len(self.waiting) >= self.max_batch
        yield any(now_ms >= came + self.window_ms for _, came in self.waiting)

    def next_batch(self, now_ms):
        return self.take() if self.waiting and any(self._reasons(now_ms)) else []

    def deliver(self, results):
        members, results = list(self.running), list(results)
        if len(members) != len(results):
            results = ["failed" for _ in members]
        outcome = dict(zip(members, results))
        for name in members:
            if name not in self.gone:
                self.resolve(name, outcome[name])
""",
    ),
    right(
        "batch.repair",
        "the smallest change of the original: keeps since_ms as a property",
        """
class DynamicBatcher(Desk):
    @property
    def since_ms(self):
        return min((ms for _, ms in self.waiting), default=None)

    def submit(self, name, now_ms):
        if len(self.waiting) < self.max_waiting:
            self.waiting.append((name, now_ms))
        else:
            self.resolve(name, "refused")

    def next_batch(self, now_ms):
        young = self.since_ms is None or now_ms < self.since_ms + self.window_ms
        if young and len(self.waiting) < self.max_batch:
            return []
        return self.take()

    def deliver(self, results):
        if len(results) != len(self.running):
            results = ["failed"] * len(self.running)
        for name, result in zip(self.running, results):
            if name not in self.gone:
                self.resolve(name, result)
""",
    ),
]

# ---------------------------------------------------------------- batch.levers

LEVERS = [
    wrong(
        "batch.levers",
        "the model is thought to matter little: the window alone",
        "c",
        true=("without-d",),
    ),
    wrong(
        "batch.levers", "tuned arithmetic too: 0.81 ms is not more than 1 ms", "cde", true=("e",)
    ),
    wrong("batch.levers", "a second machine is thought to help a lone request", "bcd", true=("b",)),
    wrong("batch.levers", "the model alone", "d", true=("without-c",)),
    wrong("batch.levers", "all but the largest batch", "bcde", true=("b",)),
    wrong("batch.levers", "window and arithmetic, the model missed", "ce", true=("e",)),
    wrong("batch.levers", "a larger batch is more throughput, so faster", "acd", true=("a",)),
    wrong("batch.levers", "everything helps a bit", "abcde", true=("a",)),
    right("batch.levers", "the other way round, with a comma", "d, c"),
    right("batch.levers", "capitals", "CD"),
]

# ---------------------------------------------------------------- batch.padding

PADDING = [
    wrong(
        "batch.padding",
        "the last batch is padded to a full one",
        """
import math

def padding_share(lengths, batch):
    computed = 0
    for i in range(0, len(lengths), batch):
        computed += batch * max(lengths[i : i + batch])
    return 1 - sum(lengths) / computed
""",
        true=("last-batch-full",),
    ),
    wrong(
        "batch.padding",
        "the mean of the batches' shares",
        """
def padding_share(lengths, batch):
    shares = []
    for i in range(0, len(lengths), batch):
        part = lengths[i : i + batch]
        shares.append(1 - sum(part) / (len(part) * max(part)))
    return sum(shares) / len(shares)
""",
        true=("mean-of-shares",),
    ),
    wrong(
        "batch.padding",
        "padding over the real tokens, not over the computed ones",
        """
def padding_share(lengths, batch):
    padding = 0
    for i in range(0, len(lengths), batch):
        group = lengths[i : i + batch]
        padding += sum(max(group) - n for n in group)
    return padding / sum(lengths)
""",
        true=("over-the-useful",),
    ),
    wrong(
        "batch.padding",
        "what is left for the last batch is dropped",
        """
def padding_share(lengths, batch):
    real = total = 0
    for k in range(len(lengths) // batch):
        texts = lengths[k * batch : (k + 1) * batch]
        real += sum(texts)
        total += max(texts) * batch
    return (total - real) / total if total else 0.0
""",
        true=("leaves-the-rest-out",),
    ),
    wrong(
        "batch.padding",
        "all are padded to the longest text of all",
        """
def padding_share(lengths, batch):
    return 1 - sum(lengths) / (len(lengths) * max(lengths))
""",
        true=("longest-of-all",),
    ),
    wrong(
        "batch.padding",
        "sorts first: not the order of arrival",
        """
def padding_share(lengths, batch):
    lengths = sorted(lengths)
    groups = [lengths[i : i + batch] for i in range(0, len(lengths), batch)]
    computed = sum(len(g) * g[-1] for g in groups)
    return 1 - sum(lengths) / computed
""",
        true=("sorted-first",),
    ),
    wrong(
        "batch.padding",
        "the share that is no padding",
        """
def padding_share(lengths, batch):
    rows = [lengths[i : i + batch] for i in range(0, len(lengths), batch)]
    return sum(lengths) / sum(len(row) * max(row) for row in rows)
""",
        true=("useful-share",),
    ),
    wrong(
        "batch.padding",
        "in percent",
        """
def padding_share(lengths, batch):
    rows = [lengths[i : i + batch] for i in range(0, len(lengths), batch)]
    computed = sum(len(row) * max(row) for row in rows)
    return 100 * (computed - sum(lengths)) / computed
""",
        true=("constant-factor",),
    ),
    wrong(
        "batch.padding",
        "the share of texts that are padded, not of tokens",
        """
def padding_share(lengths, batch):
    padded = 0
    for i in range(0, len(lengths), batch):
        group = lengths[i : i + batch]
        padded += sum(n < max(group) for n in group)
    return padded / len(lengths)
""",
    ),
    wrong(
        "batch.padding",
        "dealt out like cards: every batch-th text into one batch, as if batch were their number",
        """
def padding_share(lengths, batch):
    computed = 0
    for k in range(batch):
        part = lengths[k::batch]
        computed += len(part) * max(part, default=0)
    return 1 - sum(lengths) / computed
""",
    ),
    right(
        "batch.padding",
        "numpy: the maxima of each stretch, repeated for its members",
        """
import numpy as np

def padding_share(lengths, batch):
    tokens = np.asarray(lengths, dtype=float)
    starts = np.arange(0, tokens.size, batch)
    longest = np.repeat(np.maximum.reduceat(tokens, starts), batch)[: tokens.size]
    return float((longest - tokens).sum() / longest.sum())
""",
    ),
    right(
        "batch.padding",
        "an iterator that is eaten batch by batch",
        """
from itertools import islice

def padding_share(lengths, batch):
    texts, empty, computed = iter(lengths), 0, 0
    while group := list(islice(texts, batch)):
        computed += max(group) * len(group)
        empty += sum(max(group) - length for length in group)
    return empty / computed
""",
    ),
    right(
        "batch.padding",
        "a dict from the batch's number to its texts",
        """
from collections import defaultdict

def padding_share(lengths, batch):
    members = defaultdict(list)
    for i, n in enumerate(lengths):
        members[i // batch].append(n)
    return 1 - sum(map(sum, members.values())) / sum(len(m) * max(m) for m in members.values())
""",
    ),
]

ANSWERS = [*LEAST, *STEP, *GOODPUT, *BROKEN, *LEVERS, *PADDING]
