"""How much of a prompt a step may carry without stalling those who read along."""

from labutils import llm
from labutils.drills.catalog._serving import a, billions, fits, percent, reaches, served
from labutils.drills.definition.writing import Draw, Drill, quantity, template

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
