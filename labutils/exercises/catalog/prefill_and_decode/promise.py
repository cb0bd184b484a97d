"""A table of promises that contradicts itself: how many tokens fit?"""

import math

from labutils.exercises.checkers.sheets import number

TTFT_MS, TPOT_MS, LIMIT_MS = 500, 30, 3000

TOKENS = number(rf"""
phases.tokens_in_time · How long an answer fits into three seconds? · 3 minutes

= {1 + math.floor((LIMIT_MS - TTFT_MS) / TPOT_MS)} tok tolerance=0.0 absolute=0.25
- first-token-forgotten {math.floor((LIMIT_MS - TTFT_MS) / TPOT_MS)}: You count the gaps. Which
  token is there before the first gap?
- gaps-not-rounded {(LIMIT_MS - TTFT_MS) / TPOT_MS}: You count the gaps, and a part of one. Which
  token is there before the first gap, and which ones are whole?
- not-rounded {1 + (LIMIT_MS - TTFT_MS) / TPOT_MS}: A part of a token is nothing to read. How many
  are there in time?
- without-first-token-time {LIMIT_MS / TPOT_MS}: You let the tokens flow from the start. What
  happens in the first half second?
- without-first-token-time-plus-one {1 + LIMIT_MS / TPOT_MS}: You let the tokens flow from the
  start. What happens in the first half second?
- first-token-time-added {(LIMIT_MS + TTFT_MS) / TPOT_MS}: You give the answer half a second more.
  What is the first half of a second spent on?
- as-the-table-says 500: That is what the table promises. Compute what its other two rows allow.
- rounded-up {1 + math.ceil((LIMIT_MS - TTFT_MS) / TPOT_MS)}: Your last token comes after the limit.
  Only whole tokens that are there count.
> When is the first token there? How much time is left then, and what does each further token cost?
> n tokens are complete after TTFT + (n - 1) · TPOT. The first one is part of the TTFT.
> 500 + (n - 1) · 30 ≤ 3000: find the largest whole n.

$500 + (n-1)\cdot 30 \le 3000$ gives $n - 1 \le 83.3$: 84 tokens, a sixth of what the table
promises. Turned round: 500 tokens in 3 s need a TPOT of at most $2500/499 = 5.01$ ms, six times
faster than its own row. The $n - 1$ is no pedantry: whoever multiplies by $n$ counts the first
token twice, in the TTFT and as a gap.
""")
