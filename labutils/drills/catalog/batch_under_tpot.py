"""The largest batch that keeps a promise on time per token, and that the memory holds."""

from labutils import llm
from labutils.drills.catalog._serving import (
    as_printed,
    billions,
    binary,
    full_head_kv,
    gb,
    heads,
    percent,
    served,
)
from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template

_OPENINGS = (
    "You set max_num_seqs before tonight's release.",
    "The interactive tier gets a promise in its contract, and you set the cap on the batch.",
    "Somebody asks why the cap on the batch is what it is; you recompute it.",
)


@template("E06 D09", level=3, decision="limit", number=31, minutes=4, rough=False)
def batch_under_tpot(draw: Draw) -> Drill:
    """The largest batch under a TPOT target."""
    spec, card, _ = served(draw)
    context, reached = draw.one_of((800, 1500, 2000, 3000, 4000, 6000)), draw.share(0.5, 0.9)
    overhead = draw.one_of((1e9, 2e9))
    given = {"overhead_bytes": overhead, "bandwidth_share": reached, "flops_share": 0.6}
    target = _target(draw, spec, card, context, given)
    limits = llm.batch_limits(spec, card, context, target, **given)
    answer = limits.batch
    draw.require(6 <= answer <= 500 and limits.by_flops > 1.3 * answer)
    draw.require(abs(limits.by_bytes - limits.by_memory) > 0.15 * answer + 2)
    rate, one = reached * card.bandwidth_bytes_per_s, spec.kv_bytes(context)
    left = 0.9 * card.memory_bytes - spec.weight_bytes() - overhead
    weights = 2 * as_printed(spec.parameters)  # as the story has them
    draw.require((target * rate - weights) // one == limits.by_bytes)
    draw.require((left + spec.weight_bytes() - weights) // one == limits.by_memory)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name} ({billions(spec)}, {heads(spec)}) in bf16, cache included,
    {context:,} tokens of context per sequence. {card.name}: {card.memory_bytes / 1e9:g} GB (10⁹
    bytes), of which 90 % may be used and {gb(overhead)} go to activations;
    {quantity(card.bandwidth_bytes_per_s, "B/s")}, of which kernels reach {percent(reached)}. Each
    token after the first may take {quantity(target, "s")}.
    ? How many sequences may decode together at most? A whole number.
    = {answer} tolerance=0 absolute=1 unsafe=above telling=3
    {_mistakes(spec, card, context, target, reached, limits)}
    ? What stops the batch first?
    {_options(limits)}
    > Two limits hold at once: how much can a step read in its time, and how much does the memory
      hold?
    > min of ⌊(T · BW · share − W) / (C · kv)⌋ and ⌊(0.9 · M − overhead − W) / (C · kv)⌋.
    > ({quantity(target, "s")} × {quantity(rate, "B/s")} − {gb(spec.weight_bytes())}) / {gb(one)};
      ({gb(0.9 * card.memory_bytes)} − {gb(overhead)} − {gb(spec.weight_bytes())}) / {gb(one)}.
    * one_sequence {one} B: Weights {gb(spec.weight_bytes())}; one sequence {context:,} ×
      {binary(spec.kv_bytes_per_token())} = {gb(one)}
    * by_time {limits.by_bytes}: In {quantity(target, "s")} the card reads {gb(target * rate)}:
      ⌊({gb(target * rate)} − {gb(spec.weight_bytes())}) / {gb(one)}⌋ = {limits.by_bytes:,}
    * by_memory {limits.by_memory}: Memory: ⌊{gb(left)} / {gb(one)}⌋ = {limits.by_memory:,}
    * batch {answer}: The smaller one: {answer}. At 60 % of the peak the arithmetic would stop at
      {limits.by_flops:,}: it does not bind.
    ~ Each limit alone is an upper bound: what {quantity(target, "s")} of reading allows, and what
      fits.

    Largest batch = the smallest of what the time per token, the memory and the arithmetic allow. It
    is a cap for full contexts; shorter ones leave room, and prefills in between take time from it.
    """).then(_tighter(draw, spec, card, context, target, given, limits))


def _target(draw: Draw, spec, card, context: int, given: dict) -> float:
    """A time per token at which a step reads less, or more, than the memory holds."""
    held = llm.batch_limits(spec, card, context, 1.0, **given).by_memory
    batch = held * draw.one_of((0.35, 0.5, 0.7, 1.4, 1.8, 2.5))
    read = spec.weight_bytes() + batch * spec.kv_bytes(context)
    return float(f"{read / (given['bandwidth_share'] * card.bandwidth_bytes_per_s):.2g}")


def _options(limits) -> str:
    texts = {
        "bytes": "the time that reading takes in a step",
        "memory": "the room that caches take in memory",
        "flops": "the arithmetic of a step",
    }
    against = {
        "bytes": "Compute both limits: does the memory fill up before the step gets too long?",
        "memory": "Compute both limits: is the step too long before the memory is full?",
        "flops": "How many sequences does it take before arithmetic outlasts reading here?",
    }
    wrong = {texts[key]: against[key] for key in texts if key != limits.binding}
    return choice(texts[limits.binding], wrong)


def _mistakes(spec, card, context: int, target: float, reached: float, limits):
    weights, one, held = spec.weight_bytes(), spec.kv_bytes(context), limits.by_memory
    read = target * reached * card.bandwidth_bytes_per_s
    shared = full_head_kv(spec) * context
    query_heads = min((read - weights) // shared, held * spec.num_kv_heads // spec.num_heads)
    return piece(f"""
    - other-limit {max(limits.by_bytes, held)}: This batch keeps one of the two limits. Does it keep
      the other one as well?
    - weights-forgotten {min(read // one, held + weights // one)}: You leave the weights out. Do
      they take no time to read, and no room in memory?
    - data-sheet {min((read / reached - weights) // one, held)}: You take the bandwidth of the data
      sheet. What do the kernels reach?
    - query-heads {query_heads}: Your caches have a key for every query head. How many KV heads are
      there?
    - weights-for-each {min(read // (weights + one), held)}: You read the weights once for every
      sequence. What is a batch for?
    """)


def _tighter(draw: Draw, spec, card, context: int, target: float, given: dict, before) -> Drill:
    rate = given["bandwidth_share"] * card.bandwidth_bytes_per_s
    room = spec.weight_bytes() + 0.6 * before.batch * spec.kv_bytes(context)
    tight = float(f"{room / rate:.2g}")
    after = llm.batch_limits(spec, card, context, tight, **given)
    batch, weights = after.batch, 2 * as_printed(spec.parameters)
    draw.require((tight * rate - weights) // spec.kv_bytes(context) == after.by_bytes)
    weights_forgotten = min(tight * rate // spec.kv_bytes(context), before.by_memory)
    data_sheet = min(
        (tight * card.bandwidth_bytes_per_s - weights) // spec.kv_bytes(context), before.by_memory
    )
    return draw.drill(f"""
    Sales promises a faster tier: {quantity(tight, "s")} per token, all else as it is.
    ? How many sequences may decode together now, at most? A whole number.
    = {batch} tolerance=0 absolute=1 unsafe=above telling=0
    - unchanged {before.batch}: As before? Compute what a step may read now.
    - in-proportion {round(before.batch * tight / target)}: You shrink the batch in proportion to
      the target. Which part of a step's time does not shrink with the batch?
    - weights-forgotten {weights_forgotten}: You let the step read caches alone. What else must it
      read?
    - data-sheet {data_sheet}: You take the bandwidth of the data sheet. What do the kernels reach?
    > How many bytes may a step read now, and how many of them are weights?
    > ⌊(T · BW · share − W) / (C · kv)⌋, if memory allows it.
    > ({quantity(tight, "s")} × {quantity(rate, "B/s")} − {gb(spec.weight_bytes())}) /
      {gb(spec.kv_bytes(context))}.
    . {quantity(tight, "s")} × {quantity(rate, "B/s")} = {gb(tight * rate)}
    * batch {batch}: ⌊({gb(tight * rate)} − {gb(spec.weight_bytes())}) /
      {gb(spec.kv_bytes(context))}⌋ = {batch}
    ~ The weights alone take {quantity(spec.weight_bytes() / rate, "s")} of each step.

    Time per token buys batch only beyond what the weights take: near that floor a few milliseconds
    cost most of the throughput.
    """)
