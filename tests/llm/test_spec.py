"""Specifications of one's own: what is refused."""

from dataclasses import replace

import pytest

from labutils import llm

SHAPES = {
    "name": "odd",
    "layers": 5,
    "hidden_size": 60,
    "num_heads": 6,
    "num_kv_heads": 2,
    "head_dim": 14,
    "ffn_size": 77,
    "vocab_size": 131,
}


@pytest.mark.parametrize("field", sorted(SHAPES.keys() - {"name"}))
@pytest.mark.parametrize("value", (0, -3, 2.5, "4", None))
def test_counts_are_whole_and_positive(field, value):
    with pytest.raises(ValueError, match=rf"{field} = {value!r}: expected a whole number"):
        llm.ModelSpec(**{**SHAPES, field: value})


@pytest.mark.parametrize(
    "more, message",
    (
        ({"num_kv_heads": 4}, "num_kv_heads = 4: expected a divisor of num_heads = 6"),
        ({"windowed_layers": 6, "window": 8}, "windowed_layers = 6: expected at most layers = 5"),
        ({"windowed_layers": 2}, "window = None: expected a whole number"),
        ({"max_context": -1}, "max_context = -1"),
    ),
)
def test_shapes_that_contradict_each_other_are_refused(more, message):
    with pytest.raises(ValueError, match=message):
        llm.ModelSpec(**{**SHAPES, **more})


@pytest.mark.parametrize(
    "experts, message",
    (
        ({"per_token": 9}, "per_token = 9: expected at most num = 8"),
        ({"num": 0}, "num = 0"),
        ({"shared": -1}, "shared = -1"),
        ({"dense_layers": 5}, "dense_layers = 5: expected fewer than layers = 5"),
    ),
)
def test_experts_that_cannot_be_are_refused(experts, message):
    with pytest.raises(ValueError, match=message):
        chosen = llm.Experts(**{"num": 8, "per_token": 2, "ffn_size": 31, **experts})
        llm.ModelSpec(**SHAPES, experts=chosen)


def test_a_latent_cache_without_width_is_refused():
    with pytest.raises(ValueError, match="rank = 0"):
        llm.Latent(rank=0, rope_dim=8, nope_dim=9, value_dim=7)


def test_widths_and_contexts_must_be_numbers_that_can_be():
    spec = llm.ModelSpec(**SHAPES)
    with pytest.raises(ValueError, match="bytes_per_weight = -2"):
        spec.weight_bytes(-2)
    with pytest.raises(ValueError, match="expert_bytes_per_weight = 0"):
        spec.weight_bytes(2, expert_bytes_per_weight=0)
    with pytest.raises(ValueError, match="bytes_per_value = nan"):
        spec.kv_bytes_per_token(float("nan"))
    with pytest.raises(ValueError, match="context_tokens = -1"):
        spec.kv_bytes(-1)


def test_a_changed_copy_counts_anew():
    spec = llm.ModelSpec(**SHAPES)
    assert spec.parameters < replace(spec, layers=6).parameters
    assert replace(spec, tied_embeddings=True).parameters == spec.parameters - 131 * 60
