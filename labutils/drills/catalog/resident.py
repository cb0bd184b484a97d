"""How many sequences a card holds beside the weights."""

from labutils import llm
from labutils.drills.catalog._serving import (
    GIB,
    NODES,
    SERVED,
    as_printed,
    billions,
    binary,
    full_head_kv,
    gb,
    heads,
    memory_of,
    percent,
    served,
)
from labutils.drills.definition.writing import Draw, Drill, template

_THINGS = ("conversations", "agent runs", "document chats")


@template("D09 C20", level=2, decision="limit", number=15)
def resident_sequences(draw: Draw) -> Drill:
    """How many sequences fit beside the weights."""
    spec, card, count = served(draw, SERVED + NODES)
    context = draw.one_of((1024, 2048, 3000, 4096, 6000, 8192, 12000, 16384))
    things = draw.one_of(_THINGS)
    usable, overhead = draw.one_of((0.85, 0.9, 0.92, 0.95)), draw.one_of((1, 1.5, 2, 3))
    memory, one = count * card.memory_bytes, spec.kv_bytes(context)
    room = {"usable_share": usable, "overhead_bytes": count * overhead * 1e9}
    answer = llm.max_sequences(spec, memory, context, **room)
    draw.require(6 <= answer <= 900)
    left = usable * memory - spec.weight_bytes() - room["overhead_bytes"]
    draw.require((left - 2 * _rounding(spec)) // one == answer)
    weights_forgotten = (left + spec.weight_bytes()) // one
    all_of_it = llm.max_sequences(spec, memory, context, **room | {"usable_share": 1})
    overhead_forgotten = llm.max_sequences(spec, memory, context, usable_share=usable)
    per_card = " on each card" if count > 1 else ""
    return draw.drill(f"""
    {spec.name} ({billions(spec)}, {heads(spec)}) is served in bf16, cache in bf16 too, on
    {memory_of(card, count)}. The server may take {percent(usable)} of it; graphs and activations
    need {overhead:g} GB{per_card}. The {things} hold {context:,} tokens of context each.
    ? How many {things} can keep their cache on the hardware at once? A whole number.
    = {answer} tolerance=0 absolute=1 unsafe=above telling=4
    - weights-forgotten {weights_forgotten}: You fill the whole card with caches. What else lies in
      its memory all the time?
    - query-heads {left // (full_head_kv(spec) * context)}: Your cache has a key for every query
      head. Which heads does the cache hold?
    - all-of-it {all_of_it}: You use the memory to the last byte. What share of it may the server
      take?
    - overhead-forgotten {overhead_forgotten}: Weights and caches are not alone on the card: what
      did the story reserve besides?
    - gib {llm.max_sequences(spec, memory / 1e9 * GIB, context, **room)}: Your memory is some 7 %
      larger than the story's. Do you count it in GiB, or take a larger share of it?
    > What has to be in memory before the first token is read?
    > ⌊(usable share × memory − weights − overhead) / (context × KV bytes per token)⌋.
    > ({usable:g} × {gb(memory)} − {gb(spec.weight_bytes())} − {gb(room["overhead_bytes"])}) /
      ({context:,} × {binary(spec.kv_bytes_per_token())}).
    * weights {spec.weight_bytes()} B: Weights: {billions(spec)} × 2 B = {gb(spec.weight_bytes())}
    * left {left} B: Left for caches: {usable:g} × {gb(memory)} − {gb(spec.weight_bytes())} −
      {gb(room["overhead_bytes"])} = {gb(left)}
    * one_of_them {one} B: One of them: {context:,} × {binary(spec.kv_bytes_per_token())} =
      {gb(one)}
    * how_many {answer}: ⌊{gb(left)} / {gb(one)}⌋ = {answer}
    ~ Without any weights at most {memory / one:,.0f} would fit: it must be fewer, for the weights
      take {percent(spec.weight_bytes() / memory)} of the memory.

    Resident sequences = (usable memory − weights − overhead) / (context · KV bytes per token). It
    assumes that all have the full context: paging lets shorter ones share. GB or GiB moves the
    memory by 7 %, and what is left by more.
    """).then(_narrow_weights_fit(draw, spec, memory, context, room, answer))


def _rounding(spec) -> float:
    """Parameters that the printed number of them has too many."""
    return as_printed(spec.parameters) - spec.parameters


def _narrow_weights_fit(
    draw: Draw, spec, memory: float, context: int, room: dict, before: int
) -> Drill:
    after = llm.max_sequences(spec, memory, context, bytes_per_weight=1, **room)
    left = room["usable_share"] * memory - spec.weight_bytes(1) - room["overhead_bytes"]
    draw.require((left - _rounding(spec)) // spec.kv_bytes(context) == after)
    freed = spec.weight_bytes() - spec.weight_bytes(1)
    return draw.drill(f"""
    The weights are quantised to one byte each (scales left out); the cache stays in bf16. So far
    {before} fit.
    ? How many fit now? A whole number.
    = {after} tolerance=0 absolute=1 unsafe=above telling=0
    - doubled {2 * before}: You double what fitted. Is it the caches that take half the bytes now?
    - unchanged {before}: The same as before. Where does the freed memory go?
    - freed-alone {freed // spec.kv_bytes(context)}: That is what fits into the freed memory alone.
      What fitted before stays.
    > How many bytes are freed, and how many caches is that?
    > Same sum with one byte a weight.
    > Freed: {gb(freed)}; one cache takes {gb(spec.kv_bytes(context))}.
    * freed {freed} B: Weights shrink by {gb(freed)}
    * how_many {after}: ⌊({gb(room["usable_share"] * memory)} − {gb(spec.weight_bytes(1))} −
      {gb(room["overhead_bytes"])}) / {gb(spec.kv_bytes(context))}⌋ = {after}
    ~ More than the {before} from before: {gb(freed)} more are free for caches.

    From {before} to {after}: the same bytes are freed whatever the card, so a small card gains
    most, in proportion. A cache in 8 bits would double the count on any card.
    """)
