"""Second trial answers to the exercises of chapter 03b."""

from tests.answers.answer import right, wrong


def interval(spread: str, mean: str = "values.mean()") -> str:
    """The interval with this half width; m holds the means of the stretches."""
    return (
        "import numpy as np\ndef batch_interval(values, num_batches, t):\n"
        "    m = values.reshape(num_batches, -1).mean(axis=1)\n"
        f"    half = {spread}\n    middle = {mean}\n    return middle - half, middle + half\n"
    )


def audit(body: str) -> str:
    """The audit with this returned expression."""
    return (
        "import numpy as np\ndef unaccounted(arrival_s, departure_s, audit_s, inside):\n"
        "    a, d = np.sort(arrival_s), np.sort(departure_s)\n"
        f"    return {body}\n"
    )


GONE = "np.searchsorted(d, audit_s, 'right')"
CAME = "np.searchsorted(a, audit_s, 'right')"

ANSWERS = [
    wrong("trusting.interval", "no root of the number", interval("t * m.std(ddof=1)")),
    wrong("trusting.interval", "divides by n", interval("t * m.std() / num_batches**0.5")),
    wrong("trusting.interval", "naive", interval("t * values.std(ddof=1) / np.sqrt(len(values))")),
    wrong("trusting.interval", "1.96", interval("1.96 * m.std(ddof=1) / num_batches**0.5")),
    wrong(
        "trusting.interval",
        "root of the number of values",
        interval("t * m.std(ddof=1) / np.sqrt(len(values))"),
    ),
    wrong("trusting.interval", "variance", interval("t * m.var(ddof=1) / num_batches**0.5")),
    right("trusting.interval", "as told", interval("t * m.std(ddof=1) / num_batches**0.5")),
    right(
        "trusting.interval",
        "sum of squares, mean of means",
        interval("t * (((m - m.mean())**2).sum() / (len(m) - 1) / len(m))**0.5", "m.mean()"),
    ),
    wrong("trusting.plan", "standard error, not 95 %", 169_000),
    wrong("trusting.plan", "independent values", 4268),
    wrong("trusting.plan", "factor not squared", 52_642),
    wrong("trusting.plan", "two per cent", 1_460_000),
    wrong("trusting.plan", "load 0.9", 1_540_000),
    wrong("trusting.plan", "the root: 806", 806),
    right("trusting.plan", "two figures", 650_000),
    right("trusting.plan", "not rounded", (1.96 * 1.85 / 0.15 / 0.03) ** 2),
    wrong("trusting.newest", "the mean too", "c, e"),
    wrong("trusting.newest", "only the mean", "c"),
    wrong("trusting.newest", "the case without chance too", "b, e"),
    wrong("trusting.newest", "waits and mean", "b, c, e"),
    wrong("trusting.newest", "some starve", "a, e"),
    wrong("trusting.newest", "slow motion too", "d, e"),
    right("trusting.newest", "capital", "E"),
    right("trusting.newest", "in brackets", "(e)"),
    wrong("trusting.audit", "inside forgotten", audit(f"{CAME} - {GONE}")),
    wrong(
        "trusting.audit",
        "that moment left out of both",
        audit("np.searchsorted(a, audit_s) - np.searchsorted(d, audit_s) - inside"),
    ),
    wrong("trusting.audit", "inside added", audit(f"{CAME} - {GONE} + inside")),
    wrong("trusting.audit", "the other sign", audit(f"{GONE} + inside - {CAME}")),
    wrong(
        "trusting.audit",
        "departures not sorted",
        audit(f"{CAME} - np.searchsorted(departure_s, audit_s, 'right') - inside"),
    ),
    wrong("trusting.audit", "a single number", audit(f"({CAME} - {GONE} - inside)[-1]")),
    right("trusting.audit", "by search", audit(f"{CAME} - {GONE} - inside")),
    right(
        "trusting.audit",
        "a list by counting",
        audit("[(a <= t).sum() - (d <= t).sum() - k for t, k in zip(audit_s, inside)]"),
    ),
]
