"""One number is missing: how many fit, how many machines."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.capacity import gpus_for_tokens

_ASK = "You may ask for one number, and one only. Which question do you ask?"
_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"),
    ("Llama-3.1-8B", "A100 80 SXM"),
    ("Qwen3-8B", "A100 40 SXM"),
    ("Qwen2.5-7B", "L4"),
    ("Phi-4", "H100 SXM"),
    ("Qwen3-32B", "H200 SXM"),
)


@template("R06 D09 C20", level=2, decision="model", form="missing", minutes=3)
def missing_context(draw: Draw) -> Drill:
    """Ask for the missing number: how many users fit on a card."""
    spec, device = (get(name) for get, name in zip((llm.model, llm.accelerator), _pair(draw)))
    used, speed = draw.one_of((0.85, 0.88, 0.9, 0.92)), draw.whole(4, 8)
    return draw.drill(f"""
    “How many people can chat at once on one {device.name}?” asks the product lead. The model is
    {spec.name}: {spec.parameters / 1e9:.4g} billion weights in bf16, {spec.layers} layers,
    {spec.num_kv_heads} key-value heads of {spec.head_dim}, cache in bf16. The card has
    {quantity(device.memory_bytes, "B")} (GB = 10⁹), and the engine uses {100 * used:.0f} % of it. A
    user reads {speed} tokens a second. Nobody may be put on hold for want of memory.
    ? {_ASK}
    + How many tokens, prompt and answer, does a chat keep in memory?
    x How many query heads does the model have per layer?
    ! Query heads compute and leave nothing behind. What is kept from token to token?
    x How many bytes a second does the card's memory deliver?
    ! That says how fast a token comes; all who fit get theirs faster than they read. Is it speed or
      room that runs out?
    x How many tokens a second does the card make in a full batch?
    ! It writes faster than people read, even to all who fit: reading the whole memory once takes
      less than a tenth of a second. What decides how many fit?
    x How many people are expected to use the product in a day?
    ! That is the demand. The question is what one card holds.
    > Write down what lies in the card's memory, and for how many each part is needed.
    > Users = (usable memory − weights) ÷ (tokens of a user × cache of a token).
    > Usable memory, weights and cache of a token all follow from the story. The fourth?
    . Usable: {used:g} × {quantity(device.memory_bytes, "B")}; weights 2 B each: known.
    . Cache of a token: 2 · {spec.layers} · {spec.num_kv_heads} · {spec.head_dim} · 2 B =
      {quantity(spec.kv_bytes_per_token(), "B")}: known.
    . Tokens that a chat keeps: not said, and the result is inverse to it.
    ~ The reading speed is true and of no use here: the card is faster for all who fit.

    Capacity in memory is capacity in tokens. “How many users” has no answer before somebody says
    how long their conversations are.
    """).then(_seats(draw, spec=spec, device=device, used=used))


def _pair(draw: Draw) -> tuple[str, str]:
    return draw.one_of(_PAIRS)


def _seats(draw: Draw, *, spec, device, used: float) -> Drill:
    prompt, answer = draw.whole(600, 6000), draw.whole(200, 900)
    tokens = prompt + answer
    seats = llm.max_sequences(spec, device.memory_bytes, tokens, usable_share=used)
    draw.require(8 <= seats <= 300)
    kv, weights = spec.kv_bytes_per_token(), spec.weight_bytes()
    room = used * device.memory_bytes - weights
    told = used * device.memory_bytes - 2 * as_printed(spec.parameters)
    draw.require(told // (tokens * kv) == seats)
    weights_forgotten = float(int(used * device.memory_bytes / (tokens * kv)))
    whole_card = llm.max_sequences(spec, device.memory_bytes, tokens, usable_share=1.0)
    history_alone = llm.max_sequences(spec, device.memory_bytes, prompt, usable_share=used)
    query_heads = float(int(room / (tokens * kv * spec.num_heads / spec.num_kv_heads)))
    return draw.drill(f"""
    “A chat grows to {prompt:,} tokens of history, and the answer adds {answer}.” Plan for chats
    that are all at their longest.
    ? How many chats fit on the card?
    = {seats} tolerance=0 absolute=1 unsafe=above
    - weights-forgotten {weights_forgotten}: You give all memory to caches. What else must be there?
    - whole-card {whole_card}: You use the whole card. How much of it does the engine take?
    - history-alone {history_alone}: You leave out the answer. Where are its keys and values when it
      ends?
    - query-heads {query_heads}: You count the cache with as many heads as there are queries. Whose
      keys and values are kept?
    > Room beside the weights, over the cache of one chat.
    > ⌊(share × memory − weights) ÷ (tokens × cache of a token)⌋.
    > ({used:g} × {quantity(device.memory_bytes, "B")} − {quantity(weights, "B")}) ÷ ({tokens:,} ×
      {quantity(kv, "B")}).
    * room {room} B: Room: {quantity(room, "B")}
    * chat {tokens * kv} B: One chat: {tokens:,} × {quantity(kv, "B")} =
      {quantity(tokens * kv, "B")}
    * seats {seats}: The quotient, rounded down: {seats}
    ~ Fewer than {quantity(device.memory_bytes, "B")} ÷ {quantity(tokens * kv, "B")}, a card without
      weights, would hold.

    Room ÷ cache of one, rounded down. Chats that are rarely at their longest let more in, at the
    price of preemption when many are.
    """)


@template("B25 M03 A02", level=1, decision="model", form="missing")
def missing_answer_length(draw: Draw) -> Drill:
    """Ask for the missing number: GPUs for a launch."""
    rate, prompt = draw.number(15, 120), draw.whole(300, 2500)
    one, used = draw.number(900, 4000), draw.one_of((0.55, 0.6, 0.65, 0.7, 0.75))
    first = draw.one_of((0.5, 0.8, 1.0, 1.5))
    return draw.drill(f"""
    Launch review. At the peak {quantity(rate, "req/s")} come, with prompts of {prompt:,} tokens.
    With such prompts one GPU was measured at {quantity(one, "tok/s")} of output, and the first
    token within {first:g} s. The rule: use {100 * used:.0f} % of what was measured. “How many
    GPUs?”
    ? {_ASK}
    + How many tokens has an answer on average?
    x How many billion weights does the model have?
    ! The model is already in the measured rate. What is that rate a rate of?
    x How many requests a second come on a quiet night?
    ! The fleet is planned for the peak. Which unit does the peak come in, and which the GPU's rate?
    x How many seconds until the first token does the promise allow?
    ! The rate was measured with a first token that suits. Do the units of demand and supply agree?
    x How many tokens fit into the cache of one GPU?
    ! The measured rate already holds what the cache allows. What is missing to compare demand with
      it?
    > Write demand over supply, with units.
    > GPUs = demand in tokens a second ÷ (rate of one × share).
    > Supply: {quantity(one, "tok/s")} × {used:g}. Demand: {quantity(rate, "req/s")} × what?
    . Supply of one GPU: {quantity(one, "tok/s")} × {used:g}: known.
    . Demand: {quantity(rate, "req/s")}; in tokens a second only with tokens per answer.
    ~ Requests over tokens is no number of GPUs: the units show the gap.

    Requests are not work; tokens are. A rate measured with one mix of lengths is silent about
    another.
    """).then(_gpus(draw, rate=rate, one=one, used=used))


def _gpus(draw: Draw, *, rate: float, one: float, used: float) -> Drill:
    short, long, part = draw.whole(60, 160), draw.whole(400, 900), draw.one_of((0.2, 0.25, 0.4))
    mean = part * long + (1 - part) * short
    plan = gpus_for_tokens(rate, mean, one, utilization=used)
    draw.require(8 <= plan <= 120)
    plain_mean = gpus_for_tokens(rate, (short + long) / 2, one, utilization=used)
    return draw.drill(f"""
    “{100 * part:.0f} % of requests are reports of {long} tokens, the others chats of {short}.”
    ? How many GPUs does the peak take?
    = {plan} tolerance=0 absolute=1 unsafe=below
    - rounded-down {plan - 1}: {plan - 1} GPUs run at {100 * rate * mean / one / (plan - 1):.3g} %
      of what was measured. What does the rule say?
    - plain-mean {plain_mean}: You take the middle of both lengths. How often does each occur?
    - no-headroom {gpus_for_tokens(rate, mean, one)}: You use all that was measured. What does the
      rule allow?
    - all-long {gpus_for_tokens(rate, long, one, utilization=used)}: You take every answer for a
      report. What does a GPU see over a minute?
    > First the mean answer, then demand over supply.
    > ⌈rate × mean tokens ÷ (rate of one × share)⌉.
    > {quantity(rate, "req/s")} × ({part:g} × {long} + {1 - part:g} × {short}) ÷
      ({quantity(one, "tok/s")} × {used:g}).
    * mean {mean} tok: Mean answer: {quantity(mean, "tok")}
    * demand {rate * mean} tok/s: Demand: {quantity(rate * mean, "tok/s")}
    * gpus {plan}: ÷ {quantity(one * used, "tok/s")}, rounded up: {plan}
    ~ Between the fleets for answers of {short} and of {long} tokens only.

    Capacity follows the mean of the mix; it is latency that follows the long ones.
    """)
