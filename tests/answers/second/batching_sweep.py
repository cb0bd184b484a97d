"""Second trial answers to exercises of chapter 04."""

from tests.answers.answer import right, wrong


def least(body: str) -> str:
    """The least batch, with this expression where one keeps up."""
    return (
        "import math\ndef least_batch(arrival_rate, fixed_s, per_item_s):\n"
        "    room = 1 - arrival_rate * per_item_s\n    if room <= 0:\n        return math.inf\n"
        f"    b = arrival_rate * fixed_s / room\n    return {body}\n"
    )


def padding(body: str) -> str:
    """The share of padding from real and computed tokens."""
    return (
        "def padding_share(lengths, batch):\n"
        "    parts = [lengths[i:i + batch] for i in range(0, len(lengths), batch)]\n"
        "    real, full = sum(lengths), sum(len(p) * max(p) for p in parts)\n"
        f"    return {body}\n"
    )


def formed(body: str) -> str:
    """The next batch with these lines."""
    return (
        "import math\nimport numpy as np\nfrom bisect import bisect_left, bisect_right\n"
        "def next_batch(arrivals, free_s, max_batch, timeout_s):\n"
        "    full = arrivals[max_batch - 1] if len(arrivals) >= max_batch else math.inf\n"
        f"    {body}\n"
    )


DESK = "from labutils.exercises.catalog.batching_sweep.desk import Desk\n"

REPAIRED = """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.waiting.append((name, now_ms))
    def next_batch(self, now_ms):
        if not self.waiting:
            return []
        young = now_ms < self.waiting[0][1] + self.window_ms
        if young and len(self.waiting) < self.max_batch:
            return []
        return self.take()
    def deliver(self, results):
        if len(results) != len(self.running):
            results = ["failed"] * len(self.running)
        for name, result in zip(self.running, results):
            if name not in self.gone:
                self.resolve(name, result)
        self.running = []
"""

SINCE = """    since_ms = None
    def submit(self, name, now_ms):
        if len(self.waiting) >= self.max_waiting:
            self.resolve(name, "refused")
        else:
            self.since_ms = now_ms if self.since_ms is None else self.since_ms
            self.waiting.append((name, now_ms))
    def next_batch(self, now_ms):
        if not self.waiting:
            return []
        young = now_ms < self.since_ms + self.window_ms
        if young and len(self.waiting) < self.max_batch:
            return []
        self.since_ms = None
        names = self.take()
        if self.waiting:
            self.since_ms = now_ms
        return names
"""


def desk(*changes: tuple[str, str]) -> str:
    """The repaired batcher with some pieces replaced."""
    text = REPAIRED
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return DESK + text


