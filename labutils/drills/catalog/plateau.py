"""A throughput that stops growing: which limit is it?"""

from labutils import llm
from labutils.drills.definition.writing import Draw, Drill, quantity, template

_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"),
    ("Qwen3-8B", "H100 PCIe"),
    ("Llama-3.1-8B", "A100 80 SXM"),
    ("Qwen2.5-7B", "H200 SXM"),
    ("Phi-4", "H200 SXM"),
    ("Qwen2.5-7B", "L4"),
)
_WIDTHS = {"stored in bf16": 2.0, "stored in int8 and computed in bf16": 1.0}


@template("B13 E06 D11 E13", level=4, decision="limit", form="verdict", number=48, minutes=4)
def early_plateau(draw: Draw) -> Drill:
    """A plateau at a batch of a few, and who calls it compute-bound."""
    spec, device = (get(name) for get, name in zip((llm.model, llm.accelerator), _pair(draw)))
    kind, cap = draw.one_of(list(_WIDTHS)), draw.one_of((4, 5, 6, 8))
    width, step = _WIDTHS[kind], _step_s(spec, device, draw, kind)
    ridge = llm.compute_ridge_batch(device, width)
    rows = [
        (n, min(n, cap) / step * (1 + draw.share(-0.02, 0.02, 3)))
        for n in (1, 2, cap, 2 * cap, 4 * cap)
    ]
    table = ", ".join(f"{n}: {quantity(rate, 'tok/s')}" for n, rate in rows)
    peak, bandwidth = device.peak("bf16"), device.bandwidth_bytes_per_s
    return draw.drill(f"""
    {spec.name} ({spec.parameters / 1e9:.3g} billion weights, {kind}) on one {device.name}:
    {quantity(peak, "FLOP/s")} dense in bf16, {quantity(bandwidth, "B/s")}. A colleague adds clients
    and reads off the output: {table}. The time per token of a stream stays at {quantity(step, "s")}
    all along; beyond {cap} clients the time to the first token grows with each one more. Short
    contexts. The ticket says: “compute-bound, we need a bigger GPU”.
    ? How many streams does it take on this device before arithmetic outlasts the reading of the
      weights (rated figures, caches left out)?
    = {ridge} tolerance=0.05 scale=off
    - the-plateau {cap}: That is where the curve bends. What do the device's own two rates say?
    - half-of-it {ridge / 2}: That is half. Count the bytes of a weight and the operations on it,
      one by one.
    - one-operation-per-weight {2 * ridge}: A weight meets each stream with a multiplication and an
      addition. How many operations is that, and how many bytes is the weight?
    ? What holds the throughput back?
    + Admission: something lets {cap} streams in at a time and makes the others wait
    x Compute: from {cap} streams on every further one waits for arithmetic
    ! If arithmetic were full, the time per token would grow with each stream. What does it do here?
    x Bandwidth: from {cap} streams on each one reads the weights once more
    ! All streams of a step share one reading of the weights. And what would more reading do to the
      time per token?
    x Memory: caches of more than {cap} streams do not fit beside the weights
    ! The contexts are short. How many gigabytes would so few caches take?
    > Look at what does not change: the time per token.
    > Each weight is read once a step, and brings two operations per stream. Streams = FLOP/s ×
      bytes per weight ÷ (2 × bandwidth).
    > {quantity(peak, "FLOP/s")} × {width:g} B ÷ (2 × {quantity(bandwidth, "B/s")}).
    * ridge {device.ridge()} FLOP/B: The device does {quantity(peak, "FLOP/s")} ÷
      {quantity(bandwidth, "B/s")} = {quantity(device.ridge(), "FLOP/B")}
    * streams {ridge}: A stream needs 2 FLOP per weight of {width:g} B: {quantity(ridge, "1")}
      streams
    . {cap} is far below that; a step as long as before and a growing wait for the first token mean
      that requests queue in front of the engine.
    ~ Dozens to hundreds on any of these devices: arithmetic is what they have most of.

    A plateau with a flat time per token is a cap, not a wall: sequences of the engine, connections
    of the client, a serial proxy. A wall shows in the step. The batch at which arithmetic outlasts
    reading (the ridge) leaves out the caches and the cost of launching kernels; both move it.
    """).then(_cap_lifted(draw, spec=spec, device=device, width=width))


def _pair(draw: Draw) -> tuple[str, str]:
    return draw.one_of(_PAIRS)


def _step_s(spec, device, draw: Draw, kind: str) -> float:
    floor = llm.decode_step(spec, device, 1, 300, bytes_per_weight=_WIDTHS[kind]).time_s
    return float(f"{floor / draw.share(0.6, 0.8):.3g}")


def _cap_lifted(draw: Draw, *, spec, device, width: float) -> Drill:
    streams, context = draw.one_of((16, 24, 32, 40)), draw.one_of((500, 800, 1000, 1500))
    reached = draw.one_of((0.7, 0.75, 0.8))
    draw.require(
        streams <= llm.max_sequences(spec, device.memory_bytes, context, bytes_per_weight=width)
    )
    step = llm.decode_step(
        spec, device, streams, context, bytes_per_weight=width, bandwidth_share=reached
    )
    draw.require(step.binding == "bytes" and step.kv_bytes > 0.12 * step.weight_bytes)
    moved, kv = step.weight_bytes + step.kv_bytes, spec.kv_bytes_per_token()
    weights_alone = step.weight_bytes / (device.bandwidth_bytes_per_s * reached)
    one_cache = (step.weight_bytes + step.kv_bytes / streams) / (
        device.bandwidth_bytes_per_s * reached
    )
    return draw.drill(f"""
    The cap is found and lifted: {streams} streams run, {context:,} tokens of context each, whose
    cache takes {quantity(kv, "B/tok")}. The engine reaches {100 * reached:.0f} % of the rated
    bandwidth.
    ? How long does a decode step take at least?
    = {step.time_s} s tolerance=0.03
    - weights-alone {weights_alone}: You read the weights. What else does a step read, for each
      stream?
    - rated-bandwidth {step.bytes_time_s * reached}: You read at the rated bandwidth. Which part of
      it does the engine reach?
    - one-cache {one_cache}: You read one cache. How many streams are in the step?
    > Which bytes does a step move?
    > (Weights + streams × context × cache per token) ÷ (share × bandwidth).
    > ({quantity(step.weight_bytes, "B")} + {streams} × {context:,} × {quantity(kv, "B/tok")}) ÷
      ({reached:g} × {quantity(device.bandwidth_bytes_per_s, "B/s")}).
    * bytes {moved} B: Weights {quantity(step.weight_bytes, "B")}, caches
      {quantity(step.kv_bytes, "B")}: {quantity(moved, "B")}
    * step {step.time_s} s: ÷ ({reached:g} × {quantity(device.bandwidth_bytes_per_s, "B/s")}) =
      {quantity(step.time_s, "s")}
    ~ More than the weights alone take.

    With the cap gone, bandwidth binds long before arithmetic, and the caches' part of it grows with
    streams × context.
    """)
