"""Operations per byte: what a card can do meanwhile, and the batch that waits for it."""

from labutils import llm
from labutils.drills.catalog._serving import a, billions, percent, speed_of
from labutils.drills.definition.writing import Draw, Drill, piece, quantity, template

_SPARSE = "A100 80 SXM", "A100 40 SXM", "L4", "H100 PCIe", "H100 SXM", "H200 SXM", "B200", "MI300X"


@template("D01 E01", level=1, decision="limit", number=10)
def flop_per_byte(draw: Draw) -> Drill:
    """The ridge point of a card."""
    card = llm.accelerator(draw.one_of(_SPARSE))
    peak, bandwidth = card.peak("bf16"), card.bandwidth_bytes_per_s
    if draw.one_of((True, False)):
        reached = draw.share(0.55, 0.85), draw.share(0.75, 0.93)
        return _measured(draw, card, peak, bandwidth, reached)
    beginning = piece(f"""
    {_kernel(draw)} The data sheet of {a(card.name)} says: {quantity(bandwidth, "B/s")},
    {card.memory_bytes / 1e9:g} GB, bf16 {quantity(2 * peak, "FLOP/s")} with a footnote: with 2:4
    sparsity, which your matrices have not.

    - sparse {2 * peak / bandwidth}: You use the figure of the footnote. Do your matrices have two
      zeros in every four weights?
    - upside-down {bandwidth / peak}: Bytes per operation. Which of the two was asked for?
    - capacity {peak / card.memory_bytes}: You divide by the size of the memory. What limits how
      fast it is read?
    """)
    return _drill(draw, beginning, peak, bandwidth)


def _kernel(draw: Draw) -> str:
    return draw.one_of(
        (
            "A colleague wants to know which kernels are worth tuning for arithmetic.",
            "You profile a decode kernel and wonder what it waits for.",
            "You are handed a new card before anybody has chosen a model for it.",
        )
    )


def _measured(draw: Draw, card, peak: float, bandwidth: float, reached) -> Drill:
    flops, reading = (float(f"{x:.3g}") for x in (reached[0] * peak, reached[1] * bandwidth))
    beginning = piece(f"""
    {_kernel(draw)} On your {card.name} (data sheet: {quantity(peak, "FLOP/s")} dense in bf16,
    {quantity(bandwidth, "B/s")}) a large matrix product reaches {quantity(flops, "FLOP/s")}, and a
    kernel that only reads gets {quantity(reading, "B/s")}. Use what you measured.

    - mixed {peak / reading}: You divide the data sheet's peak by a bandwidth that you measured.
      Should both not come from one place?
    - data-sheet {peak / bandwidth}: That is the data sheet's. Which figures were you to take?
    - upside-down {reading / flops}: Bytes per operation. Which of the two was asked for?
    - shares {reached[0] / reached[1]}: You compare the shares of the data sheet that are reached.
      How many operations and how many bytes per second is that?
    """)
    return _drill(draw, beginning, flops, reading, sheet=peak)


def _drill(draw: Draw, beginning: str, flops: float, bandwidth: float, sheet: float = 0.0) -> Drill:
    """``beginning`` is the piece with the story and the mistakes."""
    ridge = flops / bandwidth
    return draw.drill(f"""
    {beginning}
    ? How many operations must a bf16 kernel do for each byte that it reads, before the arithmetic
      and not the memory limits it?
    = {ridge} FLOP/B tolerance=0.02 telling=2
    > In one second, how many operations, and how many bytes?
    > Dense operations per second / bytes per second.
    > {quantity(flops, "FLOP/s")} / {quantity(bandwidth, "B/s")}.
    * arithmetic {flops} FLOP/s: Dense arithmetic: {quantity(flops, "FLOP/s")}
    * per_byte {ridge} FLOP/B: {quantity(flops, "FLOP/s")} / {quantity(bandwidth, "B/s")} =
      {quantity(ridge, "FLOP/B")}
    ~ Server cards since 2020 lie between 100 and 600, far above a decode step in bf16: 1 for each
      sequence in the batch.

    The ridge point of the roofline, F / BW: below it a kernel waits for memory. Dense peaks only:
    sparse ones promise twice as much to weights that are half zeros.
    """).then(_share_at_most(draw, ridge, sheet / flops))


def _share_at_most(draw: Draw, ridge: float, sheet: float) -> Drill:
    """``sheet``: the data sheet's arithmetic over what was measured, 0 where nothing was."""
    batch = draw.one_of((1, 2, 4, 8, 12, 16, 24, 32))
    share = batch / ridge
    draw.require(share < 0.7)
    text = (
        "Which share of the arithmetic that you measured can such a step reach, at most?"
        if sheet
        else "Which share of the card's dense arithmetic can such a step reach, at most?"
    )
    return draw.drill(f"""
    {batch} {"sequences decode" if batch > 1 else "sequence decodes"} at once, weights in bf16,
    contexts short: every weight that is read (2 bytes) is multiplied and added once for each
    sequence.
    ? {text}
    = {share} tolerance=0.03 telling=0
    - two-operations {2 * share}: Two operations per weight, but how many bytes does a weight have?
    - one-operation {share / 2}: A multiplication and an addition: how many operations is that?
    - batch-forgotten {1 / ridge}: That is one sequence. How often is each weight used once it is
      there?
    - all 1.0: The step waits for bytes. What does the arithmetic do then?
    - data-sheet {share / sheet if sheet else None}: That is a share of the data sheet's arithmetic.
      Of which is it asked?
    > How many operations does this step do for each byte?
    > (2 · batch operations / 2 bytes) over the operations per byte of the card.
    > {batch} / {quantity(ridge, "FLOP/B")}.
    * per_byte_of_the_step {batch} FLOP/B: 2 × {batch} operations for 2 bytes: {batch} FLOP/B
    * share {share}: {batch} / {ridge:.4g} = {percent(share)}
    ~ Below the ridge: less than the whole.

    At small batches decoding leaves the arithmetic idle, whatever the dashboard calls utilisation:
    kernels are active all the time and wait. What helps is more work for each weight that is read:
    a larger batch, or several tokens checked at once.
    """)


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
