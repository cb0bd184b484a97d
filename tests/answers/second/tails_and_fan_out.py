"""Second trial answers to exercises of chapter 08."""

from fractions import Fraction

from tests.answers.answer import right, wrong


def leaf(body: str) -> str:
    """The leaf quantile with this expression."""
    return (
        "import math\nimport numpy as np\n"
        f"def leaf_quantile(page_quantile, num_leaves):\n    return {body}\n"
    )


def trigger(body: str) -> str:
    """The delay with these lines, the log sorted before."""
    return (
        "import math\nimport numpy as np\n"
        "def hedge_delay(latencies, budget):\n"
        "    ranked, n = sorted(latencies), len(latencies)\n"
        f"    {body}\n"
    )


def page(body: str) -> str:
    """The page's latency with these lines, after the leaf quantile and the sorted sample."""
    return (
        "import math\nimport numpy as np\n"
        "def page_latency(leaf_latencies, page_quantile, num_leaves):\n"
        "    u, m = page_quantile ** (1 / num_leaves), len(leaf_latencies)\n"
        "    ranked = sorted(leaf_latencies)\n"
        f"    {body}\n"
    )


BUCKET = """
def within_budget(wants, share, burst):
    tokens, sent = burst, []
    for want in wants:
        tokens = min(burst, tokens + share)
        send = bool(want) and tokens >= 1
        if send:
            tokens -= 1
        sent.append(send)
    return sent
"""


def bucket(*changes: tuple[str, str]) -> str:
    """The token bucket with some pieces replaced."""
    text = BUCKET
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


