"""Proofs of chapter 13: mistakes that learners make, and right answers of other styles."""

import math
from itertools import pairwise

import numpy as np

from labutils.exercises.catalog.watching.page_or_look import PAGE_OR_LOOK
from labutils.exercises.catalog.watching.panel_faults import PANEL_FAULTS
from labutils.exercises.definition.verdict import Status
from labutils.watching import (
    BurnRule,
    Minutes,
    estimate_quantile,
    firing,
    histogram_of,
    pooled,
)
from tests.proofs.proof import Proof

# --- watching.quantile --------------------------------------------------------------------------


def walk(edges_s, up_to, q, *, into=lambda low, high, part: low + (high - low) * part):
    """The right answer, as a walk through the buckets."""
    rank, low, below = q * up_to[-1], 0.0, 0
    for high, here in zip(edges_s, up_to):
        if here >= rank:
            if high == math.inf:
                return low, low, high
            return into(low, high, (rank - below) / (here - below)), low, high
        low, below = high, here


def adds_them_up(edges_s, up_to, q):
    return walk(edges_s, np.cumsum(up_to).tolist(), q)


def the_edge(edges_s, up_to, q):
    return walk(edges_s, up_to, q, into=lambda low, high, part: high)


def the_middle(edges_s, up_to, q):
    return walk(edges_s, up_to, q, into=lambda low, high, part: (low + high) / 2)


def beyond_the_rank(edges_s, up_to, q):
    at = int(np.searchsorted(up_to, q * up_to[-1], side="right"))
    at = min(at, len(up_to) - 1)
    low, below = (edges_s[at - 1], up_to[at - 1]) if at else (0.0, 0)
    if math.isinf(edges_s[at]):
        return low, low, math.inf
    part = (q * up_to[-1] - below) / max(1, up_to[at] - below)
    return low + part * (edges_s[at] - low), low, edges_s[at]


def honest_about_the_top(edges_s, up_to, q):
    value, low, high = walk(edges_s, up_to, q)
    return (math.inf if math.isinf(high) else value), low, high


def q_of_the_way(edges_s, up_to, q):
    _, low, high = walk(edges_s, up_to, q)
    return (low if math.isinf(high) else low + q * (high - low)), low, high


def high_before_low(edges_s, up_to, q):
    value, low, high = walk(edges_s, up_to, q)
    return value, high, low


def whole_rank(edges_s, up_to, q):
    return walk(edges_s, up_to, math.floor(q * up_to[-1]) / up_to[-1])


def next_whole_rank(edges_s, up_to, q):
    return walk(edges_s, up_to, math.ceil(q * up_to[-1]) / up_to[-1])


def by_np_interp(edges_s, up_to, q):
    """Linear interpolation of all edges is right where no bucket before the rank is empty."""
    at = int(np.searchsorted(up_to, q * up_to[-1]))
    low, below = (edges_s[at - 1], up_to[at - 1]) if at else (0.0, 0)
    if at == len(up_to) - 1:
        return low, low, math.inf
    value = np.interp(q * up_to[-1], [below, up_to[at]], [low, edges_s[at]])
    return np.array([value, low, edges_s[at]])


def by_the_library(edges_s, up_to, q):
    found = estimate_quantile(histogram_of(edges_s, up_to), q)
    return found.value_s, found.low_s, found.high_s


# --- watching.service ---------------------------------------------------------------------------


def mean_of_columns(edges_s, replicas, q):
    return np.mean([walk(edges_s, up_to, q) for up_to in replicas], axis=0)


def weighted_columns(edges_s, replicas, q):
    weights = [up_to[-1] for up_to in replicas]
    return np.average([walk(edges_s, up_to, q) for up_to in replicas], axis=0, weights=weights)


def worst_column(edges_s, replicas, q):
    return np.max([walk(edges_s, up_to, q) for up_to in replicas], axis=0)


def normalised(edges_s, replicas, q):
    table = np.array(replicas, dtype=float)
    return walk(edges_s, (table / table[:, -1:]).sum(axis=0), q)


def summed_along_the_rows(edges_s, replicas, q):
    return walk(edges_s, np.array(replicas).sum(axis=1).tolist(), q)


