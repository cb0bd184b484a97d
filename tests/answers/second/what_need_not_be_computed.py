"""Trial answers to the exercises of chapter 10, by a writer who saw their text alone."""

from tests.answers.answer import right, wrong
from tests.answers.second import flights
from tests.answers.what_need_not_be_computed import GET, PUT, cache, early, lowest, match

ANSWERS = [
    # --- reuse.lru -------------------------------------------------------------------------------
    wrong(
        "reuse.lru",
        "the clock of the machine",
        cache(
            get=GET.replace("if key", "import time\n        now_s = time.monotonic()\n        if key")
        ),
    ),
    wrong(
        "reuse.lru",
        "looks for the dead only when a place is needed, by the last time seen",
        cache(
            get="self.now = now_s\n        "
            + GET.replace("or now_s >= self.d[key][1]", "").replace("self.d.pop(key, None)", "pass"),
            put="dead = [k for k in self.d if self.d[k][1] <= getattr(self, 'now', -1)]\n"
            "        for k in dead:\n            del self.d[k]\n        " + PUT,
        ),
        true=("never-dies",),
    ),
    wrong(
        "reuse.lru",
        "an update is a hit",
        cache(put="self.hits += key in self.d\n        " + PUT),
    ),
    wrong(
        "reuse.lru",
        "a put is a miss: the caller had to compute",
        cache(get=GET.replace("self.misses += 1", "pass"), put="self.misses += 1\n        " + PUT), true=("counts-misses-at-the-put",)),
    wrong(
        "reuse.lru",
        "dies_s taken for a time to live, from the first reading on",
        cache(
            get="if key in self.d and len(self.d[key]) == 2:\n"
            "            self.d[key] = (self.d[key][0], now_s + self.d[key][1], 1)\n        " + GET
        ),
        true=("never-dies",),
    ),
    wrong(
        "reuse.lru",
        "an update takes no notice of an older death",
        cache(
            put="if key in self.d:\n            dies_s = min(dies_s, self.d[key][1])\n        " + PUT
        ),
        true=("keeps-the-shorter-life",),
    ),
    wrong(
        "reuse.lru",
        "the entry with the smallest key goes",
        cache(put=PUT.replace("self.d.popitem(last=False)", "del self.d[min(self.d)]")),
    ),
    wrong(
        "reuse.lru",
        "all are cleared when it is full",
        cache(put=PUT.replace("self.d.popitem(last=False)", "self.d.clear()")),
    ),
    wrong(
        "reuse.lru",
        "evictions counted for each put that is new",
        cache(
            put="if key not in self.d:\n            self.evictions += 1\n"
            "            if len(self.d) >= self.capacity:\n"
            "                self.d.popitem(last=False)\n"
            "        self.d[key] = (value, dies_s)\n        self.d.move_to_end(key)"
        ),
    ),
    wrong(
        "reuse.lru",
        "does not take in what is new when it is full",
        cache(
            put="if key not in self.d and len(self.d) >= self.capacity:\n"
            "            self.evictions += 1\n            return\n"
            "        self.d[key] = (value, dies_s)\n        self.d.move_to_end(key)"
        ),
        true=("refuses-the-new",),
    ),
    wrong(
        "reuse.lru",
        "the hit rate for the hits",
        cache(counts="self.hits / max(1, self.hits + self.misses), self.misses, self.evictions"),
    ),
    wrong(
        "reuse.lru",
        "returns the entry with its death",
        cache(get=GET.replace("return self.d[key][0]", "return self.d[key]")),
        true=("wrong-type",),
    ),
    wrong(
        "reuse.lru",
        "a dead one raises KeyError",
        cache(get=GET.replace("return None", "raise KeyError(key)")),
    ),
    right(
        "reuse.lru",
        "two dicts, and the oldest use looked up",
        """
class FeatureCache:
    def __init__(self, capacity):
        self.n, self.vals, self.dies, self.order = capacity, {}, {}, []
        self.hits = self.misses = self.evictions = 0

    def get(self, key, now_s):
        if key in self.vals and now_s < self.dies[key]:
            self.hits += 1
            self.order.remove(key); self.order.append(key)
            return self.vals[key]
        if key in self.vals:
            del self.vals[key]; self.order.remove(key)
        self.misses += 1

    def put(self, key, value, dies_s):
        if key in self.vals:
            self.order.remove(key)
        elif len(self.order) == self.n:
            del self.vals[self.order.pop(0)]
            self.evictions += 1
        self.vals[key], self.dies[key] = value, dies_s
        self.order.append(key)

    def counts(self):
        return (self.hits, self.misses, self.evictions)
""",
    ),
    right(
        "reuse.lru",
        "sweeps the dead at every reading",
        cache(
            get="for k in [k for k in self.d if self.d[k][1] <= now_s]:\n"
            "            del self.d[k]\n        " + GET
        ),
    ),
    # --- reuse.early -----------------------------------------------------------------------------
    wrong("reuse.early", "a coin", early("u < 0.5")),
    wrong("reuse.early", "the log of 1 - u", early("t - c * math.log(1 - u + 1e-12) >= d")),
    wrong("reuse.early", "the cost inside the log", early("t - math.log(c * u) >= d")),
    wrong("reuse.early", "time left over the cost", early("u <= (d - t) / c")),
    wrong("reuse.early", "twice the cost", early("t - 2 * c * math.log(u) >= d")),
    wrong("reuse.early", "log1p", early("t - c * math.log1p(u) >= d")),
    wrong("reuse.early", "a share of the cost", early("t + c * u >= d"), true=("no-logarithm",)),
    wrong("reuse.early", "whenever it lives and luck wills", early("u <= math.exp(-abs(d - t) / c)")),
    wrong(
        "reuse.early",
        "the probability, the other way",
        early("u >= math.exp(min(0, (t - d) / c))"),
        true=("reversed",),
    ),
    wrong("reuse.early", "the fixed lead", early("d - t <= c"), true=("fixed-margin",)),
    wrong("reuse.early", "the lead alone", early("-c * math.log(u) >= d")),
    wrong("reuse.early", "0 or 1", early("int(t - c * math.log(u) >= d)"), true=("wrong-type",)),
    wrong("reuse.early", "exponential without its sign", early("u <= math.exp((d - t) / c)"), true=("lead-the-wrong-way",)),
    wrong("reuse.early", "never a dead one", early("t < d <= t - c * math.log(u)"), true=("never-when-dead",)),
    right("reuse.early", "a lead of its own", early("(lambda lead: t + lead >= d)(c * math.log(1 / u))")),
    right("reuse.early", "or dead", early("t >= d or u <= math.exp(-(d - t) / c)")),
    # --- reuse.best_match ------------------------------------------------------------------------
    wrong(
        "reuse.best_match",
        "max of nothing",
        match("s, a = max(ok)\n    return a if s >= threshold else None"),
    ),
    wrong(
        "reuse.best_match",
        "the distance against the threshold",
        match(
            "far = [(1 - s, a) for s, a in ok]\n    f, a = min(far, default=(9, None))\n"
            "    return a if f <= threshold else None"
        ),
        true=("threshold-as-distance",),
    ),
    wrong(
        "reuse.best_match",
        "Euclidean distance",
        match(
            "far = [(sum((x - y) ** 2 for x, y in zip(v, question)) ** 0.5, a)\n"
            "           for s, v, a, d in entries if s == scope and now_s < d]\n"
            "    f, a = min(far, default=(9, None))\n    return a if 1 - f >= threshold else None"
        ), true=("euclidean-distance",)),
    wrong(
        "reuse.best_match",
        "the model and the tenant",
        match(
            "ok = [(dot(v), a) for s, v, a, d in entries if s[:2] == scope[:2] and now_s < d]\n"
            "    s, a = max(ok, default=(-9, None))\n    return a if s >= threshold else None"
        ),
        true=("forgets-the-prompt-version",),
    ),
    wrong(
        "reuse.best_match",
        "some part of the scope",
        match(
            "ok = [(dot(v), a) for s, v, a, d in entries if set(s) & set(scope) and now_s < d]\n"
            "    s, a = max(ok, default=(-9, None))\n    return a if s >= threshold else None"
        ),
    ),
    wrong(
        "reuse.best_match",
        "an empty text for nothing",
        match("s, a = max(ok, default=(-9, ''))\n    return a if s >= threshold else ''"),
        true=("wrong-type",),
    ),
    wrong(
        "reuse.best_match",
        "the answer that is last in the alphabet",
        match("return max((a for s, a in ok if s >= threshold), default=None)"),
    ),
    wrong(
        "reuse.best_match",
        "the best before the last, if there are two",
        match("ok = sorted(p for p in ok if p[0] >= threshold)\n    return ok[-2][1] if ok[1:] else None"),
    ),
    wrong(
        "reuse.best_match",
        "the best one, dead or not, then its life",
        match(
            "mine = [e for e in entries if e[0] == scope]\n"
            "    best = max(mine, key=lambda e: dot(e[1]), default=None)\n"
            "    good = best and best[3] > now_s and dot(best[1]) >= threshold\n"
            "    return best[2] if good else None"
        ),
        true=("best-with-the-dead",),
    ),
    wrong(
        "reuse.best_match",
        "stops at the first entry that is not near",
        match(
            "best = (threshold, None)\n    for s, a in ok:\n        if s < threshold:\n"
            "            break\n        best = max(best, (s, a), key=lambda p: p[0])\n"
            "    return best[1]"
        ),
    ),
    wrong(
        "reuse.best_match",
        "begins at 0 and keeps what is larger",
        match(
            "best, found = 0, None\n    for s, a in ok:\n        if s > best:\n"
            "            best, found = s, a\n    return found"
        ), true=("no-threshold",)),
    wrong(
        "reuse.best_match",
        "compares each with the one before",
        match(
            "found, before = None, threshold\n    for s, a in ok:\n        if s >= before:\n"
            "            found = a\n        before = s\n    return found"
        ),
    ),
    wrong(
        "reuse.best_match",
        "a list with one answer",
        match("s, a = max(ok, default=(-9, None))\n    return [a] if s >= threshold else None"),
        true=("wrong-type",),
    ),
    right(
        "reuse.best_match",
        "all of them at once",
        match(
            "if not entries: return None\n"
            "    S = np.array([e[1] for e in entries]) @ question\n"
            "    S[[e[0] != scope or e[3] <= now_s for e in entries]] = -2\n"
            "    return entries[S.argmax()][2] if S.max() >= threshold else None"
        ),
    ),
    right(
        "reuse.best_match",
        "a loop with the best so far",
        match(
            "best, found = threshold, None\n    for s, a in ok:\n        if s >= best:\n"
            "            best, found = s, a\n    return found"
        ),
    ),
    # --- reuse.threshold -------------------------------------------------------------------------
    wrong(
        "reuse.threshold",
        "one pair more a step, in order of similarity",
        lowest(
            "best, e = None, 0\n    for n, (s, same) in enumerate(sorted(pairs, reverse=True), 1):\n"
            "        e += not same\n        if upper(e, n) <= max_error:\n            best = s\n"
            "    return best"
        ),
        true=("splits-equal-similarities",),
    ),
    wrong(
        "reuse.threshold",
        "the same, each tie in its order",
        lowest(
            "best, e = None, 0\n"
            "    for n, (s, same) in enumerate(sorted(pairs, key=lambda p: -p[0]), 1):\n"
            "        e += not same\n        if upper(e, n) <= max_error:\n            best = s\n"
            "    return best"
        ),
        true=("splits-equals-in-order",),
    ),
    wrong(
        "reuse.threshold",
        "upper of the rate",
        lowest(
            "good = [t for t, _ in pairs if upper(at(t)[0] / at(t)[1], at(t)[1]) <= max_error]\n"
            "    return min(good, default=None)"
        ),
    ),
    wrong(
        "reuse.threshold",
        "the lowest of those that err",
        lowest(
            "bad = [s for s, same in pairs if not same]\n"
            "    return min((s for s, _ in pairs if s > max(bad, default=0)), default=None)"
        ), true=("no-errors-at-all",)),
    wrong(
        "reuse.threshold",
        "a grid",
        lowest(
            "for k in range(80, 101):\n        if at(k / 100)[1] and upper(*at(k / 100)) <= max_error:\n"
            "            return k / 100\n    return None"
        ),
    ),
    wrong(
        "reuse.threshold",
        "the mean of the interval",
        lowest(
            "good = [t for t, _ in pairs\n"
            "            if (upper(*at(t)) + at(t)[0] / at(t)[1]) / 2 <= max_error]\n"
            "    return min(good, default=None)"
        ),
    ),
    wrong(
        "reuse.threshold",
        "at least max_error",
        lowest("return min((t for t, _ in pairs if upper(*at(t)) >= max_error), default=None)"),
    ),
    wrong(
        "reuse.threshold",
        "only thresholds of right pairs",
        lowest(
            "return min((t for t, same in pairs if same and upper(*at(t)) <= max_error), default=None)"
        ),
    ),
    wrong(
        "reuse.threshold",
        "0 if there is none",
        lowest("return min((t for t, _ in pairs if upper(*at(t)) <= max_error), default=0)"),
        true=("zero-if-none",),
    ),
    wrong(
        "reuse.threshold",
        "with labutils's own interval",
        lowest(
            "from labutils.caching import clopper_pearson\n"
            "    good = [t for t, _ in pairs if clopper_pearson(*at(t))[1] <= max_error]\n"
            "    return min(good, default=None)"
        ), true=("own-bound",)),
    wrong(
        "reuse.threshold",
        "keeps hits within the errors of all",
        lowest(
            "n = sum(not same for _, same in pairs)\n"
            "    return min((t for t, _ in pairs if upper(n, at(t)[1]) <= max_error), default=None)"
        ),
    ),
    wrong(
        "reuse.threshold",
        "sorts the caller's list",
        lowest(
            "pairs.sort()\n    for t, _ in pairs:\n        if upper(*at(t)) <= max_error:\n"
            "            return t\n    return None"
        ),
        true=("mutates-input",),
    ),
    wrong(
        "reuse.threshold",
        "below the lowest that passes",
        lowest(
            "ts = sorted({s for s, _ in pairs})\n"
            "    good = [k for k, t in enumerate(ts) if upper(*at(t)) <= max_error]\n"
            "    return ts[max(good[0] - 1, 0)] if good else None"
        ),
    ),
    right(
        "reuse.threshold",
        "down, one group of equals at a time",
        lowest(
            "best, e, n = None, 0, 0\n"
            "    for t in sorted({s for s, _ in pairs}, reverse=True):\n"
            "        for s, same in pairs:\n            if s == t:\n"
            "                n += 1; e += not same\n"
            "        if upper(e, n) <= max_error:\n            best = t\n    return best"
        ),
    ),
    right(
        "reuse.threshold",
        "numpy",
        lowest(
            "s = np.array([p[0] for p in pairs]); y = np.array([p[1] for p in pairs], bool)\n"
            "    good = [t for t in s if upper(int(((s >= t) & ~y).sum()), int((s >= t).sum())) <= max_error]\n"
            "    return min(good) if good else None"
        ),
    ),
    # --- reuse.pays ------------------------------------------------------------------------------
    wrong("reuse.pays", "the times in seconds, one of them", 30 / 0.9),
    wrong("reuse.pays", "inverted", 900 / 30),
    wrong("reuse.pays", "in per mille", 33.3),
    wrong("reuse.pays", "as a share, without a sign", 30 / 900, true=("scale",)),
    wrong("reuse.pays", "the difference", "870 ms", true=("unit",)),
    wrong("reuse.pays", "half", "50 %", true=("half",)),
    wrong("reuse.pays", "more than one in thirty-one", 100 / 31, true=("lookup-on-misses-only",)),
    wrong("reuse.pays", "twice the lookup", "6.7 %", true=("scale",)),
    wrong("reuse.pays", "everything", "100 %"),
    wrong("reuse.pays", "rounded", "3 %"),
    wrong("reuse.pays", "rounded up", "4 %"),
    right("reuse.pays", "a share with a sign", "3.33 %"),
    right("reuse.pays", "three digits", 3.33),
]  # fmt: skip
ANSWERS += flights.ANSWERS
