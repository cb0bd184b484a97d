"""Operations per byte: what a card can do while it reads one byte."""

from labutils import llm
from labutils.drills.catalog._serving import a, percent
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
    asked = piece(f"""
    {_kernel(draw)} The data sheet of {a(card.name)} says: {quantity(bandwidth, "B/s")},
    {card.memory_bytes / 1e9:g} GB, bf16 {quantity(2 * peak, "FLOP/s")} with a footnote: with 2:4
    sparsity, which your matrices have not.

    - sparse {2 * peak / bandwidth}: You use the figure of the footnote. Do your matrices have two
      zeros in every four weights?
    - upside-down {bandwidth / peak}: Bytes per operation. Which of the two was asked for?
    - capacity {peak / card.memory_bytes}: You divide by the size of the memory. What limits how
      fast it is read?
    """)
    return _drill(draw, asked, peak, bandwidth)


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
    asked = piece(f"""
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
    return _drill(draw, asked, flops, reading, sheet=peak)


def _drill(draw: Draw, asked: str, flops: float, bandwidth: float, sheet: float = 0.0) -> Drill:
    """``asked`` is the piece with the story and the mistakes."""
    ridge = flops / bandwidth
    return draw.drill(f"""
    {asked}
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
