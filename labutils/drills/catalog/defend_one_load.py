"""Commit to a second load before a model of a step is quoted, and defend what it costs."""

from labutils.drills.catalog._serving import as_printed, billions, gb, speed_of, whole_card
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("D11 B21 L12", level=4, decision="commit", form="defend", minutes=4, rough=False)
def defend_one_load(draw: Draw) -> Drill:
    """One load, two constants: a share of the bandwidth and a cost of each layer."""
    spec, card = whole_card(draw)
    speed, layers = card.bandwidth_bytes_per_s, spec.layers
    share, each = draw.share(0.78, 0.95), draw.random.randint(18, 95) * 1e-6
    weights = 2 * spec.parameters
    room = 0.9 * card.memory_bytes - weights
    parts = draw.share(0.05, 0.25), draw.share(0.5, 0.95)
    reads = [as_printed(weights + room * part) for part in parts]
    steps = [as_printed(read / (share * speed) + layers * each) for read in reads]
    few, quick = reads[0], steps[0]
    answer = (quick - few / speed) / layers
    asked = draw.drill(f"""
    A simulator is to be fitted to an engine: {spec.name} ({billions(spec)}, 16 bits each,
    {layers} layers) on {speed_of(card)}. Its step takes bytes read ÷ (share × bandwidth), and a
    time c for each layer on top. The share is at most 1; nobody knows it, or c. One load was
    measured: a step reads {gb(few)}, weights and caches, and takes {quantity(quick, "s")}.
    ? How large may c be at most, by this measurement?
    = {answer} s tolerance=0.02 telling=3
    - for-all-layers {layers * answer}: That is left for all the layers. How many are they?
    - nothing-is-read {quick / layers}: You give the whole step to the layers. How long does reading
      take at least?
    - weights-alone {(quick - as_printed(weights) / speed) / layers}: You read the weights. What
      else is read in a step?
    - a-byte-a-weight {(quick - (few - weights / 2) / speed) / layers}: You read half of the
      weights. How many bytes has one?
    ? What do you commit to?
    + A second load, at which a step reads much more, before either constant is quoted.
    x The share alone, with c = 0: it fits the measured step exactly.
    ! So does every other c up to the largest one, with a share of its own. Why this one?
    x The same load for ten times as long, until the mean is exact.
    ! However exact, how many equations is it, and how many unknowns are there?
    x The middle of what both constants may be.
    ! A middle is no measurement. What would tell the constants apart?
    > Which share leaves most of the step to the layers?
    > (step − bytes ÷ bandwidth) ÷ layers.
    > ({quantity(quick, "s")} − {gb(few)} ÷ {speed / 1e12:g} TB/s) ÷ {layers}.
    * reading {few / speed} s: At a share of 1 reading takes {quantity(few / speed, "s")}
    * largest {answer} s: Left: {quantity(quick - few / speed, "s")}, ÷ {layers} =
      {quantity(answer, "s")} a layer
    . At c = 0 the share is {few / speed / quick:.4g}; between the two every c has its share
    ~ Less than {quantity(quick / layers, "s")}: reading takes some of the step.

    One load is one equation. A fit of two constants to it always succeeds, and the pair that a
    program returns says where its search began.
    """)
    return asked.then(_part(draw, reads, steps, layers, speed))


