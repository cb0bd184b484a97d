"""What the simulator makes of a load test, beside the simulator itself."""

import numpy as np
import pytest

from labutils import llm
from labutils.engine import PagePool, Scheduler
from labutils.serving.measured import Physics, cost_of, simulate_run, workload
from labutils.serving.measured.simulated import pages_of
from labutils.serving.simulator import StepCost, simulate
from tests.serving.measured.small_runs import small_run

RUN = small_run("Llama-2-70B general", 8, 60, requests=150, output_tokens=40)
PHYSICS = Physics(
    bandwidth_share=0.7, per_layer_s=30e-6, late_steps=1, edge_s=4e-3, flops_share=0.4
)
LOAD = workload(RUN, seed=9)


def test_it_is_the_simulator_with_the_roofline_and_the_room_behind_the_weights():
    model, card = llm.model("Llama-2-70B"), llm.accelerator("H100 SXM")
    room = 4 * card.memory_bytes * 0.9 - model.weight_bytes(2)
    pages = int(room / model.kv_bytes_per_token(2)) // 16
    cost = StepCost.from_roofline(
        model, card, tp=4, bandwidth_share=0.7, flops_share=0.4, per_layer_s=30e-6
    )
    scheduler = Scheduler(128, PagePool(pages, 16), token_budget=2048, chunked=True)
    served = simulate(LOAD.trace, scheduler, cost, max_output_tokens=40)
    found = simulate_run(RUN, PHYSICS, LOAD)
    assert served.log.finish_s.tolist() == found.served.log.finish_s.tolist()
    outside = served.seen_from_outside(edge_s=4e-3, late_steps=1)
    assert outside.log.first_token_s.tolist() == found.seen.log.first_token_s.tolist()


def test_each_part_of_the_physics_has_its_place_in_a_step():
    plain = cost_of(RUN, Physics())
    assert cost_of(RUN, Physics(bytes_per_weight=1.0)).weights_s == plain.weights_s / 2
    assert cost_of(RUN, Physics(per_step_s=0.25)).base_s == pytest.approx(plain.base_s + 0.25)
    longer = cost_of(RUN, Physics(per_sequence_s=0.5)).per_sequence_s
    assert longer == pytest.approx(plain.per_sequence_s + 0.5)


def test_only_shared_caches_are_read_at_a_share_of_their_own():
    grouped, each_its_own = RUN, small_run("Llama-2-7B general", 8, requests=1, output_tokens=2)
    for run, times in ((grouped, 2), (each_its_own, 1)):
        plain, slower = cost_of(run, Physics()), cost_of(run, Physics(grouped_share=0.5))
        assert slower.per_context_token_s == pytest.approx(times * plain.per_context_token_s)
    with pytest.raises(ValueError, match="grouped_share = 0"):
        cost_of(grouped, Physics(grouped_share=0.0))


def test_pages_are_what_the_weights_leave_of_the_usable_share():
    model, card = llm.model("Llama-2-70B"), llm.accelerator("H100 SXM")
    room = 4 * card.memory_bytes * 0.7 - model.weight_bytes(1)
    pages = int(room / model.kv_bytes_per_token(2)) // 16
    assert pages_of(RUN, Physics(usable_share=0.7, bytes_per_weight=1.0)) == pages
    with pytest.raises(ValueError, match="Llama-2-70B does not fit: 4 x H100 SXM"):
        pages_of(RUN, Physics(usable_share=0.4))


def test_stages_are_told_as_a_client_tells_them():
    found = simulate_run(RUN, PHYSICS, LOAD)
    log = found.seen.log
    assert found.run.source == "simulated" and found.run.model == "Llama-2-70B"
    for number, stage in enumerate(found.run.stages):
        mine = LOAD.stage == number
        ttft, e2e = log.ttft_s[mine], log.e2e_s[mine]
        assert (stage.requests, stage.failed, stage.failed_after_s) == (150, 0, {})
        assert stage.rate_per_s == RUN.stages[number].rate_per_s
        for told, of in ((stage.ttft_s, ttft), (stage.e2e_s, e2e)):
            assert told["mean"] == pytest.approx(of.mean())
            for name, percent in {"p10": 10, "median": 50, "p90": 90, "p99": 99}.items():
                assert told[name] == pytest.approx(np.percentile(of, percent))
        assert found.run.tpot_s(stage) == pytest.approx((e2e.mean() - ttft.mean()) / 39)
        assert stage.reported_output_tokens["mean"] == 40
        assert len(stage.log.ttft_s) == 150


def test_a_load_is_drawn_where_none_is_given():
    drawn, given = simulate_run(RUN, PHYSICS), simulate_run(RUN, PHYSICS, workload(RUN))
    assert drawn.run.stages[1].e2e_s == given.run.stages[1].e2e_s


def test_a_cost_may_be_given():
    """Steps of 10 ms whatever is in them: 39 gaps after the first token."""
    found = simulate_run(RUN, PHYSICS, LOAD, cost=StepCost(0.01))
    assert found.run.tpot_s(found.run.stages[1]) == pytest.approx(0.01)


def test_answers_that_never_came_have_no_latency():
    """38 pages hold 608 tokens: a prompt and all of its answer but the last token have to fit."""
    found = simulate_run(RUN, PHYSICS, LOAD, pages=38)
    refused = (LOAD.trace.prompt_tokens + 39 > 608).reshape(2, 150).sum(axis=1)
    assert [stage.failed for stage in found.run.stages] == refused.tolist()
    assert all(0 < failed < 150 for failed in refused)
    for number, stage in enumerate(found.run.stages):
        ok = found.seen.log.ok & (LOAD.stage == number)
        assert stage.e2e_s["mean"] == pytest.approx(found.seen.log.e2e_s[ok].mean())
    nobody = simulate_run(RUN, PHYSICS, LOAD, pages=9).run.stages[0]
    assert (nobody.failed, nobody.e2e_s, nobody.ttft_s) == (150, {}, {})


def test_who_gives_up_is_counted_with_the_time_until_then():
    slow = StepCost(0.05, per_sequence_s=5e-4)  # 128 places for 150 requests that come at once
    found = simulate_run(RUN, PHYSICS, LOAD, cost=slow, patience_s=4.0)
    quiet, busy = found.run.stages
    assert quiet.failed == 0 < busy.failed < 150
    longest = 0.05 + 128 * 5e-4
    late = 4.0 + PHYSICS.edge_s + 2 * longest  # until its step ends, and one that it missed
    assert 4.0 < busy.failed_after_s["p10"] < busy.failed_after_s["p99"] < late
    assert busy.e2e_s["p99"] < late


def test_the_client_is_patient_unless_it_is_said_otherwise():
    assert simulate_run(RUN, PHYSICS, LOAD, cost=StepCost(2.0)).run.stages[1].failed == 0
