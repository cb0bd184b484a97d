"""Prefill and decode on cards of their own, and the link over which caches move."""

from dataclasses import dataclass
from operator import truediv

from labutils.ground import arguments
from labutils.llm.layouts.deployment import Deployment
from labutils.llm.layouts.exchanges import hand_over_s
from labutils.llm.layouts.links import Link
from labutils.llm.layouts.terms import LayoutStep


@dataclass(frozen=True, kw_only=True)
class Pools:
    """``prefill`` reads prompts and says the first token, ``decode`` says the others.

    Each card has ``link`` to the other pool; a copy's cards send or receive their parts of a cache
    at once, and of two copies the one with fewer cards sets the rate. A cache moves when its prompt
    is done (Zhong et al., DistServe, OSDI 2024, section 3.3; Patel et al., Splitwise, ISCA 2024).
    ``ValueError`` if the pools hold different models.
    """

    prefill: Deployment
    decode: Deployment
    link: Link

    def __post_init__(self):
        ours, theirs = self.prefill, self.decode
        if (ours.model, ours.rates.bytes_per_value) != (theirs.model, theirs.rates.bytes_per_value):
            raise ValueError(
                f"decode = {theirs.model.name} with {theirs.rates.bytes_per_value} B a value: "
                f"expected what prefill caches, {ours.model.name} with {ours.rates.bytes_per_value}"
            )

    @property
    def cards(self) -> int:
        """Cards of both pools."""
        return self.prefill.layout.cards + self.decode.layout.cards

    def transfer_s(self, prompt_tokens: float) -> float:
        """Seconds to move one prompt's cache from a prefill copy to a decode copy.

        Latent caches, which every card of a tensor-parallel copy keeps whole, are sent once.
        """
        return max(self.ports_busy_s(prompt_tokens))

    def ports_busy_s(self, prompt_tokens: float) -> tuple[float, float]:
        """Seconds for which that cache fills the ports of its sender, and of its receiver.

        The copy with more cards has room for further caches meanwhile, to or from other copies.
        """
        tokens = arguments.non_negative("prompt_tokens", prompt_tokens)
        moved = self.prefill.model.kv_bytes(tokens, self.prefill.rates.bytes_per_value)
        sides = [side.layout.cards_of_a_copy for side in (self.prefill, self.decode)]
        ports = [self.link.among(1 + max(sides) // cards) for cards in sides]
        return tuple(hand_over_s(moved / cards, port) for cards, port in zip(sides, ports))

    def first_token(self, prompt_tokens: int) -> LayoutStep:
        """The prefill of one prompt alone, by term."""
        return self.prefill.prefill(prompt_tokens)

    def most_requests_per_s(
        self, prompt_tokens: int, output_tokens: int, batch: int
    ) -> dict[str, float]:
        """What each part can carry, all of it busy: "prefill", "transfer", "decode".

        Prefill does one prompt at a time in each copy; caches wait for a port at either end, of
        which the pool with fewer cards has fewer; decode holds ``batch`` sequences over all
        copies, each for (n − 1) tokens at mid-answer context. The smallest rules; a ratio of pools
        is right for a mix where prefill and decode are equal.
        """
        answer = arguments.whole("output_tokens", output_tokens, at_least=2)
        copies = self.prefill.layout.dp, self.decode.layout.dp
        tpot_s = self.decode.decode(batch, prompt_tokens + answer / 2).time_s
        return {
            "prefill": copies[0] / self.first_token(prompt_tokens).time_s,
            "transfer": min(map(truediv, copies, self.ports_busy_s(prompt_tokens))),
            "decode": batch / ((answer - 1) * tpot_s),
        }
