"""A canary that has met young sessions alone, and a comparison that is stopped at a good moment."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template, within


@template("P06 L18 L02", level=4, decision="estimate", form="verdict", minutes=4.5, rough=False)
def young_canary(draw: Draw) -> Drill:
    """A canary of young sessions looks fast; a verdict at the first good look comes by chance."""
    pause, turns = draw.one_of((2, 3, 4, 5)), draw.random.randint(10, 24)
    met = draw.one_of((3, 4, 5))
    first, more = draw.number(0.1, 0.4), draw.number(0.02, 0.12)
    slower = draw.one_of((0.05, 0.08, 0.1, 0.15, 0.2))
    old, young = first + more * (turns - 1) / 2, first + more * (met - 1) / 3
    answer = (1 + slower) * young
    draw.require(answer < 0.85 * old)
    return draw.drill(f"""
    Sessions of {turns} turns begin evenly all day; turns come {pause} minutes apart, the first at
    once. The time to the first token is {quantity(first, "s")} at the first turn and
    {quantity(more, "s")} longer at each further one, since prompts grow; the old version's mean is
    {quantity(old, "s")}. From ten o'clock on a new version gets every tenth session that begins,
    and keeps it to its end. It takes {percent(slower)} longer at every turn. After {pause * met}
    minutes somebody looks.
    ? What is the mean time to the first token of the new version's requests by then?
    = {answer} s tolerance=0.01 telling=3
    - all-turns {(1 + slower) * old}: You take all {turns} turns. How far have its sessions come?
    - turns-alike {(1 + slower) * (first + more * (met - 1) / 2)}: You give all turns so far the
      same weight. How many sessions have come to the last of them?
    - oldest-session {(1 + slower) * (first + more * (met - 1))}: That is the turn that the oldest
      sessions have reached. And the others?
    - not-slower {young}: That is how the old version would do with such sessions. And the new one?
    - old-mean {old}: That is the old version's mean, over all turns. Which turns has the new one
      met?
    ? It is set beside the old version's {quantity(old, "s")}. What follows?
    + Nothing: compare it with sessions of the old version that began in the same minutes
    x The new version is faster: give it more sessions
    ! Which turns has it met, and which has the old one met?
    x The new version is faster for short prompts, so give it the first turns
    ! What did the story say about it, at every turn?
    x Nothing: its sample is too small for a mean
    ! Ten times as many such sessions would show the same mean. What is wrong with them?
    > How many requests of each turn have there been? Sessions that began early have sent more.
    > (1 + slower) × (first + more × (r − 1) ÷ 3), with turns 1 to r so far: r parts of the requests
      are first turns, r − 1 second ones, …, one is turn r.
    > (1 + {slower:g}) × ({first:g} + {more:g} × ({met} − 1) ÷ 3).
    * turn {(met + 2) / 3}: Mean turn: ({met} + 2) ÷ 3 = {(met + 2) / 3:.4g}
    * mean {answer} s: {1 + slower:g} × ({first:g} + {more:g} × {(met - 1) / 3:.4g}) =
      {quantity(answer, "s")}
    ~ Between that of a first turn and that of turn {met}.

    Whoever keeps sessions with their version compares young ones with old ones at first. The same
    minute for both, turn by turn: a control that started with the canary.
    """).then(_at_the_first_look(draw))


def _at_the_first_look(draw: Draw) -> Drill:
    every, hours = draw.one_of((5, 10, 15)), draw.one_of((2, 3, 4, 6))
    level = draw.one_of((1, 2, 5))
    looks = 60 * hours // every
    answer = 100 * (1 - (1 - level / 100) ** looks)
    draw.require(answer < 96)
    return draw.drill(f"""
    Now the control is fair. Every {every} minutes, for {hours} hours, a test compares the requests
    of these {every} minutes, and gives a verdict (“faster” or “slower”) if the difference is one
    that chance alone brings in {level} % of such tests. The first verdict ends the canary. By an
    oversight both arms run the same version.
    ? What is the chance that there is a verdict? (In percent.)
    = {answer} % tolerance=0.01 telling=2
    - one-look {level}: That is one look. How many are there?
    - added {within(0, level * looks, 100)}: You add the chances. Can two looks both bring a
      verdict?
    - none {100 - answer}: That is the chance that there is none. Which was asked for?
    - half-of-them {answer / 2}: That is the chance of “faster” alone. Which verdicts are there?
    - every-look {level**looks if level**looks < 0.01 else None}: You ask for a verdict at each
      look. How many are enough?
    > How likely is it that not one look brings a verdict?
    > 1 − (1 − level) ^ looks.
    > 1 − {1 - level / 100:g} ^ {looks}.
    * looks {looks}: {hours} h with one every {every} min: {looks} looks
    * none {100 - answer} %: No verdict: {1 - level / 100:g} ^ {looks} =
      {quantity(100 - answer, "%")}
    * verdict {answer} %: The others: {quantity(answer, "%")}
    ~ Less than {looks} × {level} %, and more than one look's {level} %.

    Who may stop at the first good look will find one. Fix the number of requests beforehand, or ask
    of each look so much more that all of them together err as seldom as one should.
    """)
