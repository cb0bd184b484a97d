"""A conversation that comes back: fetch its cache from a drive, or compute it again."""

from labutils import llm
from labutils.drills.catalog._serving import binary, full_head_kv, gb, heads, percent, reaches
from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template

_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"), ("Qwen3-8B", "H100 SXM"), ("Llama-3.1-8B", "A100 80 SXM"),
    ("Phi-4", "H200 SXM"), ("Qwen3-32B", "H200 SXM"), ("Qwen2.5-7B", "A100 80 SXM"),
)  # fmt: skip
_STORES = (  # what holds the caches, bytes a second as reached, seconds until the first byte
    ("NVMe drives of the host", (3e9, 8e9), (0.005, 0.03)),
    ("a cache server on the network", (2e9, 6e9), (0.02, 0.12)),
)
CARDS = 8


@template("J02 F05 D04", level=2, decision="commit")
def fetch_or_recompute(draw: Draw) -> Drill:
    """KV offload against recompute: the break-even length."""
    name, on = draw.one_of(_PAIRS)
    spec, card = llm.model(name), llm.accelerator(on)
    where, rates, delays = draw.one_of(_STORES)
    rate, start = draw.number(*rates), draw.number(*delays)
    usual = 1000 / llm.prefill_time_s(spec, card, 1000, flops_share=0.5)
    prefill = float(f"{usual * draw.share(0.8, 1.1):.2g}")
    token = spec.kv_bytes_per_token()
    fetched, computed = token / rate, 1 / prefill
    draw.require(fetched < 0.8 * computed)
    answer = start / (computed - fetched)
    draw.require(answer > 300 and reaches(spec, round(2 * answer)) and answer < 20000)
    return draw.drill(f"""
    Users of a chat come back after minutes. {spec.name} ({heads(spec)}, cache in bf16) keeps what
    it read for them on {where}: {quantity(start, "s")} until the first byte, then
    {quantity(rate, "B/s")}. Otherwise the {card.name} reads the conversation again, at
    {quantity(prefill, "tok/s")} and without delay.

    ? From how many tokens on is fetching the faster way?
    = {answer} tok tolerance=0.04 telling=3
    - instant-fetch {positive(start * prefill)}: You let the bytes come at once after the delay, or
      nearly. How many has a token in all layers, and how long do they travel?
    - added {positive(start / (computed + fetched))}: You add the two times of a token. What does
      fetching save on each?
    - query-heads {positive(start / (computed - full_head_kv(spec) / rate))}: Your cache has a key
      for every query head. How many KV heads are there?
    - keys-only {positive(start / (computed - fetched / 2))}: Half the bytes of a token: keys or
      values alone, or one byte a number. Decode needs both, in bf16.
    - bytes-during-the-delay {positive(start * rate / token)}: That is what could travel during the
      delay. What is it compared with?
    > How long does each way take for n tokens? Where do they meet?
    > delay + n × kv ÷ rate = n ÷ prefill rate.
    > n = {quantity(start, "s")} ÷ (1 ÷ {quantity(prefill, "tok/s")} − {binary(token)} ÷
      {quantity(rate, "B/s")}).
    * fetched {fetched} s: Fetched, a token takes {quantity(fetched, "s")}
    * computed {computed} s: Read again, {quantity(computed, "s")}
    * tokens {answer} tok: {quantity(start, "s")} ÷ {quantity(computed - fetched, "s")} =
      {quantity(answer, "tok")}
    ~ More than {quantity(start * prefill, "tok")}, which the card reads during the delay alone.

    Break-even length = delay ÷ (1 ÷ prefill rate − kv ÷ fetch rate). If a token travels longer than
    it is computed, fetching never pays. It also frees the card: that may be worth more than the
    time.
    """).then(_together(draw, spec, rate, answer))


def _together(draw: Draw, spec, rate: float, least: float) -> Drill:
    length = draw.one_of((4000, 6000, 8000, 12000, 16000))
    draw.require(length > 1.3 * least and reaches(spec, length))
    one = spec.kv_bytes(length)
    most = rate / one
    coming = float(f"{most * draw.number(1.2, 3):.2g}")
    answer = 1 - most / coming
    draw.require(0.1 < answer < 0.75)
    query_heads = 1 - most / coming * spec.kv_bytes_per_token() / full_head_kv(spec)
    asked = draw.drill(f"""
    That was one card at night. At noon {CARDS} such cards share that store and its
    {quantity(rate, "B/s")}. {quantity(coming, "1")} conversations of {length:,} tokens come back
    per second in all. What is too much for the store is read again.

    ? Which share of the conversations has to be read again, at least?
    = {answer} tolerance=0.04 telling=2
    - share-fetched {1 - answer}: That share can be fetched. Which one was asked for?
    - excess-over-the-store {coming / most - 1}: You set the excess against what the store can
      bring. A share of what is asked for?
    - store-for-each-card {1 - most / coming / CARDS}: You divide the store by the cards, but not
      the conversations.
    - query-heads {query_heads}: Your cache has a key for every query head. How many KV heads are
      there?
    > How many conversations a second can the store bring?
    > 1 − rate ÷ (tokens × kv) ÷ conversations a second.
    > 1 − {quantity(rate, "B/s")} ÷ ({length:,} × {binary(spec.kv_bytes_per_token())}) ÷
      {quantity(coming, "1")}.
    * conversation {one} B: A conversation: {gb(one)}
    * fetched {most} 1/s: The store brings {quantity(most, "1/s")}
    * again {answer}: 1 − {most:.4g} ÷ {coming:g} = {percent(answer)}
    ~ They ask for {quantity(coming * one, "B/s")} in all; compare that with the store.

    A shared store has a rate of its own, and at noon it is the bottleneck. An engine that always
    fetches queues behind it; one that compares the two times, with the queue counted, does some of
    each.
    """)
    draw.require(asked.mistakes[0].name == "share-fetched")
    return asked
