"""What a request's next token is drawn from: probabilities, cut as its sampling says."""

import torch
from torch.nn import functional

from labutils.engine import Sampling
from labutils.engine.sampling import cut, draw


def token_shares(logits: torch.Tensor, sampling: Sampling) -> torch.Tensor:
    """Probabilities [rows, vocabulary] in float64, from ``logits`` of the same shape.

    They are those that ``labutils.engine.sampling.sample`` draws from. A greedy request draws from
    all or nothing: its likeliest token has the whole.
    """
    if not sampling.temperature:
        return certain(logits.argmax(-1), logits.shape[-1])
    shares = torch.softmax(logits.double() / sampling.temperature, -1)
    if sampling.top_k is None and sampling.top_p is None:
        return shares
    largest, order = shares.sort(dim=-1, descending=True, stable=True)
    kept = cut(largest, sampling.top_k or shares.shape[-1], sampling.top_p or 1.0)
    return torch.zeros_like(shares).scatter(-1, order, kept / kept.sum(-1, keepdim=True))


def certain(tokens: torch.Tensor, vocabulary: int) -> torch.Tensor:
    """Shares [rows, vocabulary] that give each of ``tokens`` the whole."""
    return functional.one_hot(tokens, vocabulary).double()


def drawn(shares: torch.Tensor, uniform: float) -> int:
    """The token of ``shares`` [vocabulary] at which their running sum passes ``uniform``."""
    return int(draw(shares[None], shares.new_tensor([[uniform]])))
