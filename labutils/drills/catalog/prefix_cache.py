"""What a shared prefix saves when it is cached, and a prefix that is everybody's."""

from labutils import llm
from labutils.drills.catalog._serving import a, billions, percent, served
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.capacity.fleet import rounded_up

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


@template("F05 I07 I12", level=3, decision="estimate", minutes=4, rough=False)
def hot_prefix(draw: Draw) -> Drill:
    """Prefix routing under skew: the load of the hot replica, and copies of its prefix."""
    replicas, rate = draw.one_of((6, 8, 10, 12, 16, 20)), draw.whole(20, 200)
    hot = draw.one_of((0.2, 0.25, 0.3, 0.35, 0.4, 0.45))
    other = draw.number(0.03, 0.25)
    short = float(f"{other * draw.share(0.35, 0.85):.2g}")
    own, rest = hot * rate * short, (1 - hot) * rate * other / replicas
    answer = own + rest
    total = own + replicas * rest
    draw.require(1.15 < answer < 5 and 0.35 < total / replicas < 0.75)
    return draw.drill(f"""
    {replicas} replicas get {quantity(rate, "req/s")} in all. The router sends all requests with the
    same system prompt to the same replica, where its prefix is cached. {percent(hot)} of the
    requests are those of the largest tenant, all with one system prompt; the others have so many
    different ones that they spread evenly over all {replicas}. A request of the large tenant
    occupies its replica for {quantity(short, "s")}, another one for {quantity(other, "s")} (shares
    of a batched engine's time, prefix found).
    ? How busy does the replica of the large tenant become? (Work that arrives over work that it can
      do.)
    = {answer} tolerance=0.02 scale=off telling=3
    - shared-evenly {total / replicas}: You share all work evenly. Where do the requests of the
      large tenant go?
    - hot-ones-alone {own}: You leave out the other tenants. Does this replica get none of theirs?
    - all-of-one-kind {hot * rate * other + rest}: How long does a request of the large tenant take,
      whose prefix is there?
    - share-of-requests {hot * replicas}: You compare numbers of requests. How much work does each
      bring?
    > What arrives at this one replica, in seconds of work a second?
    > share × rate × time + (1 − share) × rate × other time ÷ replicas.
    > {hot:g} × {rate} × {quantity(short, "s")} + {1 - hot:g} × {rate} × {quantity(other, "s")} ÷
      {replicas}.
    * large {own}: Of the large tenant: {own:.4g}
    * others {rest}: Of the others: {rest:.4g}
    * busy {answer}: Together: {answer:.4g}
    ~ The fleet as a whole is {percent(total / replicas)} busy.

    Routing by prefix trades balance for hits. The average load says nothing here: look at the
    busiest replica, and at the share of the largest key.
    """).then(_copies(draw, own=own, rest=rest, replicas=replicas, total=total))


def _copies(draw: Draw, *, own: float, rest: float, replicas: int, total: float) -> Drill:
    most = draw.one_of((0.75, 0.8, 0.85, 0.9))
    draw.require(rest < most - 0.1)
    need = own / (most - rest)
    answer = rounded_up(need)
    draw.require(2 <= answer < replicas and 0.06 < answer - need < 0.94)
    return draw.drill(f"""
    The router may now spread the large tenant evenly over several replicas. Each of them keeps a
    copy of the prefix. No replica is to be more than {percent(most)} busy.
    ? Over how many replicas must the large tenant be spread at least?
    = {answer} tolerance=0 scale=off telling=3
    - rounded-down {answer - 1}: Work out how busy they are with that many. Is the limit kept?
    - others-forgotten {rounded_up(own / most)}: You give these replicas to the large tenant alone.
      Who else is there?
    - all-replicas {replicas}: Enough, but not the least. From how many on is the limit kept?
    - fully-busy {rounded_up(own / (1 - rest))}: You fill them completely. How busy may they be?
    - whole-load {rounded_up((own + rest) / most)}: You divide the others' work as well. Does a
      second copy take that away from here?
    ? What does the spreading cost?
    + Nearly nothing: room for the copies, and one miss on each when it is new
    x The hit share falls to one over the number of replicas
    ! Each replica sees the prefix many times a second. How often does it miss it?
    x The prefix is computed anew for each request
    ! It is computed where it is not cached. On how many requests is that so?
    > What is left on a replica beside the others' work?
    > ⌈work of the large tenant ÷ (limit − work of the others on one replica)⌉.
    > {own:.4g} ÷ ({most:g} − {rest:.4g}).
    * left {most - rest}: Left on a replica: {most:g} − {rest:.4g} = {most - rest:.4g}
    * replicas {answer}: {own:.4g} ÷ that, rounded up: {answer}
    ~ More than {quantity(own / most, "1")}: others are served there, too.

    A hot prefix needs no affinity: it stays warm wherever it is used. Affinity is for the many cold
    ones. So bound the load (a key overflows to the next replica above 1 + ε times the average;
    Mirrokni, Thorup, Zadimoghaddam 2016).
    """)
