"""A measured step, and the chunk that a promised first token asks for at least."""

import math
from dataclasses import dataclass, replace

from labutils.drills.definition.writing import Draw, Drill, quantity


@dataclass(frozen=True)
class MeasuredSteps:
    """What a step takes: fixed, for each token computed, for each token of context read (in µs)."""

    fixed: int
    token: int
    context_ns: int
    streams: int
    context: int

    @property
    def contexts(self) -> float:
        return self.streams * self.context * self.context_ns / 1000

    @property
    def plain(self) -> float:
        """A step of the streams alone."""
        return self.fixed + self.streams * self.token + self.contexts

    def first_token(self, prompt: int, chunk: int) -> float:
        """Until a prompt's own first token, nobody before it."""
        return math.ceil(prompt / chunk) * self.plain + prompt * self.token


def from_below(draw: Draw, old: MeasuredSteps, promise: int, prompt: int, chunk: int) -> Drill:
    steps = replace(old, context=draw.one_of((2, 3)) * old.context)
    most = int((promise - steps.plain) / steps.token)
    aim = draw.one_of((0.55, 0.7, 0.85, 1.3, 1.5, 1.8)) * most
    draw.require(most >= 60 and aim >= 60)
    limit = float(f"{steps.first_token(prompt, aim) / 1e6:.2g}")
    count = int((1e6 * limit - prompt * steps.token) / steps.plain)
    draw.require(count >= 2)
    answer = math.ceil(prompt / count)
    exact = (1e6 * limit - prompt * steps.token) / steps.plain
    draw.require(0.05 < exact % 1 < 0.95 and not 0.93 < answer / most < 1.07)
    draw.require(prompt % count > 0)
    texts = (
        "Yes: such a chunk keeps the time per token as well.",
        "No: such a chunk makes the step longer than promised.",
    )
    right, wrong = texts if answer <= most else texts[::-1]
    old_contexts = math.ceil(prompt / int((1e6 * limit - prompt * old.token) / old.plain))
    own_tokens_forgotten = math.ceil(prompt / max(1, int(1e6 * limit / steps.plain)))
    return draw.drill(f"""
    And now the contexts have grown to {steps.context:,} tokens each. Sales promises the first token
    of a prompt of {prompt:,} tokens within {quantity(limit, "s")}, beside the
    {quantity(promise / 1e6, "s")} per token of before.
    ? How many tokens must the chunk have at least for that? A whole number.
    = {answer} tolerance=0 absolute=1 unsafe=below telling=3
    - as-many-as-before {chunk}: That is the old chunk. What do the streams take in a step now?
    - old-contexts {old_contexts}: You read the old contexts. How long is a step of the streams now?
    - own-tokens-forgotten {own_tokens_forgotten}: You give all of the time to the streams. What do
      the prompt's own tokens take?
    - steps-rounded-up {math.ceil(prompt / (count + 1))}: With one step more the first token is
      late. Which way do you round the steps?
    - steps-unrounded {math.ceil(prompt / exact)}: How many whole steps does that chunk take?
    - steps {count}: That is how many steps there may be. How many tokens are in each?
    ? Can both promises be kept?
    + {right}
    x {wrong}
    ! Compute the step with that chunk, the streams included.
    x No: the streams alone take longer than promised.
    ! Compute their step with the new contexts, and no prompt in it.
    > How many steps fit, once the prompt's own tokens have their time?
    > steps = ⌊(promise − prompt × token) ÷ step of the streams⌋; chunk = ⌈prompt ÷ steps⌉.
    > ({quantity(limit, "s")} − {prompt:,} × {steps.token} µs) ÷ {steps.plain / 1000:.5g} ms.
    * streams {steps.plain / 1e6} s: The streams alone: {steps.plain / 1000:.5g} ms
    * steps {count}: ({quantity(limit, "s")} − {quantity(prompt * steps.token / 1e6, "s")}) ÷ that,
      rounded down: {count} steps
    * chunk {answer}: ⌈{prompt:,} ÷ {count}⌉ = {answer}; the time per token allows {most}
    ~ Longer contexts make each step of the streams longer, so fewer steps fit.

    TPOT bounds the chunk from above, TTFT from below. As contexts grow the two meet; beyond that no
    chunk keeps both, and only fewer streams on a card, or prompts elsewhere, do.
    """)
