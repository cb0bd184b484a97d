"""More practice: the bill, and the batch that a promise allows."""

import math

from labutils import llm
from labutils.exercises.checkers.sheets import number

GPUS, PRICE, RATE, BUSY = 8, 3.0, 12_000, 0.6


def _bill(gpus=GPUS, busy=BUSY):
    return llm.cost_per_million_tokens(PRICE, RATE, num_devices=gpus, utilization=busy)


BILL = number(rf"""
phases.bill · What do a million tokens cost? · 3 minutes, optional

= {_bill()} $ tolerance=0.01
- one-device {_bill(gpus=1)}: You pay for one device, or let each of them make 12,000 tokens a
  second. How many make these tokens together?
- always-busy {_bill(busy=1.0)}: You sell tokens in every hour that you pay for. Are the devices
  always busy?
- idle-hours {_bill(busy=1 - BUSY)}: You let the devices make tokens in the hours in which they
  stand idle. Which share of the time are they busy?
- neither {_bill(gpus=1, busy=1.0)}: You pay for one device, and it is always busy. Read the two
  numbers again that you have not used.
- share-multiplied {_bill(busy=1.0) * BUSY}: Idle hours make the tokens cheaper with you. In which
  direction should they go?
- idle-hours-added {_bill(busy=1.0) * (2 - BUSY)}: You add 40 % for the idle hours. If 60 of 100
  hours make tokens, by which factor do these cost more?
- tokens-for-a-dollar {1 / _bill()}: Those are the million tokens that a dollar buys. Asked is what
  a million of them costs.
> What does an hour cost, and how many tokens come out of it on average?
> An hour costs 8 × 3 dollars and yields 12,000 × 3600 tokens for the busy share of it.
> 8 · 3 / (12000 · 3600 · 0.6) dollars a token, times a million.

$8 \cdot 3\,\$ / (12{{,}}000 \cdot 3600 \cdot 0.6) \cdot 10^6 = 0.93\,\$$. The formula that is
usually quoted has neither the 8 nor the 0.6 and says 7 cents. And it knows one kind of token: input
tokens are prefilled, many at a time, and cost far less than output tokens, so split the two.
""")

TPOT_S, CONTEXT = 0.012, 2048


def _exactly(*, width=2.0, context=CONTEXT, weights=True):
    spec, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    budget = TPOT_S * device.bandwidth_bytes_per_s
    left = budget - (spec.weight_bytes(width) if weights else 0)
    return left / spec.kv_bytes(context)


def _largest(**other):
    return math.floor(_exactly(**other))


def _that_fits():
    spec, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    return math.floor((device.memory_bytes - spec.weight_bytes(2.0)) / spec.kv_bytes(CONTEXT))


def _seconds_of_arithmetic():
    """Of one user's token, without attention."""
    spec, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    return 2 * spec.parameters / device.peak_flops["bf16"]


def _by_arithmetic():
    return math.floor(TPOT_S / _seconds_of_arithmetic())


def _one_after_the_other():
    spec, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    left_s = TPOT_S - spec.weight_bytes(2.0) / device.bandwidth_bytes_per_s
    reading_s = spec.kv_bytes(CONTEXT) / device.bandwidth_bytes_per_s
    return math.floor(left_s / (reading_s + _seconds_of_arithmetic()))


def _weights_each():
    spec, device = llm.model("Llama-3.1-8B"), llm.accelerator("H100 SXM")
    read_alone = TPOT_S * device.bandwidth_bytes_per_s / spec.weight_bytes(2.0)
    return 1 / (1 / _exactly(weights=False) + 1 / read_alone)


_EACH = "You read the weights once for every user. Who shares them?"

BATCH = number(rf"""
phases.largest_batch · The largest batch under a promise · 4 minutes, optional

= {_largest()} 1 tolerance=0.0 absolute=0.25
- rounded-up {_largest() + 1}: With that batch a step takes a little too long. Only whole users
  count.
- not-whole {_exactly()}: A part of a user cannot be served. Which whole number keeps the promise?
- tokens {math.floor((TPOT_S * 3.35e12 - 16.06e9) / 131_072)}: Those are tokens of context. How many
  users have so many together?
- context-in-thousands {_largest(context=2000)}: You count a context of 2,000 tokens. It is 2,048.
- keys-alone {_largest(context=CONTEXT / 2)}: You count half of each cache. It holds keys and
  values.
- fills-the-memory {_that_fits()}: So many caches fit into the device. How long would a step take
  that reads them?
- adds-the-times {_one_after_the_other()}: You let the device read first and compute afterwards. It
  does both at once, and the longer of the two counts.
- arithmetic-alone {_by_arithmetic()}: So many users keep the arithmetic within 12 ms. What does a
  step read for each of them?
- all-weights-each {_weights_each()}: {_EACH}
- all-weights-each-whole {math.floor(_weights_each())}: {_EACH}
- forgets-the-weights {_largest(weights=False)}: You give all bytes of a step to the caches. What is
  read first, whatever the batch is?
- one-byte-weights {_largest(width=1.0)}: You read one byte for each weight. The model is served in
  16 bits.
- compute-ridge {math.floor(llm.compute_ridge_batch(llm.accelerator("H100 SXM")))}: That is the
  compute ridge. At this context the step is too slow long before.
> How many bytes can the device read within the promised time?
> 0.012 s × 3.35e12 B/s. Take the weights away; what is left is for caches.
> Each request brings 2,048 × 131,072 bytes of cache. How many of them fit into the rest?

In 12 ms the device reads 40.2 GB. The weights take 16.1 GB of it, and each request's cache 0.268
GB: $\lfloor 24.1/0.268 \rfloor = 89$. The compute ridge, 295, is out of reach: at this context the
caches bind first.
""")
