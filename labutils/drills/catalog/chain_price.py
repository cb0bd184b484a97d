"""What sets the price of a token, and what sets it next: batch, caches, demand."""

from labutils import llm
from labutils.drills.catalog._decode_scene import DecodeScene
from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template

_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"),
    ("Llama-3.1-8B", "A100 80 SXM"),
    ("Qwen3-8B", "H100 SXM"),
    ("Qwen2.5-7B", "H100 PCIe"),
    ("Phi-4", "H200 SXM"),
)
_BINDS = {
    "weights": "Reading the weights, shared by few streams",
    "caches": "Reading the caches, which every stream adds to",
    "demand": "Demand: the card is paid for while it has nothing to do",
    "arithmetic": "Arithmetic: the card computes at its peak",
}
_PILOT = {
    "caches": "You take the caches for the larger part of a step, as in a full batch. Work out "
    "both for these few streams: all of their caches, and the weights.",
    "demand": "You take the card for idle. These streams are always open: when would it have no "
    "step to make?",
    "arithmetic": "You take a step for one that computes all the time. A weight that is read is "
    "used once for each stream: how many streams would it take until that outlasts reading it?",
}
_LAUNCH = {
    "weights": "You still see the pilot's step. The weights are read once for all streams; what is "
    "read once for each of them, and how much is that for all?",
    "demand": "You take the card for idle, though more streams than before are always open. When "
    "would it have no step to make?",
    "arithmetic": "You let a large batch compute at the peak. For the weights it may come near it; "
    "but how many streams use a byte of one stream's cache?",
}
_MONTH = {
    "weights": "You price a step of few streams. A step costs what it costs, but how much of the "
    "month is spent on steps: tokens wanted over tokens that it could make?",
    "caches": "You price a step of the launch. Is that crowd still there for all hours that are "
    "paid for?",
    "arithmetic": "You take the card for busy to the full. It made more tokens at the launch, and "
    "was not even then limited by computing. What has changed since?",
}


@template("B24 N02 N01 B21", level=3, decision="limit", form="chain", minutes=7)
def chain_price(draw: Draw) -> Drill:
    """What sets the price of a token: batch, caches, idle hours."""
    name, card = draw.one_of(_PAIRS)
    spec, device = llm.model(name), llm.accelerator(card)
    price = draw.number(*device.price_per_hour)
    few, context = draw.one_of((4, 6, 8)), draw.one_of((1000, 1500, 2000, 2500))
    scene = DecodeScene(spec, device, few, context, draw.one_of((0.65, 0.7, 0.75, 0.8)))
    many = DecodeScene(spec, device, few * draw.one_of((12, 16, 20)), context, scene.reached)
    draw.require(many.streams <= many.most)
    draw.require(scene.step.kv_bytes < 0.3 * scene.step.weight_bytes)
    draw.require(many.step.kv_bytes > 1.3 * many.step.weight_bytes)
    step, cost = scene.step, _cost(price, scene)
    shared = llm.cost_per_million_tokens(price, few * scene.rate / step.weight_bytes)
    caches_alone = cost * step.kv_bytes / (step.weight_bytes + step.kv_bytes)
    return draw.drill(f"""
    A pilot of {spec.name} ({spec.parameters / 1e9:.3g} billion weights, bf16; cache
    {quantity(scene.per_token, "B")} a token) runs on one {device.name} for
    {quantity(price, "$/h")}. {few} streams of about {context:,} tokens are always open. The engine
    reaches {100 * scene.reached:.0f} % of {quantity(device.bandwidth_bytes_per_s, "B/s")}; a step
    waits for nothing else.
    ? What do a million output tokens cost?
    = {cost} $/Mtok tolerance=0.03
    - one-stream {cost * few}: You divide the rent by the tokens of one stream. How many does a step
      make?
    - rated-bandwidth {cost * scene.reached}: You read at the rated bandwidth. What is reached?
    - caches-alone {caches_alone}: You read the caches. What does every step read besides?
    ? What sets this price most of all?
    {_which("weights", _PILOT)}
    > How many tokens does an hour of steps make?
    > Step = (weights + caches) ÷ rate; price ÷ (3600 s × streams ÷ step), times a million.
    > Step: ({quantity(step.weight_bytes, "B")} + {few} × {context:,} ×
      {quantity(scene.per_token, "B")}) ÷ {quantity(scene.rate, "B/s")}.
    {_steps(price, scene, cost)}
    ~ More than {quantity(shared, "$/Mtok")}, the price if a step read nothing but the weights.

    A step costs the same whether it serves one stream or a few: at small batch the price of a token
    is that of reading the weights, over the streams.
    """).then(_wider(draw, price=price, many=many, before=cost, few=few))


