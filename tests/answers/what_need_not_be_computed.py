"""Trial answers to the exercises of chapter 10."""

from fractions import Fraction

from tests.answers import flights
from tests.answers.answer import right, wrong

CACHE = """
from collections import OrderedDict

class FeatureCache:
    def __init__(self, capacity):
        self.capacity, self.d = capacity, OrderedDict()
        self.hits = self.misses = self.evictions = 0

    def get(self, key, now_s):
        {get}

    def put(self, key, value, dies_s):
        {put}

    def counts(self):
        return {counts}
"""
GET = """if key not in self.d or now_s >= self.d[key][1]:
            self.misses += 1
            self.d.pop(key, None)
            return None
        self.hits += 1
        self.d.move_to_end(key)
        return self.d[key][0]"""
PUT = """if key not in self.d and len(self.d) >= self.capacity:
            self.d.popitem(last=False)
            self.evictions += 1
        self.d[key] = (value, dies_s)
        self.d.move_to_end(key)"""
COUNTS = "self.hits, self.misses, self.evictions"


def cache(get=GET, put=PUT, counts=COUNTS) -> str:
    """The cache with these bodies."""
    return CACHE.format(get=get, put=put, counts=counts)


def early(expression: str) -> str:
    """Whether to renew, as one expression; t, d, c and u are the arguments."""
    return (
        "import math\nimport numpy as np\n"
        "def refresh_early(now_s, dies_s, cost_s, u):\n    t, d, c = now_s, dies_s, cost_s\n"
        f"    return {expression}\n"
    )


def match(body: str) -> str:
    """The best match with these lines; ok holds (similarity, answer) of what may be served."""
    return (
        "import numpy as np\n"
        "def best_match(entries, question, threshold, scope, now_s):\n"
        "    dot = lambda v: sum(x * y for x, y in zip(v, question))\n"
        "    ok = [(dot(v), a) for s, v, a, d in entries if s == scope and now_s < d]\n"
        f"    {body}\n"
    )


def lowest(body: str) -> str:
    """The threshold with these lines; at(t) counts errors and hits."""
    return (
        "import numpy as np\n"
        "def lowest_threshold(pairs, max_error, upper):\n"
        "    def at(t):\n        hits = [same for s, same in pairs if s >= t]\n"
        "        return hits.count(False), len(hits)\n"
        f"    {body}\n"
    )


