"""Trial answers to the exercises of chapter 09."""

from fractions import Fraction

from tests.answers.answer import right, wrong


def alone(body: str) -> str:
    """The exclusive time with these lines."""
    return f"import numpy as np\ndef alone(span, children):\n    a, b = span\n    {body}\n"


def path(body: str) -> str:
    """The critical path with these lines."""
    return f"def waited_for(stages):\n    {body}\n"


def saved(body: str) -> str:
    """The saving with these lines; t is the table."""
    return (
        "import numpy as np\nfrom labutils.latency import percentile\n"
        "def saved(times, stage, factor, share):\n    t = np.array(times, dtype=float)\n"
        f"    {body}\n"
    )


def largest(expression: str) -> str:
    """The largest rate as one expression."""
    return f"def largest(stages):\n    return {expression}\n"


def limits(body: str) -> str:
    """The limits with these lines; rows holds each stage's times in order."""
    return (
        "def stage_limits(stages, limit):\n    rows = [sorted(s) for s in stages]\n"
        f"    n = len(stages[0])\n    {body}\n"
    )


ANSWERS = [
    wrong(
        "where.alone",
        "subtracts every child, never below 0",
        alone("return max(0, b - a - sum(min(e, b) - s for s, e in children))"),
        true=("sums-the-children-from-zero",),
    ),
    wrong(
        "where.alone",
        "merges, but forgets that a child may outlive the span",
        alone(
            "free, at = 0, a\n    for s, e in sorted(children):\n"
            "        free += max(0, s - at)\n        at = max(at, e)\n    return free + b - at"
        ),
        true=("follows-children-outside",),
    ),
    wrong(
        "where.alone",
        "a child counts from the millisecond after its start",
        alone("return sum(all(not s < t <= e for s, e in children) for t in range(a, b))"),
    ),
    wrong(
        "where.alone",
        "a set of milliseconds, of which fractions are none",
        alone("return len(set(range(a, b)) - {t for s, e in children for t in range(s, e)})"),
    ),
    right(
        "where.alone",
        "events, plus one and minus one",
        alone(
            "marks = [(s, 1) for s, _ in children] + [(min(e, b), -1) for _, e in children]\n"
            "    marks.sort()\n    free, open_, at = 0, 0, a\n    for t, step in marks:\n"
            "        free += (t - at) * (open_ == 0)\n        open_, at = open_ + step, t\n"
            "    return free + b - at"
        ),
    ),
    wrong(
        "where.waited_for",
        "the order of the ends",
        path("return sorted(stages, key=lambda n: stages[n][1])"),
        true=("all-by-end",),
    ),
    wrong(
        "where.waited_for",
        "only the last one",
        path("return [max(stages, key=lambda n: stages[n][1])]"),
        true=("only-the-last",),
    ),
    wrong(
        "where.waited_for",
        "the names from the end to the start",
        path(
            "out, t = [], 10**9\n    for n in sorted(stages, key=lambda n: -stages[n][1]):\n"
            "        if stages[n][1] <= t:\n            out.append(n); t = stages[n][0]\n"
            "    return out"
        ),
        true=("backwards",),
    ),
    right(
        "where.waited_for",
        "a recursion without a name for it",
        path(
            "def before(t):\n        done = [n for n in stages if stages[n][1] <= t]\n"
            "        if not done:\n            return []\n"
            "        n = max(done, key=lambda n: stages[n][1])\n"
            "        return before(stages[n][0]) + [n]\n    return before(float('inf'))"
        ),
    ),
    wrong(
        "where.saved",
        "the share of the mean, times the percentile",
        saved(
            "p = t[:, stage].sum() / t.sum()\n"
            "    return percentile(t.sum(axis=1), share) * p * (1 - 1 / factor)"
        ),
        true=("amdahl-on-the-mean",),
    ),
    wrong(
        "where.saved",
        "what the mean saves",
        saved("return t[:, stage].mean() * (1 - 1 / factor)"),
        true=("mean",),
    ),
    wrong(
        "where.saved",
        "multiplies by the factor instead of dividing",
        saved(
            "u = t.copy(); u[:, stage] *= factor\n"
            "    return percentile(t.sum(axis=1), share) - percentile(u.sum(axis=1), share)"
        ),
        true=("slower",),
    ),
    right(
        "where.saved",
        "only the difference of each row",
        saved(
            "u = t.sum(axis=1) - t[:, stage] * (factor - 1) / factor\n"
            "    return percentile(t.sum(axis=1), share) - percentile(u, share)"
        ),
    ),
    wrong(
        "where.largest_rate",
        "the slowest visit",
        largest("min(c / s for v, s, c in stages)"),
        true=("no-visits",),
    ),
    wrong(
        "where.largest_rate",
        "one over the sum",
        largest("1 / sum(v * s / c for v, s, c in stages)"),
        true=("sum-of-demands",),
    ),
    wrong(
        "where.largest_rate",
        "the rate counted in visits of the bottleneck",
        largest("min((c / (v * s), v) for v, s, c in stages)[0] * max(v for v, s, c in stages)"),
    ),
    right(
        "where.largest_rate", "the busiest", largest("1 / max(v * s / c for v, s, c in stages)")
    ),
    wrong(
        "where.stage_limits",
        "strictly below",
        limits(
            "for k in reversed(range(n)):\n        row = [r[k] for r in rows]\n"
            "        if sum(row) < limit:\n            return row\n    return [r[0] for r in rows]"
        ),
        true=("strictly-below",),
    ),
    wrong(
        "where.stage_limits",
        "equal parts",
        limits("return [limit / len(stages)] * len(stages)"),
        true=("equal-parts",),
    ),
    wrong(
        "where.stage_limits",
        "fills one stage after the other",
        limits(
            "out, left = [], limit\n    for r in rows:\n"
            "        fits = [x for x in r if x <= left - sum(q[0] for q in rows[len(out) + 1:])]\n"
            "        out.append(fits[-1]); left -= fits[-1]\n    return out"
        ),
    ),
    right(
        "where.stage_limits",
        "columns, the last that fits, as a tuple",
        limits("return [c for c in zip(*rows) if sum(c) <= limit][-1]"),
    ),
    wrong("where.clocked", "the sum of the stages", "130 ms", true=("sum",)),
    wrong("where.clocked", "one beat", 50, true=("one-beat",)),
    right("where.clocked", "in seconds", "0.2 s"),
    right("where.clocked", "a fraction", Fraction(200)),
]  # fmt: skip
