"""The herd's explorer: its lanes and its finding are those of a run that is made again."""

from itertools import product

import numpy as np
import pytest

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.serving.replicas import LeastReported, RoundRobin, TwoChoices, serve_replicas
from labutils.serving.simulator import StepCost
from labutils.viz.explorers.herd import AGES_MS, RATES, ROUTERS, herd_explorer
from labutils.workload import mix


@pytest.fixture(scope="module")
def explorer():
    return herd_explorer(seed=5, num_requests=900)


def ttft(router):
    """The explorer's run from its seed, without the explorer's code, in ms."""
    trace = mix("azure-conversation").trace(900, 96, seed=5)
    h100 = llm.accelerator("H100 SXM")
    cost = StepCost.from_roofline(
        llm.model("Llama-3.1-8B"), h100, bandwidth_share=0.8, per_layer_s=25e-6
    )
    pools = [PagePool(26_000, 16) for _ in range(8)]
    fleet = [Scheduler(256, pool, token_budget=2048, chunked=True) for pool in pools]
    run = serve_replicas(trace, fleet, cost, router, seed=5)
    took_s = 1000 * (run.log.first_token_s - run.log.sent_s)
    return [f"{np.quantile(took_s, q):,.0f} ms" for q in (0.5, 0.99)]


@pytest.mark.parametrize(
    ("name", "router"),
    [("least by reports", LeastReported(0.2)), ("two choices by reports", TwoChoices(0.2))],
)
def test_the_finding_tells_what_the_run_tells_beside_round_robin(explorer, name, router):
    finding = explorer(router=name, age_s=0.2)
    mine, fair = finding.split("; ")
    for said, (middle, tail) in ((mine, ttft(router)), (fair, ttft(RoundRobin()))):
        assert f"{middle} at the median, {tail} at p99" in said


def test_every_setting_has_its_finding(explorer):
    for router, age_ms, rate in product(ROUTERS, AGES_MS, RATES):
        explorer.moved(router=router, age_s=age_ms / 1000, rate=rate)
        assert explorer.finding.lower().startswith(f"{router}, {rate} requests per second")


def test_a_lane_has_a_scale_and_slow_reports_are_lines(explorer):
    def texts(**values):
        (ax,) = explorer.moved(rate=96, **values).axes
        scale, reports = ax.texts
        number = len(ax.collections[-1].get_segments())
        return scale.get_text().split(": ")[1], reports.get_visible(), number

    assert texts(router="round robin", age_s=1.0) == ("10 requests", False, 0)
    assert texts(router="least by reports", age_s=0.5) == ("60 requests", True, 8)


def test_bad_input_is_named(explorer):
    with pytest.raises(ValueError, match="num_requests = 10"):
        herd_explorer(seed=1, num_requests=10)
    with pytest.raises(ValueError, match=r"age_s = 0\.3"):
        explorer(age_s=0.3)
