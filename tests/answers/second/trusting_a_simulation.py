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
    wrong(
        "trusting.interval",
        "no root of the number",
        interval("t * m.std(ddof=1)"),
        true=("no-root",),
    ),
    wrong(
        "trusting.interval",
        "divides by n",
        interval("t * m.std() / num_batches**0.5"),
        true=("population",),
    ),
    wrong(
        "trusting.interval",
        "naive",
        interval("t * values.std(ddof=1) / np.sqrt(len(values))"),
        true=("naive",),
    ),
    wrong(
        "trusting.interval",
        "1.96",
        interval("1.96 * m.std(ddof=1) / num_batches**0.5"),
        true=("normal-for-student",),
    ),
    wrong(
        "trusting.interval",
        "root of the number of values",
        interval("t * m.std(ddof=1) / np.sqrt(len(values))"),
        true=("root-of-all-values",),
    ),
    wrong(
        "trusting.interval",
        "variance",
        interval("t * m.var(ddof=1) / num_batches**0.5"),
        true=("variance",),
    ),
    right("trusting.interval", "as told", interval("t * m.std(ddof=1) / num_batches**0.5")),
    right(
        "trusting.interval",
        "sum of squares, mean of means",
        interval("t * (((m - m.mean())**2).sum() / (len(m) - 1) / len(m))**0.5", "m.mean()"),
    ),
    wrong("trusting.plan", "standard error, not 95 %", 169_000, true=("one-deviation",)),
    wrong("trusting.plan", "independent values", 4268, true=("independent",)),
    wrong("trusting.plan", "factor not squared", 52_642, true=("factor-not-squared",)),
    wrong("trusting.plan", "two per cent", 1_460_000, true=("within-two-per-cent",)),
    wrong("trusting.plan", "load 0.9", 1_540_000, true=("another-load",)),
    wrong("trusting.plan", "the root: 806", 806, true=("not-squared",)),
    right("trusting.plan", "two figures", 650_000),
    right("trusting.plan", "not rounded", (1.96 * 1.85 / 0.15 / 0.03) ** 2),
    wrong("trusting.newest", "the mean too", "c, e", true=("c",)),
    wrong("trusting.newest", "only the mean", "c", true=("c",)),
    wrong("trusting.newest", "the case without chance too", "b, e", true=("b",)),
    wrong("trusting.newest", "waits and mean", "b, c, e", true=("b",)),
    wrong("trusting.newest", "some starve", "a, e", true=("a",)),
    wrong("trusting.newest", "slow motion too", "d, e", true=("d",)),
    right("trusting.newest", "capital", "E"),
    right("trusting.newest", "in brackets", "(e)"),
    wrong(
        "trusting.audit", "inside forgotten", audit(f"{CAME} - {GONE}"), true=("forgets-inside",)
    ),
    wrong(
        "trusting.audit",
        "that moment left out of both",
        audit("np.searchsorted(a, audit_s) - np.searchsorted(d, audit_s) - inside"),
        true=("strictly-before",),
    ),
    wrong(
        "trusting.audit",
        "inside added",
        audit(f"{CAME} - {GONE} + inside"),
        true=("counts-inside-as-lost",),
    ),
    wrong("trusting.audit", "the other sign", audit(f"{GONE} + inside - {CAME}"), true=("sign",)),
    wrong(
        "trusting.audit",
        "departures not sorted",
        audit(f"{CAME} - np.searchsorted(departure_s, audit_s, 'right') - inside"),
        true=("takes-them-for-sorted",),
    ),
    wrong(
        "trusting.audit",
        "a single number",
        audit(f"({CAME} - {GONE} - inside)[-1]"),
        true=("wrong-type",),
    ),
    right("trusting.audit", "by search", audit(f"{CAME} - {GONE} - inside")),
    right(
        "trusting.audit",
        "a list by counting",
        audit("[(a <= t).sum() - (d <= t).sum() - k for t, k in zip(audit_s, inside)]"),
    ),
]
