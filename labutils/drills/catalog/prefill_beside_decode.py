"""Prompts beside streams: how much of one a step carries, or how many cards of their own."""

from labutils import llm
from labutils.drills.catalog._serving import a, billions, fits, percent, reaches, served, times
from labutils.drills.definition.writing import Draw, Drill, piece, quantity, template

_OPENINGS = (
    "Readers see their text freeze whenever somebody pastes a book.",
    "The p99 of the gaps between tokens jumps with every long prompt.",
    "You are to set max_num_batched_tokens, and nobody knows why it is 2,048.",
)


@template("H02 D02", level=3, decision="commit", number=36, minutes=3)
def prompt_chunk(draw: Draw) -> Drill:
    """The prefill chunk under an ITL target."""
    spec, card, _ = served(draw)
    batch, context = draw.one_of((8, 16, 24, 32, 48, 64)), draw.one_of((800, 1500, 2500))
    draw.require(fits(spec, card, 1, batch * spec.kv_bytes(context) + spec.kv_bytes(20_000)))
    decode = float(
        f"{llm.decode_step(spec, card, batch, context, bandwidth_share=0.75).time_s:.2g}"
    )
    target = draw.one_of((0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2))
    reached = draw.share(0.35, 0.65)
    draw.require(1.25 * decode < target < 8 * decode)
    given = {"itl_s": target, "flops_share": reached}
    answer = llm.prefill_chunk_tokens(spec, card, decode_step_s=decode, **given)
    draw.require(100 <= answer <= 8000)
    rate = reached * card.peak("bf16")
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name}, {billions(spec)}, bf16, on {a(card.name)}:
    {quantity(card.peak("bf16"), "FLOP/s")} dense, of which prefill reaches {percent(reached)}. The
    {batch} streams that decode take {quantity(decode, "s")} a step by themselves. No gap between
    two tokens may exceed {quantity(target, "s")}. Prompt tokens go into the same steps, and their
    time adds to that of the decodes.
    ? How many prompt tokens may a step carry at most?
    = {answer} tok tolerance=0.1 telling=3
    - streams-forgotten {target * rate / (2 * spec.parameters)}: You give the prompt the whole gap.
      Who else is in the step?
    - one-operation {2 * answer}: Twice too much: a multiply-and-add is two operations, and peaks
      are dense.
    - peak {answer / reached}: You take the whole peak. What share of it does prefill reach?
    - upside-down {decode * rate / (2 * spec.parameters)}: You give the prompt the time that the
      decodes need. How much of the gap do they leave?
    > How much of the allowed gap is left once the streams have had their step?
    > (target − decode step) · F · share / (2 · P).
    > ({quantity(target, "s")} − {quantity(decode, "s")}) × {quantity(rate, "FLOP/s")} / (2 ×
      {spec.parameters / 1e9:.4g}e9).
    * left {target - decode} s: Left: {quantity(target, "s")} − {quantity(decode, "s")} =
      {quantity(target - decode, "s")}
    * per_token {2 * spec.parameters} FLOP: A prompt token costs 2 × {spec.parameters / 1e9:.4g}e9 =
      {quantity(2 * spec.parameters, "FLOP")}
    * chunk {answer} tok: {quantity(target - decode, "s")} × {quantity(rate, "FLOP/s")} /
      {quantity(2 * spec.parameters, "FLOP")} = {quantity(answer, "tok")}
    ~ Fewer than a step without any decodes could carry:
      {quantity(target * rate / (2 * spec.parameters), "tok")}.

    Chunk = (ITL target − decode step) · F · MFU / (2P). It is on the safe side, for reading and
    arithmetic overlap; attention over a long prompt takes some back. A chunk bounds the gaps of the
    others; its own prompt gains nothing.
    """).then(_own_first_token(draw, spec, card, answer, target, reached))


def _own_first_token(draw: Draw, spec, card, answer: float, target: float, reached: float) -> Drill:
    chunk = max(size for size in (64, 128, 256, 512, 1024, 2048, 4096) if size <= answer)
    prompt = draw.one_of((6000, 9000, 12000, 16000, 20000))
    draw.require(prompt > 3 * chunk and reaches(spec, prompt))
    steps = llm.pages_for(prompt, chunk)
    took = llm.chunked_prefill_s(prompt, chunk, target)
    alone = llm.prefill_time_s(spec, card, prompt, flops_share=reached)
    draw.require(took > 1.1 * alone)
    return draw.drill(f"""
    You allow {chunk:,} prompt tokens a step. A prompt of {prompt:,} tokens arrives and is the next
    in line. Take the full {quantity(target, "s")} for each of its steps.
    ? How long until its first token?
    = {took} s tolerance=0.03 telling=0
    - first-chunk {target}: That is one chunk. Which chunk does the first token of the answer need?
    - alone {alone}: That is the prompt on an idle card. Who shares its steps?
    - one-step-less {(steps - 1) * target}: A step too few: the last chunk is not full, and what
      does it need all the same?
    > How many steps does the prompt need?
    > ⌈prompt / chunk⌉ × step.
    > ⌈{prompt:,} / {chunk:,}⌉ × {quantity(target, "s")}.
    * steps {steps}: ⌈{prompt:,} / {chunk:,}⌉ = {steps} steps
    * first_token {took} s: {steps} × {quantity(target, "s")} = {quantity(took, "s")}
    ~ Longer than the prompt alone on the card would take.

    {quantity(took, "s")} against {quantity(alone, "s")} alone: chunks trade the TTFT of the long
    prompt for the gaps of everybody else. Smaller chunks, smoother text, later start.
    """)


@template("D12 I12", level=3, decision="commit", number=40, minutes=3)
def pool_split(draw: Draw) -> Drill:
    """How many prefill workers for each decode worker."""
    spec, card, _ = served(draw)
    batch, prompt = draw.one_of((16, 24, 32, 48, 64)), draw.one_of((1500, 3000, 5000, 8000))
    output = draw.whole(80, 700)
    draw.require(fits(spec, card, 1, batch * spec.kv_bytes(prompt + output)))
    prefill = float(f"{llm.prefill_time_s(spec, card, prompt, flops_share=0.5):.2g}")
    step = llm.decode_step(spec, card, batch, prompt + output / 2, bandwidth_share=0.75)
    tpot = float(f"{step.time_s:.2g}")
    given = {"prefill_s": prefill, "batch": batch, "tpot_s": tpot}
    answer = llm.prefill_workers_per_decode_worker(output_tokens=output, **given)
    draw.require(0.15 < answer < 6)
    return draw.drill(f"""
    {draw.one_of(_SPLIT_OPENINGS)} {spec.name}, each worker one {card.name}. A prefill worker takes
    {quantity(prefill, "s")} for one of your prompts ({prompt:,} tokens) and does one at a time. A
    decode worker holds {batch} streams and gives each of them a token every {quantity(tpot, "s")};
    answers have {output} tokens on average.
    ? How many prefill workers keep one decode worker full? A ratio; it need not be whole.
    = {answer} tolerance=0.05 telling=3
    {_mistakes(given, output, answer)}
    > How many answers does a decode worker finish per second, and who must replace them?
    > prefill time × streams / (output tokens × TPOT).
    > {quantity(prefill, "s")} × {batch} / ({output} × {quantity(tpot, "s")}).
    * stream {output * tpot} s: A stream lasts {output} × {quantity(tpot, "s")} =
      {quantity(output * tpot, "s")}
    * finishing {batch / (output * tpot)} req/s: {batch} streams:
      {quantity(batch / (output * tpot), "req/s")} finish
    * ratio {answer}: Each needs {quantity(prefill, "s")} of a prefill worker: {answer:.4g}
    ~ One prefill worker starts {quantity(1 / prefill, "req/s")}; compare that with what one decode
      worker finishes.

    Prefill : decode = t_pre · B / (n · TPOT): both sides finish equally many requests. It is
    Little's law twice, with no room for bursts, and it moves with every change of the mix of
    prompts and answers.
    """).then(_longer_answers(draw, given, output, answer))


_SPLIT_OPENINGS = (
    "Long prompts stall the streams, so the two phases get cards of their own.",
    "The fleet is to be split into two pools, and you are asked for the split.",
    "An operator has made both pools equally large, and asks whether that is right.",
)


def _mistakes(given: dict, output: int, answer: float):
    prefill, batch, tpot = given["prefill_s"], given["batch"], given["tpot_s"]
    return piece(f"""
    - upside-down {1 / answer}: That is decode workers per prefill worker. Which one was to be kept
      full?
    - streams-forgotten {prefill / (output * tpot)}: You keep one stream busy. How many does a
      decode worker hold?
    - one-token {prefill / tpot}: You compare a prompt with a single token. How many tokens has an
      answer?
    - streams-one-by-one {prefill / (output * tpot * batch)}: Your streams take turns. Do they not
      all get a token in each step?
    - even 1.0: Equally many? Compare what one of each finishes per second.
    """)


def _longer_answers(draw: Draw, given: dict, output: int, before: float) -> Drill:
    factor, workers = draw.one_of((2, 3, 4)), draw.one_of((20, 24, 32, 40, 48, 64))
    after = llm.prefill_workers_per_decode_worker(output_tokens=factor * output, **given)
    prefill = workers * after / (1 + after)
    earlier = workers * before / (1 + before)
    draw.require(1.5 <= prefill <= workers - 2)
    return draw.drill(f"""
    The team turns on reasoning: answers become {times(factor)} as long, with the same time per
    token. There are {workers} workers in all.
    ? How many of them should prefill? The nearest whole number; one off is fine.
    = {round(prefill)} tolerance=0 absolute=1 telling=0
    - as-before {round(earlier)}: That was right for the short answers. Which pool now holds a
      request for longer?
    - share-of-one-pool {round(workers * after)}: The ratio is prefill workers per decode worker.
      What part of all workers is that?
    - other-pool {workers - round(prefill)}: That is the other pool.
    - wrong-way {round(workers * before * factor / (1 + before * factor))}: Longer answers occupy
      decode. Should the prefill pool grow?
    > What has become of the ratio, and what share of the whole is it?
    > ratio′ = ratio / factor; prefill = workers × ratio′ / (1 + ratio′).
    > {before:.4g} / {factor}; {workers} × {after:.4g} / {1 + after:.4g}.
    * ratio {after}: {before:.4g} / {factor} = {after:.4g}
    * prefill_workers {round(prefill)}: {workers} × {after:.4g} / {1 + after:.4g} ≈ {round(prefill)}
    ~ Fewer than the {earlier:.1f} that were right before.

    Longer answers move work to decode. A fixed split is right for one mix of traffic alone: watch
    both queues, and keep workers that can change sides.
    """)
