"""The model without a cache: properties that hold for any weights, and what it refuses."""

import math

import pytest
import torch

from labutils import engine, llm
from labutils.engine.model import LlamaModel, small_spec
from labutils.engine.model_rope import Rope

SPEC = small_spec(
    layers=3, hidden_size=60, num_heads=6, num_kv_heads=2, head_dim=14, ffn_size=77, vocab_size=131
)


def tokens(batch, length, seed=7):
    return torch.randint(0, 131, (batch, length), generator=torch.Generator().manual_seed(seed))


def double(spec=SPEC, **options):
    return LlamaModel(spec, dtype=torch.float64, **options)


@pytest.mark.parametrize(
    "more",
    (
        {},
        {"tied_embeddings": False},
        {"qkv_bias": True, "qk_norm": True},
        {"qkv_bias": True, "output_bias": True, "num_kv_heads": 6},
    ),
)
def test_the_model_holds_as_many_weights_as_its_specification_counts(more):
    model = LlamaModel(small_spec(**more))
    assert sum(weights.numel() for weights in model.parameters()) == model.spec.parameters


def test_the_room_offers_the_model_by_name():
    assert engine.LlamaModel is LlamaModel
    assert engine.small_spec().parameters == pytest.approx(1.8e6, rel=0.02)


def test_no_token_sees_a_later_one_and_all_see_the_earlier_ones():
    model, given = double(), tokens(2, 23)
    changed = given.clone()
    changed[:, 11] = (given[:, 11] + 1) % 131
    before, after = model(given), model(changed)
    torch.testing.assert_close(after[:, :11], before[:, :11], rtol=0, atol=1e-12)
    moved = (after - before)[:, 11:].abs().amax(-1)
    assert moved.min() > 1e-3


def test_rows_of_a_batch_do_not_see_each_other():
    model, given = double(), tokens(5, 19)
    together = model(given)
    order = torch.tensor([3, 0, 4, 2, 1])
    torch.testing.assert_close(model(given[order]), together[order], rtol=0, atol=1e-12)
    for row in range(5):
        torch.testing.assert_close(
            model(given[row : row + 1])[0], together[row], rtol=0, atol=1e-12
        )


def test_only_distances_between_positions_matter():
    model, given = double(), tokens(2, 17)
    start = torch.tensor([[0], [41]])
    shifted = model(given, torch.arange(17) + start)
    torch.testing.assert_close(shifted, model(given), rtol=0, atol=1e-9)
    gap = torch.arange(17) + 3 * (torch.arange(17) > 8)
    assert (model(given, gap) - model(given))[:, 9:].abs().amax(-1).min() > 1e-3


def test_the_last_logits_alone_are_those_of_the_last_token():
    model, given = double(), tokens(3, 13)
    torch.testing.assert_close(model(given, last_only=True), model(given)[:, -1:])


def test_the_seed_decides_the_weights():
    same, other = LlamaModel(SPEC, seed=3), LlamaModel(SPEC, seed=4)
    given = tokens(1, 5)
    assert torch.equal(LlamaModel(SPEC, seed=3)(given), same(given))
    assert not torch.equal(other(given), same(given))
    assert same.layers[0].mlp.up_proj.weight.std().item() == pytest.approx(0.1, rel=0.05)
    assert torch.equal(same.norm.weight, torch.ones(60))
    assert not any(weights.requires_grad for weights in same.parameters())


def test_an_untrained_model_says_more_than_one_thing():
    chosen = LlamaModel(SPEC)(tokens(8, 1)).argmax(-1)
    assert len(chosen.unique()) >= 6


def test_bf16_stays_near_the_exact_logits():
    exact, given = double(), tokens(3, 21)
    narrow = LlamaModel(SPEC, dtype=torch.bfloat16)
    narrow.load_state_dict(exact.state_dict())
    logits = narrow(given)
    assert logits.dtype == torch.bfloat16
    error = (logits.double() - exact(given)).square().mean().sqrt()
    assert error < 0.05 * exact(given).std()


def test_chosen_rows_are_those_of_the_whole():
    model, given = double(), tokens(2, 19)
    chosen = torch.tensor([17, 0, 5])
    expected = model(given)[:, chosen]
    torch.testing.assert_close(model(given, rows=chosen), expected, rtol=0, atol=1e-12)


def test_attention_is_whatever_is_plugged_in():
    model, given, seen = double(), tokens(2, 9), []

    def first_token_only(layer, query, key, value):
        seen.append((layer, query.shape, key.shape, value.shape))
        return value[:, :, :1].repeat_interleave(3, dim=1).expand(query.shape)

    logits = model(given, attend=first_token_only)
    assert seen == [(i, (2, 6, 9, 14), (2, 2, 9, 14), (2, 2, 9, 14)) for i in range(3)]
    torch.testing.assert_close(logits[:, :1], model(given)[:, :1], rtol=0, atol=1e-12)
    assert (logits - model(given))[:, 1:].abs().amax(-1).min() > 1e-3


@pytest.mark.gpu
@pytest.mark.parametrize("more", ({}, {"qk_norm": True, "num_kv_heads": 1}))
def test_a_gpu_computes_what_the_cpu_does(more):
    spec = small_spec(**more)
    here, there = double(spec), double(spec, device="cuda")
    there.load_state_dict(here.state_dict())
    given = tokens(3, 37)
    torch.testing.assert_close(there(given.cuda()).cpu(), here(given), rtol=0, atol=1e-9)


def test_long_wavelengths_are_stretched_and_short_ones_kept():
    rope = Rope(theta=5e5, factor=8.0, original_context=8192)
    plain = 5e5 ** (-2 * torch.arange(64, dtype=torch.float64) / 128)
    wavelength = 2 * math.pi / plain
    ratio = plain / rope.frequencies(128)
    assert torch.allclose(ratio[wavelength < 8192 / 4], torch.ones(1, dtype=torch.float64))
    assert torch.allclose(ratio[wavelength > 8192], torch.tensor(8.0, dtype=torch.float64))
    between = ratio[(wavelength > 8192 / 4) & (wavelength < 8192)]
    assert len(between) > 2 and ((between > 1) & (between < 8)).all() and between.diff().min() > 0


@pytest.mark.parametrize(
    "name, field",
    (
        ("Mixtral-8x7B", "experts"),
        ("DeepSeek-V3", "experts"),
        ("Mistral-7B-v0.1", "windowed_layers = 32"),
        ("Gemma-3-27B", "windowed_layers"),
    ),
)
def test_other_families_are_refused_before_any_memory_is_taken(name, field):
    with pytest.raises(ValueError, match=f"{name}: {field}.*expected the plain Llama family"):
        LlamaModel(llm.model(name))


@pytest.mark.parametrize(
    "make, message",
    (
        (lambda: LlamaModel(small_spec(head_dim=15)), "head_dim = 15: expected an even number"),
        (lambda: LlamaModel(SPEC, norm_eps=0), "norm_eps = 0"),
        (lambda: LlamaModel(SPEC, init_std=-1), "init_std = -1"),
        (lambda: Rope(theta=0), "theta = 0"),
        (lambda: Rope(low_freq_factor=4.0), r"high_freq_factor = 4\.0: expected more than"),
        (lambda: small_spec(layers=0), "layers = 0"),
    ),
)
def test_settings_that_cannot_be_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize("given", (torch.zeros(4, dtype=torch.long), torch.zeros(2, 4)))
def test_tokens_are_whole_numbers_in_rows(given):
    with pytest.raises(ValueError, match=r"tokens = .*expected whole numbers in \[batch, length\]"):
        LlamaModel(SPEC)(given)
