"""Trial answers to the exercises of chapter 08."""

from fractions import Fraction

from tests.answers.answer import right, wrong


def leaf(body: str) -> str:
    """The quantile of a leaf with this body."""
    return f"def leaf_quantile(page_quantile, num_leaves):\n    return {body}\n"


def delay(body: str) -> str:
    """The delay with this body; s is sorted."""
    return (
        f"def hedge_delay(latencies, budget):\n    s = sorted(latencies); n = len(s)\n    {body}\n"
    )


def page(body: str) -> str:
    """The latency of a page with this body; u is the leaf's quantile."""
    return f"""
def page_latency(leaf_latencies, page_quantile, num_leaves):
    s = sorted(leaf_latencies); m = len(s); u = page_quantile ** (1 / num_leaves)
    {body}
"""


BUCKET = """
def within_budget(wants, share, burst):
    tokens, sent = burst, []
    for want in wants:
        tokens = min(burst, tokens + share)
        sent.append(bool(want and tokens >= 1))
        tokens -= sent[-1]
    return sent
"""


def bucket(old: str, new: str) -> str:
    """The bucket with one piece replaced."""
    assert old in BUCKET
    return BUCKET.replace(old, new)


ANSWERS = [
    wrong("tails.ten_calls", "share that is late", 1 - 0.9**10, true=("at-least-one-late",)),
    wrong("tails.ten_calls", "one call", 0.9, true=("one-call",)),
    wrong("tails.ten_calls", "the slide", "99 %", true=("the-slide",)),
    wrong("tails.ten_calls", "root instead of the power", 0.9**0.1, true=("the-slide",)),
    wrong("tails.ten_calls", "all ten late", 0.1**10, true=("all-late",)),
    wrong("tails.ten_calls", "adds up the late ones", 0.0),
    wrong("tails.ten_calls", "at least one within", 1 - 0.1**10, true=("at-least-one-in-time",)),
    wrong("tails.ten_calls", "nine calls", 0.9**9, true=("nine-calls",)),
    wrong("tails.ten_calls", "p99 instead of p90", 0.99**10, true=("single-p99",)),
    right("tails.ten_calls", "per cent", "34.9 %"),
    right("tails.ten_calls", "fraction", Fraction(9, 10) ** 10),
    wrong(
        "tails.leaf_quantile",
        "power instead of the root",
        leaf("page_quantile**num_leaves"),
        true=("page-from-leaf",),
    ),
    wrong(
        "tails.leaf_quantile",
        "late share divided",
        leaf("1 - (1 - page_quantile) / num_leaves"),
        true=("divides-the-slow-share",),
    ),
    wrong(
        "tails.leaf_quantile",
        "late share of the leaf",
        leaf("1 - page_quantile ** (1 / num_leaves)"),
        true=("slow-share",),
    ),
    wrong(
        "tails.leaf_quantile",
        "divided",
        leaf("page_quantile / num_leaves"),
        true=("divides-the-quantile",),
    ),
    wrong(
        "tails.leaf_quantile",
        "the page's itself",
        leaf("page_quantile"),
        true=("ignores-the-leaves",),
    ),
    wrong(
        "tails.leaf_quantile",
        "root of the late share",
        leaf("1 - (1 - page_quantile) ** (1 / num_leaves)"),
        true=("root-of-the-slow-share",),
    ),
    wrong(
        "tails.leaf_quantile",
        "power of the late share",
        leaf("1 - (1 - page_quantile) ** num_leaves"),
        true=("all-leaves-slow",),
    ),
    wrong(
        "tails.leaf_quantile",
        "precedence",
        leaf("page_quantile**1 / num_leaves"),
        true=("divides-the-quantile",),
    ),
    wrong(
        "tails.leaf_quantile",
        "rounded to three places",
        leaf("round(page_quantile ** (1 / num_leaves), 3)"),
        true=("rounded",),
    ),
    wrong(
        "tails.leaf_quantile",
        "per cent",
        leaf("100 * page_quantile ** (1 / num_leaves)"),
        true=("in-per-cent",),
    ),
    right("tails.leaf_quantile", "logarithms", leaf("np.exp(np.log(page_quantile) / num_leaves)")),
    right("tails.leaf_quantile", "numpy power", leaf("np.power(page_quantile, 1.0 / num_leaves)")),
    wrong("tails.revive", "raising the trigger too", "b, c, d, f", true=("b",)),
    wrong("tails.revive", "turning away forgotten", "c, d", true=("without-f",)),
    wrong("tails.revive", "budget forgotten", "c, f", true=("without-d",)),
    wrong("tails.revive", "waiting", "a, c, d, f", true=("a",)),
    wrong("tails.revive", "servers too", "c, d, e, f", true=("e",)),
    wrong("tails.revive", "only cancellation", "c", true=("without-d",)),
    wrong("tails.revive", "more servers alone", "e", true=("e",)),
    wrong("tails.revive", "all but waiting", "b, c, d, e, f", true=("b",)),
    right("tails.revive", "without commas", "cdf"),
    right("tails.revive", "capitals, other order", "F, C, D"),
    wrong(
        "tails.trigger",
        "numpy's interpolating quantile",
        delay("return np.quantile(s, 1 - budget)"),
        true=("interpolated",),
    ),
    wrong(
        "tails.trigger",
        "one rank too late",
        delay("return s[min(n - 1, int((1 - budget) * n))]"),
        true=("one-fewer-when-whole",),
    ),
    wrong(
        "tails.trigger",
        "not sorted",
        delay("return latencies[max(0, int(np.ceil((1 - budget) * n)) - 1)]"),
        true=("unsorted",),
    ),
    wrong(
        "tails.trigger",
        "quantile of the budget",
        delay("return s[max(0, int(np.ceil(budget * n)) - 1)]"),
        true=("budget-as-quantile",),
    ),
    wrong(
        "tails.trigger",
        "the last that exceeds",
        delay("return s[max(0, n - int(budget * n + 1e-9) - 2)]"),
        true=("one-over-budget",),
    ),
    wrong(
        "tails.trigger",
        "answered at the delay gets a copy",
        delay("return next((x for x in s if sum(y >= x for y in s) <= budget * n), s[-1])"),
    ),
    wrong(
        "tails.trigger",
        "sorted downwards, budget rounded up",
        delay("return s[::-1][min(n - 1, int(np.ceil(budget * n)))]"),
    ),
    wrong("tails.trigger", "the longest", delay("return s[-1]"), true=("never-hedges",)),
    wrong(
        "tails.trigger",
        "less than the budget",
        delay("return next((x for x in s if sum(y > x for y in s) < budget * n), s[-1])"),
        true=("one-fewer-when-whole",),
    ),
    wrong("tails.trigger", "always the p95", delay("return s[max(0, int(np.ceil(0.95 * n)) - 1)]")),
    right(
        "tails.trigger",
        "tries every latency",
        delay("return min(x for x in s if sum(y > x for y in s) <= budget * n)"),
    ),
    right(
        "tails.trigger",
        "numpy search",
        delay(
            "a = np.array(s); return a[(n - np.searchsorted(a, a, side='right')) <= budget * n][0]"
        ),
    ),
    wrong(
        "tails.page_latency",
        "the page's own quantile",
        page("return s[int(np.ceil(page_quantile * m)) - 1]"),
        true=("ignores-the-leaves",),
    ),
    wrong(
        "tails.page_latency",
        "power instead of the root",
        page("return s[max(0, int(np.ceil(page_quantile ** num_leaves * m)) - 1)]"),
        true=("leaf-to-page",),
    ),
    wrong(
        "tails.page_latency",
        "rounded down",
        page("return s[max(0, int(u * m) - 1)]"),
        true=("rank-rounded-down",),
    ),
    wrong(
        "tails.page_latency",
        "one rank too late",
        page("return s[min(m - 1, int(np.ceil(u * m)))]"),
        true=("rank-for-index",),
    ),
    wrong(
        "tails.page_latency",
        "interpolates",
        page("return np.quantile(s, u)"),
        true=("interpolates",),
    ),
    wrong(
        "tails.page_latency",
        "not sorted",
        page("return leaf_latencies[int(np.ceil(u * m)) - 1]"),
        true=("unsorted",),
    ),
    wrong(
        "tails.page_latency",
        "nearest by rounding",
        page("return s[max(0, round(u * m) - 1)]"),
        true=("nearest-by-rounding",),
    ),
    wrong(
        "tails.page_latency",
        "the quantile, not the latency",
        page("return u"),
        true=("returns-a-share",),
    ),
    wrong(
        "tails.page_latency",
        "times the leaves",
        page("return num_leaves * s[int(np.ceil(page_quantile * m)) - 1]"),
        true=("times-the-leaves",),
    ),
    wrong("tails.page_latency", "the largest", page("return s[-1]"), true=("largest-leaf",)),
    right(
        "tails.page_latency",
        "inverted_cdf",
        page("return np.quantile(s, u, method='inverted_cdf')"),
    ),
    right("tails.page_latency", "as asked", page("return float(s[int(np.ceil(u * m)) - 1])")),
    wrong(
        "tails.bucket",
        "never capped",
        bucket("min(burst, tokens + share)", "tokens + share"),
        true=("never-full",),
    ),
    wrong(
        "tails.bucket", "any token left", bucket("tokens >= 1", "tokens > 0"), true=("on-credit",)
    ),
    wrong(
        "tails.bucket",
        "starts empty",
        bucket("tokens, sent = burst", "tokens, sent = 0"),
        true=("starts-empty",),
    ),
    wrong(
        "tails.bucket",
        "more than one token",
        bucket("tokens >= 1", "tokens > 1"),
        true=("more-than-one",),
    ),
    wrong(
        "tails.bucket",
        "gains only when wanted",
        bucket("min(burst, tokens + share)", "min(burst, tokens + share * bool(want))"),
        true=("share-of-those-who-want",),
    ),
    wrong(
        "tails.bucket",
        "takes a token from everyone who wants",
        bucket("tokens -= sent[-1]", "tokens = max(0, tokens - bool(want))"),
    ),
    wrong("tails.bucket", "never takes", bucket("tokens -= sent[-1]", "pass"), true=("no-limit",)),
    wrong(
        "tails.bucket",
        "takes a share",
        bucket("tokens -= sent[-1]", "tokens -= share * sent[-1]"),
        true=("no-limit",),
    ),
    wrong(
        "tails.bucket",
        "number sent",
        bucket("return sent", "return sum(sent)"),
        true=("wrong-type",),
    ),
    right(
        "tails.bucket",
        "gains after the decision, which is the same",
        """
def within_budget(wants, share, burst):
    tokens, sent = burst, []
    for want in wants:
        sent.append(bool(want and tokens >= 1))
        tokens = min(burst, tokens - sent[-1] + share)
    return sent
""",
    ),
    right(
        "tails.bucket",
        "recursion",
        """
def within_budget(wants, share, burst):
    def go(i, tokens):
        while i < len(wants):
            tokens = min(tokens + share, burst)
            ok = bool(wants[i]) and tokens >= 1
            yield ok
            i, tokens = i + 1, tokens - 1 if ok else tokens
    return list(go(0, burst))
""",
    ),
    right("tails.bucket", "as asked", BUCKET),
]
