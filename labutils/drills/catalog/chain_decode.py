"""What binds a decode step, and what binds next: context, batch, precision of the cache."""

from dataclasses import replace

from labutils import llm
from labutils.drills.catalog._decode_scene import USED, DecodeScene
from labutils.drills.catalog._serving import as_printed, reaches
from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template

_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"),
    ("Llama-3.1-8B", "A100 80 SXM"),
    ("Qwen3-8B", "H200 SXM"),
    ("Qwen2.5-7B", "H100 PCIe"),
    ("Phi-4", "H200 SXM"),
    ("Qwen3-32B", "MI300X"),
)
_LIMITS = {
    "weights": "Reading the weights, which all streams share",
    "caches": "Reading the caches, of which each stream has its own",
    "arithmetic": "Arithmetic, of which each stream needs its own",
    "room": "Room in memory: not all of the streams fit",
}
_WHY_NOT = {
    "weights": "Set the bytes of all caches against those of the weights. Which are more?",
    "caches": "Set the bytes of all caches, if they fit, against those of the weights.",
    "arithmetic": "Compare the streams with the batch at which arithmetic outlasts reading the "
    "weights: hundreds on such a device.",
    "room": "Add the caches of all streams to the weights. Does the sum fit?",
}


def _which(right: str) -> str:
    wrong = {text: _WHY_NOT[key] for key, text in _LIMITS.items() if key != right}
    return choice(_LIMITS[right], wrong)


def _short_and_long(draw: Draw) -> tuple[DecodeScene, DecodeScene]:
    """Short contexts, whose caches are the smaller part; long ones, that fill most of the room."""
    spec, device = (get(name) for get, name in zip((llm.model, llm.accelerator), _pair(draw)))
    streams, reached = draw.one_of((12, 16, 20, 24, 32, 40)), draw.one_of((0.65, 0.7, 0.75, 0.8))
    weights, every = spec.weight_bytes(), streams * spec.kv_bytes_per_token()
    short = draw.share(0.12, 0.5) * weights / every
    long = draw.share(0.6, 0.9) * (USED * device.memory_bytes - weights) / every
    scene = DecodeScene(spec, device, streams, max(100, round(short / 100) * 100), reached)
    grown = replace(scene, context=round(long / 500) * 500)
    draw.require(reaches(spec, grown.context))
    return scene, grown


def _pair(draw: Draw) -> tuple[str, str]:
    return draw.one_of(_PAIRS)


@template("B21 D09 D11 D07", level=3, decision="limit", form="chain", minutes=8)
def chain_decode(draw: Draw) -> Drill:
    """What binds a decode step: weights, caches, memory, caches again."""
    scene, long = _short_and_long(draw)
    step, spec, device, streams = scene.step, scene.spec, scene.device, scene.streams
    draw.require(long.step.kv_bytes > 1.25 * step.weight_bytes)
    draw.require(long.streams <= long.most < 1.8 * long.streams)
    weights_per_stream = (streams * step.weight_bytes + step.kv_bytes) / scene.rate
    return draw.drill(f"""
    {spec.name}, {spec.parameters / 1e9:.4g} billion weights in bf16, serves {streams} streams of
    {scene.context:,} tokens each on one {device.name}: {quantity(device.memory_bytes, "B")} (0.9 of
    it for weights and caches), {quantity(device.bandwidth_bytes_per_s, "B/s")}, of which
    {100 * scene.reached:.0f} % are reached. The cache takes {quantity(scene.per_token, "B")} a
    token, in bf16.
    ? How long does a decode step take at least?
    = {step.time_s} s tolerance=0.03
    - rated-bandwidth {step.time_s * scene.reached}: You read at the rated bandwidth. What is
      reached?
    - caches-alone {step.kv_bytes / scene.rate}: You read the caches. What does every step read
      besides?
    - weights-per-stream {weights_per_stream}: You read the weights once for each stream. Why does
      one batch them?
    ? What binds, i.e. sets the limit?
    {_which("weights")}
    > Which bytes does a step move, and how fast?
    > (Weights + streams × context × cache of a token) ÷ (share × bandwidth).
    > ({quantity(step.weight_bytes, "B")} + {streams} × {scene.context:,} ×
      {quantity(scene.per_token, "B")}) ÷ ({scene.reached:g} ×
      {quantity(device.bandwidth_bytes_per_s, "B/s")}).
    * weights {step.weight_bytes} B: Weights: {quantity(step.weight_bytes, "B")}
    * caches {step.kv_bytes} B: Caches: {streams} × {scene.context:,} ×
      {quantity(scene.per_token, "B")} = {quantity(step.kv_bytes, "B")}, the smaller part
    * step {step.time_s} s: The sum ÷ {quantity(scene.rate, "B/s")} = {quantity(step.time_s, "s")}
    ~ More than the weights alone need, and less than twice that.

    Short contexts, small batch: the weights bind, and each further stream is nearly free. That ends
    when streams × context reaches weights ÷ cache of a token.
    """).then(_longer(draw, old=scene, long=long))


