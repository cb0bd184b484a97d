"""Commit to hedging, then defend it against the day on which everybody is late."""

from labutils.drills.definition.writing import Draw, Drill, template


@template("I09 O02", level=3, decision="commit", form="defend", minutes=3)
def defend_hedging_budget(draw: Draw) -> Drill:
    """Hedge late, on a budget."""
    load = draw.share(0.52, 0.8)
    trigger, budget = draw.one_of(
        ((0.9, 0.12), (0.9, 0.15), (0.95, 0.07), (0.95, 0.08), (0.95, 0.1), (0.97, 0.05))
    )
    blind, late = 2 * load, load * (2 - trigger)
    draw.require(late < 0.9)
    name = f"p{100 * trigger:g}"
    asked = draw.drill(f"""
    A fleet runs at a load of {load:g}. One answer in fifty hangs for seconds, for reasons that a
    second replica does not share. You may send second copies; the first answer counts, and what was
    sent is worked off to the end (nothing is cancelled).
    ? To which load does the fleet rise with copies after the {name}? (Suppose that the trigger
      stays at the {name}, and a copy costs as much as a request.)
    = {late} tolerance=0.005
    - all-twice {blind}: You send a copy of every request. Which of them are still out at the
      trigger?
    - trigger-share {load * (1 + trigger)}: You copy those that are back by then. Which share is
      not?
    - no-work {load}: The copies are worked off as well. How many are there?
    ? Which rule do you commit to?
    + A copy of each request that is not back by the {name}.
    x Two copies of each request, from the beginning.
    ! Add up the work: the fleet is at {load:g} already.
    x A copy of each request that the client gives up on.
    ! After the client's timeout it is no hedge, it is a retry. Who still waits?
    x No copies: more work can only make a fleet slower.
    ! A little more work, against seconds of waiting. Compare the two.
    > Which share of the requests is still out at the {name}?
    > New load = load × (1 + share that is copied).
    > {load:g} × (1 + {1 - trigger:.2g}).
    * copied {1 - trigger}: Copied: {100 * (1 - trigger):.2g} % of the requests
    * load {late}: Load: {load:g} × {2 - trigger:.3g} = {late:.4g}
    . Two copies of everything would make {blind:.3g}: no steady state.
    ~ A little above {load:g}, and far below twice that.

    A hedge at a high quantile buys the tail for a few per cent of work (Dean and Barroso 2013). It
    assumes that slowness is independent: it does nothing for inputs that are slow everywhere.
    """)
    further = draw.drill(f"""
    The strongest objection: 'Your few per cent hold on a good day. When the whole fleet is slow,
    everybody is past yesterday's {name}, every request is copied, and you double the load at the
    worst moment.' You add a budget: copies may be at most {100 * budget:g} % of the requests, by a
    token bucket.
    ? Which load does hedging cause at most on such a day, with the budget?
    = {load * (1 + budget)} tolerance=0.005
    - everybody-copied {blind}: That is the day without the budget. How many copies does the bucket
      allow?
    - the-trigger {late}: That share is set by the trigger on a good day. What sets it now?
    ? Which defence holds?
    + The budget bounds copies, whatever share of requests is late.
    x A fleet that is slow all over happens too rarely to count.
    ! Rare or not, what does the fleet do on that day?
    x Past the {name} there is always the same share of requests.
    ! That holds for today's quantile. The trigger is yesterday's, in milliseconds.
    x The copies shorten the queues, so the load falls again.
    ! Copies are work. Which queue gets shorter by more of it?
    > The trigger says when a copy is wanted, the bucket whether it is sent.
    > Load at most = load × (1 + budget).
    > {load:g} × (1 + {budget:g}).
    * load {load * (1 + budget)}: {load:g} × {1 + budget:g} = {load * (1 + budget):.4g}
    ~ Above {load:g} by the budget, however many requests are late.

    A feedback that adds work when work is late needs a bound that does not depend on how late it
    is: a budget for hedges, and one for retries. Cancel the loser where you can.
    """)
    return asked.then(further)