ANSWERS = [
    wrong(
        "reuse.lru",
        "reads do not move",
        cache(get=GET.replace("        self.d.move_to_end(key)\n", "")),
        true=("first-in",),
    ),
    wrong(
        "reuse.lru",
        "evicts before it looks",
        cache(put=PUT.replace("key not in self.d and ", "")),
        true=("update-evicts",),
    ),
    wrong(
        "reuse.lru",
        "no move after an update",
        cache(put=PUT.replace("\n        self.d.move_to_end(key)", "")),
        true=("update-keeps-its-place",),
    ),
    wrong(
        "reuse.lru",
        "one moment too long",
        cache(get=GET.replace(">=", ">")),
        true=("late-by-a-moment",),
    ),
    wrong(
        "reuse.lru",
        "hits counted before the death is looked at",
        cache(
            get="if key not in self.d:\n            self.misses += 1\n            return None\n"
            "        self.hits += 1\n        value, dies_s = self.d[key]\n"
            "        if now_s >= dies_s:\n            del self.d[key]\n            return None\n"
            "        self.d.move_to_end(key)\n        return value"
        ),
        true=("dead-is-a-hit",),
    ),
    wrong(
        "reuse.lru",
        "a value that is false is none",
        cache(
            get="value, dies_s = self.d.get(key, (None, 0))\n"
            "        if not value or now_s >= dies_s:\n            self.d.pop(key, None)\n"
            "            self.misses += 1\n            return None\n        self.hits += 1\n"
            "        self.d.move_to_end(key)\n        return value"
        ),
        true=("falsy-is-missing",),
    ),
    wrong(
        "reuse.lru",
        "popitem without last=False",
        cache(put=PUT.replace("last=False", "")),
        true=("evicts-the-newest",),
    ),
    wrong(
        "reuse.lru",
        "one place too many",
        cache(put=PUT.replace(">=", ">")),
        true=("one-too-many",),
    ),
    wrong(
        "reuse.lru",
        "an order beside the entries, in which a dead one stays",
        """
class FeatureCache:
    def __init__(self, capacity):
        self.capacity, self.entries, self.order = capacity, {}, []
        self.hits = self.misses = self.evictions = 0

    def get(self, key, now_s):
        if key in self.entries and now_s < self.entries[key][1]:
            self.hits += 1
            self.order.remove(key)
            self.order.append(key)
            return self.entries[key][0]
        self.misses += 1
        self.entries.pop(key, None)

    def put(self, key, value, dies_s):
        if key in self.order:
            self.order.remove(key)
        elif len(self.entries) >= self.capacity:
            self.entries.pop(self.order.pop(0), None)
            self.evictions += 1
        self.order.append(key)
        self.entries[key] = (value, dies_s)

    def counts(self):
        return self.hits, self.misses, self.evictions
""",
        true=("keeps-a-ghost",),
    ),
    wrong(
        "reuse.lru",
        "a dead one is a hit first and a miss as well",
        cache(
            get="if key in self.d:\n            self.hits += 1\n"
            "            if now_s < self.d[key][1]:\n                self.d.move_to_end(key)\n"
            "                return self.d[key][0]\n            del self.d[key]\n"
            "        self.misses += 1\n        return None"
        ),
        true=("dead-is-both",),
    ),
    wrong(
        "reuse.lru",
        "who is not there is not counted",
        cache(get="if key not in self.d:\n            return None\n        " + GET),
        true=("absent-is-no-miss",),
    ),
    right("reuse.lru", "an ordered dict", cache()),
    right("reuse.lru", "counts as a list", cache(counts=f"[{COUNTS}]")),
    wrong("reuse.early", "adds the log", early("t + c * math.log(u) >= d"), true=("plus-sign",)),
    wrong("reuse.early", "to the base 10", early("t - c * math.log10(u) >= d"), true=("log10",)),
    wrong("reuse.early", "when it is dead", early("t >= d"), true=("at-its-death-only",)),
    wrong("reuse.early", "no cost", early("t - math.log(u) >= d"), true=("without-the-cost",)),
    wrong(
        "reuse.early",
        "the other way",
        early("t - c * math.log(u) < d"),
        true=("opposite", "reversed"),
    ),
    right("reuse.early", "the probability", early("u <= math.exp((t - d) / c)")),
    right("reuse.early", "numpy", early("-c * np.log(u) >= d - t")),
    wrong(
        "reuse.best_match",
        "the first one above the threshold",
        match("return next((a for s, a in ok if s >= threshold), None)"),
        true=("first-match",),
    ),
    wrong(
        "reuse.best_match",
        "the best of all, then its scope",
        match(
            "alive = [e for e in entries if now_s < e[3]]\n"
            "    best = max(alive, key=lambda e: dot(e[1]), default=None)\n"
            "    good = best and best[0] == scope and dot(best[1]) >= threshold\n"
            "    return best[2] if good else None"
        ),
        true=("best-of-all-scopes",),
    ),
    wrong(
        "reuse.best_match",
        "the tenant alone",
        match(
            "ok = [(dot(v), a) for s, v, a, d in entries if s[0] == scope[0] and now_s < d]\n"
            "    s, a = max(ok, default=(-9, None))\n    return a if s >= threshold else None"
        ),
        true=("tenant-only",),
    ),
    wrong(
        "reuse.best_match",
        "never looks at the time",
        match(
            "ok = [(dot(v), a) for s, v, a, d in entries if s == scope]\n"
            "    s, a = max(ok, default=(-9, None))\n    return a if s >= threshold else None"
        ),
        true=("serves-the-dead",),
    ),
    wrong(
        "reuse.best_match",
        "more than the threshold",
        match("s, a = max(ok, default=(-9, None))\n    return a if s > threshold else None"),
        true=("strictly-above",),
    ),
    wrong(
        "reuse.best_match",
        "the pair",
        match("ok = [p for p in ok if p[0] >= threshold]\n    return max(ok) if ok else None"),
        true=("with-its-similarity-before",),
    ),
    wrong(
        "reuse.best_match",
        "an empty answer is none",
        match("s, a = max(ok, default=(-9, 0))\n    return s >= threshold and a or None"),
        true=("empty-is-nothing",),
    ),
    wrong(
        "reuse.best_match",
        "a dict by answer",
        match(
            "near = {a: s for s, a in ok}\n    a = max(near, key=near.get, default=None)\n"
            "    return a if a is not None and near[a] >= threshold else None"
        ),
        true=("last-of-an-answer",),
    ),
    wrong(
        "reuse.best_match",
        "abs",
        match(
            "s, a = max(((abs(s), a) for s, a in ok), default=(-9, None))\n"
            "    return a if s >= threshold else None"
        ),
        true=("without-the-sign",),
    ),
    wrong(
        "reuse.best_match",
        "scopes as sets",
        match(
            "ok = [(dot(v), a) for s, v, a, d in entries if set(s) == set(scope) and now_s < d]\n"
            "    s, a = max(ok, default=(-9, None))\n    return a if s >= threshold else None"
        ),
        true=("parts-in-any-order",),
    ),
    wrong(
        "reuse.best_match",
        "scopes as one text",
        match(
            "ok = [(dot(v), a) for s, v, a, d in entries\n"
            "          if ''.join(s) == ''.join(scope) and now_s < d]\n"
            "    s, a = max(ok, default=(-9, None))\n    return a if s >= threshold else None"
        ),
        true=("parts-run-together",),
    ),
    right(
        "reuse.best_match",
        "numpy",
        match(
            "if not ok:\n        return None\n    near = np.array([s for s, _ in ok])\n"
            "    k = near.argmax()\n    return ok[k][1] if near[k] >= threshold else None"
        ),
    ),
    right(
        "reuse.best_match",
        "sorted",
        match("ok.sort()\n    return ok[-1][1] if ok and ok[-1][0] >= threshold else None"),
    ),
    wrong(
        "reuse.threshold",
        "the share that was seen",
        lowest(
            "good = [t for t, _ in pairs if at(t)[0] / at(t)[1] <= max_error]\n"
            "    return min(good, default=None)"
        ),
        true=("point-estimate",),
    ),
    wrong(
        "reuse.threshold",
        "stops at the first failure",
        lowest(
            "best = None\n    for t in sorted({s for s, _ in pairs})[::-1]:\n"
            "        if upper(*at(t)) > max_error:\n            break\n        best = t\n"
            "    return best"
        ),
        true=("stops-at-the-first-failure",),
    ),
    wrong(
        "reuse.threshold",
        "the highest",
        lowest("return max((t for t, _ in pairs if upper(*at(t)) <= max_error), default=None)"),
        true=("highest",),
    ),
    wrong(
        "reuse.threshold",
        "errors among all pairs",
        lowest(
            "good = [t for t, _ in pairs if upper(at(t)[0], len(pairs)) <= max_error]\n"
            "    return min(good, default=None)"
        ),
        true=("errors-over-all",),
    ),
    wrong(
        "reuse.threshold",
        "counts those that are the same",
        lowest(
            "good = [t for t, _ in pairs\n"
            "            if upper(at(t)[1] - at(t)[0], at(t)[1]) <= max_error]\n"
            "    return min(good, default=None)"
        ),
        true=("same-is-an-error",),
    ),
    wrong(
        "reuse.threshold",
        "by bisection",
        lowest(
            "ts = sorted({s for s, _ in pairs})\n    lo, hi = 0, len(ts)\n    while lo < hi:\n"
            "        m = (lo + hi) // 2\n        if upper(*at(ts[m])) <= max_error: hi = m\n"
            "        else: lo = m + 1\n    return ts[lo] if lo < len(ts) else None"
        ),
        true=("by-halves",),
    ),
    wrong(
        "reuse.threshold",
        "0 is none",
        lowest(
            "ok = [t for t, _ in pairs if upper(*at(t)) <= max_error]\n"
            "    return (min(ok) if ok else 0) or None"
        ),
        true=("zero-is-none",),
    ),
    wrong(
        "reuse.threshold",
        "above 0 alone",
        lowest(
            "ok = [t for t, _ in pairs if t > 0 and upper(*at(t)) <= max_error]\n"
            "    return min(ok, default=None)"
        ),
        true=("above-zero",),
    ),
    wrong(
        "reuse.threshold",
        "from 0 up",
        lowest(
            "ok = [t for t, _ in pairs if t >= 0 and upper(*at(t)) <= max_error]\n"
            "    return min(ok, default=None)"
        ),
        true=("from-zero-up",),
    ),
    wrong(
        "reuse.threshold",
        "the hits first",
        lowest(
            "ok = [t for t, _ in pairs if upper(*at(t)[::-1]) <= max_error]\n"
            "    return min(ok, default=None)"
        ),
        true=("swapped",),
    ),
    right(
        "reuse.threshold",
        "from below, the first that passes",
        lowest(
            "for t in sorted(s for s, _ in pairs):\n        if upper(*at(t)) <= max_error:\n"
            "            return t\n    return None"
        ),
    ),
    right(
        "reuse.threshold",
        "filter and min",
        lowest(
            "good = filter(lambda t: upper(*at(t)) <= max_error, dict(pairs))\n"
            "    return min(good, default=None)"
        ),
    ),
    wrong("reuse.pays", "misses look", "3.23 %", true=("lookup-on-misses-only",)),
    wrong("reuse.pays", "hits pay twice", "3.45 %", true=("lookup-on-hits-twice",)),
    wrong("reuse.pays", "misses that one can afford", 96.7, true=("miss-rate",)),
    wrong("reuse.pays", "hits pay", 0, true=("lookup-on-hits-only",)),
    right("reuse.pays", "a fraction", Fraction(10, 3)),
    right("reuse.pays", "rounded", "3.3%"),
]  # fmt: skip
ANSWERS += flights.ANSWERS