def _longer(draw: Draw, *, old: DecodeScene, long: DecodeScene) -> Drill:
    step, before = long.step, old.step
    return draw.drill(f"""
    The product now keeps the whole conversation: {long.context:,} tokens per stream, still
    {long.streams} streams.
    ? How long does a step take now?
    = {step.time_s} s tolerance=0.03
    - in-proportion {before.time_s * long.context / old.context}: You scale the whole step. Do the
      weights grow with the context?
    - unchanged {before.time_s}: That is the old step. What has grown?
    - caches-alone {step.kv_bytes / long.rate}: You read the caches alone. Are the weights gone?
    ? What binds, i.e. sets the limit?
    {_which("caches")}
    > One of the two amounts has grown, the other has not.
    > (Weights + new caches) ÷ rate.
    > ({quantity(step.weight_bytes, "B")} + {long.streams} × {long.context:,} ×
      {quantity(long.per_token, "B")}) ÷ {quantity(long.rate, "B/s")}.
    * caches {step.kv_bytes} B: Caches: {quantity(step.kv_bytes, "B")}, now more than the weights
    * step {step.time_s} s: ({quantity(step.weight_bytes, "B")} + {quantity(step.kv_bytes, "B")}) ÷
      {quantity(long.rate, "B/s")} = {quantity(step.time_s, "s")}
    ~ More than twice what the weights need: they are the smaller part by now.

    With long contexts each stream costs its own reading, and batching stops paying: tokens a second
    tend to bandwidth ÷ cache of one stream.
    """).then(_more(draw, long=long))


def _more(draw: Draw, *, long: DecodeScene) -> Drill:
    twice, spec = 2 * long.streams, long.spec
    narrow = replace(long, streams=twice, value_bytes=1.0)
    draw.require(narrow.most >= twice)
    room, one = USED * long.device.memory_bytes - spec.weight_bytes(), spec.kv_bytes(long.context)
    told = USED * long.device.memory_bytes - 2 * as_printed(spec.parameters)
    draw.require(told // (as_printed(long.per_token) * long.context) == long.most)
    whole_card = float(int((long.device.memory_bytes - spec.weight_bytes()) / one))
    return draw.drill(f"""
    Traffic doubles. Somebody sets the batch to {twice} streams of that length.
    ? How many such streams does the card hold at once?
    = {long.most} tolerance=0 absolute=1 unsafe=above
    - weights-forgotten {int(USED * long.device.memory_bytes / one)}: You give all memory to caches.
      What else must be there?
    - as-set {twice}: That is the setting. Add up the bytes.
    - whole-card {whole_card}: You use the whole card. Which part of it is for weights and caches?
    ? What binds, i.e. sets the limit?
    {_which("room")}
    > Before you ask how fast, ask whether they fit.
    > ⌊(0.9 × memory − weights) ÷ (context × cache of a token)⌋.
    > ({quantity(USED * long.device.memory_bytes, "B")} − {quantity(spec.weight_bytes(), "B")}) ÷
      {quantity(one, "B")}.
    * room {room} B: Room: {quantity(room, "B")}
    * stream {one} B: A stream: {quantity(one, "B")}
    * streams {long.most}: The quotient, rounded down: {long.most}, fewer than {twice}
    ~ At least the {long.streams} that run already, and fewer than twice as many.

    A batch that does not fit is a setting, not a batch: the engine queues or preempts. Memory binds
    before arithmetic in nearly all long-context serving.
    """).then(_narrower(draw, narrow=narrow))


def _narrower(draw: Draw, *, narrow: DecodeScene) -> Drill:
    step, wide = narrow.step, replace(narrow, value_bytes=2.0)
    weights_in_fp8_too = narrow.streams / ((step.weight_bytes / 2 + step.kv_bytes) / narrow.rate)
    return draw.drill(f"""
    The cache is kept in fp8, one byte a value, and {narrow.streams} streams of {narrow.context:,}
    tokens fit. The reached share of the bandwidth stays.
    ? How many tokens a second does the card make, over all streams?
    = {step.tokens_per_s} tok/s tolerance=0.03
    - old-cache {wide.step.tokens_per_s}: You read the caches at two bytes a value. How many are
      stored?
    - weights-in-fp8-too {weights_in_fp8_too}: You halve the weights as well. What has been stored
      in fp8?
    - one-stream {step.tokens_per_s_per_request}: That is one stream. How many are there?
    ? What binds, i.e. sets the limit?
    {_which("caches")}
    > Twice the streams, half the bytes of each: what does a step read?
    > Streams ÷ ((weights + caches) ÷ rate).
    > {narrow.streams} × {quantity(narrow.rate, "B/s")} ÷ ({quantity(step.weight_bytes, "B")} +
      {quantity(step.kv_bytes, "B")}).
    * caches {step.kv_bytes} B: Caches: {quantity(step.kv_bytes, "B")}, as many bytes as before for
      half the streams
    * step {step.time_s} s: A step: {quantity(step.time_s, "s")}
    * rate {step.tokens_per_s} tok/s: {narrow.streams} ÷ {quantity(step.time_s, "s")} =
      {quantity(step.tokens_per_s, "tok/s")}
    ~ Twice as many tokens as before the doubling: the step has not changed.

    Halving the cache doubles what fits and what a byte of bandwidth brings. The same limit binds
    again, one factor of two further out; quality is to be measured, not assumed.
    """)
