"""Capacity of a service with slots, and a fleet of them: two numbers to compute."""

import math

from labutils.exercises.checkers.sheets import number

SLOTS, RATE, LATENCY_S, SERVICE_S = 16, 500, 0.040, 0.0288

CAPACITY = number(rf"""
little.capacity · Spot the flaw: an alarm at 125 % · 3 minutes

= {SLOTS / SERVICE_S} req/s tolerance=0.005 story={SLOTS},{RATE},{LATENCY_S},{SERVICE_S}
- from-latency {SLOTS / LATENCY_S}: That is the alarm's own figure, and it lies below the 500 a
  second that the service has been finishing for weeks. What does a slot do while a request waits in
  the queue?
- in-flight-over-service {RATE * LATENCY_S / SERVICE_S}: You let all requests in flight be served at
  once. How many can be?
- busy-slots {RATE * SERVICE_S}: So many slots are busy today, on average. At which rate are all of
  them?
- one-slot {1 / SERVICE_S}: That is what a single slot can do.
- headroom-kept {0.8 * SLOTS / SERVICE_S}: You keep a fifth of the slots free. Who asked for that?
  At capacity all of them are busy.
- waiting-only {SLOTS / (LATENCY_S - SERVICE_S)}: You divide by the time in the queue, in which no
  slot is held.
> Draw the box around the slots alone. How long is a request inside that box?
> Little's law for that box: busy slots = rate × time in a slot. At capacity all slots are busy.
> 16 = rate × 0.0288 s.

In the box around the slots there are at most $c$ requests and each stays $S$, so $\lambda S \le c$
and the capacity is $c / S = 16 / 0.0288 \approx 556$ a second: the service runs at 500 / 556 = 90
%. The alarm divides by $W$, which contains the wait. Its 'utilization' is $\lambda W / c = L / c$,
20 / 16 = 125 %: the other alarm once more, in other words. A utilization cannot exceed 100 %, so a
gauge that does measures something else.
""")

PEAK, SLOT_S, SLOTS_PER_GPU, MOST_BUSY = 70, 1.5, 8, 0.8
_busy = PEAK * SLOT_S
_exact = _busy / (SLOTS_PER_GPU * MOST_BUSY)
_fleet = math.ceil(_exact)
_TWICE = (
    "You counted the headroom twice. Compute the share of busy slots in your fleet, and compare it "
    "with the policy."
)
_TOO_FEW = (
    "That fleet has fewer slots than the peak keeps busy. Do you leave out the 1.5 s, or multiply "
    "by the 80 %?"
)

FLEET = number(rf"""
little.fleet · A fleet with one headroom · 3 minutes

= {_fleet} 1 tolerance=0.001 story={PEAK},{SLOT_S},{SLOTS_PER_GPU},{MOST_BUSY}
- headroom-twice {math.ceil(1.2 * _fleet)}: {_TWICE}
- headroom-twice-unrounded {math.ceil(1.2 * _exact)}: {_TWICE}
- no-headroom {math.ceil(_busy / SLOTS_PER_GPU)}: That fleet has enough slots and nothing to spare.
  Which share of them is busy at the peak?
- no-headroom-rounded-down {int(_busy / SLOTS_PER_GPU)}: That fleet has fewer slots than the peak
  keeps busy. Which way do you round, and which share may be busy?
- too-few-slots {math.ceil(PEAK / SLOTS_PER_GPU / MOST_BUSY)}: {_TOO_FEW}
- too-few-slots-no-headroom {math.ceil(PEAK / SLOTS_PER_GPU)}: {_TOO_FEW}
- one-too-few {_fleet - 1}: That fleet breaks the policy, which keeps a fifth of *all* its slots
  free. Which share of them is busy at the peak?
- slots {_busy}: Those are busy slots. How many GPUs do they need?
- slots-to-buy {_busy / MOST_BUSY}: Those are slots. How many GPUs have that many?
- slots-of-the-fleet {_fleet * SLOTS_PER_GPU}: Those are the slots of the whole fleet. How many GPUs
  is that?
- rounds-twice {math.ceil(_busy / int(MOST_BUSY * SLOTS_PER_GPU))}: Something is rounded on the
  way: the slots that may be busy on one GPU, or the GPUs before the policy. Round once, at the end:
  which share of the fleet's slots is busy with one GPU less?
- free-for-busy {math.ceil(_busy / ((1 - MOST_BUSY) * SLOTS_PER_GPU))}: You let as many be busy as
  the policy keeps free. Which share may be busy?
- rate-over-the-time {math.ceil(PEAK / SLOT_S / SLOTS_PER_GPU / MOST_BUSY)}: Did you divide the rate
  by the time, or take the slots of one GPU for the answer? How many slots does a rate of
  {PEAK} keep busy, if each is held for {SLOT_S} s?
- not-whole {_exact}: GPUs come whole: which way do you round?
> How many slots are busy at the peak, on average?
> Busy slots = rate × time in a slot. Of 8 slots the policy lets how many be busy?
> 105 busy slots; a GPU may have 0.8 × 8 = 6.4 of them busy. Divide, and round up.

$\lambda S = 70 \times 1.5 = 105$ busy slots; 6.4 to a GPU make 16.4, so 17, at which 77 % of the
slots are busy. 16 would break the policy at 82 %, and 'plus 20 %' on top makes it 21 with 62.5 %
busy: a second headroom that nobody decided on. State one policy (a highest load at the peak), and
apply it once.
""")
