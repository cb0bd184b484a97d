"""The compiled simulator against the plain one: the same numbers, to the last bit."""

import math
import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from labutils.engine import PagePool, Request, Scheduler
from labutils.serving.memory import ContiguousReservation, Unlimited
from labutils.serving.scheduling import Audited, ByRule, Ordered, StaticBatches, admit_what_fits
from labutils.serving.simulator import StepCost, simulate
from labutils.serving.simulator.choice import WORTH_IT
from labutils.serving.simulator.compiled import compiled_run
from labutils.workload import RequestTrace, mix, read_azure, read_mooncake, uniform_trace
from tests.conftest import ROOT, only_full, traces_folder
from tests.serving.workloads import COST

from .stories import Story, assert_equal_runs, patience, story

SERVED = StepCost(6e-3, 60e-6, 3.4e-9, 30e-6, 65e-9)
AT_A_TIME = 250
FIRST_STORIES = [
    0,
    *only_full(*range(AT_A_TIME, 10_000, AT_A_TIME)),
]


def both(told: Story, **options):
    """A story as the plain simulator tells it, and as the compiled one does."""
    return (
        simulate(
            told.source, told.scheduler(), told.cost, compiled=compiled, **told.options, **options
        )
        for compiled in (False, True)
    )


@pytest.mark.parametrize("first", FIRST_STORIES)
def test_random_stories(first):
    seen = {"preempted": 0, "cached": 0, "refused": 0, "broken off": 0}
    for seed in range(first, first + AT_A_TIME):
        plain, twin = both(story(seed), token_times=True)
        assert_equal_runs(plain, twin)
        seen["preempted"] += plain.requests["preemptions"].sum()
        seen["cached"] += plain.requests["cached_tokens"].sum()
        seen["refused"] += (plain.log.status == "rejected").sum()
        seen["broken off"] += (plain.log.status == "cancelled").sum()
    assert min(seen.values()) > 20, "the stories do not hurt"


def where_they_left(run) -> Counter:
    """How many requests gave up, by what they were doing when they left."""
    gave_up = np.flatnonzero(run.log.status == "timed_out")
    last = {int(row): at for at, row in enumerate(run.stays["row"])}
    seen = Counter()
    for row in gave_up:
        stay = (
            {name: column[last[row]] for name, column in run.stays.items()} if row in last else {}
        )
        if not stay:
            seen["waiting"] += 1
        elif stay["left_s"] < run.log.finish_s[row]:
            seen["preempted"] += 1
        else:
            seen["prefilling" if math.isnan(stay["caught_up_s"]) else "decoding"] += 1
    return seen


@pytest.mark.parametrize(
    "first", [0, AT_A_TIME, *only_full(*range(2 * AT_A_TIME, 10_000, AT_A_TIME))]
)
def test_random_stories_of_clients_that_give_up(first):
    seen = Counter()
    for seed in range(first, first + AT_A_TIME):
        told = story(seed)
        plain, twin = both(told, token_times=True, patience_s=patience(seed, told))
        assert_equal_runs(plain, twin)
        seen += where_they_left(plain)
        seen["in time"] += plain.log.ok.sum()
        seen["stretches"] += (plain.telemetry.steps > 1).sum()
    assert min(seen.values()) > 20 and len(seen) == 6, f"the stories do not hurt: {seen}"


def of_a_mix(n=3_001, **limits) -> Story:
    trace = mix("azure-conversation").trace(n, 4.0, seed=3)
    rules = {"places": 96, "limits": limits}
    return Story(trace, rules, (1_500, 16), SERVED, {"max_output_tokens": 1_000})


@pytest.mark.parametrize("chunked", [False, True])
def test_a_crowded_server_over_hours(chunked):
    plain, twin = both(of_a_mix(token_budget=777, chunked=chunked))
    assert_equal_runs(plain, twin)
    assert plain.requests["preemptions"].sum() > 100
    assert len(plain.telemetry) < plain.steps / 2


def test_a_crowded_server_whose_clients_give_up():
    plain, twin = both(of_a_mix(token_budget=777, chunked=True), patience_s=6.0)
    assert_equal_runs(plain, twin)
    assert where_they_left(plain)["decoding"] > 100 and plain.requests["preemptions"].sum() > 20


