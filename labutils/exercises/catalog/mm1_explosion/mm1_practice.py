"""More practice: the optional exercises of the chapter."""

from typing import ClassVar

import numpy as np

from labutils.exercises.checkers import Estimate
from labutils.exercises.checkers.sheets import choice, number
from labutils.exercises.definition.sheet import exercise, mistakes_in
from labutils.exercises.definition.verdict import Status, Verdict
from labutils.laws import queueing

MOMENT_S = 1e-9  # below it a wait is none: sums of arrival times carry rounding

STORY = choice(r"""
mm1.story · Which sentence of the test report cannot stand? · 4 minutes, optional

- a: The service finishes 550 requests a second at most.
! You may trust it: it was read off a counter. Use it to compute the load.
- b: The load test offered 500 requests a second.
! You may trust it: it was read off a counter. 500 / 550 is 0.909; what does M/M/1 make of it?
- c: The requests came from one Poisson source, and one FIFO server answered them.
! You may trust it, and it is what lets you compute a p99. Compute it.
+ d: Service times were exponential, and p99 latency in the test was 45 ms.
> Take the three trusted sentences as true and compute what the fourth should say.
> With exponential services, a to c give an M/M/1 queue at load 500/550. Its latency is
  exponentially distributed.
> queueing.MM1(500, 550).sojourn_time_quantile(0.99), in seconds.

An M/M/1 queue with $\lambda = 500$/s and $\mu = 550$/s has a mean latency of $1/(\mu-\lambda) = 20$
ms and a p99 of $\ln 100$ times that, 92 ms. A p99 of about 45 ms is what *equal* service times
would give at this load (M/D/1: 46 ms), so the services were far more regular than the report says.
With exponential ones the load would have to be 0.81.
""")

PEAK = number(rf"""
mm1.peak · The everyday load that leaves room for a fivefold peak · 3 minutes, optional

= {0.9 / 5} 1 tolerance=0.005 story=0.9,5,0.1
- rule-of-thumb 0.6: Five times 60 % is 300 %. Which everyday load becomes 90 % when it grows
  fivefold?
- grows-by {0.9 / 6}: That everyday load grows *by* five times, to six times. Fivefold is five times
  as much.
- latency-fivefold 0.5: From that load to 0.9 the *latency* grows fivefold. It is the traffic that
  does.
- fourfold {0.9 / 4}: That everyday load grows to four times. Fivefold is five times as much.
- saturates 0.2: That everyday load grows to 100 % at the peak: no longer stable.
- sixty-at-the-peak {0.6 / 5}: That everyday load grows to 60 % at the peak. How much may it be
  there?
> At the peak the load is five times the everyday load.
> Five times the everyday load may be 0.9.
> 0.9 / 5.

$5\rho \le 0.9$ needs $\rho \le 0.18$: 'keep it below 60 % and a fivefold peak fits' is off by a
factor of more than three. Few buy five times the fleet for a peak; what absorbs it is capacity that
starts within the peak's rise, a queue with a bound, refusing early, or a cheaper answer.
""")


class _Waits(Estimate):
    """An ``Estimate`` whose sample must also behave as the waits of one queue, in their order."""

    diagnoses: ClassVar = {
        "no-queue": "Who comes while nobody is there does not wait. How many are that?",
        "shuffled": "Neighbours in a queue wait alike. In which order do your waits stand?",
    }

    def check(self, answer) -> Verdict:
        verdict = super().check(answer)
        return (_unlike_waits(np.asarray(answer)) or verdict) if verdict.passed else verdict


def _unlike_waits(waits: np.ndarray) -> Verdict | None:
    """What no FIFO queue at load 0.7 shows; the mean of such a sample may be right by accident."""
    none = float((waits < MOMENT_S).mean())
    if abs(none - 0.3) > 0.03:
        message = (
            f"The mean is right, but {100 * none:.0f} % of your sample are waits of 0. The server "
            "is idle for 30 % of the time, and who comes then does not wait. Are these the waits "
            "of a queue?"
        )
        return Verdict(Status.wrong, message, diagnosis="no-queue")
    if np.corrcoef(waits[1:], waits[:-1])[0, 1] < 0.5:
        message = (
            "The mean is right, but neighbours in your sample have nothing in common. In a queue "
            "who comes after a long wait waits long, too. Hand the waits in in order of time."
        )
        return Verdict(Status.wrong, message, diagnosis="shuffled")
    return None


class WrongVariable:
    def exponential_services():
        """That is the wait with exponential service times, whose scv is 1. Draw service times with
        scv 4."""
        return queueing.MM1(arrival_rate=70, service_rate=100).mean_waiting_time

    def sojourn():
        """In the mean these are as long as the sojourn times: does your sample hold the service? Or
        is it the gaps that have an scv of 4, and not the services?"""
        return _waiting().mean_sojourn_time

    def those_that_waited():
        """That is the mean of those that had to wait. The zeros of the others belong to it."""
        return _waiting().mean_waiting_time / _waiting().utilization

    def root_for_the_scv():
        """That is the wait with an scv of 2. The scv is the square already: hand in 4."""
        return _waiting(scv_service=2).mean_waiting_time

    def squares_it_again():
        """That is the wait with an scv of 16. The scv is the square already: hand in 4."""
        return _waiting(scv_service=16).mean_waiting_time

    def by_the_clock():
        """That is about the wait if requests came at equal gaps. How do the gaps of a Poisson
        source vary?"""
        return 0.043  # simulated: from 0.0422 to 0.0438 with four kinds of services

    def cut_off_at_zero():
        """So long one waits if a normal distribution is cut off at 0. What becomes of its mean, and
        of the load?"""
        mean_s, square = 0.010 * 1.3956, 0.010**2 * 4.1617  # of a normal one with deviation 20 ms
        return 70 * square / 2 / (1 - 70 * mean_s)

    def at_eighty():
        """That is the wait at 80 requests a second, as in the cell above."""
        return _waiting(arrival_rate=80).mean_waiting_time


def _waiting(arrival_rate=70, scv_service=4):
    return queueing.MG1(arrival_rate, service_rate=100, scv_service=scv_service)


VARIABLE = exercise(
    r"""
    mm1.measure_variable · Measure a wait that the M/M/1 formula does not give · 6 minutes, optional

    > Three lines: arrivals, services, queue. The cell on variability does it at load 0.8.
    > sim.hyperexponential_services(0.010, n, rng, scv_service=4), then sim.fifo_queue(...) and its
      waiting_time_s. If the verdict says too noisy, make n larger.
    > rng = np.random.default_rng(1); n = 2_000_000; run = sim.fifo_queue(sim.poisson_arrivals(70,
      n, rng), sim.hyperexponential_services(0.010, n, rng, scv_service=4)); run.waiting_time_s

    Pollaczek and Khinchine: $W_q = \rho S/(1-\rho)\cdot(1+c_s^2)/2$, so $c_s^2 = 4$ multiplies the
    wait by 2.5. Waits of neighbours resemble each other, so a sample of 100,000 waits carries far
    less information than 100,000 independent numbers: the verdict computes the interval from batch
    means, and asks for a longer run while it is wider than the answer needs.
    """,
    _Waits(
        expected=lambda: _waiting().mean_waiting_time,
        unit="s",
        tolerance=0.05,
        misconceptions=mistakes_in(WrongVariable),
    ),
)
