"""Models packed for a processor: a few rows times large matrices, in as few operations as can be.

A decode step multiplies as many rows as there are sequences, a few dozen at most. Libraries tuned
for large matrices copy the weights into the order that their inner loop reads, in every call; for
few rows that copy costs more than the product. oneDNN can do it once, ahead of time, which is what
torch's own compiler does with weights that stay ("freezing").

Between two products the weights have swept every cache. So each small operation has to fetch its
own code anew, and costs ten times as much as in a loop of its own: here there are fewer of them.
"""

import copy

import torch
from torch import nn
from torch.nn import functional

from labutils.engine.model import Attention, FeedForward, Layer, LlamaModel, RMSNorm
from labutils.engine.model_rope import rotate

PACKED_FOR_ROWS = 64
"""The rows that oneDNN is told to expect. It serves 1 to 512 rows as well as their own figure."""


def packed(model: LlamaModel) -> nn.Module:
    """A copy of ``model`` for inference whose projections are packed; the embedding is shared.

    Products of the same input become one, and the weights of a norm go into the product behind it.
    Where torch cannot pack (another device than a processor, another type than float32, a build
    without oneDNN) the model itself comes back, and so does a model that is packed already: who
    makes many engines of one model packs it first.
    """
    if not can_pack(model):
        return model
    shared = {id(weights): weights for weights in (*model.parameters(), *model.buffers())}
    twin = copy.deepcopy(model, shared)
    for layer in twin.layers:
        _pack_layer(layer)
    twin.lm_head, twin.norm = PackedLinear(twin.lm_head, behind=twin.norm), UnitNorm(twin.norm)
    return twin


def can_pack(model: nn.Module) -> bool:
    """Whether ``packed`` changes ``model``: float32 on a processor with oneDNN, not packed yet."""
    kinds = {(weights.device.type, weights.dtype) for weights in model.parameters()}
    return (
        not any(isinstance(module, PackedLinear) for module in model.modules())
        and kinds == {("cpu", torch.float32)}
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    )


def _pack_layer(layer: Layer) -> None:
    layer.self_attn = PackedAttention(layer.self_attn, layer.input_layernorm)
    layer.mlp = PackedFeedForward(layer.mlp, layer.post_attention_layernorm)
    layer.input_layernorm = UnitNorm(layer.input_layernorm)
    layer.post_attention_layernorm = UnitNorm(layer.post_attention_layernorm)


class PackedLinear(nn.Module):
    """``parts`` side by side, their weights in oneDNN's order: [..., in] to [..., all outs].

    ``behind`` is a norm whose weights are multiplied in, so that its ``UnitNorm`` can do without.
    A snapshot: weights that change later do not reach it. Its sums run in another order than
    ``nn.Linear``'s, so that results differ in the last digits.
    """

    def __init__(self, *parts: nn.Linear, behind: RMSNorm | None = None):
        super().__init__()
        weights = torch.cat([part.weight for part in parts])
        if behind is not None:
            weights = weights * scales(behind)
        self._bias = None if parts[0].bias is None else torch.cat([part.bias for part in parts])
        self._packed = torch.ops.mkldnn._reorder_linear_weight(weights, PACKED_FOR_ROWS)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """[..., in] to [..., all outs]."""
        return torch.ops.mkldnn._linear_pointwise(values, self._packed, self._bias, "none", [], "")


class UnitNorm(nn.Module):
    """A norm in three operations, x / √(Σx² + n · eps): ``RMSNorm`` lacks its ``scales`` there."""

    def __init__(self, norm: RMSNorm):
        super().__init__()
        self._least = torch.tensor((len(norm.weight) * norm.eps) ** 0.5)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """Normalises the last axis."""
        length = torch.linalg.vector_norm(values, dim=-1, keepdim=True)
        return values / torch.hypot(length, self._least)


def scales(norm: RMSNorm) -> torch.Tensor:
    """By how much ``norm`` multiplies what its ``UnitNorm`` gives: √n times its weights."""
    return norm.weight * len(norm.weight) ** 0.5


class PackedAttention(Attention):
    """Queries, keys and values from one product; queries and keys normed and turned together."""

    def __init__(self, plain: Attention, norm: RMSNorm):
        nn.Module.__init__(self)
        self.index, self.head_dim = plain.index, plain.head_dim
        parts = plain.q_proj, plain.k_proj, plain.v_proj
        self._heads = [len(part.weight) // self.head_dim for part in parts]
        self.qkv_proj, self.o_proj = PackedLinear(*parts, behind=norm), PackedLinear(plain.o_proj)
        if hasattr(plain, "q_norm"):
            self.norm, both = UnitNorm(plain.q_norm), (plain.q_norm, plain.k_norm)
            each = [scales(one).expand(heads, 1, -1) for one, heads in zip(both, self._heads)]
            self._scales = torch.cat(each)

    def project(self, hidden: torch.Tensor, turn) -> tuple[torch.Tensor, ...]:
        """Queries, keys and values, each [batch, heads, length, head_dim], positions applied."""
        queries, keys, values = self._heads
        heads = self.qkv_proj(hidden).unflatten(-1, (-1, self.head_dim)).transpose(1, 2)
        both, value = heads.split([queries + keys, values], dim=1)
        if hasattr(self, "norm"):
            both = self.norm(both).mul_(self._scales)
        return *rotate(both, turn).split([queries, keys], dim=1), value


class PackedFeedForward(FeedForward):
    """A feed-forward block whose gate and up projection come from one matrix product."""

    def __init__(self, plain: FeedForward, norm: RMSNorm):
        nn.Module.__init__(self)
        self.gate_up_proj = PackedLinear(plain.gate_proj, plain.up_proj, behind=norm)
        self.down_proj = PackedLinear(plain.down_proj)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """[batch, length, hidden] to the same."""
        gate, up = self.gate_up_proj(hidden).chunk(2, dim=-1)
        return self.down_proj(functional.silu(gate).mul_(up))
