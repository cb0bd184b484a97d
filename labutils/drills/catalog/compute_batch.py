"""From which batch on a decode step waits for arithmetic."""

from labutils import llm
from labutils.drills.catalog._serving import billions, percent, speed_of
from labutils.drills.definition.writing import Draw, Drill, quantity, template

# How weights are stored, bytes of one, in what they are multiplied.
_SCHEMES = (
    ("weights and arithmetic in bf16", 2, "bf16"),
    ("weights in int8, multiplied in bf16 (W8A16)", 1, "bf16"),
    ("weights and arithmetic in fp8", 1, "fp8"),
    ("weights in 4 bits, multiplied in bf16 (W4A16, scales left out)", 0.5, "bf16"),
)
_PAIRS = (
    ("Llama-3.1-8B", "H100 SXM"), ("Llama-3.1-8B", "L4"), ("Qwen2.5-7B", "RTX 4090"),
    ("Qwen3-8B", "H100 PCIe"), ("Phi-4", "H200 SXM"), ("Qwen3-32B", "B200"),
    ("Qwen3-32B", "MI300X"), ("Llama-3.1-70B", "B200"), ("Llama-3.1-70B", "MI300X"),
)  # fmt: skip


@template("E01 T10", level=2, decision="limit", number=18)
def compute_batch(draw: Draw) -> Drill:
    """The batch from which decoding is bound by arithmetic."""
    spec, card = (
        find(name) for find, name in zip((llm.model, llm.accelerator), draw.one_of(_PAIRS))
    )
    how, width, precision = draw.one_of(_SCHEMES)
    flops_share, bandwidth_share = draw.share(0.55, 0.8), draw.share(0.65, 0.92)
    peak = card.peak(precision)
    answer = llm.compute_ridge_batch(card, width, precision) * flops_share / bandwidth_share
    other, shares = {"bf16": "fp8", "fp8": "bf16"}[precision], flops_share / bandwidth_share
    other_precision = (
        answer * card.peak(other) / card.peak(precision) if other in card.peak_flops else 2 * answer
    )
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} {spec.name}, {billions(spec)}, on {speed_of(card)} with {how}:
    {quantity(peak, "FLOP/s")} dense. Kernels reach {percent(flops_share)} of that and
    {percent(bandwidth_share)} of the bandwidth. Contexts are short.

    ? At how many sequences per step does decoding stop waiting for the weights, and begin to wait
      for the arithmetic?
    = {answer} tolerance=0.05 telling=2
    - arithmetic-share-alone {answer * bandwidth_share}: You take what kernels reach of the
      arithmetic, and all of the bandwidth. What do they reach of that?
    - bandwidth-share-alone {answer / flops_share}: You take what kernels reach of the bandwidth,
      and all of the arithmetic. What do they reach of that?
    - twice {2 * answer}: Twice too much. Is the peak a sparse one, was a weight's multiply-and-add
      counted as one operation, or does a weight have fewer bytes than you took?
    - two-bytes {llm.compute_ridge_batch(card, 2, precision) * shares}: You read two bytes a weight.
      How are the weights stored here?
    - peaks {answer / shares}: You take both figures of the data sheet. What do the kernels reach?
    - half {answer / 2}: Half of it. In which precision does this card multiply, and how many bytes
      are read?
    - other-precision {other_precision}: You take the peak of another precision. In which one are
      the products done?
    > Reading a weight takes the same time at any batch. What grows with the batch?
    > 2 · P · B / (F · share) = P · b / (BW · share), solved for B.
    > B = {quantity(peak * flops_share, "FLOP/s")} × {width:g} B / (2 ×
      {quantity(card.bandwidth_bytes_per_s * bandwidth_share, "B/s")}).
    * arithmetic {peak * flops_share} FLOP/s: Arithmetic: {percent(flops_share)} of
      {quantity(peak, "FLOP/s")} = {quantity(peak * flops_share, "FLOP/s")}
    * reading {card.bandwidth_bytes_per_s * bandwidth_share} B/s: Reading:
      {percent(bandwidth_share)} of {quantity(card.bandwidth_bytes_per_s, "B/s")} =
      {quantity(card.bandwidth_bytes_per_s * bandwidth_share, "B/s")}
    * batch {answer}: A weight has {width:g} B and costs 2 FLOP per sequence; P cancels: B =
      {answer:.4g}
    ~ Tens to hundreds, of the order of the card's operations per byte: a plateau at a batch of 4
      has another cause.

    Critical batch = F · b / (2 · BW): the model's size cancels. Narrower weights are read sooner
    and lower it; faster arithmetic raises it. Long contexts add bytes for each sequence and may
    push it out of reach.
    """).then(_experts(draw, card, flops_share / bandwidth_share))


_OPENINGS = (
    "Throughput has stopped growing, and a colleague says that the card is out of FLOPs.",
    "You set the largest batch of a new deployment.",
    "A benchmark sweeps the batch from 1 to 1,024, and you are to say where the line bends.",
)


def _experts(draw: Draw, card, shares: float) -> Drill:
    spec = llm.model(draw.one_of(("Mixtral-8x7B", "Qwen3-30B-A3B", "Qwen3-235B-A22B")))
    dense = llm.compute_ridge_batch(card) * shares
    answer = llm.model_ridge_batch(spec, card) * shares
    total, active = spec.parameters / 1e9, spec.active_parameters / 1e9
    return draw.drill(f"""
    On cards of the same kind, in bf16, the team tries {spec.name}: {total:.4g} billion parameters,
    of which a token uses {active:.4g} billion. In bf16 the line of a dense model bends at
    {dense:.4g} sequences per step. At batches like these every expert is read in each step. If the
    weights need several cards, each card reads and multiplies its own part.

    ? At how many sequences per step, all cards together, does this model begin to wait for the
      arithmetic?
    = {answer} tolerance=0.05
    - dense {dense}: That is the dense model's batch. How many of the weights that are read does one
      sequence use here?
    - inverted {dense * spec.active_parameters / spec.parameters}: You shrink it: less arithmetic
      per sequence. Does it take more or fewer sequences to keep the arithmetic busy?
    > How many weights are read in a step, and with how many of them is one token multiplied?
    > Critical batch · parameters / active parameters.
    > {dense:.4g} × {total:.4g} / {active:.4g}.
    * batch {answer}: {dense:.4g} × {total:.4g} / {active:.4g} = {answer:.4g}
    ~ More than for the dense model: each weight that is read serves fewer sequences.

    With experts the knee moves out by parameters / active parameters. How many cards share the
    weights cancels; they are needed for the caches of so many sequences. The exchange between the
    cards comes on top.
    """)
