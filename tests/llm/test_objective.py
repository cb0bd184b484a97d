"""The largest batch against a search that adds one sequence after another."""

import pytest

from labutils import llm

ROOM = {"usable_share": 0.88, "overhead_bytes": 1.7e9}
SHARES = {"bandwidth_share": 0.73, "flops_share": 0.41}


def searched(spec, card, context, target, widths, precision="bf16"):
    """The batch at which the next sequence breaks the target or the memory."""
    held = llm.max_sequences(spec, card.memory_bytes, context, **ROOM, **widths)
    batch = 0
    while batch < held:
        more = dict(widths, precision=precision, **SHARES)
        if llm.decode_step(spec, card, batch + 1, context, **more).time_s > target:
            return batch
        batch += 1
    return batch


@pytest.mark.parametrize(
    "name, device, context, target, widths",
    (
        ("Llama-3.1-8B", "H100 SXM", 3001, 0.017, {}),
        ("Llama-3.1-8B", "A100 80 SXM", 901, 0.09, {}),
        ("Qwen2.5-7B", "L4", 700, 0.12, {"bytes_per_weight": 1}),
        ("Gemma-2-9B", "H200 SXM", 5000, 0.02, {"bytes_per_value": 1}),
        ("Llama-3.2-1B", "RTX 4090", 90, 0.02, {"bytes_per_weight": 0.5}),  # arithmetic binds
        ("Llama-3.1-70B", "H100 SXM", 100, 1.0, {}),  # weights do not fit
        ("Qwen3-32B", "B200", 1000, 0.005, {}),  # weights take longer to read
    ),
)
def test_the_largest_batch_is_what_adding_one_by_one_reaches(name, device, context, target, widths):
    spec, card = llm.model(name), llm.accelerator(device)
    limits = llm.batch_limits(spec, card, context, target, **ROOM, **SHARES, **widths)
    assert limits.batch == searched(spec, card, context, target, widths)


def test_each_limit_binds_somewhere():
    spec, card = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    found = {
        llm.batch_limits(spec, card, context, target, flops_share=share).binding
        for context, target, share in ((4000, 0.01, 1.0), (4000, 0.1, 1.0), (50, 0.02, 0.2))
    }
    assert found == {"bytes", "memory", "flops"}


def test_a_model_with_experts_is_refused():
    with pytest.raises(ValueError, match="without experts"):
        llm.batch_limits(llm.model("Mixtral-8x7B"), llm.accelerator("H100"), 100, 0.1)


@pytest.mark.parametrize("name", ("Mixtral-8x7B", "Qwen3-30B-A3B", "Llama-3.1-8B"))
def test_at_the_ridge_of_a_model_reading_all_weights_takes_as_long_as_computing(name):
    spec, card = llm.model(name), llm.accelerator("H200")
    batch = llm.model_ridge_batch(spec, card, bytes_per_weight=1)
    reading = spec.parameters * 1 / 4.8e12
    computing = batch * 2 * spec.active_parameters / 989e12
    assert reading == pytest.approx(computing, rel=1e-12)
    step = llm.decode_step(spec, card, round(batch), 0, bytes_per_weight=1)
    assert step.bytes_time_s == pytest.approx(step.flops_time_s, rel=0.01)
