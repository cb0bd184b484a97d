"""Fewer bits: what a model says when its weights, its cache or its activations are rounded.

Numbers are rounded and put back as floats, so that the error is that of the narrow format, and
nothing gets faster: speed needs kernels that read the narrow form (chapter 12 counts the bytes).
"""

import copy
from collections.abc import Mapping
from typing import NamedTuple

import torch
from torch import nn

from labutils.engine.model import LlamaModel, causal
from labutils.ground import arguments


def rounded(values: torch.Tensor, bits: int, *, group: int | None = None) -> torch.Tensor:
    """``values`` on a grid of 2^bits − 1 steps, symmetric about 0, one scale for each row.

    The largest of a row (of ``group`` neighbours in it, where given) is the end of its grid. The
    error is at most half a step: largest / (2^bits − 2).
    """
    top = 2 ** (arguments.whole("bits", bits, at_least=2) - 1) - 1
    width = values.shape[-1]
    if width % arguments.whole("group", width if group is None else group):
        raise ValueError(f"group = {group!r}: expected a divisor of the rows' {width} values")
    rows = values.float().unflatten(-1, (-1, group or width))
    scale = rows.abs().amax(dim=-1, keepdim=True).clamp(min=1e-12) / top
    return ((rows / scale).round() * scale).flatten(-2).to(values.dtype)


class Seen(NamedTuple):
    """What went into a matrix on the calibration text: by input channel, the mean size and the
    largest."""

    mean: torch.Tensor
    largest: torch.Tensor


@torch.no_grad()
def calibrate(model: LlamaModel, tokens: torch.Tensor) -> dict[str, Seen]:
    """Run ``tokens`` [batch, length] through the model; note what each of its matrices gets."""
    seen: dict[str, Seen] = {}
    handles = []
    for name, part in matrices(model).items():

        def note(_, inputs, name=name):
            sizes = inputs[0].float().abs().flatten(0, -2)
            seen[name] = Seen(sizes.mean(dim=0), sizes.amax(dim=0))

        handles.append(part.register_forward_pre_hook(note))
    try:
        model(tokens)
    finally:
        for handle in handles:
            handle.remove()
    return seen


def with_weights(
    model: LlamaModel,
    bits: int,
    *,
    group: int | None = None,
    calibration: Mapping[str, Seen] | None = None,
) -> LlamaModel:
    """A copy whose matrices are ``rounded``; embeddings and norms stay as they are.

    With a ``calibration``, channels that carry much are scaled up before rounding and down
    afterwards, by (mean size)^α; of five α the one whose squared error, weighted by those sizes,
    is least, for each matrix (the idea of Lin et al., AWQ, 2023, section 3.2). α = 0 is among
    them: plain rounding.
    """
    narrow = copy.deepcopy(model)
    for name, part in matrices(narrow).items():
        seen = None if calibration is None else calibration[name]
        part.weight.data = _narrowed(part.weight.data, bits, group, seen)
    return narrow


def with_activations(model: LlamaModel, calibration: Mapping[str, Seen]) -> LlamaModel:
    """A copy whose matrices round their inputs to 8 bits, by one scale for each matrix.

    The scale is fixed beforehand by the largest input of the ``calibration``; what is larger is cut
    off there.
    """
    narrow = copy.deepcopy(model)
    for name, part in matrices(narrow).items():
        step = calibration[name].largest.max().item() / 127

        def cut(_, inputs, step=step):
            return ((inputs[0] / step).round().clamp(-127, 127) * step,)

        part.register_forward_pre_hook(cut)
    return narrow


def int8_cache(
    layer: int, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor
) -> torch.Tensor:
    """``causal`` on keys and values of 8 bits, a scale for each token and head.

    What ``LlamaModel`` takes as ``attend``: ``model(tokens, attend=int8_cache)``.
    """
    return causal(layer, query, rounded(key, 8), rounded(value, 8))


def matrices(model: LlamaModel) -> dict[str, nn.Linear]:
    """The matrices of all layers by name; the last one, tied to the embeddings, is not among."""
    parts = model.named_modules()
    return {name: part for name, part in parts if isinstance(part, nn.Linear) and "layers" in name}


def _narrowed(weight: torch.Tensor, bits: int, group, seen: Seen | None) -> torch.Tensor:
    if seen is None:
        return rounded(weight, bits, group=group)
    sizes = seen.mean.clamp(min=1e-6)
    tried = []
    for alpha in (0.0, 0.25, 0.5, 0.75, 1.0):
        scale = (sizes / sizes.mean()) ** alpha
        narrow = rounded(weight * scale, bits, group=group) / scale
        tried.append((((narrow - weight) * sizes).square().sum().item(), alpha, narrow))
    return min(tried, key=lambda one: one[:2])[2]
