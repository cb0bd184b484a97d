"""More practice: the optional exercises of the chapter."""

import math

from labutils.exercises.checkers.sheets import choice, number
from labutils.metrics.latency import required_sample_size

REQUESTS_PER_USER = 20

# the tolerance lets 18 % be right
USERS = number(rf"""
two.users · Requests are not users · 3 minutes, optional

= {1 - 0.99**REQUESTS_PER_USER} 1 tolerance=0.02
- one-percent 0.01: That is the share of slow requests. A user sends more than one.
- adds-up {0.01 * REQUESTS_PER_USER}: You add the chances of the requests. A user who meets two slow
  ones is counted twice: what is the chance to meet none?
- every-request-slow {0.01**REQUESTS_PER_USER}: That is the share of users whose requests are *all*
  slow. One slow request is enough.
- just-one {REQUESTS_PER_USER * 0.01 * 0.99 ** (REQUESTS_PER_USER - 1)}: That is the share of users
  with exactly one slow request. What of those with two?
- all-slow {0.99**REQUESTS_PER_USER}: That is the share of users who meet no slow request.
> Ask for the opposite: which share of users meets no slow request at all?
> All of a user's requests must be fast: 0.99 to the power of their number.
> 1 - 0.99 ** 20.

$1 - 0.99^{{20}} = 18\,\%$. “Only 1 % of requests are slow” and “almost one user in five meets a
slow one” are the same fact. A hundred thousand slow requests are neither a hundred thousand users
nor spread evenly: the heaviest users meet the tail most often. The independence of the requests is
an assumption; pauses that come in bursts hit fewer users harder.
""")

_enough = math.log(0.025) / math.log(0.999)  # before it is rounded up, as it has to be

ENOUGH = number(f"""
two.enough · How many requests bound a p99.9? · 3 minutes, optional

= {required_sample_size(0.999)} 1 tolerance=0.0 absolute={math.ceil(_enough) - _enough}
- rounded-down {math.floor(_enough)}: With so many the largest value still misses in more than 2.5 %
  of all samples. Which way do you round a number that has to suffice?
- one-in-a-thousand 1000: In a thousand requests there is one slow one on average. How often is
  there none?
- one-sided {math.ceil(math.log(0.05) / math.log(0.999))}: At that size the upper end misses with 5
  %. Half of that is left for each side.
- ten-of-p99 {10 * required_sample_size(0.99)}: That is ten times the number for a p99: nearly
  right, and why only nearly? Compute it as for the p99.
- one-per-cent-a-side {math.ceil(math.log(0.01) / math.log(0.999))}: That leaves 1 % on the side.
  Asked for is 95 % confidence: how much is that a side?
- shared-out-again {math.ceil(math.log(0.0125) / math.log(0.999))}: You halved twice. 95 % leave 5
  %, half of them on each side: which probability is that?
- of-p99 {required_sample_size(0.99)}: That many bound a p99. The question asks for p99.9.
> When is there no upper bound? When not a single request lies above the true quantile.
> All n requests lie below it with probability 0.999 to the power n; that may be 2.5 %.
> log(0.025) / log(0.999), rounded up.

The largest value is an upper bound unless all $n$ requests lie below the true quantile, which
happens with probability $q^n$. For $q = 0.999$ that falls to 2.5 % at $n = 3{{,}}688$. A bound is
not yet a good estimate: to know p99.9 to lie between the p99.85 and the p99.95 takes about 19,000
requests.
""")

WORKLOAD = choice("""
two.workload · Which of the two numbers does the work ask for? · 3 minutes, optional

- a: Embed one billion documents by tomorrow morning.
! Nobody waits for a single document. How many are finished per second?
+ b: Decide whether the object ahead of the car is a pedestrian.
! In which of the others does somebody, or something, wait for this one answer?
- c: Summarise last year's contracts over the weekend.
! The weekend is one deadline for all of them together.
+ d: Complete the line that a programmer is typing.
! Who else waits for a single answer, and would notice one second more?
> For each: does somebody wait for the single answer, or for the last of all?
> If all requests took twice as long, but twice as many ran at once, who would notice?
> Two of the four are worthless when they come a second later.

A car or a typist waits for *this* answer: latency-bound, and each answer has a deadline of its own.
A billion documents or last year's contracts wait for the *last* answer: throughput-bound, and a
document may take a minute if enough are under way. One billion documents in ten hours are 27,800 a
second. Larger batches serve the second kind and make the first kind wait; the same hardware is
tuned in opposite directions.
""")
