"""A second copy of a prompt when no token comes: its work, a bad afternoon, a cap."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template


@template("I09 O05 O04", level=3, decision="estimate", minutes=4.5, rough=False)
def hedged_prefills(draw: Draw) -> Drill:
    """A hedging budget: a copy's work, the day when everybody is late, the cap."""
    trigger = draw.one_of((0.9, 0.93, 0.95, 0.97))
    reading, writing = draw.number(0.05, 0.4), draw.number(0.2, 1.2)
    part = reading / (reading + writing)
    answer = 100 * (1 - trigger) * part
    late = quantity(draw.one_of((0.6, 0.8, 1, 1.2, 1.5, 2)), "s")
    draw.require(0.12 < part < 0.45)
    name = f"p{100 * trigger:.0f}"
    return draw.drill(f"""
    A request takes {quantity(reading, "s")} of a GPU to read its prompt and
    {quantity(writing, "s")} to write the answer, on average. If {late} after a request no token has
    come, the router sends a copy to a second replica; whichever writes first goes on. The other one
    has then read its prompt as well, and is cancelled before it writes. {late} is the {name} of the
    time to the first token, with the copies as well.

    ? By how many percent does this raise the work of the GPUs?
    = {answer} % tolerance=0.03 telling=0
    - whole-copies {100 * (1 - trigger)}: You have every copy write its answer too. When is it
      cancelled?
    - all-twice {100 * part}: You copy each request. Which of them have no token by then?
    - reading-over-writing {100 * (1 - trigger) * reading / writing}: You compare reading with
      writing. With what is the raise to be compared?
    - those-in-time {100 * trigger * part}: That is what the others would cost. How many are later
      than the {name}?
    > How many copies are there, and how much of a request's work does one do?
    > (1 − share in time) × reading ÷ (reading + writing).
    > {1 - trigger:.2g} × {reading:g} ÷ ({reading:g} + {writing:g}).
    * part {part}: A copy does {reading:g} ÷ ({reading:g} + {writing:g}) = {part:.4g} of a request's
      work
    * raise {answer} %: × {1 - trigger:.2g}: {quantity(answer, "%")}
    ~ Less than {quantity(100 * (1 - trigger), "%")}: a copy does not write.

    A hedge on the first token costs a prefill, not an answer, if the loser is cancelled at once.
    That makes it cheap for short prompts, and dear for long ones.
    """).then(_afternoon(draw, part=part, name=name, late=late))


def _afternoon(draw: Draw, *, part: float, name: str, late: str) -> Drill:
    load, share = draw.share(0.8, 0.89), draw.share(0.3, 0.6)
    answer = load * (1 + share * part)
    most = draw.one_of((0.9, 0.91, 0.92))
    draw.require(max(most + 0.01, 1.05 * load) < answer < 1.08 and most > 1.015 * load)
    asked = draw.drill(f"""
    One afternoon the GPUs are {percent(load)} busy with requests alone, copies not counted.
    {percent(share)} of the requests have no token after {late}, and the rule stands.

    ? How busy do the copies make the GPUs? (Work that arrives over work they can do.)
    = {answer} tolerance=0.01 scale=off telling=3
    - whole-copies {load * (1 + share)}: You have every copy write its answer too. How much of a
      request does it do?
    - {f"still-the-{name}"} {load * (1 + (1 - int(name[1:]) / 100) * part)}: You send as many copies
      as on a good day. Is {late} still the {name}?
    - added {load + share * part}: You add a share of the requests to a share of the time. Of what
      work are the copies a share?
    - reading-over-writing {load * (1 + share * part / (1 - part))}: You compare reading with
      writing. Of what work is a copy a part?
    - no-copies {load}: That is without copies.
    - copies-alone {load * share * part}: That is what the copies add. What is there besides?
    ? What follows from that?
    + More wait, more copies are sent, and they make more wait
    x Each copy takes a waiting request off another queue, so the queues shorten
    ! The copied request still stands in its first queue. Did work go away?
    x It settles: copies are cancelled as soon as a token comes
    ! What have they done by then, and what if it is more than the GPUs can do?
    > How much work does a second of traffic bring now?
    > load × (1 + share that is late × part of a copy).
    > {load:g} × (1 + {share:g} × {part:.4g}).
    * added {share * part}: The copies add {share:g} × {part:.4g} = {percent(share * part)}
    * busy {answer}: {load:g} × that more: {answer:.4g}
    ~ More than {load:g}.

    A trigger fixed in seconds sends most copies when there is least room for them: a loop that
    feeds itself.
    """)
    draw.require("reading-over-writing" in {mistake.name for mistake in asked.mistakes})
    return asked.then(_cap(load=load, part=part, share=share, most=most))


def _cap(*, load: float, part: float, share: float, most: float) -> Drill:
    answer = 100 * (most / load - 1) / part
    return drill(f"""
    The GPUs may be {percent(most)} busy, even on such an afternoon. The router gets a budget: it
    sends copies of a fixed share of the requests at most.

    ? What share, in percent, may the budget be?
    = {answer} % tolerance=0.03 telling=0
    - whole-copies {answer * part}: You have every copy write its answer too. How much of a request
      does it do?
    - points {100 * (most - load) / part}: You divide by the whole capacity. Of what is a copy a
      part?
    - room-in-points {100 * (most - load)}: That is the room that is left. How many copies fit into
      it?
    - to-the-brim {100 * (1 / load - 1) / part}: You fill the GPUs completely. How busy may they be?
    - all-that-are-late {100 * share}: So many would like one. How many fit?
    > How much more work fits, as a part of the requests' own?
    > (most ÷ load − 1) ÷ part of a copy.
    > ({most:g} ÷ {load:g} − 1) ÷ {part:.4g}.
    * fits {most / load - 1}: {most:g} ÷ {load:g} − 1 = {percent(most / load - 1)} more work fits
    * budget {answer} %: ÷ {part:.4g} = {quantity(answer, "%")}
    ~ More than {quantity(answer * part, "%")}: a copy is less than a request.

    Cap hedges by a budget (a share of the requests), not by the trigger alone. On a good day the
    cap is never reached; on a bad day it is what keeps the fleet up.
    """)