ANSWERS = [
    wrong(
        "batch.least_stable",
        "exactly enough keeps up",
        least("math.ceil(b)"),
        true=("met-exactly",),
    ),
    wrong("batch.least_stable", "rounded down", least("int(b)"), true=("one-less",)),
    wrong(
        "batch.least_stable", "rounded to the nearest", least("round(b)"), true=("to-the-nearest",)
    ),
    wrong("batch.least_stable", "not whole", least("b"), true=("not-whole",)),
    wrong("batch.least_stable", "one too many", least("math.floor(b) + 2"), true=("one-more",)),
    wrong(
        "batch.least_stable",
        "the costs divided by each other",
        least("int(per_item_s / fixed_s) + 1"),
    ),
    right("batch.least_stable", "the next whole number", least("math.floor(b) + 1")),
    wrong("batch.levers", "the window only", "c", true=("without-d",)),
    wrong("batch.levers", "the tuned arithmetic too", "c, d, e", true=("e",)),
    wrong("batch.levers", "a second machine too", "b, c, d", true=("b",)),
    wrong("batch.levers", "the model only", "d", true=("without-c",)),
    wrong("batch.levers", "c and e", "c, e", true=("e",)),
    wrong("batch.levers", "all but the first", "b, c, d, e", true=("b",)),
    right("batch.levers", "other order", "d, c"),
    right("batch.levers", "capitals", "C, D"),
    wrong(
        "batch.padding",
        "padding over real tokens",
        padding("(full - real) / real"),
        true=("over-the-useful",),
    ),
    wrong(
        "batch.padding", "the share that is real", padding("real / full"), true=("useful-share",)
    ),
    wrong("batch.padding", "padded tokens", padding("full - real"), true=("tokens-not-share",)),
    wrong(
        "batch.padding",
        "per cent",
        padding("100 * (full - real) / full"),
        true=("constant-factor",),
    ),
    wrong(
        "batch.padding",
        "the last batch filled up",
        padding("1 - real / sum(batch * max(p) for p in parts)"),
        true=("last-batch-full",),
    ),
    wrong(
        "batch.padding",
        "mean of the batches' shares",
        padding("sum(1 - sum(p) / len(p) / max(p) for p in parts) / len(parts)"),
        true=("mean-of-shares",),
    ),
    right("batch.padding", "one minus the real share", padding("1 - real / full")),
    wrong(
        "batch.next_batch",
        "the window begins when the machine is free",
        formed(
            "start = max(free_s, min(full, max(arrivals[0], free_s) + timeout_s)); "
            "return start, min(max_batch, sum(a <= start for a in arrivals))"
        ),
        true=("window-from-the-server",),
    ),
    wrong(
        "batch.next_batch",
        "who comes at the start is left behind",
        formed(
            "start = max(free_s, min(full, arrivals[0] + timeout_s)); "
            "return start, max(1, min(max_batch, sum(a < start for a in arrivals)))"
        ),
        true=("leaves-whoever-comes-then",),
    ),
    wrong(
        "batch.next_batch",
        "counts who was there when the batch was ready",
        formed(
            "ready = min(full, arrivals[0] + timeout_s); "
            "return max(free_s, ready), min(max_batch, sum(a <= ready for a in arrivals))"
        ),
        true=("counts-too-early",),
    ),
    wrong(
        "batch.next_batch",
        "does not start when full, only when the window has passed",
        formed(
            "start = max(free_s, arrivals[0] + timeout_s); "
            "return start, min(max_batch, sum(a <= start for a in arrivals))"
        ),
        true=("never-full",),
    ),
    wrong(
        "batch.next_batch",
        "no limit of the size",
        formed(
            "start = max(free_s, min(full, arrivals[0] + timeout_s)); "
            "return start, sum(a <= start for a in arrivals)"
        ),
        true=("knows-no-room",),
    ),
    wrong(
        "batch.next_batch",
        "the machine is always free",
        formed(
            "start = min(full, arrivals[0] + timeout_s); "
            "return start, min(max_batch, sum(a <= start for a in arrivals))"
        ),
        true=("ignores-the-server",),
    ),
    wrong(
        "batch.next_batch",
        "full by one request too late",
        """
import math
def next_batch(arrivals, free_s, max_batch, timeout_s):
    full = arrivals[max_batch] if len(arrivals) > max_batch else math.inf
    start = max(free_s, min(full, arrivals[0] + timeout_s))
    return start, min(max_batch, sum(a <= start for a in arrivals))
""",
        true=("full-one-too-late",),
    ),
    wrong(
        "batch.next_batch",
        "few requests forgotten",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    start = max(free_s, min(arrivals[max_batch - 1], arrivals[0] + timeout_s))
    return start, min(max_batch, sum(a <= start for a in arrivals))
""",
    ),
    wrong(
        "batch.next_batch",
        "size before start",
        formed(
            "start = max(free_s, min(full, arrivals[0] + timeout_s)); "
            "return min(max_batch, sum(a <= start for a in arrivals)), start"
        ),
        true=("swapped",),
    ),
    wrong(
        "batch.next_batch",
        "the later of full and window",
        formed(
            "ready = full if full < math.inf else arrivals[0] + timeout_s; "
            "start = max(free_s, ready, arrivals[0] + timeout_s); "
            "return start, min(max_batch, sum(a <= start for a in arrivals))"
        ),
        true=("the-later-of-both",),
    ),
    right(
        "batch.next_batch",
        "by bisection",
        formed(
            "start = max(free_s, min(full, arrivals[0] + timeout_s)); "
            "return start, bisect_right(arrivals, start, hi=min(max_batch, len(arrivals)))"
        ),
    ),
    right(
        "batch.next_batch",
        "request by request",
        """
def next_batch(arrivals, free_s, max_batch, timeout_s):
    deadline, members = max(free_s, arrivals[0] + timeout_s), []
    for arrival in arrivals:
        if len(members) == max_batch or arrival > deadline:
            break
        members.append(arrival)
    if len(members) == max_batch:
        return max(free_s, members[-1]), max_batch
    return deadline, len(members)
""",
    ),
    wrong("batch.goodput", "the rate of the textbook", 800, true=("the-rate-of-the-text",)),
    wrong("batch.goodput", "the best full batch", 770, true=("best-full-batch",)),
    wrong("batch.goodput", "the limit of the machine", 1111, true=("the-limit",)),
    wrong("batch.goodput", "a window of 20 ms", 774, true=("best-full-batch",)),
    wrong("batch.goodput", "up to 16 without a window", 790, true=("room-for-sixteen",)),
    wrong("batch.goodput", "the p95 within the promise", 868),
    wrong("batch.goodput", "the mean within the promise", 962, true=("mean-for-p99",)),
    wrong("batch.goodput", "the median within the promise", 970, true=("mean-for-p99",)),
    wrong("batch.goodput", "every request within the promise", 694),
    wrong(
        "batch.goodput",
        "the throughput of full batches of 64",
        64 / (0.004 + 0.0009 * 64),
        true=("largest-batches",),
    ),
    right("batch.goodput", "rounded to tens", 820),
    right("batch.goodput", "text with the unit", "821 /s"),
    wrong(
        "batch.repair",
        "the window begins at the first look",
        desk(
            ("class DynamicBatcher(Desk):", "class DynamicBatcher(Desk):\n    since_ms = None"),
            (
                "        young = now_ms < self.waiting[0][1] + self.window_ms",
                "        if self.since_ms is None:\n            self.since_ms = now_ms\n"
                "        young = now_ms < self.since_ms + self.window_ms",
            ),
            (
                "        return self.take()",
                "        self.since_ms = None\n        return self.take()",
            ),
        ),
        true=("window-from-the-look",),
    ),
    wrong(
        "batch.repair",
        "only the missing results fail",
        desk(
            (
                'results = ["failed"] * len(self.running)',
                'results = list(results) + ["failed"] * (len(self.running) - len(results))',
            )
        ),
        true=("guesses-whose",),
    ),
    wrong(
        "batch.repair",
        "results that are too many are cut off",
        desk(("len(results) != len(self.running)", "len(results) < len(self.running)")),
    ),
    wrong(
        "batch.repair",
        "one more may wait",
        desk(("len(self.waiting) >= self.max_waiting", "len(self.waiting) > self.max_waiting")),
        true=("one-too-many",),
    ),
    wrong(
        "batch.repair",
        "the refused caller is told nothing",
        desk(('self.resolve(name, "refused")', "return")),
        true=("says-nothing",),
    ),
    wrong(
        "batch.repair",
        "one who hung up ends the delivery",
        desk(
            (
                "        for name, result in zip(self.running, results):\n"
                "            if name not in self.gone:\n"
                "                self.resolve(name, result)\n",
                "        try:\n"
                "            for name, result in zip(self.running, results):\n"
                "                self.resolve(name, result)\n"
                "        except Exception:\n"
                "            pass\n",
            )
        ),
        true=("stops-at-the-gone",),
    ),
    wrong(
        "batch.repair",
        "who hung up is taken out before the results are dealt",
        desk(
            (
                "        if len(results)",
                "        self.running = [one for one in self.running if one not in self.gone]\n"
                "        if len(results)",
            )
        ),
        true=("all-for-one",),
    ),
    wrong(
        "batch.repair",
        "who stays behind waits the window again",
        DESK
        + "class DynamicBatcher(Desk):\n"
        + SINCE
        + REPAIRED[REPAIRED.index("    def deliver") :],
        true=("the-rest-waits-again",),
    ),
    wrong(
        "batch.repair",
        "one millisecond late",
        desk(("now_ms < self.waiting[0][1]", "now_ms <= self.waiting[0][1]")),
        true=("late-by-a-moment",),
    ),
    wrong(
        "batch.repair",
        "who is in work counts as waiting",
        desk(("if len(self.waiting) >=", "if len(self.waiting) + len(self.running) >=")),
        true=("counts-the-running",),
    ),
    wrong(
        "batch.repair",
        "who hung up is told so",
        desk(
            (
                "                self.resolve(name, result)",
                "                self.resolve(name, result)\n            else:\n"
                '                self.answers[name] = "cancelled"',
            )
        ),
    ),
    wrong(
        "batch.repair",
        "the window of the youngest",
        desk(("waiting[0]", "waiting[-1]")),
        true=("window-from-the-newest",),
    ),
    right(
        "batch.repair",
        "guards first, names popped one by one",
        DESK
        + """
class DynamicBatcher(Desk):
    def submit(self, name, now_ms):
        room = self.max_waiting - len(self.waiting)
        if room < 1:
            return self.resolve(name, "refused")
        self.waiting += [(name, now_ms)]
    def is_ready(self, now_ms):
        if len(self.waiting) >= self.max_batch:
            return True
        return any(now_ms - came >= self.window_ms for _, came in self.waiting)
    def next_batch(self, now_ms):
        return self.take() if self.is_ready(now_ms) else []
    def deliver(self, results):
        results, fits = list(results), len(results) == len(self.running)
        while self.running:
            name = self.running.pop()
            answer = results.pop() if fits else "failed"
            if name not in self.gone:
                self.resolve(name, answer)
""",
    ),
    right(
        "batch.repair",
        "a resolve of its own",
        DESK
        + """
class Batcher(Desk):
    def resolve(self, name, answer):
        if name in self.gone:
            return
        super().resolve(name, answer)
    def submit(self, name, now_ms):
        if len(self.waiting) < self.max_waiting:
            self.waiting.append((name, now_ms))
        else:
            self.resolve(name, "refused")
    def next_batch(self, now_ms):
        due = bool(self.waiting) and now_ms >= self.waiting[0][1] + self.window_ms
        return self.take() if due or len(self.waiting) >= self.max_batch else []
    def deliver(self, results):
        try:
            pairs = list(zip(self.running, results, strict=True))
        except ValueError:
            pairs = [(name, "failed") for name in self.running]
        for pair in pairs:
            self.resolve(*pair)
""",
    ),
]
