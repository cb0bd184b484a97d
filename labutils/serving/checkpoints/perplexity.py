"""How well a model foretells a text, and whether another one does worse."""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from labutils.engine.model import Attend, LlamaModel
from labutils.ground import arguments


@dataclass(frozen=True, eq=False)
class Losses:
    """Mean surprise in nats a token, window by window of a text."""

    windows: np.ndarray

    @property
    def perplexity(self) -> float:
        """exp(mean surprise): as unsure as a fair choice among so many tokens.

        >>> Losses(np.array([math.log(2), math.log(8)])).perplexity
        4.0
        """
        return math.exp(self.windows.mean())

    def against(self, other: "Losses") -> tuple[float, float]:
        """How much more surprised this one is than ``other`` on the same windows, nats a token,
        and the half width of a 95 % interval around it (windows as independent pairs)."""
        if self.windows.shape != other.windows.shape:
            raise ValueError(
                f"other has {other.windows.size} windows: expected {self.windows.size}"
            )
        gaps = self.windows - other.windows
        return float(gaps.mean()), float(1.96 * gaps.std(ddof=1) / math.sqrt(gaps.size))


@torch.no_grad()
def losses(model: LlamaModel, tokens, *, length: int = 192, attend: Attend | None = None) -> Losses:
    """The surprise at each token of ``tokens`` but a window's first, in windows of ``length``.

    Windows follow each other; within each the first token is given, and what is left at the end of
    the text is not read. ``attend`` is that of ``LlamaModel``.
    """
    text = torch.as_tensor(tokens, dtype=torch.long)
    size = arguments.whole("length", length, at_least=2)
    count = len(text) // size
    if count < 2:
        raise ValueError(f"tokens has {len(text)} tokens: expected at least {2 * size}")
    means = []
    for window in text[: count * size].view(count, size).split(16):
        logits = model(window, attend=attend)[:, :-1].float()
        each = functional.cross_entropy(
            logits.flatten(0, 1), window[:, 1:].flatten(), reduction="none"
        )
        means.append(each.view(len(window), -1).mean(dim=1))
    return Losses(torch.cat(means).double().numpy())
