"""Projections on packed weights: how a processor multiplies a few rows by a large matrix fast.

A decode step multiplies as many rows as there are sequences, a few dozen at most. Libraries tuned
for large matrices copy the weights into the order that their inner loop reads, in every call; for
few rows that copy costs more than the product. oneDNN can do it once, ahead of time, which is what
torch's own compiler does with weights that stay ("freezing").
"""

import copy

import torch
from torch import nn

PACKED_FOR_ROWS = 64
"""The rows that oneDNN is told to expect. It serves 1 to 512 rows as well as their own figure."""


class PackedLinear(nn.Module):
    """``linear`` with its weights copied into oneDNN's order: [..., in] to [..., out].

    A snapshot: weights that change later do not reach it. Its sums run in another order than
    ``nn.Linear``'s, so that results differ in the last digits.
    """

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self._bias = linear.bias
        self._packed = torch.ops.mkldnn._reorder_linear_weight(linear.weight, PACKED_FOR_ROWS)

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        """[..., in] to [..., out]."""
        return torch.ops.mkldnn._linear_pointwise(values, self._packed, self._bias, "none", [], "")


def packed(model: nn.Module) -> nn.Module:
    """A copy of ``model`` for inference whose projections are packed; other weights are shared.

    Queries, keys and values become one product on the way. Where torch cannot pack (another device
    than a processor, another type than float32, a build without oneDNN) the model itself comes
    back, and so does a model that is packed already: who makes many engines of one model packs it
    first.
    """
    if not can_pack(model):
        return model
    shared = {id(weights): weights for weights in (*model.parameters(), *model.buffers())}
    twin = copy.deepcopy(model, shared)
    for module in list(twin.modules()):
        if hasattr(module, "join"):
            module.join()
        for name, child in list(module.named_children()):
            if type(child) is nn.Linear:
                setattr(module, name, PackedLinear(child))
    return twin


def can_pack(model: nn.Module) -> bool:
    """Whether ``packed`` has an effect on ``model``, here and as it is."""
    kinds = {(weights.device.type, weights.dtype) for weights in model.parameters()}
    return (
        not any(isinstance(module, PackedLinear) for module in model.modules())
        and kinds == {("cpu", torch.float32)}
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    )
