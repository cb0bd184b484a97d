"""From a changed document to a changed answer: stages that run by the clock, and a cache behind."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_SOURCES = ("a wiki", "a price list", "a ticket system", "the house rules")


@template("F07 Q05 B18 P09", level=1, decision="model")
def stale_index(draw: Draw) -> Drill:
    """How old an answer may be: periods and times of an index pipeline add up."""
    look, build = draw.one_of((5, 10, 15, 20, 30)), draw.one_of((20, 30, 40, 60, 90))
    embed, make = draw.random.randint(1, 6), draw.random.randint(3, 14)
    kept = draw.one_of((10, 15, 30, 45, 60))
    draw.require(len({look, build, kept}) == 3)
    pipeline = look + embed + build + make
    answer = 60.0 * (pipeline + kept)
    return draw.drill(f"""
    An assistant answers from {draw.one_of(_SOURCES)}. Every {look} minutes a crawler looks for
    changed pages, in no time to speak of, and hands them on; they are embedded within {embed}
    minutes. Every {build} minutes the index is built from what is embedded by then, which takes
    {make} minutes, and is then in use. Answers are cached for {kept} minutes from when they were
    made.
    ? For how long after a change may an answer from the old text still be served, at most?
    = {answer} s tolerance=0.005 telling=3
    - pipeline-alone {60.0 * pipeline}: By then the new text is in the index. From where may an
      answer still come?
    - times-alone {60.0 * (embed + make + kept)}: You let every stage begin at once. When is the
      next round of the crawler, and of the build?
    - half-of-the-periods {answer - 30.0 * (look + build)}: You wait for half of each period: that
      is the average. What is the unluckiest moment for a change?
    - longest-alone {60.0 * max(build, kept)}: You take the longest of them. Do they run side by
      side, or one after the other?
    > Let the change come at the worst moment, and follow it to the user.
    > A period, a time, a period, a time, and the life of a cached answer.
    > {look} + {embed} + {build} + {make} + {kept} minutes.
    * index {60.0 * pipeline} s: In the index after {look} + {embed} + {build} + {make} = {pipeline}
      min at most
    * age {answer} s: An answer made just before lives {kept} min: {quantity(answer, "s")}
    ~ More than {build + kept} minutes: a change may just miss a build, and an answer be made just
      before the new index.

    Each stage that runs by the clock adds its whole period to the worst age, and half of it to the
    mean. Drop cached answers by the document they came from, and the last term is gone.
    """).then(_on_average(draw, look=look, embed=embed, build=build, make=make))


def _on_average(draw: Draw, *, look: int, embed: int, build: int, make: int) -> Drill:
    answer = 60.0 * (look / 2 + embed + build / 2 + make)
    return draw.drill(f"""
    Cached answers are now dropped as soon as a page that they came from has changed in the index.
    Changes come at random moments, the two clocks have nothing to do with each other, and embedding
    always takes its {embed} minutes.
    ? How long after a change is the new text in use, on average?
    = {answer} s tolerance=0.005 telling=3
    - worst-case {60.0 * (look + embed + build + make)}: That is the worst. How long until the next
      round, from a moment at random?
    - times-alone {60.0 * (embed + make)}: You let every stage begin at once. How long does a page
      wait for a round?
    - half-of-everything {30.0 * (look + embed + build + make)}: You halve the work as well. How
      long does a page take in the embedding, and an index to be built?
    - build-forgotten {60.0 * (look / 2 + embed + build / 2)}: You stop when the build begins. When
      is its index in use?
    - one-wait-forgotten {60.0 * (embed + build / 2 + make)}: You let the crawler come at once. How
      long until its next round, on average?
    > A moment at random falls somewhere between two rounds.
    > Half a period for each clock, and the whole of each time.
    > {look} ÷ 2 + {embed} + {build} ÷ 2 + {make} minutes.
    * waiting {30.0 * (look + build)} s: Waiting: {look / 2:g} + {build / 2:g} min
    * mean {answer} s: With {embed} + {make} min of work: {quantity(answer, "s")}
    ~ Between {embed + make} and {look + embed + build + make} minutes.

    Most of the age is waiting for a clock, not work. Build on arrival, or build small segments
    often, before you make the embedding faster.
    """)
