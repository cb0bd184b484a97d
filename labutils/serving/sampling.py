"""Which token comes next: the likeliest one, or one drawn from the likely ones."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from labutils import arguments


@dataclass(frozen=True, kw_only=True)
class Sampling:
    """How the tokens of one answer are chosen; the default takes the likeliest token (greedy).

    Above ``temperature`` 0 a token is drawn from softmax(logits / temperature), cut first to the
    ``top_k`` likeliest tokens, then to the fewest likeliest whose share reaches ``top_p`` (Holtzman
    et al., 2020). The same ``seed`` draws the same tokens, whoever is served beside; None draws
    others every time.
    """

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int | None = None

    def __post_init__(self):
        arguments.non_negative("temperature", self.temperature)
        if self.top_k is not None:
            arguments.whole("top_k", self.top_k)
        if self.top_p is not None and arguments.positive("top_p", self.top_p) > 1:
            raise ValueError(f"top_p = {self.top_p!r}: expected at most 1")
        if self.seed is not None:
            arguments.whole("seed", self.seed, at_least=0)

    @property
    def is_greedy(self) -> bool:
        """Whether nothing is drawn."""
        return self.temperature == 0

    @property
    def is_cut(self) -> bool:
        """Whether some tokens are left out before drawing."""
        return not self.is_greedy and (self.top_k is not None or self.top_p is not None)


def sample(
    logits: torch.Tensor, samplings: Sequence[Sampling], uniforms: Sequence[float]
) -> torch.Tensor:
    """The next token of each row of ``logits`` [rows, vocabulary]; the result stays on its device.

    ``uniforms`` has one number from 0 to below 1 per row, of which greedy rows make no use: all
    randomness comes from there, so a row's token does not depend on the other rows.
    """
    likeliest = logits.argmax(-1)
    if all(one.is_greedy for one in samplings):
        return likeliest
    vocabulary = logits.shape[-1]
    table = [
        (one.temperature or 1.0, one.top_k or vocabulary, one.top_p or 1.0, uniform, one.is_greedy)
        for one, uniform in zip(samplings, uniforms, strict=True)
    ]
    columns = torch.tensor(table, dtype=torch.float64).to(logits.device, non_blocking=True)
    temperature, top_k, top_p, uniform, is_greedy = columns.T[..., None]
    shares = torch.softmax(logits.double() / temperature, -1)
    drawn = draw(shares, uniform)
    some = [row for row, one in enumerate(samplings) if one.is_cut]
    if some:
        largest, order = shares[some].sort(dim=-1, descending=True, stable=True)
        places = draw(cut(largest, top_k[some], top_p[some]), uniform[some])
        drawn[some] = order.gather(-1, places)
    return torch.where(is_greedy.bool(), likeliest[:, None], drawn)[:, 0]


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
