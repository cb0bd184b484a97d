"""A second copy for a request that takes long, when the copies are independent."""

from dataclasses import dataclass

from labutils.ground import arguments
from labutils.laws.tails.quantiles import Tail, tail_quantile


@dataclass(frozen=True)
class Hedge:
    """Wait ``trigger_s`` seconds, then ask a second leaf; the first answer counts.

    ``tail(t)`` = P(T > t) is that of one leaf. Both copies are drawn from it independently, and
    it is not changed by the requests that hedging adds: true of few hedged clients in a large
    fleet at low load, not of a fleet that hedges everything (``simulation.hedged_fleet``).
    """

    tail_of_one: Tail
    trigger_s: float

    def __post_init__(self):
        object.__setattr__(self, "trigger_s", arguments.non_negative("trigger_s", self.trigger_s))

    @property
    def extra_requests(self) -> float:
        """Share of the requests that are sent twice."""
        return self.tail_of_one(self.trigger_s)

    def tail(self, t: float) -> float:
        """P(no answer within ``t`` seconds): both copies late, if there are two by then."""
        if t < self.trigger_s:
            return self.tail_of_one(t)
        return self.tail_of_one(t) * self.tail_of_one(t - self.trigger_s)

    def quantile(self, q: float) -> float:
        """The time in seconds within which a share ``q`` of the requests is answered."""
        return tail_quantile(self.tail, q)
