"""A request with drafted tokens behind its own, packed into a step with logits at each place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch

from labutils.engine import Generation
from labutils.engine.packing import PackedStep, pack


class Stretch(NamedTuple):
    """What ``pack`` reads of a request: here its tokens may go on with drafted ones."""

    tokens: Sequence[int]
    computed: int
    known: int
    pages: list[int]


class Wanted(NamedTuple):
    """Which rows of a step's logits are ``request``'s: ``count`` of them from ``first`` on."""

    request: Generation
    first: int
    count: int

    @property
    def rows(self) -> slice:
        """Its rows of the logits."""
        return slice(self.first, self.first + self.count)


def verification(
    chunks: Sequence[tuple[Generation, int]],
    drafted: Mapping[Generation, Sequence[int]],
    page_tokens: int,
    device: torch.device,
) -> tuple[PackedStep, list[Wanted]]:
    """The step that computes ``chunks`` and verifies what was ``drafted`` for some of them.

    A request that catches up wants the logits behind its last known token and behind each of its
    drafts, k + 1 in all; a prompt that is not through yet wants none.
    """
    rows, places, wanted, end = [], [], [], 0
    for request, new in chunks:
        extra = list(drafted.get(request, ()))
        text = request.tokens + extra if extra else request.tokens
        known = request.computed + new + len(extra)
        rows.append((Stretch(text, request.computed, known, request.pages), new + len(extra)))
        end += new + len(extra)
        if request.computed + new == request.known:
            wanted.append(Wanted(request, len(places), 1 + len(extra)))
            places += range(end - 1 - len(extra), end)
    step = pack(rows, page_tokens, device)
    return replace(step, last=torch.tensor(places, dtype=torch.int64, device=device)), wanted
