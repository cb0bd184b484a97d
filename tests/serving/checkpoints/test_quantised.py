"""Rounding against grids that are walked, on small models with random weights."""

import json
import math

import numpy as np
import pytest
import torch

from labutils import datafile
from labutils.engine.model import LlamaModel, causal, small_spec
from labutils.serving.checkpoints import (
    Losses,
    calibrate,
    held_out_passages,
    int8_cache,
    losses,
    rounded,
    with_activations,
    with_weights,
)
from labutils.serving.checkpoints.held_out import TRAINED_ON, calibration_passages
from labutils.serving.checkpoints.quantised import matrices


def small(seed: int = 3) -> LlamaModel:
    return LlamaModel(small_spec(layers=2, hidden_size=96, num_heads=3, num_kv_heads=1), seed=seed)


def text(seed: int = 0, shape=(3, 40)) -> torch.Tensor:
    return torch.randint(0, 1024, shape, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("bits, group", ((8, None), (4, None), (4, 8), (3, 6), (2, 24)))
def test_each_number_goes_to_the_nearest_step_of_its_rows_grid(bits, group):
    values = np.random.default_rng(bits).normal(size=(5, 24)).astype(np.float32)
    got = rounded(torch.from_numpy(values), bits, group=group).numpy()
    for row, told in zip(values, got, strict=True):
        for start in range(0, 24, group or 24):
            part = row[start : start + (group or 24)]
            top = 2 ** (bits - 1) - 1
            grid = [step * np.abs(part).max() / top for step in range(-top, top + 1)]
            nearest = [min(grid, key=lambda at: abs(at - x)) for x in part]
            np.testing.assert_allclose(told[start : start + len(part)], nearest, atol=1e-6)


def test_zeros_stay_zeros_and_the_kind_of_number_stays():
    assert rounded(torch.zeros(2, 4, dtype=torch.bfloat16), 4).eq(0).all()
    assert rounded(torch.ones(2, 4, dtype=torch.bfloat16), 4).dtype == torch.bfloat16


def test_only_the_matrices_of_the_layers_of_the_copy_are_rounded():
    model = small()
    before = {name: weight.clone() for name, weight in model.state_dict().items()}
    narrow = with_weights(model, 4, group=32)
    after = narrow.state_dict()
    assert all(torch.equal(before[name], weight) for name, weight in model.state_dict().items())
    changed = {name for name in after if not torch.equal(before[name], after[name])}
    assert changed == {f"{name}.weight" for name in matrices(model)} and len(changed) == 2 * 7
    name = "layers.1.mlp.up_proj"
    expected = rounded(before[f"{name}.weight"], 4, group=32)
    assert torch.equal(after[f"{name}.weight"], expected)


def test_fewer_bits_are_farther_away():
    model, tokens = small(), text()
    right = model(tokens)
    far = [(with_weights(model, bits)(tokens) - right).abs().mean().item() for bits in (8, 6, 4, 3)]
    assert far == sorted(far) and far[0] < 0.1 * far[-1]


def test_a_calibration_notes_what_goes_in_and_leaves_the_model_alone():
    model, tokens = small(), text()
    seen = calibrate(model, tokens)
    first = model.layers[0].input_layernorm(model.embed_tokens(tokens)).flatten(0, 1).abs()
    note = seen["layers.0.self_attn.k_proj"]
    torch.testing.assert_close(note.mean, first.mean(dim=0))
    torch.testing.assert_close(note.largest, first.max(dim=0).values)
    assert seen.keys() == matrices(model).keys()
    assert not any(part._forward_pre_hooks for part in matrices(model).values())


def test_calibrated_rounding_spares_the_channels_that_carry_most():
    """One input channel a hundred times as large: its weights are what must be right."""
    model, tokens = small(), text()
    for layer in model.layers:
        layer.input_layernorm.weight[5] = 100.0
    seen, right = calibrate(model, tokens), model(tokens)
    plain, spared = (
        (with_weights(model, 4, calibration=known)(tokens) - right).square().mean()
        for known in (None, seen)
    )
    assert spared < 0.7 * plain


def test_activations_are_cut_off_at_the_largest_that_was_seen():
    model, tokens = small(), text()
    seen = calibrate(model, tokens)
    narrow = with_activations(model, seen)
    name, inputs = "layers.0.self_attn.q_proj", []
    matrices(narrow)[name].register_forward_hook(lambda _, got, out: inputs.append(got[0]))
    with torch.no_grad():
        narrow.embed_tokens.weight[7] *= 50
    narrow(torch.full((1, 4), 7))
    step = seen[name].largest.max() / 127
    on_grid = inputs[0] / step
    torch.testing.assert_close(on_grid, on_grid.round(), atol=1e-3, rtol=0)
    assert on_grid.abs().max() <= 127.001
    assert (narrow(text(1)) - model(text(1))).abs().max() > 0


def test_an_eight_bit_cache_has_a_scale_for_each_token_and_head():
    generator = torch.Generator().manual_seed(1)
    query, key, value = (torch.randn(2, 4, 9, 16, generator=generator) for _ in range(3))
    key[:, :, 3] *= 40  # one loud token does not coarsen the others
    right, told = causal(0, query, key, value), int8_cache(0, query, key, value)
    assert 0 < (told - right).abs().max() < 0.1
    parts = [
        rounded(key[b, h, t][None], 8)[0] for b in range(2) for h in range(4) for t in range(9)
    ]
    coarse = torch.stack(parts).view(2, 4, 9, 16)
    torch.testing.assert_close(told, causal(0, query, coarse, rounded(value, 8)))


def test_surprise_is_that_of_each_token_behind_those_before_it():
    model, tokens = small(), text(shape=(250,))
    got = losses(model, tokens.tolist(), length=60)
    for at in range(4):
        window, surprise = tokens[60 * at : 60 * at + 60], 0.0
        chances = model(window[None])[0].double().softmax(dim=-1)
        for place in range(1, 60):
            surprise -= math.log(chances[place - 1, window[place]])
        assert got.windows[at] == pytest.approx(surprise / 59, rel=1e-5)
    assert got.windows.size == 4
    assert got.perplexity == pytest.approx(math.exp(got.windows.mean()))


def test_two_models_are_compared_window_by_window():
    mine, theirs = Losses(np.array([1.0, 3.0, 2.5])), Losses(np.array([0.9, 2.7, 2.4]))
    gap, half = mine.against(theirs)
    assert gap == pytest.approx(0.5 / 3)
    assert half == pytest.approx(1.96 * np.std([0.1, 0.3, 0.1], ddof=1) / math.sqrt(3))


def test_the_text_was_written_after_the_models_were_trained():
    """After another training choose other chapters, or the models have read what they are asked."""
    for name in ("target", "draft"):
        report = json.loads(datafile(f"checkpoints/{name}/training.json").read_text("utf-8"))
        assert report["trained_on"] == TRAINED_ON
    assert len("".join(held_out_passages())) > 20_000
    assert not set(held_out_passages()) & set(calibration_passages())


@pytest.mark.parametrize(
    "made, message",
    (
        (lambda: rounded(torch.ones(2, 8), 1), "bits = 1"),
        (lambda: rounded(torch.ones(2, 8), 4, group=3), "group = 3: expected a divisor of"),
        (
            lambda: losses(small(), [1] * 50, length=40),
            "tokens has 50 tokens: expected at least 80",
        ),
        (lambda: losses(small(), [1] * 50, length=1), "length = 1"),
        (lambda: Losses(np.ones(3)).against(Losses(np.ones(2))), "other has 2 windows"),
    ),
)
def test_what_cannot_be_is_refused(made, message):
    with pytest.raises(ValueError, match=message):
        made()
