"""A draft without a model: what followed the last time that these tokens stood there."""

from collections.abc import Sequence

from labutils.engine import Generation
from labutils.ground import arguments

from .proposal import Proposal


class LookupDraft:
    """Looks for the newest tokens in the prompt and the answer so far, and says what followed.

    The last ``longest`` tokens are looked for first, then fewer, down to ``shortest``; the latest
    place wins (prompt lookup decoding: Saxena, 2023). It costs no step of any model.

    >>> text = [7, 1, 2, 3, 9, 1, 2]
    >>> LookupDraft().followed(text, 3)
    [3, 9, 1]
    """

    def __init__(self, *, longest: int = 3, shortest: int = 1):
        self.shortest = arguments.whole("shortest", shortest)
        self.longest = arguments.whole("longest", longest, at_least=shortest)

    def bind(self, engine) -> None:
        """Any engine will do: what it says has stood in the request."""

    def propose(self, requests: Sequence[Generation], counts: Sequence[int]) -> list[Proposal]:
        """One proposal for each request; empty where its newest token is new."""
        pairs = zip(requests, counts, strict=True)
        return [Proposal(self.followed(one.tokens, count)) for one, count in pairs]

    def followed(self, text: Sequence[int], count: int) -> list[int]:
        """Up to ``count`` tokens that followed the latest earlier place of the end of ``text``."""
        for length in range(min(self.longest, len(text) - 1), self.shortest - 1, -1):
            end = list(text[-length:])
            for at in range(len(text) - length - 1, -1, -1):
                if text[at + length - 1] == end[-1] and list(text[at : at + length]) == end:
                    return list(text[at + length : at + length + count])
        return []
