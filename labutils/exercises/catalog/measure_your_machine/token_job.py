"""More practice: which of mean, median and p95 tells how long a job takes."""

from labutils.exercises.checkers.sheets import number

USUAL_S, SLOW_S, SLOW_SHARE, TOKENS = 0.020, 0.080, 0.1, 100_000
MEAN_S = (1 - SLOW_SHARE) * USUAL_S + SLOW_SHARE * SLOW_S

TOKEN_JOB = number(rf"""
machine.token_job · How long do 100,000 steps take? · 3 minutes, optional

= {TOKENS * MEAN_S} s tolerance=0.01
- one-step {MEAN_S}: That is one step, on average. How many are there?
- slow-ones-alone {TOKENS * SLOW_SHARE * SLOW_S}: Those are the slow steps alone. What of the
  others?
- slow-ones-left-out {TOKENS * (1 - SLOW_SHARE) * USUAL_S}: Those are the usual steps alone. Who
  waits for the slow ones?
- by-the-median {TOKENS * USUAL_S}: You multiply the median. The slow steps have to be waited for as
  well.
- by-the-p95 {TOKENS * SLOW_S}: You take every step for a slow one. How many are?
- shares-swapped {TOKENS * (SLOW_SHARE * USUAL_S + (1 - SLOW_SHARE) * SLOW_S)}: You let nine steps
  in ten be slow. Which kind is the common one?
- halfway {TOKENS * (USUAL_S + SLOW_S) / 2}: You take half of the steps for slow ones. Weigh both
  kinds by how often they come.
- slow-on-top {TOKENS * (USUAL_S + SLOW_SHARE * SLOW_S)}: You add the slow steps to all of the usual
  ones. A slow step is one of the steps: how many are left that are usual?
- slow-by-a-tenth {TOKENS * USUAL_S * (1 + SLOW_SHARE)}: You let the job take a tenth longer. One
  step in ten is slow: by how much longer is that one?
- mean-of-rates {TOKENS / ((1 - SLOW_SHARE) / USUAL_S + SLOW_SHARE / SLOW_S)}: You average rates.
  The job consists of steps one after the other: it is their times that add.
> The steps come one after the other. What adds up?
> Nine of ten steps take 20 ms, one takes 80 ms. How long do ten take together?
> Ten steps take 9 × 20 + 80 ms. Multiply up to 100,000.

Times add, so a total is the number times the **mean**: $10^5 \cdot 26$ ms = 2,600 s. The median, 20
ms, says what an undisturbed step takes, and would promise 2,000 s. The p95, 80 ms, is what a reader
notices. Three questions, three figures: state which one you answer.
""")