@pytest.mark.traces
@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("page_tokens", [512, *only_full(64, 1_024)])
def test_a_real_trace_that_shares_prefixes(page_tokens, chunked):
    trace = read_mooncake(traces_folder() / "mooncake_conversation.jsonl.gz", seed=6)
    rules = {"places": 64, "limits": {"token_budget": 2_048, "chunked": chunked}}
    memory = (3_000_000 // page_tokens, page_tokens)
    plain, twin = both(Story(trace.take(1_500), rules, memory, SERVED, {}))
    assert_equal_runs(plain, twin)
    assert plain.requests["cached_tokens"].sum() > 100_000


@pytest.mark.traces
@pytest.mark.parametrize("pages", [1_500, *only_full(4_000, None)])
def test_a_real_trace(pages):
    trace = read_azure(traces_folder() / "azure_llm_2023_conv.csv.gz").take(6_000)
    rules = {"places": 256, "limits": {"token_budget": 2_048, "chunked": True}}
    memory = (pages, 16) if pages else ()
    plain, twin = both(Story(trace, rules, memory, SERVED, {"max_output_tokens": 1_000}))
    assert_equal_runs(plain, twin)


def test_tables_that_are_too_short_grow(monkeypatch):
    monkeypatch.setattr(compiled_run, "ROWS_AT_A_TIME", 7)
    rules = {"places": 9, "limits": {"token_budget": 9, "chunked": True}}
    requests = [Request(row, 1 + row % 3, 151, 0.001 * row) for row in range(400)]
    plain, twin = both(Story(requests, rules, (153, 1), COST, {}), token_times=True)
    assert_equal_runs(plain, twin)
    assert len(plain.telemetry) > 4 * 400 + 799 // 9 + 1_024
    assert plain.stays["row"].size > 2 * (400 + 9) + 1_024


def test_nobody_comes():
    empty = RequestTrace(np.zeros(0), np.zeros(0, dtype=int), np.zeros(0, dtype=int))
    for source in ([], empty):
        plain, twin = both(Story(source, {"places": 2, "limits": {}}, (9, 4), COST, {}))
        assert_equal_runs(plain, twin)
        assert len(twin.log) == twin.steps == 0 and math.isnan(twin.gaps.quantile(0.5))


def test_progress_counts_requests_that_are_over(capsys):
    requests = [Request("long", 90, 90), *(Request(row, 7, 9, 0.1 * row) for row in range(8))]
    simulate(requests, Scheduler(2, PagePool(20, 4)), COST, compiled=True, progress=True)
    assert capsys.readouterr().err.endswith("9 of 9 requests have ended\n")
    simulate(requests, Scheduler(2, PagePool(20, 4)), COST, compiled=True)
    assert capsys.readouterr().err == ""


class Gentle(StepCost):
    """A cost of one's own."""


@pytest.mark.parametrize(
    ("scheduler", "cost", "watch", "reason"),
    [
        (lambda: Ordered(2, PagePool(9)), COST, None, r"Ordered.*: expected a Scheduler"),
        (lambda: ByRule(2, PagePool(9), rule=admit_what_fits), COST, None, "expected a Scheduler"),
        (lambda: StaticBatches(2), COST, None, "expected a Scheduler itself"),
        (lambda: Audited(Scheduler(2, PagePool(9))), COST, None, "expected a Scheduler itself"),
        (
            lambda: Scheduler(2, ContiguousReservation(99)),
            COST,
            None,
            r"scheduler.pool = .*: expected a PagePool or Unlimited",
        ),
        (lambda: Scheduler(2, PagePool(9)), Gentle(1.0), None, "step_cost = Gentle.*: expected a"),
        (lambda: Scheduler(2, PagePool(9)), COST, print, "watch is given: expected None"),
    ],
)
def test_what_cannot_be_compiled_is_named_on_demand_and_told_plainly_else(
    scheduler, cost, watch, reason
):
    requests = [Request(row, 3, 4) for row in range(3)]
    with pytest.raises(ValueError, match=f"compiled = True, but .*{reason}"):
        simulate(requests, scheduler(), cost, watch=watch, compiled=True)
    assert simulate(requests, scheduler(), cost, watch=watch).log.ok.all()


def test_a_scheduler_that_was_used_is_not_compiled():
    requests = [Request(row, 8, 4, keys=(1, 2)) for row in range(3)]
    used = Scheduler(2, PagePool(9, 4))
    simulate(requests, used, COST)
    with pytest.raises(ValueError, match="scheduler was used before: expected a fresh one"):
        simulate(requests, used, COST, compiled=True)
    waits = Scheduler(2, Unlimited())
    waits.add(Request("early", 3, 4))
    with pytest.raises(ValueError, match="scheduler was used before"):
        simulate(requests, waits, COST, compiled=True)


def touches_its_scheduler(n: int, **options) -> bool:
    """Whether the run left something in the pool: the compiled one leaves the scheduler alone."""
    pool = PagePool(99, 4)
    requests = [Request(row, 8, 1, 0.1 * row, keys=(row, -row - 1)) for row in range(n)]
    run = simulate(requests, Scheduler(4, pool), COST, **options)
    assert run.log.ok.all()
    return bool(pool.page_of)


def test_a_run_is_compiled_unasked_when_it_is_worth_it():
    assert not touches_its_scheduler(WORTH_IT)
    assert touches_its_scheduler(WORTH_IT - 1)
    assert touches_its_scheduler(WORTH_IT, compiled=False)
    assert touches_its_scheduler(WORTH_IT, watch=lambda now_s, plan: None)
    assert not touches_its_scheduler(9, compiled=True)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("requests", "options", "message"),
    [
        ([Request(0, 3, 4), Request(1, 0, 4)], {}, "prompt_tokens = 0: expected"),
        ([Request(0, 3, 4), Request(1, 3, 0)], {}, "max_output_tokens = 0: expected"),
        ([Request(0, 3, 4)], {"output_tokens": [5]}, "output_tokens = 5 .*: expected from 1 to"),
        ([Request(0, 3, 4)], {"output_tokens": [0]}, "output_tokens = 0 .*: expected from 1 to"),
        ([Request(0, 3, 4)], {"output_tokens": [2, 2]}, "output_tokens has 2 lengths: expected"),
        ([Request(0, 3, 4)], {"max_output_tokens": 9}, "max_output_tokens is given: expected None"),
        ([Request(0, 3, 4, 2.0), Request(1, 3, 4, 1.0)], {}, r"arrival_s.* = 1.0.*: expected"),
        ([Request(0, 3, 4, math.nan)], {}, r"arrival_s.* = nan.*: expected"),
        ([Request(0, 3, 4), Request(0, 3, 4)], {}, "id = 0: expected another one for each"),
        ([Request(0, 3, 4)], {"until_s": -1.0}, "until_s = -1.0: expected"),
        ([Request(0, 3, 4)], {"patience_s": 0}, "patience_s = 0.0: expected a number above 0"),
        ([Request(0, 3, 4)], {"patience_s": math.nan}, "patience_s = nan: expected a number"),
        ([], {"patience_s": -2.0}, "patience_s = -2.0: expected a number above 0, or infinity"),
        ([Request(0, 3, 4)], {"patience_s": [-1.0]}, r"patience_s\[0\] = -1.0: expected a number"),
        ([Request(0, 3, 4)], {"patience_s": [2.0] * 2}, r"patience_s has shape \(2,\): expected"),
    ],
)
def test_bad_input_is_named(requests, options, message, compiled):
    with pytest.raises(ValueError, match=message):
        simulate(requests, Scheduler(2, PagePool(9)), COST, compiled=compiled, **options)


