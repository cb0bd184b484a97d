"""Promises on both sides of a prompt's chunk: one bounds it from above, the other from below."""

import math

from labutils.drills.catalog._chunk_from_below import MeasuredSteps, from_below
from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template


@template("H02 D02 A06", level=3, decision="limit", form="chain", minutes=7)
def chain_chunk(draw: Draw) -> Drill:
    """What binds the prefill chunk: the time per token above, the first token below."""
    steps = MeasuredSteps(
        fixed=1000 * draw.random.randint(4, 12),
        token=draw.one_of((25, 30, 40, 50, 60, 80)),
        context_ns=draw.one_of((40, 50, 60, 80)),
        streams=draw.one_of((24, 32, 48, 64)),
        context=1000 * draw.random.randint(1, 12),
    )
    promise = 1000 * round(steps.plain * draw.number(1.2, 2.6) / 1000)
    room = promise - steps.plain
    answer = int(room / steps.token)
    draw.require(140 <= answer <= 1800 and 0.1 < room / steps.token % 1 < 0.9)
    parts = {
        "the fixed part": steps.fixed,
        "reading the contexts": steps.contexts,
        "computing the streams' tokens": steps.streams * steps.token,
    }
    first, second, _ = sorted(parts, key=parts.get, reverse=True)
    draw.require(parts[first] > 1.25 * parts[second])
    against = {
        "the fixed part": "Set it beside streams × context × time of a token read.",
        "reading the contexts": "Streams × context × time of a token read: is that the most?",
        "computing the streams' tokens": "How many tokens do the streams compute in a step?",
    }
    token = steps.token
    contexts_forgotten = int((promise - steps.fixed - steps.streams * token) / token)
    one_stream = int((promise - steps.fixed - token - steps.contexts / steps.streams) / token)
    own_tokens_forgotten = int((promise - steps.fixed - steps.contexts) / token)
    return draw.drill(f"""
    Measured on an engine: a step takes {quantity(steps.fixed / 1e6, "s")}, and {steps.token} µs
    more for each token that it computes, and {steps.context_ns} ns for each token of context that
    its streams read. {steps.streams} streams decode, a token each a step, with {steps.context:,}
    tokens of context each. There is always a prompt to be read, and every step computes a chunk of
    it as well; what a prompt reads of its own past is left out. Each stream was promised a token
    every {quantity(promise / 1e6, "s")}.
    ? How many tokens may the chunk have at most? A whole number.
    = {answer} tolerance=0 absolute=1 unsafe=above telling=4
    - streams-forgotten {int((promise - steps.fixed) / token)}: You give the chunk all but the fixed
      part. Who else is in the step?
    - contexts-forgotten {contexts_forgotten}: Your streams read nothing. What does each of them
      look at?
    - one-stream {one_stream}: You count one stream. How many decode?
    - own-tokens-forgotten {own_tokens_forgotten}: You let the streams read and not compute. What is
      a token of theirs?
    - fixed-forgotten {int((promise - steps.plain + steps.fixed) / token)}: You leave out what a
      step takes whatever is in it.
    - rounded-up {int((promise - steps.plain) / token) + 1}: Its step is longer than promised. Which
      way do you round?
    ? Without a chunk, which part of a step is the longest?
    {choice(first, {part: against[part] for part in parts if part != first})}
    > What does a step of the streams take by itself, and what does the promise leave?
    > ⌊(promise − fixed − streams × token − streams × context × read) ÷ token⌋.
    > ({promise:,} − {steps.fixed:,} − {steps.streams} × {steps.token} − {steps.contexts:,.0f}) µs ÷
      {steps.token} µs.
    * streams {steps.plain / 1e6} s: The streams alone: {steps.fixed / 1000:g} +
      {steps.streams * steps.token / 1000:g} + {steps.contexts / 1000:g} = {steps.plain / 1000:.5g}
      ms
    * chunk {answer}: Left: {room / 1000:.5g} ms, ÷ {steps.token} µs and rounded down: {answer}
    ~ Fewer than {promise // steps.token:,}, for which nothing else would be in a step.

    Chunk ≤ (TPOT promised − step of the streams) ÷ time of a token. The measured step is a line in
    its tokens; fit it once, and both promises become arithmetic.
    """).then(_first_token(draw, steps, promise, answer))


def _first_token(draw: Draw, steps: MeasuredSteps, promise: int, most: int) -> Drill:
    chunk = max(size for size in (128, 192, 256, 384, 512, 768, 1024, 1536) if size <= most)
    prompt = 100 * draw.whole(40, 240)
    count, rest = math.ceil(prompt / chunk), prompt % chunk
    draw.require(count >= 6 and 0.1 * chunk < rest < 0.7 * chunk)
    answer = steps.first_token(prompt, chunk) / 1e6
    again, own = count * steps.plain, prompt * steps.token
    draw.require(max(again, own) > 1.15 * min(again, own))
    texts = ("the steps of the streams, once for each chunk", "the prompt's own tokens")
    right, wrong = texts if again > own else texts[::-1]
    last_step_missing = (count - 1) * (steps.plain + chunk * steps.token) / 1e6
    return draw.drill(f"""
    You set the chunk to {chunk:,} tokens. A prompt of {prompt:,} tokens comes and is next in line;
    the contexts of the streams stay as they are. A step is as long as its tokens make it.
    ? How long does its first token take?
    = {answer} s tolerance=0.01 telling=3
    - alone {(steps.fixed + own) / 1e6}: That is the prompt in one step of its own. Who shares its
      steps?
    - streams-once {(steps.plain + own) / 1e6}: You let the streams have one step. In how many steps
      is the prompt read?
    - last-step-full {count * (steps.plain + chunk * steps.token) / 1e6}: Your last step is full.
      How many tokens are left for it?
    - promise-in-each {count * promise / 1e6}: You take the promise for the step. How long is a step
      with this chunk?
    - last-step-missing {last_step_missing}: A step is missing: the last chunk is not full, and its
      end gives the first token.
    - fixed-parts-alone {(count * steps.fixed + own) / 1e6}: You add the fixed part alone. Do the
      streams stop meanwhile?
    ? What takes most of that time?
    + {right}
    x {wrong}
    ! Write down both sums and compare: one grows with the number of chunks.
    > In how many steps is it read, and what do all these steps hold together?
    > ⌈prompt ÷ chunk⌉ × step of the streams + prompt × time of a token.
    > ⌈{prompt:,} ÷ {chunk:,}⌉ × {steps.plain / 1000:.5g} ms + {prompt:,} × {steps.token} µs.
    * steps {count}: ⌈{prompt:,} ÷ {chunk:,}⌉ = {count} steps
    * streams {again / 1e6} s: {count} × {steps.plain / 1000:.5g} ms = {quantity(again / 1e6, "s")}
      of the streams
    * first_token {answer} s: Own tokens {quantity(own / 1e6, "s")}; together
      {quantity(answer, "s")}
    ~ More than the {quantity(own / 1e6, "s")} that its own tokens take.

    TTFT = chunks × step of the streams + prompt × time of a token. A smaller chunk adds steps of
    the streams and nothing else.
    """).then(from_below(draw, steps, promise, prompt, chunk))
