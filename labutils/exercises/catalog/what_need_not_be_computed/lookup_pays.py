"""From which hit rate on a lookup pays for itself."""

from labutils.exercises.checkers.sheets import number

LOOKUP_MS, COMPUTE_MS = 30.0, 900.0

PAYS = number(rf"""
reuse.pays · From which hit rate on the lookup pays · 3 minutes, optional

= {100 * LOOKUP_MS / COMPUTE_MS} % tolerance=0.012
- lookup-on-misses-only {100 * LOOKUP_MS / (COMPUTE_MS + LOOKUP_MS)}: You let the misses alone pay
  for the lookup. Who looks?
- lookup-on-hits-twice {100 * LOOKUP_MS / (COMPUTE_MS - LOOKUP_MS)}: You let a hit pay for the
  lookup twice: once with all requests, and once more as what a hit costs.
- lookup-on-hits-only 0.0: You let the hits alone pay for the lookup. A miss has looked, too.
- ratio-inverted {100 * COMPUTE_MS / LOOKUP_MS}: Your ratio stands on its head: a hit rate is at
  most 100 %.
- lookups-in-a-computation {COMPUTE_MS / LOOKUP_MS}: So many lookups take as long as one
  computation. Which share of the requests has to hit?
- rounded-down 3.0: So few hits do not pay yet: 3 % of a computation is less than a lookup. Carry
  another digit.
- miss-rate {100 * (1 - LOOKUP_MS / COMPUTE_MS)}: That is the share of misses that you can afford.
  Asked is the share of hits.
- half 50.0: Half of the requests need not hit. What does one hit save, and what does one lookup
  cost?
> Write the mean with the cache as a function of the hit rate h. Who pays 30 ms, and who pays 900?
> Everybody pays 30 ms, and the share 1 - h pays 900 ms on top.
> 30 + (1 - h) × 900 < 900 holds for h > 30 / 900. In per cent?

The lookup is paid on every request and a computation is saved on each hit, so the mean falls as
soon as $h > 30/900 = 3.33\,\%$. That says nothing of those who miss: they wait 930 ms instead of
900. And it says nothing of wrong answers, whose cost decides about a semantic cache long before its
milliseconds do.
""")
