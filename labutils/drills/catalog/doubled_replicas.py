"""Twice the replicas behind a router that knows no conversations."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, template


@template("K06 F05 I12 N02", level=3, decision="commit", minutes=3.5, rough=False)
def doubled_replicas(draw: Draw) -> Drill:
    """Round robin over twice the replicas: half the hits, dearer prefills, less than twice."""
    replicas = draw.one_of((2, 3, 4, 5))
    prompt = 100 * draw.whole(20, 120)
    before = 100 * round(draw.share(0.7, 0.95) * prompt / 100)
    few, many = prompt - before / replicas, prompt - before / replicas / 2
    answer = 2 * few / many
    draw.apart(answer, 2, by=0.06)
    return draw.drill(f"""
    A chat runs on {replicas} replicas, all busy with prefills alone; their work goes with the
    tokens that they compute. A turn's prompt has {prompt:,} tokens on average, of which {before:,}
    are the conversation so far. These are found if the turn comes to the replica of the turn
    before, and else computed again. The balancer sends requests round robin; with so many users a
    turn comes to any replica with the same chance. Now there are to be {2 * replicas} replicas.
    ? By what factor does the traffic grow that the replicas can carry?
    = {answer} tolerance=0.01 scale=off telling=3
    - twice 2: You let a turn take as much work as before. How often does it find its conversation
      now?
    - one-replica {few / many}: That is what becomes of one replica's traffic. How many are there?
    - the-wrong-way {2 * many / few}: You let a turn become cheaper. Does it find its conversation
      more often?
    - hits-alone 1: You double the replicas and halve the hits. What does a turn cost that finds
      nothing, and how many did find something?
    - nothing-left-to-compute {2 * (1 - 1 / replicas) / (1 - 0.5 / replicas)}: You let a hit cost
      nothing. What is new in its prompt?
    ? What becomes of the mean time of a turn's prefill, with nobody else on the replica?
    + It grows: fewer turns find their conversation
    x It halves: twice the replicas share the work
    ! One turn is computed by one replica. Which others work at it?
    x It stays: a replica is as fast as before
    ! It is. How many tokens does it compute for a turn, on average?
    x It shrinks a little: each replica has fewer conversations to keep
    ! Whose conversation must it have kept, so that this turn finds it?
    > How many tokens does a turn cost, before and after?
    > 2 × (prompt − before ÷ n) ÷ (prompt − before ÷ 2n).
    > 2 × ({prompt:,} − {before:,} ÷ {replicas}) ÷ ({prompt:,} − {before:,} ÷ {2 * replicas}).
    * few {few} tok: With {replicas} replicas {few:,.4g} tokens a turn
    * many {many} tok: With {2 * replicas} replicas {many:,.4g} tokens a turn
    * factor {answer}: 2 × {few:,.4g} ÷ {many:,.4g} = {answer:.4g}
    ~ Less than twice: a turn costs more than before.

    Replicas leave the service time as it is, says the rule; it forgets caches. Where a turn may go
    anywhere, the chance of a hit is one over their number.
    """).then(_sent_home(draw, replicas, prompt, before, answer))


def _sent_home(draw: Draw, replicas: int, prompt: int, before: int, doubled: float) -> Drill:
    hit = draw.share(0.75, 0.97)
    now, then = prompt - before / replicas, prompt - hit * before
    answer = now / then
    draw.require(answer > 1.15 * doubled)
    return draw.drill(f"""
    Instead, the {replicas} replicas of today stay alone, and the router sends a turn to the replica
    of the turn before. {percent(hit)} of the turns then find their conversation; the others come
    late, or that replica was too full. Take it that the traffic spreads evenly all the same.
    ? By what factor does the traffic grow that the replicas can carry, from today?
    = {answer} tolerance=0.01 scale=off telling=3
    - hits-alone {hit * replicas}: You compare hits. How many tokens does a turn cost, before and
      after?
    - against-no-cache {prompt / then}: You start from turns that find nothing. How many of today's
      find something?
    - always-found {now / (prompt - before)}: You let every turn find its conversation. How many do?
    - doubled-as-well {2 * answer}: You double the replicas, too. How many are there?
    - the-wrong-way {then / now}: Then a turn would cost more. Does it find its conversation more
      often, or less?
    > How many tokens does a turn cost, today and then?
    > (prompt − before ÷ n) ÷ (prompt − hit share × before).
    > ({prompt:,} − {before:,} ÷ {replicas}) ÷ ({prompt:,} − {hit:g} × {before:,}).
    * today {now} tok: Today {now:,.4g} tokens a turn
    * then {then} tok: Then {prompt:,} − {hit:g} × {before:,} = {then:,.4g}
    * factor {answer}: {now:,.4g} ÷ {then:,.4g} = {answer:.4g}
    ~ More than twice the replicas bring.

    Change the routing before you buy the replicas. It has its own price: the traffic does not
    spread evenly, so bound the load of the replica that everybody wants.
    """)
