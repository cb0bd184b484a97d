"""The drills on queues and tails, solved with plain arithmetic from the words that they print.

A drill whose story leaves out a number, prints it rounded, or whose reference follows another
formula fails here: nothing below uses the course's physics.
"""

import math
import re

import pytest

from labutils.drills.catalog import find
from labutils.ground.units import parse

from .by_hand import solvers
from .orders_and_machines import SOLVED as ORDERS_AND_MACHINES
from .printed import TIME, count, rates, shares, times

SEEDS = range(0, 1000, 41)


def in_flight(drill):
    (rate,), (stay, p99, queued) = rates(drill.story), times(drill.story)
    limit = count(r"allows ([\d,]+) open", drill.follow_up.story)
    longer = times(drill.follow_up.follow_up.story)[0]
    wrong = {"with-the-p99": rate * p99, "in-service-only": rate * (stay - queued)}
    return [rate * stay, limit / rate, limit / longer], wrong


def busy_share(drill):
    servers, (rate,) = count(r"run (\d+)", drill.story), rates(drill.story)
    service, latency = times(drill.story)[:2]
    wrong = {"with-the-latency": rate * latency / servers, "all-on-one": rate * service}
    return [rate * service / servers, servers / service], wrong


def p95_of_a_list(drill):
    log = sorted(map(int, drill.story.split("\n")[1].split(", ")))
    lost = count(r"(\d+) more", drill.follow_up.story)
    ranks = [-(-95 * n // 100) for n in (len(log), len(log) + lost)]
    return [log[rank - 1] for rank in ranks], {"one-rank-low": log[ranks[0] - 2]}


def one_server_p99(drill):
    service, (rate,) = times(drill.story)[0], rates(drill.story)
    mean = 1 / (1 / service - rate)
    spare = math.log(100) / times(drill.follow_up.story)[0]
    wrong = {"mean": mean, "no-queue": service * math.log(100)}
    return [mean * math.log(100), 1 / (rate + spare)], wrong


def rate_for_a_p99(drill):
    service, target = times(drill.story)[0], times(drill.story)[-1]
    spare = math.log(100) / target
    one = 1 / service - spare
    return [one, 2 / service - spare, 2 * one], {"mean-meets-the-target": 1 / service - 1 / target}


def equal_services(drill):
    service, (rate,) = times(drill.story)[-1], rates(drill.story)
    spread = times(drill.follow_up.story)[-1]
    wait = [rate * (service**2 + d**2) / 2 / (1 - rate * service) for d in (0, spread)]
    return wait, {"services-that-vary": 2 * wait[0], "with-its-own-pass": wait[0] + service}


def few_long_requests(drill):
    (many, few), (short, long), (rate,) = (f(drill.story) for f in (shares, times, rates))
    second = many * short**2 + few * long**2
    load, left = rate * (many * short + few * long), many * rate * short
    wait = rate * second / 2 / (1 - load)
    return [wait, left * short / 2 / (1 - left)], {"with-its-own-work": wait + load / rate}


def slow_pages(drill):
    n = count(r"(\d+) (?:shards|tool calls|recommendations|partitions)", drill.story)
    late = shares(drill.story)[0]
    page, better = 1 - (1 - late) ** n, 1 - (1 - late / 10) ** n
    return [page, page / better, 10 * late], {"adds-up": n * late}


def leaf_budget(drill):
    n, q = count(r"asks (\d+)", drill.story), shares(drill.story)[0]
    p = shares(drill.follow_up.story)[0]
    partial = 100 * (1 - (1 - p) ** n - n * p * (1 - p) ** (n - 1))
    widest = max(k for k in range(1, n) if (1 - p) ** k >= q)
    return [100 * (1 - q ** (1 / n)), partial, widest], {"same-as-the-page": 100 * (1 - q)}


def second_copy(drill):
    rows = re.findall(rf"([\d.]+) %[a-z ]*longer than {TIME}", drill.story)
    late = {round(parse(t, "s"), 6): float(share) / 100 for share, t in rows}
    trigger = times(drill.story.split("nothing after")[1])[0]
    limit, load = times(drill.question)[0], shares(drill.follow_up.story)[0]
    both = 100 * late[round(limit, 6)] * late[round(limit - trigger, 6)]
    wrong = {"no-second-copy": 100 * late[round(limit, 6)]}
    return [both, load * (1 + late[round(trigger, 6)]), 2 * load], wrong


def backlog_drain(drill):
    during, capacity, after = rates(drill.story)
    backlog = (during - capacity) * 60 * count(r"for (\d+) minutes", drill.story)
    within = times(drill.follow_up.follow_up.story)[0]
    answers = [backlog / (capacity - after), backlog / capacity, after + backlog / within]
    return answers, {"nobody-else-comes": backlog / capacity}


def queue_bound(drill):
    places, (offered,) = count(r"(?:has|serves) (\d+)", drill.story), rates(drill.story)
    service, timeout = times(drill.story)
    pace = places / service
    limit = math.floor((timeout - service) * pace)
    wrong = {"whole-timeout": math.floor(timeout * pace + 1e-9)}
    return [limit, 1 - pace / offered, limit // 2 / pace], wrong


def servers_for_a_wait(drill):
    service, target = times(drill.story)[:2]
    fewest = []
    for link in (drill, drill.follow_up):
        load = rates(link.story)[0] * service
        sheet = {int(c): float(p) / 100 for c, p in re.findall(r"(\d+): ([\d.]+) %", link.story)}
        assert all(p == pytest.approx(all_taken(load, c), rel=6e-3) for c, p in sheet.items())
        fewest.append(min(c for c, p in sheet.items() if p * service / (c - load) <= target))
    return fewest, {}


def all_taken(load: float, servers: int) -> float:
    """Erlang C, written out as in a textbook."""
    full = load**servers / math.factorial(servers) * servers / (servers - load)
    return full / (sum(load**k / math.factorial(k) for k in range(servers)) + full)


def pool_or_split(drill):
    servers, (rate,), service = (
        count(r"^(\d+)", drill.story),
        rates(drill.story),
        times(drill.story)[0],
    )
    load = rate * service / servers
    wait = times(drill.follow_up.story)[0]
    each = wait / (service * (service + wait))
    return [load * servers / all_taken(load * servers, servers), servers * each], {}


def quantile_from_buckets(drill):
    lines = [(0.0, 0), *((float(e), int(c.replace(",", ""))) for e, c in
             re.findall(r"le ([\d.]+): ([\d,]+)", drill.story))]  # fmt: skip
    rank = count(r"p(\d+)", drill.question) / 100 * count(r"Inf: ([\d,]+)", drill.story)
    at = next(i for i, (_, so_far) in enumerate(lines) if so_far >= rank)
    (low, below), (high, up_to) = lines[at - 1], lines[at]
    share = (rank - below) / (up_to - below)
    proven = below / count(r"Inf: ([\d,]+)", drill.story)
    return [low + (high - low) * share, proven], {"middle": (low + high) / 2}


def percentile_ends(drill):
    n, percent = count(r"measured ([\d,]+)", drill.story), count(r"true p(\d+)", drill.story)
    spread = math.sqrt(n * percent * (100 - percent)) / 100
    times_as_narrow = count(r"(\d+) times as narrow", drill.follow_up.story)
    return [1.96 * spread, n * times_as_narrow**2], {"one-deviation": spread}


def after_the_stall(drill):
    run = times(drill.story)[0]
    fast = count(r"took (\d+) ms", drill.story) / 1000
    freeze = count(r"took (\d+) s,", drill.story)
    q = count(r"p(\d+)", drill.question) / 100
    return [freeze - (1 - q) * run, fast + freeze**2 / 2 / run], {"half-of-the-freeze": freeze / 2}


BY_HAND = (
    *(in_flight, busy_share, p95_of_a_list, one_server_p99, rate_for_a_p99),
    *(equal_services, few_long_requests, slow_pages, leaf_budget, second_copy, backlog_drain),
    *(queue_bound, servers_for_a_wait, pool_or_split, quantile_from_buckets, percentile_ends),
    after_the_stall,
    *ORDERS_AND_MACHINES,
)


SOLVERS = {solve.__name__: solve for solve in BY_HAND} | solvers()


@pytest.mark.parametrize("name", SOLVERS)
def test_what_is_printed_is_enough_and_leads_to_the_reference(name):
    for seed in SEEDS:
        drill = find(name).drill(seed)
        answers, wrong = SOLVERS[name](drill)
        for answer in answers:
            # Half of the tolerance: the rest belongs to the learner's rounding.
            allowed = max(drill.tolerance * drill.answer / 2, drill.absolute, 1e-9)
            assert answer == pytest.approx(drill.answer, abs=allowed), seed
            assert drill.number.check(answer).passed
            drill = drill.follow_up
        assert drill is None or drill.answer is None
        mistakes = {item.name: item.value for item in find(name).drill(seed).mistakes}
        for mistake, value in wrong.items():
            assert mistakes[mistake] == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_best_whole_number_of_machines_passes(seed):
    for drill in (
        find("machines_at_the_peak").drill(seed),
        find("twice_the_machines").drill(seed).follow_up,
    ):
        assert drill.number.check(round(drill.answer)).passed
