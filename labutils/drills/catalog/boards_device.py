"""Dashboards of one device: one panel does not agree with the step, or with its unit."""

from labutils import llm
from labutils.drills.catalog._decode_scene import USED, DecodeScene
from labutils.drills.definition.writing import Draw, Drill, choice, quantity, template

_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"),
    ("Llama-3.1-8B", "A100 80 SXM"),
    ("Qwen3-8B", "H200 SXM"),
    ("Qwen2.5-7B", "H100 PCIe"),
    ("Phi-4", "H100 SXM"),
)
_STEP_PANELS = {
    "running": ("Sequences running", "1"),
    "step": ("Decode step, engine log", "s"),
    "gap": ("Time per token, gateway", "s"),
    "stream": ("Output of one stream", "tok/s"),
    "output": ("Output of the card", "tok/s"),
    "reads": ("Memory read", "B/s"),
}
# The lying panel -> (what it should read, in words; what else a hasty reader may put there).
_STEP_LIES = {
    "step": "The step is the time per token, for each stream gets one token a step",
    "gap": "The time per token is the step, for each stream gets one token a step",
    "stream": "A stream gets one token a step, that is, 1 ÷ time per token",
    "output": "The card makes one token per sequence and step, that is, running ÷ step",
}


@template("B21 L04 L06 A09", level=3, decision="limit", form="dashboard", minutes=4, rough=False)
def board_decode(draw: Draw) -> Drill:
    """The lying panel: what a decode step allows."""
    spec, device = (get(name) for get, name in zip((llm.model, llm.accelerator), _pair(draw)))
    streams, context = draw.whole(12, 64), draw.one_of((600, 900, 1200, 1800, 2500))
    scene = DecodeScene(spec, device, streams, context, draw.share(0.6, 0.8))
    draw.require(scene.streams <= scene.most)
    step = float(f"{scene.step.time_s:.3g}")
    true = dict(zip(_STEP_PANELS, (streams, step, step, 1 / step, streams / step, scene.rate)))
    liar = draw.one_of(list(_STEP_LIES))
    floor = spec.weight_bytes() / device.bandwidth_bytes_per_s
    wrong_value = float(f"{floor * draw.share(0.45, 0.75):.3g}")
    if liar in ("stream", "output"):
        wrong_value = float(f"{true[liar] * step / wrong_value:.4g}")
    shown = {**true, liar: wrong_value}
    texts = {key: _step_panel(key, value) for key, value in shown.items()}
    unit = _STEP_PANELS[liar][1]
    confused = streams if liar == "stream" else 1 / streams
    return draw.drill(f"""
    {spec.name} ({spec.parameters / 1e9:.3g} billion weights in bf16) decodes on one {device.name},
    {quantity(device.bandwidth_bytes_per_s, "B/s")}. For ten minutes the same {streams} sequences of
    about {context:,} tokens run; no prompts come in, and no draft model runs ahead. The cache takes
    {quantity(scene.per_token, "B")} a token.
    ? What should the panel that lies read?
    = {true[liar]} {unit} tolerance=0.03
    - as-shown {shown[liar]}: That is what it reads. How long does the card need for its weights
      alone?
    - one-for-all {true[liar] * confused}: You mix up one stream with all of them. For whom is the
      panel?
    ? Which panel cannot be true beside the others?
    {choice(texts[liar], {texts[key]: _agrees(key, liar) for key in texts if key != liar})}
    > What does a step do for each stream, and what must it read?
    > Time per token = step; card = running ÷ step; reads = (weights + caches) ÷ step.
    > A step reads {quantity(scene.step.weight_bytes, "B")} + {quantity(scene.step.kv_bytes, "B")};
      which panels agree with that?
    . Reading the weights alone takes {quantity(floor, "s")} at the rated bandwidth: no step is
      shorter, and no stream faster than one token in that time.
    * step {step} s: ({quantity(scene.step.weight_bytes, "B")} +
      {quantity(scene.step.kv_bytes, "B")}) ÷ {quantity(scene.rate, "B/s")} = {quantity(step, "s")}
      a step
    * reading {true[liar]} {unit}: “{texts[liar]}” is wrong. {_STEP_LIES[liar]}:
      {quantity(true[liar], unit)}
    ~ Every step lasts longer than {quantity(floor, "s")}, the time to read the weights.

    Without a draft model, weights ÷ bandwidth is the floor under every time per token, and a test
    for every panel that claims to beat it. Gaps measured at a proxy are short when tokens arrive in
    clumps.
    """)


def _pair(draw: Draw) -> tuple[str, str]:
    return draw.one_of(_PAIRS)


def _step_panel(key: str, value: float) -> str:
    name, unit = _STEP_PANELS[key]
    return f"{name}: {quantity(value, unit)}"


