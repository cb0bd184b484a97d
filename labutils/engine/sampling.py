"""Which token comes next: the likeliest one, or one drawn from the likely ones."""

from collections.abc import Sequence

import torch

from .request import Sampling


def sample(
    logits: torch.Tensor, samplings: Sequence[Sampling], uniforms: Sequence[float]
) -> torch.Tensor:
    """The next token of each row of ``logits`` [rows, vocabulary]; the result stays on its device.

    ``uniforms`` has one number from 0 to below 1 per row, of which greedy rows make no use: all
    randomness comes from there, so a row's token does not depend on the other rows.
    """
    likeliest = logits.argmax(-1)
    if not any(one.temperature for one in samplings):
        return likeliest
    vocabulary = logits.shape[-1]
    table = [
        (one.temperature or 1.0, one.top_k or vocabulary, one.top_p or 1.0, uniform)
        for one, uniform in zip(samplings, uniforms, strict=True)
    ]
    columns = torch.tensor(table, dtype=torch.float64).to(logits.device, non_blocking=True)
    temperature, top_k, top_p, uniform = columns.T[..., None]
    shares = torch.softmax(logits.double() / temperature, -1)
    drawn = draw(shares, uniform)
    some = [row for row, one in enumerate(samplings) if one.top_k or one.top_p]
    if some:
        largest, order = shares[some].sort(dim=-1, descending=True, stable=True)
        places = draw(cut(largest, top_k[some], top_p[some]), uniform[some])
        drawn[some] = order.gather(-1, places)
    greedy = torch.tensor([not one.temperature for one in samplings], device=logits.device)
    return torch.where(greedy, likeliest, drawn[:, 0])


def cut(shares: torch.Tensor, top_k: torch.Tensor, top_p: torch.Tensor) -> torch.Tensor:
    """``shares`` [rows, vocabulary], largest first, with zeros where a token may not be drawn."""
    ranks = torch.arange(shares.shape[-1], device=shares.device)
    kept = torch.where(ranks < top_k, shares, 0.0)
    kept = kept / kept.sum(-1, keepdim=True)
    before = kept.cumsum(-1) - kept
    return torch.where((before < top_p) | (ranks == 0), kept, 0.0)


def draw(shares: torch.Tensor, uniform: torch.Tensor) -> torch.Tensor:
    """The places [rows, 1] at which the running sum of ``shares`` passes ``uniform`` of the whole.

    ``uniform`` is [rows, 1]; a place whose share is 0 is never drawn. Shares that are not numbers
    give the last place: a place behind it would stop a CUDA device, and everybody's answers.
    """
    upto = shares.cumsum(-1)
    whole = upto[:, -1:].contiguous()
    below = torch.nextafter(whole, torch.zeros_like(whole))  # rounding must not reach the whole
    places = torch.searchsorted(upto, torch.minimum(uniform * whole, below), right=True)
    return places.clamp_(max=shares.shape[-1] - 1)
