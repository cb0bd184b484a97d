"""Prefill and decode on cards of their own: how many of each."""

from labutils import llm
from labutils.drills.catalog._serving import fits, served, times
from labutils.drills.definition.writing import Draw, Drill, piece, quantity, template


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
    {draw.one_of(_OPENINGS)} {spec.name}, each worker one {card.name}. A prefill worker takes
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


_OPENINGS = (
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
