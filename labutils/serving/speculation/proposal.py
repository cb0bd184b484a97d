"""What a draft says: some tokens that may come next, and how sure it was of each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from labutils.engine import Generation

if TYPE_CHECKING:
    import torch


class Proposal(NamedTuple):
    """Drafted ``tokens``, and the ``shares`` [places, vocabulary] that each was drawn from.

    ``shares`` is None where nothing was drawn: the draft would say the same tokens every time. A
    draft may say fewer tokens than it was asked for, or none.
    """

    tokens: Sequence[int]
    shares: "torch.Tensor | None" = None


class Draft(Protocol):
    """Anything that guesses. A bad guess costs time, and never changes an answer."""

    def bind(self, engine) -> None:
        """Get ready for the requests of ``engine``. ``ValueError`` if it cannot serve them."""

    def propose(self, requests: Sequence[Generation], counts: Sequence[int]) -> list[Proposal]:
        """One proposal for each request, of at most its count of tokens.

        A request has room on its pages for as many tokens more.
        """
