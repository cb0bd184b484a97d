"""Packed projections compute what the plain ones do, and leave the plain model as it was."""

import pytest
import torch
from torch import nn

from labutils.engine import LlamaModel, small_spec
from labutils.serving.fast import packed
from labutils.serving.fast.packed_linear import PackedLinear, can_pack


@pytest.fixture(autouse=True)
def no_gradients(one_thread):
    with torch.inference_mode():
        yield


def model(dtype=torch.float32, **shapes):
    shapes = {
        "layers": 2,
        "hidden_size": 48,
        "num_heads": 6,
        "head_dim": 10,
        "ffn_size": 70,
    } | shapes
    spec = small_spec(vocab_size=83, **shapes)
    made = LlamaModel(spec, dtype=dtype, seed=3)
    for name, weights in made.named_parameters():
        if "norm" in name:
            weights.data.add_(0.3 * torch.randn_like(weights))
    return made


shapes_of_families = pytest.mark.parametrize(
    "shapes",
    (
        {},
        {"qk_norm": True, "num_kv_heads": 3, "tied_embeddings": False},
        {"qkv_bias": True, "output_bias": True, "num_kv_heads": 1},
    ),
)


@shapes_of_families
def test_logits_stay_and_so_does_the_model(shapes):
    plain = model(**shapes)
    before = {name: weights.clone() for name, weights in plain.state_dict().items()}
    fast, tokens = packed(plain), torch.randint(0, 83, (3, 29))
    expected = plain(tokens)
    assert expected.std() > 0.3
    torch.testing.assert_close(fast(tokens), expected, rtol=0, atol=2e-4)
    rows = torch.tensor([2, 28])
    torch.testing.assert_close(fast(tokens, rows=rows), expected[:, rows], rtol=0, atol=2e-4)
    after = plain.state_dict()
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    torch.testing.assert_close(plain(tokens), expected, rtol=0, atol=0)


def test_one_projection_with_and_without_bias():
    values = torch.randn(2, 7, 13)
    for bias in (True, False):
        plain = nn.Linear(13, 5, bias=bias)
        torch.testing.assert_close(PackedLinear(plain)(values), plain(values), rtol=0, atol=1e-5)
        other = nn.Linear(13, 3, bias=bias)
        both = torch.cat([plain(values), other(values)], -1)
        torch.testing.assert_close(PackedLinear(plain, other)(values), both, rtol=0, atol=1e-5)


def test_it_is_a_snapshot_that_shares_what_it_does_not_pack():
    plain = model()
    fast, tokens = packed(plain), torch.randint(0, 83, (1, 9))
    said = fast(tokens)
    plain.layers[1].mlp.down_proj.weight.data.mul_(3)
    torch.testing.assert_close(fast(tokens), said, rtol=0, atol=0)
    assert fast.embed_tokens.weight is plain.embed_tokens.weight
    assert fast.spec is plain.spec or fast.spec == plain.spec


def test_what_cannot_be_packed_comes_back():
    wide = model(dtype=torch.float64)
    assert packed(wide) is wide
    fast = packed(model())
    assert packed(fast) is fast and not can_pack(fast)