ANSWERS = [
    wrong("tails.ten_calls", "the rule of the heading believed", 0.99, true=("the-slide",)),
    wrong(
        "tails.ten_calls",
        "the share that is not complete",
        1 - 0.9**10,
        true=("at-least-one-late",),
    ),
    wrong("tails.ten_calls", "the share of one call", "90 %", true=("one-call",)),
    wrong("tails.ten_calls", "p99 in the place of p90", 0.99**10, true=("single-p99",)),
    wrong("tails.ten_calls", "the root in the place of the power", 0.9**0.1, true=("the-slide",)),
    wrong("tails.ten_calls", "per cent without the sign", 34.9, true=("scale",)),
    wrong("tails.ten_calls", "the slow shares added up", 0),
    wrong("tails.ten_calls", "all ten slow", 0.1**10, true=("all-late",)),
    wrong("tails.ten_calls", "all but one call", 0.9**9, true=("nine-calls",)),
    right("tails.ten_calls", "exact fraction", Fraction(9, 10) ** 10),
    right("tails.ten_calls", "rounded to a whole per cent", "35 %"),
    wrong(
        "tails.leaf_quantile",
        "brackets forgotten",
        leaf("page_quantile ** 1 / num_leaves"),
        true=("divides-the-quantile",),
    ),
    wrong(
        "tails.leaf_quantile",
        "power in the place of the root",
        leaf("page_quantile**num_leaves"),
        true=("page-from-leaf",),
    ),
    wrong(
        "tails.leaf_quantile",
        "the slow share dealt out among the leaves",
        leaf("1 - (1 - page_quantile) / num_leaves"),
        true=("divides-the-slow-share",),
    ),
    wrong(
        "tails.leaf_quantile",
        "the root of two leaves, as in the case by hand",
        leaf("math.sqrt(page_quantile)"),
        true=("square-root",),
    ),
    wrong(
        "tails.leaf_quantile",
        "root of the slow share",
        leaf("1 - (1 - page_quantile) ** (1 / num_leaves)"),
        true=("root-of-the-slow-share",),
    ),
    wrong(
        "tails.leaf_quantile",
        "the slow share instead of the fast one",
        leaf("1 - page_quantile ** (1 / num_leaves)"),
        true=("slow-share",),
    ),
    wrong(
        "tails.leaf_quantile",
        "in per cent",
        leaf("100 * page_quantile ** (1 / num_leaves)"),
        true=("in-per-cent",),
    ),
    wrong(
        "tails.leaf_quantile",
        "rounded to four places",
        leaf("round(page_quantile ** (1 / num_leaves), 4)"),
        true=("rounded",),
    ),
    wrong(
        "tails.leaf_quantile",
        "root by one leaf fewer",
        leaf("page_quantile ** (1 / max(num_leaves - 1, 1))"),
        true=("one-leaf-fewer",),
    ),
    right(
        "tails.leaf_quantile", "by logarithms", leaf("np.exp(np.log(page_quantile) / num_leaves)")
    ),
    right(
        "tails.leaf_quantile",
        "by halving the interval",
        """
def leaf_quantile(page_quantile, num_leaves):
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if middle**num_leaves > page_quantile else (middle, high)
    return high
""",
    ),
    wrong("tails.revive", "without turning traffic away", "c, d", true=("without-f",)),
    wrong("tails.revive", "the switch of the story alone", "c", true=("without-d",)),
    wrong("tails.revive", "a longer trigger too", "b, c, d, f", true=("b",)),
    wrong("tails.revive", "two more servers too", "c, d, e, f", true=("e",)),
    wrong("tails.revive", "without the budget", "c, f", true=("without-d",)),
    wrong("tails.revive", "only less work, cancellation forgotten", "d, f", true=("without-c",)),
    wrong("tails.revive", "everything but waiting", "b, c, d, e, f", true=("b",)),
    wrong("tails.revive", "waiting too", "a, c, d, f", true=("a",)),
    wrong("tails.revive", "those that do not", "a, b, e", true=("a",)),
    right("tails.revive", "without commas", "cdf"),
    right("tails.revive", "capitals in another order", "F, C and D"),
    wrong(
        "tails.trigger",
        "numpy's interpolating quantile",
        trigger("return np.quantile(latencies, 1 - budget)"),
        true=("interpolated",),
    ),
    wrong(
        "tails.trigger",
        "one rank too high",
        trigger("return ranked[min(n - math.floor(budget * n + 1e-9), n - 1)]"),
        true=("one-under-budget",),
    ),
    wrong(
        "tails.trigger",
        "less than the budget, not at most",
        trigger(
            "return min((x for x in ranked if sum(y > x for y in ranked) < budget * n), "
            "default=ranked[-1])"
        ),
        true=("one-fewer-when-whole",),
    ),
    wrong(
        "tails.trigger",
        "an answer exactly at the delay counts as late",
        trigger(
            "return min((x for x in ranked if sum(y >= x for y in ranked) <= budget * n), "
            "default=ranked[-1])"
        ),
        true=("counts-the-delay-itself",),
    ),
    wrong(
        "tails.trigger",
        "the log not sorted",
        trigger("return latencies[max(n - int(budget * n + 1e-9) - 1, 0)]"),
        true=("unsorted",),
    ),
    wrong(
        "tails.trigger",
        "the quantile of the budget itself",
        trigger("return ranked[max(math.ceil(budget * n - 1e-9) - 1, 0)]"),
        true=("budget-as-quantile",),
    ),
    wrong(
        "tails.trigger",
        "always five per cent",
        trigger("return ranked[n - int(0.05 * n + 1e-9) - 1]"),
        true=("always-five-percent",),
    ),
    wrong(
        "tails.trigger",
        "equal latencies counted once",
        trigger(
            "r = sorted(set(latencies)); return r[max(len(r) - int(budget * len(r) + 1e-9) - 1, 0)]"
        ),
    ),
    wrong(
        "tails.trigger",
        "the rank instead of the latency",
        trigger("return max(n - int(budget * n + 1e-9), 1)"),
    ),
    wrong(
        "tails.trigger",
        "the budget as a share of the longest latency",
        trigger("return (1 - budget) * ranked[-1]"),
    ),
    right(
        "tails.trigger",
        "every candidate tried",
        trigger("return min(x for x in latencies if sum(y > x for y in latencies) / n <= budget)"),
    ),
    right(
        "tails.trigger",
        "from the longest down",
        """
import heapq
def hedge_delay(latencies, budget):
    n, copies = len(latencies), 0
    heap = [-x for x in latencies]
    heapq.heapify(heap)
    while len(heap) > 1 and (copies + 1) / n <= budget:
        heapq.heappop(heap)
        copies += 1
    return -heap[0]
""",
    ),
    wrong(
        "tails.page_latency",
        "rank rounded down and counted from zero",
        page("return ranked[min(int(u * m), m - 1)]"),
        true=("one-rank-late",),
    ),
    wrong(
        "tails.page_latency",
        "numpy's interpolating quantile",
        page("return np.quantile(leaf_latencies, u)"),
        true=("interpolates",),
    ),
    wrong(
        "tails.page_latency",
        "the page's quantile taken of the leaf",
        page("return ranked[math.ceil(page_quantile * m) - 1]"),
        true=("ignores-the-leaves",),
    ),
    wrong(
        "tails.page_latency",
        "the sample not sorted",
        page("return leaf_latencies[math.ceil(u * m) - 1]"),
        true=("unsorted",),
    ),
    wrong(
        "tails.page_latency",
        "power in the place of the root",
        page("return ranked[max(math.ceil(page_quantile**num_leaves * m) - 1, 0)]"),
        true=("leaf-to-page",),
    ),
    wrong(
        "tails.page_latency",
        "one rank too low",
        page("return ranked[max(math.floor(u * m) - 1, 0)]"),
        true=("rank-rounded-down",),
    ),
    wrong(
        "tails.page_latency",
        "the share instead of the latency",
        page("return u"),
        true=("returns-a-share",),
    ),
    wrong(
        "tails.page_latency",
        "the leaf's percentile times the leaves",
        page("return num_leaves * ranked[math.ceil(page_quantile * m) - 1]"),
        true=("times-the-leaves",),
    ),
    wrong(
        "tails.page_latency",
        "always a p99",
        page("return ranked[math.ceil(0.99 ** (1 / num_leaves) * m) - 1]"),
        true=("largest-leaf",),
    ),
    wrong(
        "tails.page_latency",
        "the slowest of the sample",
        page("return ranked[-1]"),
        true=("largest-leaf",),
    ),
    right(
        "tails.page_latency",
        "the first value that reaches the share",
        """
def page_latency(leaf_latencies, page_quantile, num_leaves):
    u, m = page_quantile ** (1 / num_leaves), len(leaf_latencies)
    return min(x for x in leaf_latencies if sum(y <= x for y in leaf_latencies) >= u * m)
""",
    ),
    right(
        "tails.page_latency",
        "numpy's partition",
        """
import math
import numpy as np
def page_latency(leaf_latencies, page_quantile, num_leaves):
    sample = np.asarray(leaf_latencies)
    rank = math.ceil(page_quantile ** (1 / num_leaves) * sample.size)
    return np.partition(sample, rank - 1)[rank - 1]
""",
    ),
    wrong(
        "tails.bucket",
        "the gain never stops",
        bucket(("min(burst, tokens + share)", "tokens + share")),
        true=("never-full",),
    ),
    wrong(
        "tails.bucket",
        "the bucket starts empty",
        bucket(("tokens, sent = burst", "tokens, sent = 0")),
        true=("starts-empty",),
    ),
    wrong(
        "tails.bucket",
        "more than a whole token",
        bucket(("tokens >= 1", "tokens > 1")),
        true=("more-than-one",),
    ),
    wrong(
        "tails.bucket",
        "gains only when a copy is wanted",
        bucket(("tokens = min(", "tokens = tokens if not want else min(")),
        true=("share-of-those-who-want",),
    ),
    wrong(
        "tails.bucket",
        "any rest of a token is enough",
        bucket(("tokens >= 1", "tokens > 0"), ("tokens -= 1", "tokens = max(0, tokens - 1)")),
        true=("no-limit",),
    ),
    wrong(
        "tails.bucket",
        "gains only when no copy is sent",
        bucket(
            ("        tokens = min(burst, tokens + share)\n", ""),
            (
                "            tokens -= 1",
                "            tokens -= 1\n        else:\n"
                "            tokens = min(burst, tokens + share)",
            ),
        ),
        true=("gains-where-none-is-sent",),
    ),
    wrong(
        "tails.bucket",
        "a request that wants a copy takes a token though none is sent",
        bucket(("if send:", "if want:")),
        true=("pays-for-nothing",),
    ),
    wrong(
        "tails.bucket",
        "answers only those who want",
        bucket(("        sent.append(send)", "        if want:\n            sent.append(send)")),
    ),
    wrong(
        "tails.bucket",
        "how many were sent",
        bucket(("return sent", "return sum(sent)")),
        true=("wrong-type",),
    ),
    wrong(
        "tails.bucket",
        "a share of the requests so far, no bucket",
        """
def within_budget(wants, share, burst):
    sent = []
    for n, want in enumerate(wants, start=1):
        sent.append(bool(want) and sum(sent) + 1 <= share * n)
    return sent
""",
    ),
    right(
        "tails.bucket",
        "exact fractions",
        """
from fractions import Fraction
def within_budget(wants, share, burst):
    gain, full = Fraction(str(share)), Fraction(str(burst))
    held, sent = full, []
    for want in wants:
        held = min(full, held + gain)
        sent += [bool(want and held >= 1)]
        held -= sent[-1]
    return sent
""",
    ),
    right(
        "tails.bucket",
        "states handed on",
        """
from itertools import accumulate
def within_budget(wants, share, burst):
    def step(state, want):
        full = min(burst, state[0] + share)
        go = bool(want) and full >= 1
        return full - go, go
    return [go for _, go in accumulate(wants, step, initial=(burst, False))][1:]
""",
    ),
    right(
        "tails.bucket",
        "gains after the decision, which comes to the same from a full bucket",
        bucket(
            ("        tokens = min(burst, tokens + share)\n", ""),
            ("sent.append(send)", "sent.append(send)\n        tokens = min(burst, tokens + share)"),
        ),
    ),
]
