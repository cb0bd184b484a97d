"""Proofs of chapter 08: mistakes that learners make, and right answers of other styles."""

import itertools
import math

import numpy as np

from labutils import tails
from labutils.exercises.definition.verdict import Status
from labutils.latency import percentile
from tests.proofs.proof import Proof

# --- tails.leaf_quantile ------------------------------------------------------------------------


def in_per_cent(page_quantile, num_leaves):
    return 100 * page_quantile ** (1 / num_leaves)


def divides_the_quantile(page_quantile, num_leaves):
    return page_quantile / num_leaves


def slow_share_of_the_leaf(page_quantile, num_leaves):
    return 1 - page_quantile ** (1 / num_leaves)


def always_a_p99_99(page_quantile, num_leaves):
    return 0.9999


def with_logarithms(page_quantile, num_leaves):
    return math.exp(math.log(page_quantile) / num_leaves)


def with_the_library(page_quantile, num_leaves):
    return tails.required_leaf_quantile(page_quantile, num_leaves)


def by_bisection(page_quantile, num_leaves):
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if middle**num_leaves < page_quantile else (low, middle)
    return np.float64(high)


# --- tails.trigger ------------------------------------------------------------------------------


def takes_the_budget_for_a_percentage(latencies, budget):
    return sorted(latencies)[len(latencies) - int(budget / 100 * len(latencies)) - 1]


def next_millisecond(latencies, budget):
    return sorted(latencies)[len(latencies) - int(budget * len(latencies)) - 1] + 1


def fewer_than_the_budget(latencies, budget):
    ordered = sorted(latencies)
    return next(x for x in ordered if sum(y > x for y in ordered) < budget * len(ordered))


def one_rank_late_when_whole(latencies, budget):
    allowed = math.ceil(budget * len(latencies)) - 1
    return sorted(latencies)[len(latencies) - allowed - 1]


def share_instead_of_a_delay(latencies, budget):
    return 1 - budget


def sorts_the_log_in_place(latencies, budget):
    latencies.sort()
    return latencies[len(latencies) - int(budget * len(latencies)) - 1]


def mean_and_two_deviations(latencies, budget):
    return float(np.mean(latencies) + 2 * np.std(latencies))


def tries_each_latency(latencies, budget):
    for delay in sorted(set(latencies)):
        if sum(x > delay for x in latencies) <= budget * len(latencies) + 1e-9:
            return delay


def with_a_partition(latencies, budget):
    k = int(budget * len(latencies))
    return np.partition(latencies, len(latencies) - k - 1)[len(latencies) - k - 1]


def by_nearest_rank(latencies, budget):
    return percentile(latencies, 1 - budget)


# --- tails.page_latency -------------------------------------------------------------------------


