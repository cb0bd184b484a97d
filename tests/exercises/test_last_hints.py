"""Last hints that are code, or a formula, are right answers: the check itself says so."""

import math
import re
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom

from labutils.authoring.sources.definitions import read_definitions
from labutils.exercises.definition.verdict import Status
from labutils.laws.queueing import erlang_c

EXERCISES = {item.id: item for group in read_definitions().exercises.values() for item in group}
KNOWN = {
    "math": math, "floor": math.floor, "np": np, "binom": binom, "Counter": Counter,
    "erlang_c": erlang_c,
}  # fmt: skip

# id -> the code in the hint, and a function that holds it (each {} a part of the hint)
FUNCTIONS = {
    "start.throughput_gain": ("(return .*), or", "def f(batch_size, one_s, batch_s): {}"),
    "two.rank_interval": (
        "(low = .*); (high = .*), both",
        "def f(n, q):\n {}\n {}\n return int(low), int(high)",
    ),
    "two.fleet_percentile": (
        r"(total = .*?); (for .*?)\. Then (seen = 0); (for .*:) (seen \+=.*); return edge as soon "
        r"as (.*)\.",
        "def f(hosts, q):\n {}\n {}\n {}\n {}\n  {}\n  if {}: return edge",
    ),
    "little.clipped_log": (
        r"L = sum\((.*)\) / (.*?)[.] For.*rows with (.*?): .*/ (.*), and the mean of (.*)[.]",
        "def f(arrivals, departures, from_s, to_s):\n"
        " rows = [*zip(arrivals, departures)]\n"
        " mine = [{4} for a, d in rows if {2}]\n"
        " L = sum({0} for a, d in rows) / {1}\n"
        " return L, len(mine) / {3}, sum(mine) / len(mine)",
    ),
    "little.resident_tokens": (
        "area = (.*) for each",
        "def f(arrival_rate, prompts, outputs, step_s):\n"
        " return arrival_rate * np.mean([{} for p, m in zip(prompts, outputs)])",
    ),
    "mm1.recursion": (
        r"wait\[i\] = (.*), but never below zero",
        "def f(arrivals, services):\n wait = [0.0]\n"
        " for i in range(1, len(arrivals)): wait.append(max(0.0, {}))\n return wait",
    ),
    "mm1.least_servers": (
        r"(servers = .*?); (while .*: servers \+= 1); then (return servers)",
        "def f(arrival_rate, mean_service_time, max_mean_wait):\n"
        " a = arrival_rate * mean_service_time\n {}\n {}\n {}",
    ),
    "trusting.audit": (
        r"^(\[.*\])\. With",
        "def f(arrival_s, departure_s, audit_s, inside):\n return {}",
    ),
    "trusting.interval": (r"(.*)\.", "def f(values, num_batches, t): {}"),
    "batch.least_stable": (
        "edge is (.*?); .* is (.*?)[.] With nothing",
        "def f(arrival_rate, fixed_s, per_item_s):\n"
        " if arrival_rate * per_item_s >= 1: return math.inf\n edge = {}\n return {}",
    ),
    "batch.next_batch": (
        r"start_s = (max\(free_s, min\((.*?), arrivals.*?)\), without .* that are (<=) start_s",
        "def f(arrivals, free_s, max_batch, timeout_s):\n"
        " full = len(arrivals) >= max_batch\n"
        " start_s = {0}) if full else max(free_s, {1})\n"
        " return start_s, sum(a {2} start_s for a in arrivals[:max_batch])",
    ),
    "batch.padding": (
        r"(1 - sum.*) for all groups",
        "def f(lengths, batch):\n"
        " groups = [lengths[i : i + batch] for i in range(0, len(lengths), batch)]\n"
        " return {} for group in groups)",
    ),
    "continuous.slot_efficiency": (
        "(paid .*) (for .*); (return .*)[.]",
        "def f(lengths, batch):\n paid = 0\n {1}: {0}\n {2}",
    ),
    "kv.capacity": (
        r"(heads = .*?), the same idea for head_dim; (each = .*); (return .*)\.",
        "def f(config, card_gb, weights_gb, context_tokens, bytes_per_value):\n {}\n"
        " dim = config.get('head_dim', config['hidden_size'] // config['num_attention_heads'])\n"
        " layers = config['num_hidden_layers']\n {}\n {}",
    ),
    "tails.trigger": (
        "(ordered = .*?); .* exactly k others behind it: (.*)[.]",
        "def f(latencies, budget):\n n = len(latencies)\n k = math.floor(budget * n + 1e-9)\n"
        " {}\n return {}",
    ),
    "tails.page_latency": (
        "(.*)[.]",
        "def f(leaf_latencies, page_quantile, num_leaves):\n"
        " u = page_quantile ** (1 / num_leaves)\n return {}",
    ),
    "tails.bucket": (
        "(tokens = .*?); (send = .*?); (if send: .*)[.]",
        "def f(wants, share, burst):\n tokens, sent = burst, []\n for want in wants:\n"
        "  {}\n  {}\n  {}\n  sent.append(send)\n return sent",
    ),
}
# id -> the formula in the hint, and what remains to be done with it
NUMBERS = {
    "start.batch_throughput": ("(16) vectors (/ .*) s", "{}{}"),
    "two.users": (r"(.*)\.", "{}"),
    "two.enough": ("(.*), rounded up", "math.ceil({})"),
    "little.capacity": ("(.*) = rate × (.*) s", "{} / {}"),
    "little.fleet": ("(.*) busy slots.*have (.*) =", "math.ceil({} / ({}))"),
    "little.audit": (r"(.*)\.", "{}"),
    "little.backwards": (r"(.*)\.", "{}"),
    "mm1.launch": ("(.*) requests wait; divide them by (.*) a", "{} / {}"),
    "mm1.peak": (r"(.*)\.", "{}"),
    "trusting.plan": (r"n = (.*)²", "{} ** 2"),
    "phases.bill": ("(.*) dollars a token", "{} * 1e6"),
    "kv.pool": ("(.*) tokens, times (.*) bytes, divided by (.*)[.]", "{} * {} / {} / 1e9"),
    "kv.page": (r"(.*)\.", "{}"),
    "continuous.budget": ("(.*) prompt tokens, and (.*) tokens of", "{} + {}"),
    "tails.ten_calls": ("(.*), as a share", "{}"),
    "machine.launches": ("(.*) s × (.*) B/s", "{} * {}"),
    "paged.sixteen_kb": ("(.*) bytes over (.*) bytes", "{} / {}"),
}


