"""Logits against transformers in float64, and checkpoints taken over from it."""

import json

import pytest
import torch
import transformers

from labutils.serving.checkpoints.model_weights import load_hf_state, model_from_config

SHAPES = {
    "hidden_size": 60,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "num_hidden_layers": 3,
    "vocab_size": 131,
    "intermediate_size": 77,
    "initializer_range": 0.1,
    "pad_token_id": None,
    "bos_token_id": None,
    "eos_token_id": None,
}
STRETCHED = {
    "rope_type": "llama3", "rope_theta": 50000.0, "factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
}  # fmt: skip
CASES = (
    ("Llama", {}),
    ("Llama", {"head_dim": 14, "num_key_value_heads": 3, "tie_word_embeddings": True}),
    ("Llama", {"attention_bias": True, "num_key_value_heads": 6, "rms_norm_eps": 1e-3}),
    ("Llama", {"rope_parameters": STRETCHED}),
    ("Qwen2", {"num_key_value_heads": 3}),
    ("Qwen3", {"head_dim": 18, "num_key_value_heads": 1}),
    ("Qwen3", {"head_dim": 8, "tie_word_embeddings": True, "num_hidden_layers": 5}),
    ("Mistral", {"sliding_window": None, "head_dim": 10}),
)


def oracle(family, keys, seed=11):
    """transformers' model in float64, norms and biases moved off their initial ones and zeros."""
    torch.manual_seed(seed)
    config = getattr(transformers, f"{family}Config")(**{**SHAPES, **keys})
    model = getattr(transformers, f"{family}ForCausalLM")(config).double().eval()
    for name, weights in model.named_parameters():
        if "bias" in name or "norm" in name:
            weights.data.add_(0.3 * torch.randn_like(weights))
    return model.requires_grad_(False)


def config_of(model):
    return json.loads(model.config.to_json_string())


@pytest.mark.parametrize("family, keys", CASES)
def test_logits_are_those_of_transformers(family, keys):
    theirs = oracle(family, keys)
    ours = model_from_config(config_of(theirs), dtype=torch.float64)
    load_hf_state(ours, theirs.state_dict())
    for batch, length in ((1, 1), (3, 97), (2, 161)):
        given = torch.randint(0, 131, (batch, length))
        expected = theirs(given).logits
        assert expected.std() > 0.3
        # transformers normalises and turns in float32, whatever the weights are
        torch.testing.assert_close(ours(given), expected, rtol=0, atol=2e-5)


def test_positions_of_mixed_starts_are_those_of_transformers():
    theirs = oracle("Qwen3", {"head_dim": 14})
    ours = load_hf_state(
        model_from_config(config_of(theirs), dtype=torch.float64), theirs.state_dict()
    )
    given = torch.randint(0, 131, (3, 29))
    positions = torch.arange(29) * torch.tensor([[1], [2], [3]]) + torch.tensor([[0], [5], [90]])
    expected = theirs(given, position_ids=positions).logits
    torch.testing.assert_close(ours(given, positions), expected, rtol=0, atol=2e-5)


def test_a_tied_checkpoint_may_leave_the_head_out_and_old_files_keep_frequencies():
    theirs = oracle("Llama", {"tie_word_embeddings": True})
    state = {k: v for k, v in theirs.state_dict().items() if k != "lm_head.weight"}
    state["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(5)
    ours = model_from_config(config_of(theirs), dtype=torch.float64)
    given = torch.randint(0, 131, (2, 9))
    expected = theirs(given).logits
    torch.testing.assert_close(load_hf_state(ours, state)(given), expected, rtol=0, atol=2e-5)


@pytest.mark.parametrize(
    "change, message",
    (
        (lambda s: s.pop("model.norm.weight"), r"missing: norm\.weight"),
        (lambda s: s.update({"model.extra.weight": torch.ones(2)}), r"unknown: extra\.weight"),
        (
            lambda s: s.update({"model.embed_tokens.weight": torch.ones(2, 60)}),
            r"of another shape: embed_tokens\.weight",
        ),
    ),
)
def test_a_checkpoint_that_does_not_fit_changes_nothing(change, message):
    theirs = oracle("Llama", {})
    ours = model_from_config(config_of(theirs), seed=5)
    before = {name: weights.clone() for name, weights in ours.state_dict().items()}
    state = dict(theirs.state_dict())
    change(state)
    with pytest.raises(ValueError, match=message):
        load_hf_state(ours, state)
    assert all(torch.equal(before[name], weights) for name, weights in ours.state_dict().items())


def test_the_old_spelling_of_rotary_settings_is_read():
    new = config_of(oracle("Llama", {"rope_parameters": STRETCHED}))
    scaling = {key: value for key, value in STRETCHED.items() if key != "rope_theta"}
    old = {k: v for k, v in new.items() if k != "rope_parameters"}
    old |= {"rope_theta": 50000.0, "rope_scaling": scaling}
    assert model_from_config(old).rope == model_from_config(new).rope
    assert model_from_config(old).rope.factor == 8


@pytest.mark.parametrize(
    "change, message",
    (
        ({"rope_parameters": {"rope_type": "yarn", "factor": 4.0}}, "rope_type = 'yarn'"),
        ({"rope_parameters": {"rope_type": "llama3"}}, "key 'factor' is missing"),
        ({"partial_rotary_factor": 0.5}, r"partial_rotary_factor = 0\.5: expected 1"),
        ({"hidden_act": "gelu"}, "hidden_act = 'gelu': expected 'silu'"),
        ({"model_type": "gemma2"}, "sliding_window"),
    ),
)
def test_a_configuration_that_the_model_cannot_run_is_refused(change, message):
    keys = config_of(oracle("Llama", {}))
    with pytest.raises(ValueError, match=message):
        model_from_config({**keys, **change})