def summed_and_accumulated(edges_s, replicas, q):
    return walk(edges_s, np.cumsum(np.array(replicas).sum(axis=0)).tolist(), q)


def mean_within_the_bounds(edges_s, replicas, q):
    _, low, high = summed_table(edges_s, replicas, q)
    return np.mean([walk(edges_s, up_to, q)[0] for up_to in replicas]), low, high


def mean_within_all_bounds(edges_s, replicas, q):
    each = np.array([walk(edges_s, up_to, q) for up_to in replicas])
    return each[:, 0].mean(), each[:, 1].min(), each[:, 2].max()


def summed_table(edges_s, replicas, q):
    return by_np_interp(edges_s, np.array(replicas).sum(axis=0), q)


def pooled_by_the_library(edges_s, replicas, q):
    found = estimate_quantile(pooled([histogram_of(edges_s, each) for each in replicas]), q)
    return found.value_s, found.low_s, found.high_s


# --- watching.rate ------------------------------------------------------------------------------


def last_less_first(times_s, values):
    return (values[-1] - values[0]) / (times_s[-1] - times_s[0])


def rises_alone(times_s, values):
    return np.diff(values).clip(min=0).sum() / (times_s[-1] - times_s[0])


def sizes_of_steps(times_s, values):
    return np.abs(np.diff(values)).sum() / (times_s[-1] - times_s[0])


def mean_step(times_s, values):
    return np.mean([b - a if b >= a else b for a, b in pairwise(values)])


def restarts_at_equal_values(times_s, values):
    steps = [b if b <= a else b - a for a, b in pairwise(values)]
    return sum(steps) / (times_s[-1] - times_s[0])


def mean_of_rates(times_s, values):
    steps = [b if b < a else b - a for a, b in pairwise(values)]
    return np.mean(np.array(steps) / np.diff(times_s))


def per_scrape_read(times_s, values):
    return with_numpy(times_s, values) * (times_s[-1] - times_s[0]) / len(times_s)


def from_zero_on(times_s, values):
    return with_numpy(times_s, values) * (times_s[-1] - times_s[0]) / times_s[-1]


def with_offsets(times_s, values):
    """Right: what was lost at each restart is added to all that comes after."""
    lost = sum(before for before, after in pairwise(values) if after < before)
    return (values[-1] + lost - values[0]) / (times_s[-1] - times_s[0])


def with_numpy(times_s, values):
    steps = np.diff(values)
    steps = np.where(steps < 0, values[1:], steps)
    return steps.sum() / np.ptp(times_s)


# --- watching.burn ------------------------------------------------------------------------------


def shares(total, bad, window):
    """For each minute the bad share of the window that ends with it."""
    found = []
    for now in range(len(total)):
        start = max(0, now - window + 1)
        requests = sum(total[start : now + 1])
        found.append(sum(bad[start : now + 1]) / requests if requests else 0)
    return np.array(found)


def one_of_both(total, bad, objective, burn, long_min, short_min):
    limit = burn * (1 - objective)
    long, short = (shares(total, bad, window) > limit for window in (long_min, short_min))
    return np.flatnonzero(long | short)


def only_the_long_one(total, bad, objective, burn, long_min, short_min):
    return np.flatnonzero(shares(total, bad, long_min) > burn * (1 - objective))


def averages_minutes(total, bad, objective, burn, long_min, short_min):
    each = [b / t if t else math.nan for t, b in zip(total, bad)]

    def mean(now, window):
        some = [x for x in each[max(0, now - window + 1) : now + 1] if not math.isnan(x)]
        return sum(some) / len(some) if some else 0

    limit = burn * (1 - objective)
    return [
        now for now in range(len(total)) if min(mean(now, long_min), mean(now, short_min)) > limit
    ]


def above_the_budget(total, bad, objective, burn, long_min, short_min):
    least = np.minimum(shares(total, bad, long_min), shares(total, bad, short_min))
    return np.flatnonzero(least > 1 - objective)


def in_percent(total, bad, objective, burn, long_min, short_min):
    least = np.minimum(shares(total, bad, long_min), shares(total, bad, short_min))
    return np.flatnonzero(100 * least > burn * (1 - objective))


