"""The step says where each of its tensors goes: nothing stays on another device than the model."""

import pytest
import torch

from labutils.engine import Engine, LlamaModel, PagePool, Sampling, Scheduler

from .jobs import SPEC, answers_of, ragged_prompts, tiny_model

WAYS = (
    Sampling(),
    Sampling(temperature=1.0, seed=1),
    Sampling(temperature=0.7, top_k=5, top_p=0.9, seed=2),
)


@pytest.fixture
def no_numbers(monkeypatch):
    """Tensors on "meta" have shapes and a device, and no numbers: those are zeros here."""
    tolist = torch.Tensor.tolist

    def listed(values):
        return tolist(torch.zeros_like(values, device="cpu") if values.is_meta else values)

    monkeypatch.setattr(torch.Tensor, "tolist", listed)
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda values: values)


def test_steps_of_all_kinds_run_on_a_device_without_numbers(no_numbers):
    """Decodes, cut prompts and draws, with pages so few that some give way."""
    model = LlamaModel(SPEC).to("meta")
    scheduler = Scheduler(5, PagePool(16, 4), token_budget=9, chunked=True)
    engine = Engine(model, scheduler)
    for at, prompt in enumerate(ragged_prompts(9, seed=3, longest=20)):
        engine.add_request(prompt, max_output_tokens=7, sampling=WAYS[at % 3])
    engine.run()
    for request in engine.requests.values():
        assert request.error is None and request.answer == [0] * 7
    assert sum(one.preemptions for one in engine.requests.values()) > 0


def test_a_tensor_left_on_another_device_is_noticed(no_numbers):
    class Careless(Engine):
        def _logits(self, step):
            object.__setattr__(step, "slots", torch.zeros_like(step.slots, device="cpu"))
            return super()._logits(step)

    request = Careless(LlamaModel(SPEC).to("meta")).generate([[1, 2]], max_output_tokens=2)[0]
    assert request.finish_reason == "failed" and "device" in str(request.error)


@pytest.mark.gpu
def test_answers_on_a_gpu_are_those_on_a_processor():
    prompts = ragged_prompts(20, seed=3)
    lengths = [1 + 5 * at % 17 for at in range(20)]
    there = LlamaModel(SPEC, dtype=torch.float64, device="cuda")
    there.load_state_dict(tiny_model().state_dict())
    right = answers_of(Engine(tiny_model(), max_sequences=7), prompts, lengths)
    assert answers_of(Engine(there, max_sequences=7), prompts, lengths) == right
