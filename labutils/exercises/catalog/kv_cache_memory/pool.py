"""The pool that a load needs: token-seconds from chapter 02, turned into bytes."""

from labutils.exercises.checkers.sheets import number

RATE, PROMPT, OUTPUT, STEP_S, BYTES_PER_TOKEN, FILL = 3.0, 600, 800, 0.025, 131_072, 0.8


def _gigabytes(token_steps: float, *, fill=FILL) -> float:
    return RATE * STEP_S * token_steps * BYTES_PER_TOKEN / fill / 1e9


_STAIRS = OUTPUT * PROMPT + OUTPUT * (OUTPUT - 1) / 2

# no scale: of powers of 1024 one alone can happen here, and it has its name
POOL = number(rf"""
kv.pool · The pool that a load needs · 3 minutes

= {_gigabytes(_STAIRS)} GB tolerance=0.02 scale=False
- no-headroom {_gigabytes(_STAIRS, fill=1)}: That is what is held on average. How much of the pool
  may that fill?
- headroom-added {_gigabytes(_STAIRS, fill=1 / 1.2)}: You add 20 % to what is held, which
  then fills more than 80 % of the pool. Of which of the two are the 80 % a share?
- rate-forgotten {_gigabytes(_STAIRS) / RATE}: That is the pool for one request a second. How many
  come?
- token-steps {_gigabytes(_STAIRS) / STEP_S}: You count token-steps for token-seconds. How long does
  a step last?
- for-a-second {_gigabytes((PROMPT + OUTPUT) / STEP_S)}: You hold what begins in a second, for a
  second. How long does a request stay?
- headroom-inverted {_gigabytes(_STAIRS, fill=1 / FILL)}: Your pool is smaller than what is held on
  average. In which direction does the 80 % go?
- final-length {_gigabytes(OUTPUT * (PROMPT + OUTPUT))}: You let every request hold its final length
  from its first step on. What does it hold on average while it writes?
- prompt-only {_gigabytes(OUTPUT * PROMPT)}: You count prompts alone. What has been written is held
  too.
- one-request {_gigabytes(_STAIRS) / (RATE * STEP_S * OUTPUT)}: That is one request. How many are
  inside at a time?
- rate-for-number {_gigabytes(_STAIRS) / (STEP_S * OUTPUT)}: You multiply by the requests that begin
  per second. How many are inside at a time?
- final-length-no-headroom {_gigabytes(OUTPUT * (PROMPT + OUTPUT), fill=1)}: Two slips that nearly
  cancel: every request holds its final length from its first step on, and the pool is filled to the
  brim.
- answers-only {_gigabytes(OUTPUT * (OUTPUT - 1) / 2)}: You count what has been written alone. The
  prompt is held all the while.
- gibibytes {_gigabytes(_STAIRS) / 1.024**3}: That is the number of GiB. Write the unit, or count in
  powers of 1000.
- bytes {1e9 * _gigabytes(_STAIRS)}: That is the number of bytes. How many GB are they?
- megabytes {1e3 * _gigabytes(_STAIRS)}: That is the number of MB. How many GB are they?
- tokens {RATE * STEP_S * _STAIRS / FILL}: Those are tokens. How many bytes does each of them take?
> Chapter 02 gives the tokens that are held on average: H = λG. G is the area of one request's
  staircase, in token-seconds.
> Each request stays 800 × 0.025 s = 20 s, so 60 are inside; while it writes, a request holds its
  prompt and half of its answer, on average.
> 3 × 0.025 × (800 × 600 + 800 × 799 / 2) tokens, times 131,072 bytes, divided by 0.8.

Sixty requests are inside ($L = \lambda W = 3 \times 20$), each holding 600 tokens and half of 800
on average: 59,970 tokens, 7.86 GB. A pool that this fills to 80 % has 9.83 GB. Read it backwards as
well: memory is a limit on the *rate*. A pool of $T$ tokens carries at most $T/G$ requests per
second, however fast the card computes; and shorter steps free memory, since everybody leaves
earlier.
""")