@pytest.mark.parametrize("compiled", [False, True])
def test_bad_input_with_a_trace_is_named(compiled):
    trace = uniform_trace(5, rate_per_s=3, prompt_tokens=7, output_tokens=4)
    for options, message in (
        ({"output_tokens": [1] * 5}, "output_tokens is given: expected None"),
        ({"max_output_tokens": 3}, "max_output_tokens = 3: expected at least 4"),
    ):
        with pytest.raises(ValueError, match=message):
            simulate(trace, Scheduler(2, PagePool(9)), COST, compiled=compiled, **options)
    named = RequestTrace([0.0], [20], [2], prefix_keys=((1, 2, 3, 4, 5),), prefix_page_tokens=4)
    with pytest.raises(ValueError, match="page_tokens = 6: expected a divisor or a multiple of"):
        simulate(named, Scheduler(2, PagePool(9, 6)), COST, compiled=compiled)


def test_numbers_that_the_tables_cannot_hold_are_refused():
    long = [Request(row, 2**28, 1) for row in range(9)]
    with pytest.raises(ValueError, match="expected a product below 2147483648 in a compiled run"):
        simulate(long, Scheduler(9, Unlimited()), COST, compiled=True)
    with pytest.raises(ValueError, match="num_pages = 3000000000: expected below"):
        pool = PagePool(1)
        pool.num_pages, pool.blank = 3 * 10**9, range(3 * 10**9)
        simulate([Request(0, 1, 1)], Scheduler(1, pool), COST, compiled=True)


COUNT_COMPILATIONS = """
import sys
from numba.core import event
from labutils.engine import PagePool, Request, Scheduler
import labutils.serving.simulator as simulator
with event.install_recorder("numba:compile") as compiling:
    requests = [Request(0, 3, 4, keys=(1, 2)), Request(1, 5, 2)]
    simulator.simulate(requests, Scheduler(2, PagePool(9)), simulator.StepCost(1.0), compiled=True)
print(len(compiling.buffer))
"""


def test_another_process_finds_the_loop_on_disk():
    simulate([Request(0, 3, 4)], Scheduler(2, PagePool(9)), COST, compiled=True)
    root = {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", COUNT_COMPILATIONS]
    environment = {**os.environ, **root}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0"]


def test_the_plain_simulator_needs_no_numba():
    code = "import sys, labutils.serving.simulator; print('numba' in sys.modules)"
    command, environment = [sys.executable, "-c", code], {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
