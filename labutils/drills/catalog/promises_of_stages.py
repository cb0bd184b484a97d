"""Stages that each promise a percentile: what that guarantees, and what each must keep."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_TEAMS = ("search", "reranking", "prompt assembly", "generation", "safety", "delivery", "login",
          "logging")  # fmt: skip


@template("A15 C05 B17 B18", level=3, decision="commit", minutes=2.5, rough=False)
def promises_of_stages(draw: Draw) -> Drill:
    """A budget shared by stages: promises add up their misses (union bound)."""
    teams, keeps = draw.one_of((4, 5, 6, 7, 8)), draw.one_of((95, 96, 97, 98))
    answer = 100 - teams * (100 - keeps)
    apart = 100 * (keeps / 100) ** teams
    total = draw.number(1.2, 4)
    return draw.drill(f"""
    The budget of an answer, {quantity(total, "s")}, is divided among {teams} stages, one after the
    other: {", ".join(_TEAMS[:teams])}. Every stage keeps its part in {keeps} % of the requests.
    Nobody has looked whether the same requests are slow at several stages.
    ? At least how many per cent of the requests are certain to be answered within
      {quantity(total, "s")}?
    = {answer} % tolerance=0 absolute=0.1 telling=2
    - as-each-stage {keeps}: You say that the whole keeps what each stage keeps. May one request be
      slow here and another one there?
    - as-if-independent {apart}: You multiply, as if one stage's slow calls had nothing to do with
      another's. Nothing in the story promises that: what is the worst that it allows?
    > A request that misses the whole budget has missed at least one part. How many can have?
    > At worst the misses are all of different requests: 1 − k (1 − q).
    > 1 − {teams} × {100 - keeps} %.
    * misses {teams * (100 - keeps)} %: Misses at worst: {teams} × {100 - keeps} % =
      {teams * (100 - keeps)} %
    * kept {answer} %: Left: {answer} %
    ~ Below {keeps} %: several stages can each spoil other requests.

    The union bound needs no assumption: shares of misses add at worst. It is a guarantee, and not a
    forecast; a request that is late at one stage may well make it up at another. What really
    happens only the totals of requests say.
    """).then(_each(draw, teams=teams))


def _each(draw: Draw, *, teams: int) -> Drill:
    wanted = draw.one_of((98, 99, 99.5))
    misses = 100 - wanted
    answer = misses / teams
    return draw.drill(f"""
    The product promises {wanted:g} % within the whole budget, and it must hold whatever the stages
    have in common. All stages are to miss their parts equally often.
    ? In how many per cent of the requests may each stage miss its part?
    = {answer} % scale=off
    - as-the-whole {misses}: You let each stage miss as often as the whole may. How many stages do
      that?
    - misses-multiplied {misses * teams}: You let a stage miss more often than the whole may. Which
      way do misses share out?
    - kept-instead {100 - answer}: So often it keeps its part. How often may it miss?
    > How many misses has the whole, and among how many are they shared?
    > (1 − p) ÷ k.
    > {misses:g} % ÷ {teams}.
    * misses {answer} %: {misses:g} % ÷ {teams} = {answer:.4g} %
    ~ Less than the {misses:g} % of the whole.

    Each stage promises a p{100 - answer:.4g} and not a p{wanted:g}. For rare misses independence
    would allow nearly the same, so at a p99 the guarantee costs next to nothing.
    """).then(_one_cannot(draw, teams=teams, wanted=wanted))


def _one_cannot(draw: Draw, *, teams: int, wanted: float) -> Drill:
    misses = 100 - wanted
    taken = round(misses * draw.one_of((0.4, 0.5, 0.6, 0.7)), 2)
    left = misses - taken
    answer = left / (teams - 1)
    return draw.drill(f"""
    Generation misses its part in {taken:g} % of the requests, and cannot do better: long answers.
    The other {teams - 1} stages share what is left equally; the promise stays at {wanted:g} %.
    ? In how many per cent of the requests may each of the others miss its part?
    = {answer} % tolerance=0.02 scale=off telling=4
    - equal-parts-as-before {misses / teams}: That is an equal part for all. How much does
      generation take of the misses?
    - shared-by-all {left / teams}: You share what is left among all stages. Does generation need a
      part of it?
    - nothing-taken {misses / (teams - 1)}: You share all the misses among the others. What has
      generation used up?
    - all-that-is-left {left}: That is left for all the others together. How many are they?
    > How many of the misses are left for the others?
    > ((1 − p) − misses of generation) ÷ (k − 1).
    > ({misses:g} % − {taken:g} %) ÷ {teams - 1}.
    * left {left} %: Left: {misses:g} % − {taken:g} % = {left:.3g} %
    * misses {answer} %: ÷ {teams - 1} = {answer:.4g} %
    ~ Less than {left:.3g} %, which they have together.

    A budget of misses is spent like a budget of milliseconds: give it to the stage that can do
    least about its tail, and ask more of those for whom it is cheap.
    """)
