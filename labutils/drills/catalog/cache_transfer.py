"""Caches that travel: from card to card within TTFT, and from a drive or read again."""

from labutils import llm
from labutils.drills.catalog._serving import binary, full_head_kv, gb, heads, percent, reaches
from labutils.drills.definition.writing import (
    Draw,
    Drill,
    choice,
    drill,
    positive,
    quantity,
    template,
)

_MODELS = (
    ("Llama-3.1-8B", "H100 SXM"), ("Llama-3.1-8B", "A100 80 SXM"), ("Qwen3-8B", "H100 SXM"),
    ("Phi-4", "H100 SXM"), ("Qwen3-32B", "H200 SXM"), ("Qwen3-32B", "B200"),
    ("Llama-3.1-70B", "B200"), ("Qwen2.5-7B", "A100 80 SXM"),
)  # fmt: skip
# How a link is quoted, and what one direction carries in bytes per second.
_LINKS = (
    ("25 Gbit/s Ethernet", 3.125e9, 8.0),
    ("100 Gbit/s Ethernet", 12.5e9, 8.0),
    ("a 200 Gbit/s network card", 25e9, 8.0),
    ("a 400 Gbit/s network card", 50e9, 8.0),
    ("PCIe, quoted as 64 GB/s for both directions together", 32e9, 2.0),
    ("PCIe, quoted as 128 GB/s for both directions together", 64e9, 2.0),
    ("NVLink, quoted as 900 GB/s for both directions together", 450e9, 2.0),
)


@template("D12 D09", level=3, decision="commit", form="verdict", number=41, minutes=3, rough=False)
def cache_transfer(draw: Draw) -> Drill:
    """KV transfer within the TTFT budget."""
    name, on = draw.one_of(_MODELS)
    spec, card = llm.model(name), llm.accelerator(on)
    prompt, reached = draw.whole(1500, 30000), draw.share(0.6, 0.9)
    draw.require(reaches(spec, prompt))
    link, carried, quoted = draw.one_of(_LINKS)
    answer = llm.kv_transfer_time_s(spec, prompt, reached * carried)
    left = float(f"{answer * draw.one_of((0.5, 0.7, 1.4, 2.0)):.2g}")
    fits = answer <= left
    moved = spec.kv_bytes(prompt)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name}: {heads(spec)}, cache in bf16. When a prompt of {prompt:,}
    tokens has been read, {quantity(left, "s")} are left of the time that is promised for its first
    token. That token comes from the decode worker, so the cache has to get there first. It goes
    over {link}, and reaches {percent(reached)} of what one direction carries. Sending begins when
    the whole prompt has been read.
    ? How long does the transfer take?
    = {answer} s tolerance=0.05 scale=off telling=3
    - bits {answer / 8 if quoted == 8 else None}: Your link carries bits as if they were bytes.
    - both-directions {answer / 2 if quoted != 8 else None}: You use both directions. In how many of
      them does the cache travel?
    - query-heads {answer * full_head_kv(spec) / spec.kv_bytes_per_token()}: Your cache has a key
      for every query head. How many KV heads are there?
    - whole-link {answer * reached}: You use all that one direction carries. What share of it is
      reached?
    - one-layer {answer / spec.layers}: That is one layer. How many are moved?
    - keys-only {answer / 2}: Keys or values alone? Decode needs both.
    ? What do you tell them?
    {_verdict(fits)}
    > How many bytes are to be moved, and how many per second get through?
    > prompt × KV bytes per token / (link × share), link in bytes and in one direction.
    > {prompt:,} × {binary(spec.kv_bytes_per_token())} / ({reached:g} × {quantity(carried, "B/s")}),
      against {quantity(left, "s")}.
    * cache {moved} B: Cache: {prompt:,} × {binary(spec.kv_bytes_per_token())} = {gb(moved)}
    * link {reached * carried} B/s: One direction: {percent(reached)} of {quantity(carried, "B/s")}
      = {quantity(reached * carried, "B/s")}
    * transfer {answer} s: {gb(moved)} / {quantity(reached * carried, "B/s")} =
      {quantity(answer, "s")}
    . {"Shorter" if fits else "Longer"} than the {quantity(left, "s")} that are left.
    ~ At 1 GB/s it would be as many seconds as the cache has GB; this link does
      {quantity(reached * carried, "B/s")}.

    Transfer = kv · n / link. Links are quoted in bits, or for both directions: take bytes, one way,
    as reached. Sending layer by layer during the prefill hides most of it.
    """).then(_recompute(spec, card, prompt, moved))


_OPENINGS = (
    "Prefill and decode are to run on cards of their own.",
    "A pilot with separate prefill workers is said to miss its promise now and then.",
    "Somebody asks whether the existing link will do.",
)


def _verdict(fits: bool) -> str:
    yes, no = "the first token comes in time", "the first token comes too late"
    against = (
        "Compare the transfer with what is left. Is it longer?"
        if fits
        else "Compare the transfer with what is left. Is it shorter?"
    )
    wrong = {
        (no if fits else yes): against,
        "it depends on how long the answer is": (
            "What must the decode worker have before it writes the first token, and does the "
            "answer's length change that?"
        ),
    }
    return choice(yes if fits else no, wrong)


def _recompute(spec, card, prompt: int, moved: float) -> Drill:
    prefill = float(f"{llm.prefill_time_s(spec, card, prompt, flops_share=0.5):.2g}")
    answer = moved / prefill
    return drill(f"""
    Instead of moving the cache, the decode worker could read the prompt again itself. On its
    {card.name} that takes {quantity(prefill, "s")}.
    ? Below which rate, as reached, does moving the cache take longer than reading again?
    = {answer} B/s tolerance=0.05 telling=0
    - bits {8 * answer}: That is right in bits per second. Which unit did you write?
    - query-heads {full_head_kv(spec) * prompt / prefill}: Your cache has a key for every query
      head. How many KV heads are there?
    - one-token {spec.kv_bytes_per_token() / prefill}: One token is moved in that time. How many are
      there?
    > At which rate do both take equally long?
    > cache bytes / prefill time.
    > {gb(moved)} / {quantity(prefill, "s")}.
    * link {answer} B/s: {gb(moved)} / {quantity(prefill, "s")} = {quantity(answer, "B/s")}
    ~ It is the rate at which prefill writes the cache, at nearly any length of prompt.

    Break-even link = KV bytes per token × prefill tokens per second. A cache fetched from a slower
    disk or network than that had better be computed again, if the card has time.
    """)


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