def leaves_out_this_minute(total, bad, objective, burn, long_min, short_min):
    def share(now, window):
        start = max(0, now - window + 1)
        return sum(bad[start:now]) / max(1, sum(total[start:now]))

    limit = burn * (1 - objective)
    return [
        now for now in range(len(total)) if min(share(now, long_min), share(now, short_min)) > limit
    ]


def empty_windows_burn(total, bad, objective, burn, long_min, short_min):
    def burns(now, window):
        inside = slice(max(0, now - window + 1), now + 1)
        asked = sum(total[inside])
        return not asked or sum(bad[inside]) / asked > burn * (1 - objective)

    return [now for now in range(len(total)) if burns(now, long_min) and burns(now, short_min)]


def with_running_sums(total, bad, objective, burn, long_min, short_min):
    """Right: no bad request is compared by a division."""
    every, wrong = np.cumsum([0, *total]), np.cumsum([0, *bad])
    found = []
    for end in range(1, len(total) + 1):
        starts = max(0, end - long_min), max(0, end - short_min)
        if all(
            wrong[end] - wrong[s] > burn * (1 - objective) * (every[end] - every[s]) for s in starts
        ):
            found.append(end - 1)
    return found


def burn_by_the_library(total, bad, objective, burn, long_min, short_min):
    rule = BurnRule(burn, long_min, short_min)
    return np.flatnonzero(firing(Minutes(np.array(total), np.array(bad)), rule, objective))


def forgets_to_append(total, bad, objective, burn, long_min, short_min):
    found = []
    for _now in np.flatnonzero(shares(total, bad, long_min) > burn * (1 - objective)):
        pass
    return found


def without_the_budget(total, bad, objective, burn, long_min, short_min):
    least = np.minimum(shares(total, bad, long_min), shares(total, bad, short_min))
    return np.flatnonzero(least > burn)


def windowed(total, bad, objective, burn, long_min, short_min, *, burns, start=0):
    """``burns(total, bad, limit)`` of both windows; their slices begin at ``start`` or later."""
    limit, found = burn * (1 - objective), []
    for now in range(len(total)):
        begins = [now - window + 1 for window in (long_min, short_min)]
        parts = [slice(max(start, at) if start is not None else at, now + 1) for at in begins]
        if all(burns(total[part], bad[part], limit) for part in parts):
            found.append(now)
    return found


def counts_alone(*given):
    return windowed(*given, burns=lambda total, bad, limit: sum(bad) > limit)


def divides_by_minutes(*given):
    return windowed(*given, burns=lambda total, bad, limit: sum(bad) / len(bad) > limit)


def at_least_in_counts(*given):
    return windowed(*given, burns=lambda total, bad, limit: sum(bad) >= limit * sum(total))


def averages_every_minute(*given):
    def burns(total, bad, limit):
        return np.mean([b / max(1, t) for t, b in zip(total, bad)]) > limit

    return windowed(*given, burns=burns)


def from_the_end(*given):
    def burns(total, bad, limit):
        return sum(bad) / max(1, sum(total)) > limit

    return windowed(*given, burns=burns, start=None)


# --- the two that are sorted --------------------------------------------------------------------

FAULTS = PANEL_FAULTS.checker.house_answer
PLACES = PAGE_OR_LOOK.checker.house_answer
BY_NAME = {card.text: key for key, card in PAGE_OR_LOOK.checker.cards.items()}


def faults(**changes):
    return {**FAULTS, **{key.removeprefix("panel"): value for key, value in changes.items()}}


