"""A layout's step in the simulator: the roofline's where one card serves, its own terms always."""

import numpy as np
import pytest

from labutils import llm
from labutils.llm.layouts import Deployment, Hosts, Layout, Rates, layouts_of
from labutils.serving.multi_gpu import LayoutCost
from labutils.serving.scheduling.step_shape import StepShape
from labutils.serving.simulator import StepCost

H100 = Hosts(device=llm.accelerator("H100 SXM"))
RATES = Rates(bandwidth_share=0.8, flops_share=0.45, launch_s=7e-4)


def cost_of(name: str, layout: Layout, rates=RATES) -> LayoutCost:
    return LayoutCost(Deployment(model=llm.model(name), layout=layout, hosts=H100, rates=rates))


def shapes(seed: int, count: int = 60):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        prompt = int(rng.choice([0, 17, 512, 2048]))
        rows = int(rng.integers(0 if prompt else 1, 90))
        context = int(rows * rng.integers(1, 3000))
        yield StepShape(prompt, prompt * int(rng.integers(1, 900)), rows, context)


def test_one_card_costs_what_the_roofline_says():
    mine = cost_of("Llama-3.1-8B", Layout())
    theirs = StepCost.from_roofline(
        llm.model("Llama-3.1-8B"), H100.device, bandwidth_share=0.8, flops_share=0.45,
        overhead_s=7e-4,
    )  # fmt: skip
    for shape in shapes(1):
        assert mine.time_s(shape) == pytest.approx(theirs.time_s(shape), rel=1e-9)


@pytest.mark.parametrize(
    "name",
    ("Llama-3.1-70B", "Mixtral-8x7B", "gpt-oss-20b", "DeepSeek-V2", "DeepSeek-V3.2",
     "Qwen3-Next-80B-A3B"),
)  # fmt: skip
def test_the_quick_way_is_the_sum_of_the_terms(name):
    for layout in layouts_of(llm.model(name), 4):
        cost = cost_of(name, layout)
        for shape in shapes(2, 25):
            assert cost.time_s(shape) == pytest.approx(cost.step(shape).time_s, rel=1e-9)


@pytest.mark.parametrize("layout", (Layout(tp=8), Layout(pp=4), Layout(tp=2, pp=4), Layout(dp=8)))
def test_a_step_that_decodes_is_the_deployments_own(layout):
    cost = cost_of("Llama-3.1-70B", layout)
    for rows in (1, 3, 64):
        own = cost.deployment.decode(rows * layout.dp, 1500)
        assert cost.time_s(StepShape(0, 0, rows, 1500 * rows)) == pytest.approx(own.time_s)


def test_sequence_parallel_goes_the_quick_way_too():
    cost = cost_of("Llama-3.1-70B", Layout(tp=2, sp=2))
    for shape in shapes(3):
        assert cost.time_s(shape) == pytest.approx(cost.step(shape).time_s, rel=1e-9)