def _agrees(key: str, liar: str) -> str:
    if key in ("running", "reads"):
        name = _STEP_PANELS[key][0].lower()
        return (
            "Weights and caches of these sequences, over the bytes read a second, give a step "
            f"that other panels show as well: “{name}” fits."
        )
    other = {"step": "gap", "gap": "step", "stream": "gap", "output": "step"}[key]
    other = (
        {"gap": "stream", "step": "output", "stream": "output", "output": "stream"}[key]
        if other == liar
        else other
    )
    pair = " and ".join(f"“{_STEP_PANELS[each][0].lower()}”" for each in (key, other))
    return f"Compare {pair}: these two agree."


_ROOM_PANELS = {
    "weights": "Weights",
    "pool": "KV pool, size",
    "used": "KV pool, in use",
    "both": "Weights and pool together",
}


@template("J05 L07 M09 B22", level=2, decision="limit", form="dashboard", minutes=4, rough=False)
def board_memory(draw: Draw) -> Drill:
    """The lying panel: GB that are GiB."""
    spec, device = (get(name) for get, name in zip((llm.model, llm.accelerator), _pair(draw)))
    weights, kv = spec.weight_bytes(), spec.kv_bytes_per_token()
    pool = USED * device.memory_bytes - weights
    share = draw.share(0.35, 0.9)
    tokens = round(share * pool / kv / 1000) * 1000
    true = dict(zip(_ROOM_PANELS, (weights, pool, tokens * kv, weights + pool)))
    liar = draw.one_of(list(_ROOM_PANELS))
    shown = {**true, liar: true[liar] / 2**30 * 1e9}
    texts = {key: f"{_ROOM_PANELS[key]}: {shown[key] / 1e9:.1f} GB" for key in shown}
    texts["share"] = f"KV pool, share in use: {100 * tokens * kv / pool:.1f} %"
    texts["tokens"] = f"Tokens in the cache: {tokens:,}"
    hint = (
        f"Weights: {spec.parameters / 1e9:.4g}·10⁹ × 2 B. In use: {tokens:,} × "
        f"{quantity(kv, 'B')}. One of the four figures is 7 % off."
        if liar not in ("weights", "used")
        else f"Together: 0.9 × {quantity(device.memory_bytes, 'B')}. One of the four is 7 % off."
    )
    return draw.drill(f"""
    {spec.name}: {spec.parameters / 1e9:.4g} billion weights in bf16, {quantity(kv, "B")} of cache
    per token. The card ({device.name}) has {quantity(device.memory_bytes, "B")} (10⁹ B each);
    weights and pool together were given 0.9 of it. Six panels; after an update of the exporter one
    of them is off.
    ? What should that panel read, in GB of 10⁹ bytes?
    = {true[liar]} B tolerance=0.015
    - as-shown {shown[liar]}: That is what it reads. Compute it from the others, in bytes of 10⁹.
    - converted-the-other-way {shown[liar] / 2**30 * 1e9}: You convert in the wrong direction. Which
      is larger, a GB or a GiB, and so which figure?
    ? Which panel is it?
    {choice(texts[liar], {texts[key]: _holds(key, liar) for key in texts if key != liar})}
    > Compute each panel from the facts and the other panels.
    > Weights = 2 B each; pool + weights = 0.9 × card; in use = tokens × cache of a token.
    > {hint}
    . Weights: {spec.parameters / 1e9:.4g}·10⁹ × 2 B = {quantity(weights, "B")}
    . Together: 0.9 × {quantity(device.memory_bytes, "B")} = {quantity(weights + pool, "B")}
    . So the pool has {quantity(pool, "B")}; in use {tokens:,} × {quantity(kv, "B")} =
      {quantity(tokens * kv, "B")}
    * reading {true[liar]} B: “{texts[liar]}” is a figure in GiB; in GB it is
      {quantity(true[liar], "B")}
    ~ Off by 7 %, not by a factor: a unit, not a leak.

    1 GiB = 1.074 GB: a panel that changes its unit looks like a small leak or a small gain. Export
    bytes; let the board write the unit.
    """)


def _holds(key: str, liar: str) -> str:
    facts = {
        "weights": "Two bytes for each weight of the story: this panel holds.",
        "both": "Nine tenths of the card: this panel holds.",
        "pool": "Nine tenths of the card, less two bytes a weight: this panel holds.",
        "used": "Tokens × cache of a token: this panel holds.",
        "share": "Tokens × cache of a token, over nine tenths of the card less the weights: holds.",
        "tokens": "Share in use × (nine tenths of the card − weights) ÷ cache of a token: holds.",
    }
    return facts[key]
