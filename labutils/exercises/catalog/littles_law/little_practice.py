"""More practice: the optional exercises of the chapter."""

from labutils.exercises.checkers.sheets import choice, number

WITNESS = choice(r"""
little.witness · Which of these checks of Little's law can fail? · 4 minutes, optional

- a: Divide the in-flight gauge by the rate, call it W, and compare λ·W with the gauge.
! λ times L/λ is L, whatever the service does.
- b: From one request log, empty at both ends: sweep +1/-1 for L, average the stays for W, and
  divide both sums by the same time.
! Both are the same sum of the same stays, once over time and once over requests. What would have to
  happen for them to differ?
+ c: Read the server's in-flight gauge every second; take λ and W from the load generator's own log.
! In which other check could one instrument be wrong and another right?
+ d: Count arrivals and those inside at the load balancer; take W from the stopwatch in the handler.
! In which other check do the numbers come from two places?
> For each check: where does each of the three numbers come from, and could one be wrong while the
  other two are right?
> Two of the four take all their numbers from one source; there the law is an identity.
> A leaked counter would show in c, time lost before the handler in d. Name both letters.

(a) is circular, and (b) is the finite-window identity: it tests addition. (c) compares a gauge with
a stopwatch: a counter that is not decremented when a handler raises fails it within minutes. (d)
mixes two boxes, so it fails whenever requests spend time between balancer and handler; the
difference $L - \lambda W$ is how many are in that gap.
""")

DOCS_PER_S, REPLICAS, STABLE_S, SAID_IN_FLIGHT = 12_000, 18, 0.040, 30
_rate_each = DOCS_PER_S / REPLICAS

AUDIT = number(rf"""
little.audit · Audit: a case study whose numbers contradict each other · 4 minutes, optional

= {_rate_each * STABLE_S} 1 tolerance=0.02 story={DOCS_PER_S},{REPLICAS},{STABLE_S},32
- believes-the-text {SAID_IN_FLIGHT}: That is what the text says. What follows from the rate and the
  latency?
- fleet-as-one {DOCS_PER_S * STABLE_S}: That is the whole fleet. Each replica sees its own share of
  the traffic.
- fifteen-replicas {DOCS_PER_S / 15 * STABLE_S}: So many would be inside if 15 replicas shared the
  traffic (as many as the text gives places). How many share it?
- with-headroom {_rate_each * STABLE_S / 0.8}: You add room to spare. How many are inside now?
- free-places {32 - _rate_each * STABLE_S}: These many places are free. How many are taken?
> Little's law for the box around one replica.
> One replica receives 12,000 / 18 documents a second.
> (12000 / 18) × 0.040.

Each replica receives 667 a second and keeps them for 40 ms: 26.7 in flight. If 30 were true,
$W = L/\lambda$ would be 45 ms, not a stable 40. The 15 replicas behind the plan come from
$32 / 0.040 = 800$ a second each, the edge of stability; that figure holds only if the 40 ms were
measured with all 32 places taken.
""")

BACKWARDS = number(rf"""
little.backwards · The law backwards: the most that 24 places can carry · 3 minutes, optional

= {24 / 0.060} req/s tolerance=0.005 story=24,0.060
- multiplied {24 * 0.060}: L = λW: you know L and W. Which way round gives λ?
- multiplied-milliseconds {24 * 60}: L = λW: you know L and W. Which way round gives λ, and in which
  unit?
- one-place {1 / 0.060}: That is what one place carries.
- upside-down {60 / 24}: That is the time between two requests that leave, in ms. How many leave in
  a second?
> All 24 places are taken, always. You know L and W.
> λ = L / W.
> 24 / 0.060.

$\lambda = L/W = 24/0.060 = 400$ a second. Twice as many places working side by side double it if a
request takes no longer for it, and so does half the time. Pushing harder does neither: the service
still finishes 400 a second, $L$ grows in front of the places, and $W$ grows with it.
""")