PROOFS = {
    "watching.quantile": Proof(
        mistakes={
            "adds them up": (adds_them_up, "counts-of-single-buckets"),
            "the edge": (the_edge, "upper-edge"),
            "the middle": (the_middle, "middle"),
            "beyond the rank": (beyond_the_rank, "next-bucket"),
            "honest about the top": (honest_about_the_top, "infinite"),
            "q of the way": (q_of_the_way, "q-is-the-way"),
            "high before low": (high_before_low, "bounds-swapped"),
            "a whole rank": (whole_rank, "rank-rounded-down"),
            "the next whole rank": (next_whole_rank, "rank-rounded-up"),
        },
        alternatives={"a walk": walk, "np.interp": by_np_interp, "the library": by_the_library},
    ),
    "watching.service": Proof(
        mistakes={
            "the mean": (mean_of_columns, "mean-of-quantiles"),
            "a weighted mean": (weighted_columns, "weighted-mean-of-quantiles"),
            "the worst": (worst_column, "worst-replica"),
            "normalised": (normalised, "shares-added"),
            "the wrong axis": (summed_along_the_rows, "adds-within-replicas"),
            "accumulated twice": (summed_and_accumulated, "accumulates-again"),
            "an averaged value": (mean_within_the_bounds, "mean-between-right-bounds"),
            "in the widest bounds": (mean_within_all_bounds, "mean-in-the-widest-bounds"),
        },
        alternatives={"a summed table": summed_table, "the library": pooled_by_the_library},
    ),
    "watching.faults": Proof(
        mistakes={
            "an average of p99s is a mean": (faults(panel2="mean"), "2-mean"),
            "nothing waits": (faults(panel6="cause"), "6-cause"),
            "who was refused, panel 1": (faults(panel1="survivors"), "1-survivors"),
            "who was refused, panel 2": (faults(panel2="survivors"), "2-survivors"),
            "who was refused, panel 3": (faults(panel3="survivors"), "3-survivors"),
            "a counter on a bad axis": (faults(panel4="scale"), "4-scale"),
            "a fault that is none": (faults(panel1="colour"), Status.unreadable),
            "half of them": ({key: FAULTS[key] for key in "1234"}, Status.wrong),
        },
        alternatives={
            "the mean on a large axis": faults(panel7="scale"),
            "other words": faults(panel1="average", panel2="percentiles"),
            "numbers": {int(key): value for key, value in FAULTS.items()},
        },
    ),
    "watching.rate": Proof(
        mistakes={
            "last less first": (last_less_first, "restarts-unseen"),
            "rises alone": (rises_alone, "restart-counts-nothing"),
            "sizes of steps": (sizes_of_steps, "falls-count-as-rises"),
            "the mean step": (mean_step, "per-scrape"),
            "<= at a restart": (restarts_at_equal_values, "standstill-is-a-restart"),
            "the mean of rates": (mean_of_rates, "mean-of-step-rates"),
            "per scrape": (per_scrape_read, "per-reading"),
            "from zero on": (from_zero_on, "since-time-zero"),
        },
        alternatives={"offsets": with_offsets, "numpy": with_numpy},
    ),
    "watching.burn": Proof(
        mistakes={
            "one of both": (one_of_both, "either-window"),
            "only the long one": (only_the_long_one, "long-window-alone"),
            "averages minutes": (averages_minutes, "mean-of-minutes"),
            "above the budget": (above_the_budget, "budget-alone"),
            "in percent": (in_percent, "in-percent"),
            "leaves out this minute": (leaves_out_this_minute, "a-minute-too-short"),
            "empty windows burn": (empty_windows_burn, "burns-without-requests"),
            "nothing is appended": (forgets_to_append, Status.wrong),
            "without the budget": (without_the_budget, "burn-alone"),
            "counts alone": (counts_alone, "counts"),
            "divides by minutes": (divides_by_minutes, "per-minute"),
            "at least, in counts": (at_least_in_counts, "reaches-the-limit-without-requests"),
            "averages every minute": (averages_every_minute, "mean-of-all-minutes"),
            "a slice from the end": (from_the_end, "wraps-around"),
        },
        alternatives={"running sums": with_running_sums, "the library": burn_by_the_library},
    ),
    "watching.signals": Proof(
        mistakes={
            "end to end": ({**PLACES, BY_NAME["end-to-end latency"]: "page"}, "c-page"),
            "a full cache": ({**PLACES, BY_NAME["KV cache in use"]: "page"}, "a-page"),
            "failures by day": ({**PLACES, BY_NAME["failed requests"]: "look"}, "d-look"),
        },
        alternatives={"other words": {key: place.upper() for key, place in PLACES.items()}},
    ),
}