def _part(draw: Draw, reads: list, steps: list, layers: int, speed: float) -> Drill:
    (few, much), (quick, slow) = reads, steps
    answer = quick * much / few
    draw.require(answer / slow > 1.05)
    at_full = quick + (much - few) / speed
    return draw.drill(f"""
    The strongest objection: ‘The share alone is one constant, fits exactly, and needs no second
    test. Whatever the layers cost is in it.’ At another load a step reads {gb(much)}.
    ? How long does a step take there, by the share alone as fitted to the first load?
    = {answer} s tolerance=0.01 telling=3
    - the-same-step {quick}: So long it takes at the first load. What is read at this one?
    - peak-on-top {at_full}: You read what is more at the peak. Which share was fitted?
    - at-the-peak {much / speed}: You read at the peak. Which share was fitted?
    - only-what-is-more {quick * (much - few) / few}: That is the time of the difference. What else
      does the step read?
    ? It is measured: {quantity(slow, "s")}. Which defence of the second load holds?
    + One load cannot tell the two apart, and at another load they predict different steps.
    x A share below 1 is impossible, so the share alone is refuted by the first load.
    ! Kernels do not reach the peak. Does a share below 1 contradict anything?
    x Two constants always fit better than one, whatever is measured.
    ! At the first load they fit equally well. What did the second one add?
    x The difference is within the noise of a step that is this long.
    ! Set it beside the step: how many per cent is it?
    > The share alone lets the whole step grow with the bytes.
    > step × bytes there ÷ bytes here.
    > {quantity(quick, "s")} × {gb(much)} ÷ {gb(few)}.
    * share {few / speed / quick}: The share by itself: {gb(few)} ÷ ({speed / 1e12:g} TB/s ×
      {quantity(quick, "s")}) = {few / speed / quick:.4g}
    * predicted {answer} s: {gb(much)} ÷ ({few / speed / quick:.4g} × {speed / 1e12:g} TB/s) =
      {quantity(answer, "s")}
    . Measured {quantity(slow, "s")}: {100 * (answer / slow - 1):.3g} % too long
    ~ More than {quantity(at_full, "s")}: more is read, and not at the peak.

    What does not read does not grow with what is read. The share alone is too long at every fuller
    step and too short at every emptier one; at the load that it was fitted to it is exact.
    """).then(_both(draw, reads, steps, layers, speed))


def _both(draw: Draw, reads: list, steps: list, layers: int, speed: float) -> Drill:
    (few, much), (quick, slow) = reads, steps
    reached = (much - few) / (slow - quick) / speed
    answer = (quick - few / (reached * speed)) / layers
    draw.require(answer > 1e-5)
    return draw.drill(f"""
    Both loads stand: {gb(few)} in {quantity(quick, "s")}, {gb(much)} in {quantity(slow, "s")}.
    ? How large is c?
    = {answer} s tolerance=0.05 telling=3
    - at-the-peak {(quick - few / speed) / layers}: You read at the peak. Which share do the two
      loads give?
    - for-all-layers {layers * answer}: That is the cost of all the layers. How many are they?
    - peak-at-the-second {(slow - much / speed) / layers}: You read at the peak, at the second load.
      Which share do the two loads give?
    - mean-of-both {((quick + slow) / 2 - (few + much) / 2 / speed) / layers}: You take the mean of
      the loads. What does their difference say?
    ? Each step is known to 1 %. Which second load would make c most certain?
    + One that reads as much more or as much less than the first as the engine can.
    x One that reads nearly the same, so that both loads are comparable.
    ! The difference of the steps is divided by the difference of the bytes. What if both are small?
    x The first one again, to halve its error.
    ! Then the differences are 0. What do they say about the share?
    x Any other: two unknowns need two equations, and these are two.
    ! Lines that are nearly parallel cross at a point that a small error moves far. When are these
      two nearly parallel?
    > What is the same in both steps, and goes when one is subtracted from the other?
    > share = difference of bytes ÷ (bandwidth × difference of steps); c = (step − bytes ÷ (share ×
      bandwidth)) ÷ layers.
    > share = {gb(much - few)} ÷ ({speed / 1e12:g} TB/s × {quantity(slow - quick, "s")}); then
      {quantity(quick, "s")} − {gb(few)} ÷ (share × {speed / 1e12:g} TB/s), over {layers}.
    * share {reached}: {gb(much - few)} ÷ ({speed / 1e12:g} TB/s × {quantity(slow - quick, "s")}) =
      {reached:.4g}
    * reading {few / (reached * speed)} s: At the first load reading takes
      {quantity(few / (reached * speed), "s")} of {quantity(quick, "s")}
    * c {answer} s: The rest ÷ {layers} = {quantity(answer, "s")}
    ~ Less than {quantity((quick - few / speed) / layers, "s")}, the most that the first load
      allows.

    Two loads that differ in what a step reads separate what reads from what does not. Still unseen
    is whatever neither load used: then seal a prediction for another model, and open it afterwards.
    """)
