"""The launch story, and the load at which ten requests wait: two numbers to compute."""

import math

from labutils.exercises.checkers.sheets import number


def _load_for_queue_of(length):
    """Solve rho^2 / (1 - rho) = length for rho (the positive root)."""
    return (-length + math.sqrt(length * length + 4 * length)) / 2


# tolerated is half of the fourth decimal, which is asked for
LOAD_FOR_TEN = number(rf"""
mm1.load_for_ten · The load at which ten requests wait · 4 minutes

= {_load_for_queue_of(10)} 1 tolerance=0.0 absolute=0.00006
- counts-those-in-service {10 / 11}: At that load ten requests are in the system, the one in service
  included. The question counts those that wait: the queue alone.
- one-inside-too-many {11 / 12}: At that load eleven are in the system on average. Take off those in
  service: one while the server works, none while it is idle, so ρ on average and not 1.
- the-other-root {-5 - math.sqrt(35)}: The quadratic has two roots. Which of them can be a load?
- rounded-down 0.91: Put your answer back into the formula: at 0.91 fewer than ten are waiting. On
  this part of the curve the second decimal is too coarse; give four.
- read-off 0.92: Put your answer back into the formula: at 0.92 more than ten are waiting. On this
  part of the curve the second decimal is too coarse; give four.
- three-decimals 0.916: Three decimals are right. Four are asked for: which one is the fourth?
- eleven {_load_for_queue_of(11)}: At that load eleven requests wait. Is the one in service among
  those that wait?
- headroom {1 - _load_for_queue_of(10)}: That is the share of the time in which the server is idle.
  Asked is the load.
- constant-service {-10 + math.sqrt(120)}: At that load ten would wait if all took the same time.
  Here service times are random: how many wait then?
- ten-times-the-service-time 0.9: There the latency is ten times the service time. The question asks
  for ten waiting requests.
> Which of the four averages counts waiting requests only?
> Set the mean queue length, ρ²/(1-ρ), equal to 10 and multiply out: a quadratic in ρ.
> ρ² + 10ρ - 10 = 0. Take the root between 0 and 1, to four decimals.

$\rho^2/(1-\rho) = 10$ gives $\rho^2 + 10\rho - 10 = 0$ and $\rho = (-10 + \sqrt{{140}})/2 \approx
0.9161$. A worksheet in circulation prints 0.91, where 9.2 requests wait. Two decimals are too few
up here: one hundredth of load is worth more than one waiting request.
""")

LAUNCH_CAPACITY, LAUNCH_RATE, LAUNCH_MINUTES = 550, 20_000, 20
_launch_s = LAUNCH_MINUTES * 60

LAUNCH = number(rf"""
mm1.launch · Spot the flaw: a launch read off the wrong curve · 6 minutes

= {(LAUNCH_RATE / LAUNCH_CAPACITY - 1) * _launch_s} s tolerance=0.015
  story={LAUNCH_CAPACITY},{LAUNCH_RATE},{_launch_s},{LAUNCH_MINUTES}
- steady-state-formula {1 / (LAUNCH_CAPACITY - LAUNCH_RATE)}: A negative time comes from putting a
  load above 1 into a steady-state formula. There is no steady state here: follow the backlog
  instead.
- divides-by-arrivals {(LAUNCH_RATE - LAUNCH_CAPACITY) * _launch_s / LAUNCH_RATE}: The backlog is
  right, but you divide it by the rate of arrivals. Arrivals do not work a queue off: the servers
  do.
- forgets-the-work-done {LAUNCH_RATE * _launch_s / LAUNCH_CAPACITY}: You count every request that
  came. The servers finished some of them meanwhile.
- rush-counted-in {LAUNCH_RATE * _launch_s / LAUNCH_CAPACITY + _launch_s}: You count from the start
  of the rush, and every request that came. The last one arrives at its end.
- on-average {(LAUNCH_RATE / LAUNCH_CAPACITY - 1) * _launch_s / 2}: That is the wait averaged over
  the rush. The question is about its last request.
- requests-not-seconds {(LAUNCH_RATE - LAUNCH_CAPACITY) * _launch_s}: That is how many requests
  wait. How long do the servers need for them?
- until-drained {(LAUNCH_RATE - LAUNCH_CAPACITY) * _launch_s / (LAUNCH_CAPACITY - 500)}: That is
  when the backlog is gone, if 500 a second follow. The last request of the rush is served before
  those that come after it: how long does it wait?
- what-the-report-says 8: That is the figure of the report. Only requests that were answered are in
  it: how many of them can be?
> How many requests come in each second, and how many go out? What becomes of the rest?
> Backlog after t seconds: (arrival rate - capacity) * t. First in, first out: the last arrival
  waits until the whole backlog is served, at the capacity.
> (20000 - 550) * 1200 requests wait; divide them by 550 a second.

Above saturation there is no steady state, so no M/M/1 figure exists: $1/(\mu-\lambda)$ is negative.
The backlog grows by $\lambda - \mu$ each second, and a request that arrives at time $t$ waits
$(\lambda/\mu - 1)\,t$: after 20 minutes almost twelve hours. A dashboard that shows a p99 of 8 s at
that moment shows the survivors: at most 550 of 20,000 requests a second can be answered, so about
97 % were dropped, refused or timed out and never entered the histogram.
""")
