"""Output that must fit a schema: masks that the processor makes while the GPU waits, or not."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_OPENINGS = (
    "An extraction service returns JSON that must fit a customer's schema.",
    "Agents call tools, and their arguments must fit the tools' schemas.",
    "A service turns questions into SQL that must follow a grammar.",
)


@template("O15 H07 H13", level=2, decision="limit")
def grammar_mask(draw: Draw) -> Drill:
    """Structured output: the mask's time in every step."""
    threads, rounds = draw.one_of((2, 4, 6, 8)), draw.one_of((2, 3, 4, 5, 6))
    masked, gpu = threads * rounds, draw.number(0.008, 0.03)
    streams, mask = masked + draw.one_of((4, 8, 12, 16)), draw.number(0.0004, 0.004)
    masks = rounds * mask
    answer = gpu + masks
    draw.require(0.15 * gpu < masks < 0.8 * gpu and streams >= 1.5 * masked)
    for_all = gpu + streams * mask / threads
    for other in (answer, gpu + masked * mask, gpu + mask, gpu, gpu + mask / threads):
        draw.apart(for_all, other, by=0.06)
    return draw.drill(f"""
    {draw.one_of(_OPENINGS)} An engine decodes {streams} streams in one batch; the GPU computes a
    step's logits in {quantity(gpu, "s")}. {masked} of the streams are bound to a grammar. For each
    of those the processor works out, anew in every step, which of 150,000 tokens the grammar
    allows: {quantity(mask, "s")} on one thread. There are {threads} threads. The engine begins with
    it when the logits are there, and samples the next tokens of all streams when the last mask is
    done. Sampling itself takes no time.
    ? How long does a stream without a grammar wait for each token?
    = {answer} s tolerance=0.03 telling=3
    - one-after-another {gpu + masked * mask}: You make the masks one after another. How many
      threads are there?
    - all-at-once {gpu + mask}: You make all masks at the same time. How many threads are there?
    - gpu-alone {max(gpu, masks)}: That is the GPU alone. When does this engine begin the masks, and
      for whose masks does it wait before it samples?
    - all-streams {for_all}: You make a mask for every stream. How many of
      them need one?
    - mask-for-the-batch {gpu + mask / threads}: You make one mask. How many does a step need?
    > For what does a batch wait before anybody gets a token?
    > Step = GPU + masks ÷ threads × time of one.
    > {quantity(gpu, "s")} + {masked} ÷ {threads} × {quantity(mask, "s")}.
    * masks {masks} s: Masks: {masked} ÷ {threads} × {quantity(mask, "s")} = {quantity(masks, "s")}
    * step {answer} s: {quantity(gpu, "s")} + {quantity(masks, "s")} = {quantity(answer, "s")}
    ~ More than the GPU's {quantity(gpu, "s")}: the whole batch waits for the masks.

    A batch samples together, so the masks of some streams lengthen the time per token of all. The
    card's own dashboard shows a GPU that idles.
    """).then(_overlapped(draw, streams, masked, threads, gpu, mask))


def _overlapped(draw: Draw, streams, masked, threads, gpu, mask) -> Drill:
    growth, factor = draw.share(0.1, 0.4), draw.one_of((2, 3, 4))
    longer = float(f"{gpu * (1 + growth):.2g}")
    masks = factor * masked / threads * mask
    answer = max(longer, masks)
    draw.require(not 0.8 < masks / longer < 1.25)
    binds = {True: "The processor's threads", False: "The GPU"}
    right = binds[masks > longer]
    return draw.drill(f"""
    A mask depends on the tokens so far, not on the logits. So it is now made while the GPU
    computes. And the batch grows to {factor * streams} streams, {factor * masked} of them with a
    grammar. The GPU then takes {quantity(longer, "s")} for a step's logits.
    ? How long does a stream wait for each token now?
    = {answer} s tolerance=0.03 telling=0
    - added {longer + masks}: You add the two. Are the masks still made after the logits?
    - the-shorter {min(longer, masks)}: That is the shorter of the two. For which one does a step
      wait?
    - as-many-masks {masked / threads * mask}: That is how long the masks took before. How many are
      there now?
    - one-after-another {factor * masked * mask}: You make the masks one after another. How many
      threads are there?
    ? What sets the time of a step now?
    + {right}
    x {binds[masks < longer]}
    ! Work out both times of the larger batch. Which is longer?
    x Both, one after the other
    ! When are the masks made now?
    > Two things go on at the same time. Which of them ends later?
    > max(GPU, masks ÷ threads × time of one).
    > Set {factor * masked} ÷ {threads} × {quantity(mask, "s")} beside the time of the GPU.
    * masks {masks} s: Masks: {factor * masked} ÷ {threads} × {quantity(mask, "s")} =
      {quantity(masks, "s")}
    * step {answer} s: The longer of {quantity(longer, "s")} and {quantity(masks, "s")}:
      {quantity(answer, "s")}
    ~ Not shorter than the GPU alone takes.

    Work on the processor hides behind a step until it is longer: its limit is masks = threads ×
    step ÷ time of one. It grows with the batch, while a step that waits for weights hardly does.
    Compile the grammar, cache its masks, or add threads.
    """)
