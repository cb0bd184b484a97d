"""Queues whose wait is nothing at all, or exponential: exact for M/M/c, a good tail elsewhere."""

import math

from labutils.laws.queueing.formulas.roots import invert_tail
from labutils.laws.queueing.models.model import QueueModel

_NO_SPREAD = 1e-12  # standard deviation over mean below which a service counts as deterministic


class ExponentialWait(QueueModel):
    """P(waiting time > t) = p_wait * exp(-decay_rate * t).

    ``scv_service`` says how the service time that follows the wait is spread. The wait and the
    service of one request are independent, so the sojourn time is their convolution.
    """

    scv_service: float

    @property
    def decay_rate(self) -> float:
        """Rate (per second) at which the tail of the wait falls: p_wait / mean_waiting_time."""
        return self.capacity_per_s - self.arrival_rate

    @property
    def mean_waiting_time(self) -> float:
        return self.p_wait / self.decay_rate

    def _waiting_tail(self, t: float) -> float:
        return self.p_wait * math.exp(-self.decay_rate * t)

    def _waiting_quantile(self, q: float) -> float:
        return math.log(self.p_wait / (1 - q)) / self.decay_rate

    def _sojourn_tail(self, t: float) -> float:
        shift, phases = _service_phases(self.service_rate, self.scv_service)
        return self._tail_after(shift, phases, t)

    def _sojourn_quantile(self, q: float) -> float:
        shift, phases = _service_phases(self.service_rate, self.scv_service)
        if not phases:
            return shift + self.waiting_time_quantile(q)
        return shift + invert_tail(lambda t: self._mixed_tail(phases, t), q, self.mean_sojourn_time)

    def _tail_after(self, shift, phases, t: float) -> float:
        if t < shift:
            return 1.0
        return self._mixed_tail(phases, t - shift) if phases else self._waiting_tail(t - shift)

    def _mixed_tail(self, phases, t: float) -> float:
        """P(wait + service > t) for a service that draws one of several exponential phases."""
        waits, decay = self.p_wait, self.decay_rate
        return sum(
            share * ((1 - waits) * math.exp(-rate * t) + waits * two_phase_tail(t, rate, decay))
            for share, rate in phases
        )


def two_phase_tail(t: float, rate_a: float, rate_b: float) -> float:
    """P(A + B > t) for independent exponential A and B, smooth where their rates coincide.

    The textbook form (b exp(-at) - a exp(-bt)) / (b - a) divides 0 by 0 at a = b, which an M/M/c
    queue meets at num_servers * (1 - utilization) = 1. With a the smaller rate it equals
    exp(-at) (1 + at (1 - exp(-x)) / x), x = (b - a) t, where nothing cancels or overflows.
    """
    slow, fast = min(rate_a, rate_b), max(rate_a, rate_b)
    x = (fast - slow) * t
    ratio = -math.expm1(-x) / x if x > 0 else 1.0
    return math.exp(-slow * t) * (1 + slow * t * ratio)


def _service_phases(rate: float, scv: float):
    """A service time with mean 1/rate and the given SCV: a shift, then one of the phases.

    Returns (shift_s, ((probability, rate), ...)). SCV 0 is deterministic and SCV 1 exponential,
    both exactly; between them a shifted exponential; above, two exponentials that carry half of
    the work each ("balanced means", Whitt 1982). Other shapes share these two moments.
    """
    if scv <= 1:
        spread = math.sqrt(scv)
        phases = ((1.0, rate / spread),) if spread > _NO_SPREAD else ()
        return (1 - spread) / rate, phases
    share = (1 + math.sqrt((scv - 1) / (scv + 1))) / 2
    return 0.0, ((share, 2 * share * rate), (1 - share, 2 * (1 - share) * rate))
