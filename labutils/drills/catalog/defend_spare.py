"""Commit to a spare replica, then defend it against an autoscaler."""

from labutils import capacity
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("M03 P03 N04", level=2, decision="commit", form="defend", minutes=3)
def defend_spare_replica(draw: Draw) -> Drill:
    """Size for the day on which one is down."""
    each, ceiling = draw.whole(15, 120), draw.one_of((0.8, 0.85, 0.9))
    count = draw.one_of((3, 4, 5, 6, 8))
    rate = float(f"{draw.share(0.93, 0.995) * count * each * ceiling:.3g}")
    needed = capacity.gpus_for_tokens(rate, 1, each, utilization=ceiling)
    bare = capacity.gpus_for_tokens(rate, 1, each)
    start = draw.one_of((4, 5, 6, 8, 10))
    load = rate / (needed * each)
    after = capacity.utilization_after_loss(load, needed)
    draw.require(after > 1.03)
    asked = draw.drill(f"""
    The peak brings {quantity(rate, "req/s")}, every evening for hours. A replica finishes
    {quantity(each, "req/s")}, and the promise holds as long as no replica is busier than
    {100 * ceiling:.0f} %. About once a week one of them dies, at any hour; a new one serves {start}
    minutes later. The promise is meant to survive that.

    ? How many replicas run at the peak in your plan?
    = {needed + 1} tolerance=0 absolute=0 scale=off
    - none-to-spare {needed}: They keep the promise as long as all are well. And in the minutes
      after a death?
    - doubled {2 * needed}: That many could lose half of them. For how many losses were you asked to
      plan?
    ? Which rule do you commit to?
    + As many as keep the promise when one of them is gone.
    x As many as keep the promise while all are well.
    ! Take one away from these. How busy are the others, and for how long?
    x As many as the mean of the day needs, and an autoscaler.
    ! The peak comes every evening and lasts. Why start late what is known before?
    x Twice as many as the peak needs, to be safe.
    ! How many may be lost then, and who asked for that?
    > First the fewest that keep the promise; then ask what a loss takes away.
    > Replicas = ⌈peak / (one's rate × ceiling)⌉ + losses to survive.
    > ⌈{quantity(rate, "req/s")} / ({quantity(each, "req/s")} × {ceiling:g})⌉ + 1.
    * needed {needed}: {quantity(rate, "req/s")} / ({quantity(each, "req/s")} × {ceiling:g}) =
      {rate / (each * ceiling):.2f}, rounded up: {needed}
    * replicas {needed + 1}: One more: {needed + 1}
    . With all of them well they are {100 * rate / ((needed + 1) * each):.0f} % busy: that is the
      spare, spread over all.
    ~ With fewer than {bare} the peak exceeds what all of them finish, even when nobody is missing.
      So more than that.

    N + 1: the promise is kept by what is left. The price is one replica in {needed + 1}; small
    fleets pay the larger share.
    """)
    further = draw.drill(f"""
    The strongest objection: 'We pay for an idle machine. The autoscaler brings a new one in {start}
    minutes; run {needed}.' One of these {needed} dies at the peak.

    ? How busy are the others then, until the new one serves? (In per cent.)
    = {100 * after} % tolerance=0.005
    - as-before {100 * load}: That is how busy they were together. Who does the work of the dead
      one?
    - one-part-more {100 * load * (1 + 1 / needed)}: You add one part in {needed}. Over how many is
      the lost part spread?
    ? Which defence of the spare holds?
    + Until it serves, more requests arrive than leave; the backlog outlasts that.
    x An autoscaler reacts to load, and the load has not changed at all.
    ! The load of those that are left has. Compute it.
    x Machines die at night, and at night one of them is enough.
    ! The story says that they die at any hour. What if it is the peak?
    x The balancer spreads the load, so that nobody notices the loss.
    ! It spreads it over those that are left. How much is that for each?
    > The same traffic, one replica fewer.
    > Load = peak / ((replicas - 1) × one's rate).
    > {quantity(rate, "req/s")} / ({needed - 1} × {quantity(each, "req/s")}).
    * before {100 * load} %: With all {needed}: {100 * load:.3g} %
    * after {100 * after} %: With {needed - 1}: {100 * after:.4g} %. In {start} minutes
      {quantity((rate - (needed - 1) * each) * 60 * start, "req")} pile up.
    ~ More than before: the work is the same, and there are fewer to do it.

    An autoscaler is as fast as a cold start. Above 100 % the backlog grows all that time and drains
    afterwards at the speed of the headroom: capacity that must be there at once has to be there
    before.
    """)
    return asked.then(further)