def filled(exercise_id: str, pattern: str, whole: str) -> str:
    """The code of the last hint in its place."""
    hint = EXERCISES[exercise_id].hints[-1]
    found = re.search(pattern, hint, re.DOTALL)
    assert found, (exercise_id, hint)
    parts = [re.sub(r"(?<=\d),(?=\d{3})", "", part) for part in found.groups()]
    return whole.format(*(re.sub("[×·]", "*", part) for part in parts))


@pytest.mark.parametrize("exercise_id", FUNCTIONS)
def test_a_last_hint_in_code_is_right(exercise_id):
    code = filled(exercise_id, *FUNCTIONS[exercise_id])
    names = dict(KNOWN)
    exec(code, names)
    verdict = EXERCISES[exercise_id].judge(names["f"])
    assert verdict.status is Status.right, (code, verdict.message)


@pytest.mark.parametrize("exercise_id", NUMBERS)
def test_a_last_hint_that_is_a_formula_gives_the_right_number(exercise_id):
    formula = filled(exercise_id, *NUMBERS[exercise_id])
    value = eval(formula, {"math": math, "log": math.log})
    verdict = EXERCISES[exercise_id].judge(value)
    assert verdict.status is Status.right, (formula, value, verdict.message)


def test_the_budget_that_the_explanation_adds_up_keeps_the_promise():
    budget = EXERCISES["continuous.budget"]
    parts = re.findall(r"(\d+)\s(?:whole\s+prompt|decoding)\s+tokens", budget.explanation)
    assert len(parts) == 2 and budget.judge(sum(map(int, parts))).passed