def _cost(price: float, scene: DecodeScene) -> float:
    return llm.cost_per_million_tokens(price, scene.step.tokens_per_s)


def _steps(price: float, scene: DecodeScene, cost: float) -> str:
    step = scene.step
    return piece(f"""
    * step {step.time_s} s: A step: ({quantity(step.weight_bytes, "B")} +
      {quantity(step.kv_bytes, "B")}) ÷ {quantity(scene.rate, "B/s")} = {quantity(step.time_s, "s")}
    * rate {step.tokens_per_s} tok/s: {scene.streams} ÷ {quantity(step.time_s, "s")} =
      {quantity(step.tokens_per_s, "tok/s")}
    * cost {cost} $/Mtok: {quantity(price, "$/h")} ÷ (3600 s × that), times 10⁶:
      {quantity(cost, "$/Mtok")}
    """)


def _which(right: str, why_not: dict[str, str]) -> str:
    return choice(_BINDS[right], {_BINDS[key]: message for key, message in why_not.items()})


def _wider(draw: Draw, *, price: float, many: DecodeScene, before: float, few: int) -> Drill:
    cost, step = _cost(price, many), many.step
    caches_alone = cost * step.kv_bytes / (step.weight_bytes + step.kv_bytes)
    return draw.drill(f"""
    The launch: {many.streams} streams of the same length are always open, and they fit.
    ? What do a million output tokens cost now?
    = {cost} $/Mtok tolerance=0.03
    - by-the-streams {before * few / many.streams}: You divide by the growth of the batch. What does
      a step read for each new stream?
    - unchanged {before}: That is the price of the pilot. What has changed?
    - rated-bandwidth {cost * many.reached}: You read at the rated bandwidth. What is reached?
    - caches-alone {caches_alone}: You read the caches alone. Are the weights gone?
    ? What sets this price most of all?
    {_which("caches", _LAUNCH)}
    > A step is longer and makes more tokens. Both count.
    > As before, with the new caches and the new number of streams.
    > Step: ({quantity(step.weight_bytes, "B")} + {quantity(step.kv_bytes, "B")}) ÷
      {quantity(many.rate, "B/s")}; tokens: {many.streams} a step.
    {_steps(price, many, cost)}
    ~ Not below {quantity(before * few / many.streams, "$/Mtok")}, the price if the new streams had
      nothing of their own to read.

    Each doubling of the batch brings less: the price tends to that of reading one stream's cache
    per token. From here shorter contexts, fewer KV heads or a narrower cache lower it, a larger
    batch hardly does.
    """).then(_idle(draw, price=price, many=many, full=cost))


def _idle(draw: Draw, *, price: float, many: DecodeScene, full: float) -> Drill:
    busy = draw.one_of((0.12, 0.15, 0.2, 0.25, 0.3))
    wanted = float(f"{busy * many.step.tokens_per_s:.2g}")
    cost = llm.cost_per_million_tokens(price, wanted)
    return draw.drill(f"""
    A month later. The launch crowd has gone; averaged over day and night users ask for
    {quantity(wanted, "tok/s")}. The card stays rented.
    ? What do a million output tokens cost this month?
    = {cost} $/Mtok tolerance=0.02
    - full-load {full}: That is the price at full load. How many tokens were made this month?
    - busy-hours-alone {full * wanted / many.step.tokens_per_s}: You pay for busy hours alone. Which
      hours does the rent cover?
    ? What sets this price most of all?
    {_which("demand", _MONTH)}
    > Rent over tokens, both of the same month.
    > Price ÷ (3600 s × tokens wanted a second), times a million.
    > {quantity(price, "$/h")} ÷ (3600 × {quantity(wanted, "tok/s")}) × 10⁶.
    * tokens {3600 * wanted} tok: An hour makes 3600 s × {quantity(wanted, "tok/s")} =
      {quantity(3600 * wanted, "tok")}
    * cost {cost} $/Mtok: {quantity(price, "$")} for these: {quantity(cost, "$/Mtok")}
    ~ More than the {quantity(full, "$/Mtok")} of a card that never idles.

    Batch, then bytes, then utilization: the last is no matter of the engine. Share the card with
    other work, or rent it for the busy hours alone; do not tune an engine that has nothing to do.
    """)
