"""What a dashboard computes, and when it may wake somebody: chapter 13 on one card."""

from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.laws.capacity import budget_lasts_s, burn_rate
from labutils.telemetry import watching

EDGES_S, MONTH_S = (0.1, 0.5, 2.0, float("inf")), 30 * 86_400
ONE = watching.histogram_of(EDGES_S, (8, 20, 26, 40))
QUICK, SLOW = (
    watching.histogram_of(EDGES_S, counts) for counts in ((990, 1000, 1000, 1000),
                                                          (500, 800, 1000, 1000))
)  # fmt: skip
PAGE = watching.BurnRule(14.4, 60, 5)


def watched() -> ReferenceCard:
    """Quantiles from buckets, rates of counters, budgets, weights."""
    median, high = (watching.estimate_quantile(ONE, q) for q in (0.5, 0.75))
    both = watching.estimate_quantile(watching.pooled((QUICK, SLOW)), 0.99)
    grown = float(watching.counter_increase([100, 130, 12, 40]))
    rows = (
        (
            "Quantile from buckets",
            r"$a+(b-a)\,\frac{qn-A}{B-A}$",
            f"Up to 0.1, 0.5, 2 s and in all 8, 20, 26, 40: the median shows as "
            f"{fmt(median.value_s, 's')} and lies above {fmt(median.low_s, 's')}; p75 shows as "
            f"{fmt(high.value_s, 's')} and may be anything above.",
        ),
        (
            "Quantile of several replicas",
            "add the counts of each bucket, then as above",
            "Two replicas, equal traffic: the mean of their p99s is "
            f"{fmt(watching.mean_of_quantiles((QUICK, SLOW), 0.99), 's')}, the p99 of all "
            f"{fmt(both.value_s, 's')}.",
        ),
        (
            "Rate of a counter",
            r"$\frac{\text{sum of the rises}}{\text{time}}$",
            f"100, 130, 12, 40 in 4 s: {fmt(grown / 4, '1/s')}. A fall is a restart: it began at "
            "0 again.",
        ),
        (
            "Late or refused",
            r"$\frac{\text{late}+\text{refused}}{\text{all that asked}}$",
            f"1,000 answered, 10 of them late, 200 refused: {100 * 210 / 1200:.1f} %. The p99 of "
            "the answered is in time.",
        ),
        (
            "Burn rate of an error budget",
            r"$\frac{\text{bad share}}{1-\text{objective}}$",
            f"2 % bad at 99.9 %: {burn_rate(0.02, 0.999):.0f}; the budget of a month lasts "
            f"{budget_lasts_s(0.02, 0.999, MONTH_S) / 3600:.0f} h. At 95 % it is never above "
            f"{burn_rate(1, 0.95):.0f}.",
        ),
        (
            "Page somebody",
            "burn above 14.4 over 60 **and** over 5 minutes",
            f"{100 * PAGE.budget_spent():.0f} % of a month's budget in an hour. Half of all fail: "
            f"found after {fmt(60 * PAGE.detection_min(0.5, 0.999), 's')}.",
        ),
        (
            "What a kept trace stands for",
            r"$\frac{1}{\text{chance to be kept}}$",
            "All late ones are kept, and 5 % of the others, which count 20 each: 20 and 49 kept "
            f"are {100 * 20 / (20 + 49 * 20):.0f} % late, not {100 * 20 / 69:.0f} %.",
        ),
    )
    return ReferenceCard(
        id="watching",
        title="Formulas: watching a service",
        topics=("L11", "L08", "L10", "L15"),
        header=("what", "formula", "example"),
        rows=rows,
        note=(
            r"$a$, $b$: edges of the bucket that holds rank $qn$; $A$, $B$: requests up to each; "
            "the truth lies above $a$ and at most at $b$. Put an edge at every promised limit. "
            "Latencies hold only requests that got one. Where an hour holds few requests, ask for "
            "a least number before you wake anybody (chapter 13)."
        ),
        sources=(
            "Prometheus, *promql/quantile.go*",
            "*The Site Reliability Workbook*, 2018, chapter 5 (14.4; 60 and 5 minutes)",
        ),
    )
