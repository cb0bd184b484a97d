"""What a shared prefix saves when it is cached."""

from labutils import llm
from labutils.drills.catalog._serving import a, billions, percent, served
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_SHARED = (
    ("A support bot", "the same system prompt and tool descriptions"),
    ("A coding assistant", "the same house rules and examples"),
    ("A contract reader", "the same instructions and glossary"),
)


@template("F05 H03", level=2, decision="estimate", number=30)
def prefix_hits(draw: Draw) -> Drill:
    """What prefix caching saves of the prefill."""
    who, what = draw.one_of(_SHARED)
    shared, own = draw.whole(600, 6000), draw.whole(200, 5000)
    hit, prompt = draw.share(0.45, 0.95), shared + own
    answer = llm.prefill_share_saved(hit, shared, prompt)
    draw.require(0.1 < answer < 0.9)
    return draw.drill(f"""
    {who} starts every prompt with {what}, {shared:,} tokens; prompts have {prompt:,} tokens on
    average. The server keeps prefixes, and {percent(hit)} of the requests find this one still in
    the cache; the others compute it again.

    ? Which share of the prefill work is saved? Count only what grows in proportion to the tokens
      computed.
    = {answer} tolerance=0.02 telling=3
    - every-request-hits {shared / prompt}: You let every request find the prefix. How many of them
      do?
    - hit-rate {hit}: That many requests find the prefix. How much of a prompt is the prefix?
    - what-is-left {1 - answer}: That is what is still computed. What was asked for?
    - own-part {hit * shared / own}: You compare the prefix with the rest of the prompt. What share
      of the whole prompt is it?
    > Which tokens are not computed, and in how many of the requests?
    > hit rate × shared tokens / tokens of a prompt.
    > {hit:g} × {shared:,} / {prompt:,}.
    * shared_part {shared / prompt}: Of a prompt {shared:,} / {prompt:,} =
      {percent(shared / prompt)} is shared.
    * saved {answer}: {hit:g} × {percent(shared / prompt)} = {percent(answer)}
    ~ Less than the hit rate, and less than the shared part of a prompt.

    Saved prefill = hit rate · shared / prompt (the linear term). New tokens still attend to the
    shared ones, decode gets no faster, and the kept prefix takes cache memory.
    """).then(_one_hit(draw, shared, prompt))


def _one_hit(draw: Draw, shared: int, prompt: int) -> Drill:
    spec, card, _ = served(draw)
    reached = draw.share(0.4, 0.6)
    draw.require(spec.weight_bytes() < 0.8 * card.memory_bytes)
    full, hit = (
        llm.prefill_time_s(spec, card, prompt, cached_tokens=kept, flops_share=reached)
        for kept in (0, shared)
    )
    rate = reached * card.peak("bf16")
    flops, new = llm.prefill_flops(spec, prompt, shared), prompt - shared
    draw.require(hit > 1.1 * spec.weight_bytes() / card.bandwidth_bytes_per_s)  # not for reading
    the_prefix = llm.prefill_time_s(spec, card, shared, flops_share=reached)
    return draw.drill(f"""
    It runs {spec.name} ({billions(spec)}; {spec.layers} layers, query heads {spec.num_heads} ×
    {spec.head_dim}) on {a(card.name)}: {quantity(card.peak("bf16"), "FLOP/s")} dense, of which
    prefill reaches {percent(reached)}. One request of {prompt:,} tokens finds the {shared:,} of the
    prefix in the cache.

    ? How long does its prefill take at least, alone on the card?
    = {hit} s tolerance=0.05 telling=0
    - whole-prompt {full}: That is a prompt that finds nothing in the cache.
    - the-prefix {the_prefix}: You compute what is in the cache. Which tokens are new?
    - half {hit / 2}: Half: a multiply-and-add is two operations, and peaks are dense.
    - peak {hit * reached}: You take the whole peak. What share of it does prefill reach?
    - attention-forgotten {flops.linear / rate}: You count the weights alone. At how many tokens
      before it does each new one look?
    > How many tokens are new, and at how many does each of them look?
    > (2 · P · m + 4 · m · (c + m/2) · width of all query heads · layers) / (F · share), for m new
      tokens behind c cached ones.
    > (2 × {spec.parameters / 1e9:.4g}e9 × {new:,} + 4 × {new:,} × {shared + new / 2:,g} ×
      {spec.num_heads * spec.head_dim:,} × {spec.layers}) / {quantity(rate, "FLOP/s")}.
    * new {new}: New: {prompt:,} − {shared:,} = {new:,}
    . Weights {quantity(flops.linear, "FLOP")} and attention {quantity(flops.attention, "FLOP")}
    * prefill {hit} s: {quantity(flops.total, "FLOP")} / {quantity(rate, "FLOP/s")} =
      {quantity(hit, "s")}
    ~ Shorter than the {quantity(full, "s")} of a request that finds nothing.

    {quantity(hit, "s")} instead of {quantity(full, "s")} for a request that hits. One that misses
    computes as long as before: in the tail of TTFT it gains only what a shorter queue brings.
    """)
