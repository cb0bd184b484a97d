"""More practice: plan the length of a run."""

import math

from labutils.exercises.checkers.sheets import number

LOAD, WITHIN = 0.85, 0.03
FACTOR = (1 + LOAD) / (1 - LOAD)


def _needed(factor=FACTOR, *, within=WITHIN, z=1.959964):
    return (z * factor / within) ** 2


PLAN = number(rf"""
trusting.plan · Plan a run at load 0.85 · 3 minutes, optional

= {_needed()} 1 tolerance=0.05
- independent {_needed(1)}: So many would do if requests were independent measurements. How many
  times larger is the error because they are not?
- one-deviation {_needed(z=1)}: That makes ±3 % one standard deviation, which two runs in three
  keep. Asked for are 95 in 100.
- not-squared {math.sqrt(_needed())}: The error falls with the root of the number of requests. You
  solved as if it fell with the number.
- within-two-per-cent {_needed(within=0.02)}: That is the run for ±2 %, as in the table. Asked for
  are ±3 %.
- deviations-not-squared {1.959964 * (FACTOR / WITHIN) ** 2}: You square the error and the factor of
  the load, but not the 1.96.
- factor-not-squared {1.959964**2 * FACTOR / WITHIN**2}: You square the 1.96 and the 3 %, but not
  the factor of the load. What is under the root?
- one-sided {_needed(z=1.644854)}: With 1.645 the mean is too high in 5 of 100 runs and too low in
  as many.
- whole-width {_needed(within=WITHIN / 2)}: You made the whole interval 3 % wide. Asked for is 3 %
  to each side.
- another-load {_needed(1.9 / 0.1)}: That is the run at load 0.9. Asked for is 0.85.
- headroom-alone {_needed(1 / (1 - LOAD))}: Your factor is one over the headroom. The formula has
  one more term.
> One standard deviation of the mean, as a share of it, is (1+ρ)/(1-ρ)/√n. How many of them must fit
  into ±3 %?
> 1.96 · (1+ρ)/(1-ρ)/√n = 0.03. Solve for n.
> n = (1.96 · 12.33 / 0.03)².

$n = (1.96 \cdot 12.33 / 0.03)^2$, about 650,000 requests. Half the headroom costs about four times
the run, half the error four times again.
""")
