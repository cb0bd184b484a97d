"""The rule: which drafted tokens stay, and what comes behind them.

Leviathan, Kalman and Matias (ICML 2023), algorithm 1; Chen et al. (2023), theorem 1: the tokens
are distributed as if each had been drawn from the target's shares, whatever the draft's are.
"""

from collections.abc import Callable, Sequence

import torch

from .shares import drawn


def accepted(
    drafted: Sequence[int],
    draft_shares: torch.Tensor,
    target_shares: torch.Tensor,
    chance: Callable[[], float],
) -> list[int]:
    """The next tokens of a request: drafts up to the first refusal, then one of the target's own.

    Draft i was drawn from ``draft_shares[i]`` (q) and stays with probability min(1, p/q), where
    p is ``target_shares[i]``. The first that is refused is replaced by a draw from what the target
    has more of than the draft, the positive part of p − q. If all stay, the last row of
    ``target_shares``, one more than there are drafts, gives a token for free. ``chance()`` draws
    from 0 to below 1.
    """
    for place, token in enumerate(drafted):
        target, draft = target_shares[place], draft_shares[place]
        if chance() * float(draft[token]) >= float(target[token]):
            return [*drafted[:place], drawn(missing(target, draft), chance())]
    return [*drafted, drawn(target_shares[len(drafted)], chance())]


def missing(target: torch.Tensor, draft: torch.Tensor) -> torch.Tensor:
    """What ``target`` has more of than ``draft``: the positive part of p − q, not yet normalised.

    Where rounding leaves nothing of it the two agree, and ``target`` itself is as good.
    """
    more = (target - draft).clamp(min=0)
    return more if more.any() else target


def accepted_greedily(drafted: Sequence[int], likeliest: Sequence[int]) -> list[int]:
    """``accepted`` where the target is greedy: drafts stay while they are its likeliest token.

    >>> accepted_greedily([4, 8, 1], [4, 8, 2, 9])
    [4, 8, 2]
    """
    same = 0
    while same < len(drafted) and drafted[same] == likeliest[same]:
        same += 1
    return [*drafted[:same], likeliest[same]]