def rounds_the_rank_down(leaf_latencies, page_quantile, num_leaves):
    rank = int(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
    return sorted(leaf_latencies)[max(rank, 1) - 1]


def one_rank_too_far(leaf_latencies, page_quantile, num_leaves):
    rank = math.ceil(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
    return sorted(leaf_latencies)[min(rank, len(leaf_latencies) - 1)]


def one_rank_late(leaf_latencies, page_quantile, num_leaves):
    index = int(len(leaf_latencies) * page_quantile ** (1 / num_leaves))
    return sorted(leaf_latencies)[min(index, len(leaf_latencies) - 1)]


def multiplies_the_quantile(leaf_latencies, page_quantile, num_leaves):
    return num_leaves * percentile(leaf_latencies, page_quantile)


def with_numpys_default(leaf_latencies, page_quantile, num_leaves):
    return np.percentile(leaf_latencies, 100 * page_quantile ** (1 / num_leaves))


def counts_pages(leaf_latencies, page_quantile, num_leaves):
    for limit in sorted(leaf_latencies):
        within = sum(x <= limit for x in leaf_latencies) / len(leaf_latencies)
        if within**num_leaves >= page_quantile:
            return limit


def with_the_house_percentile(leaf_latencies, page_quantile, num_leaves):
    u = page_quantile ** (1 / num_leaves)
    return percentile(leaf_latencies, u) if u < 1 else max(leaf_latencies)


# --- tails.bucket -------------------------------------------------------------------------------


def gains_after_sending(wants, share, burst):
    tokens, sends = burst, []
    for want in wants:
        send = want and tokens >= 1
        tokens = min(burst, tokens - send + share)
        sends.append(send)
    return [bool(send) for send in reversed(sends)]


def needs_more_than_one(wants, share, burst):
    tokens, sends = burst, []
    for want in wants:
        tokens = min(burst, tokens + share)
        send = want and tokens > 1
        tokens -= send
        sends.append(bool(send))
    return sends


def counts_the_copies(wants, share, burst):
    tokens, sent = burst, 0
    for want in wants:
        tokens = min(burst, tokens + share)
        if want and tokens >= 1:
            tokens -= 1
            sent += 1
    return sent


def a_share_of_those_who_want(wants, share, burst):
    tokens, sends = burst, []
    for want in wants:
        if want:
            tokens = min(burst, tokens + share)
        send = bool(want and tokens >= 1)
        tokens -= send
        sends.append(send)
    return sends


def in_shares_of_a_token(wants, share, burst):
    price = round(1 / share)
    level, sends = burst * price, []
    for want in wants:
        level = min(burst * price, level + 1)
        send = int(bool(want)) * (level >= price)
        level -= price * send
        sends.append(bool(send))
    return np.array(sends)


def with_accumulate(wants, share, burst):
    def step(state, want):
        tokens = min(burst, state[0] + share)
        return (tokens - 1, True) if want and tokens >= 1 else (tokens, False)

    states = itertools.accumulate(wants, step, initial=(burst, False))
    return tuple(sent for _, sent in states)[1:]


PROOFS = {
    "tails.leaf_quantile": Proof(
        mistakes={
            "in per cent": (in_per_cent, "in-per-cent"),
            "divides the quantile": (divides_the_quantile, "divides-the-quantile"),
            "the leaf's slow share": (slow_share_of_the_leaf, "slow-share"),
            "always p99.99": (always_a_p99_99, "constant"),
        },
        alternatives={
            "logarithms": with_logarithms,
            "the library": with_the_library,
            "bisection, a numpy number": by_bisection,
        },
    ),
    "tails.ten_calls": Proof(
        mistakes={
            "the slide": ("99 %", "the-slide"),
            "one call": (0.9, "one-call"),
            "at least one late": (0.651, "at-least-one-late"),
            "single p99": ("90.4 %", "single-p99"),
            "per cent without the sign": (34.9, Status.scale),
            "a time": ("8 ms", Status.unit),
            "the tenth root": (0.9**0.1, "the-slide"),
            "adds the slow shares": (0.0, Status.wrong),
        },
        alternatives={"per cent": "34.9 %", "rounded": 0.35, "numpy": np.prod([0.9] * 10)},
    ),
    "tails.trigger": Proof(
        mistakes={
            "takes the budget for a percentage": (
                takes_the_budget_for_a_percentage,
                "never-hedges",
            ),
            "the next millisecond": (next_millisecond, Status.wrong),
            "strictly fewer": (fewer_than_the_budget, "one-fewer-when-whole"),
            "one rank late": (one_rank_late_when_whole, "one-fewer-when-whole"),
            "a share instead of a delay": (share_instead_of_a_delay, Status.wrong),
            "sorts the log in place": (sorts_the_log_in_place, "mutates-input"),
            "mean and two deviations": (mean_and_two_deviations, Status.wrong),
        },
        alternatives={
            "tries each latency": tries_each_latency,
            "partition, a numpy integer": with_a_partition,
            "percentile by nearest rank": by_nearest_rank,
        },
    ),
    "tails.revive": Proof(
        mistakes={
            "waits": ("a", "a"),
            "longer trigger": (["c", "b"], "b"),
            "two more servers": ("c, d, e, f", "e"),
            "one missing": ("c, f", "without-d"),
            "no option": ("restart", Status.unreadable),
        },
        alternatives={
            "a list": ["f", "c", "d"],
            "without commas": "C D F",
            "a set": {"c", "d", "f"},
        },
    ),
    "tails.page_latency": Proof(
        mistakes={
            "rounds the rank down": (rounds_the_rank_down, "rank-rounded-down"),
            "one rank too far": (one_rank_too_far, "rank-for-index"),
            "one rank late": (one_rank_late, "one-rank-late"),
            "multiplies the quantile": (multiplies_the_quantile, "times-the-leaves"),
            "numpy's default": (with_numpys_default, "interpolates"),
        },
        alternatives={
            "counts pages": counts_pages,
            "percentile by nearest rank": with_the_house_percentile,
        },
    ),
    "tails.bucket": Proof(
        mistakes={
            "in the wrong order": (gains_after_sending, Status.wrong),
            "needs more than one token": (needs_more_than_one, "more-than-one"),
            "counts the copies": (counts_the_copies, Status.wrong),
            "a share of those who want": (a_share_of_those_who_want, "share-of-those-who-want"),
        },
        alternatives={
            "whole numbers, an array": in_shares_of_a_token,
            "accumulate, a tuple": with_accumulate,
        },
    ),
}
