"""Tenants with buckets of tokens: a burst, what it does to the others, a smaller bucket."""

from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template


@template("I06 I08 O04 I05", level=3, decision="limit", form="chain", minutes=6)
def chain_burst(draw: Draw) -> Drill:
    """Buckets of tokens: how long a burst lasts, who waits for it, how large a bucket may be."""
    bucket, fill = 100_000 * draw.whole(3, 30), 500 * draw.whole(4, 40)
    rate, prompt = draw.number(2, 12), 100 * draw.whole(15, 80)
    wanted = rate * prompt
    answer = bucket / (wanted - fill) if wanted > fill else 0
    draw.require(wanted > 1.4 * fill and 30 < answer < 600 and bucket > 100 * prompt)
    return draw.drill(f"""
    A gateway holds a bucket for each tenant. It has room for {bucket:,} tokens and fills by
    {fill:,} tokens a second. A request takes as many tokens out as its prompt has; if there are too
    few, it is refused. One tenant was idle all night, and its bucket is full. At nine it starts a
    job that sends {quantity(rate, "req/s")} with prompts of {prompt:,} tokens.
    ? How long does it take until the first request is refused?
    = {answer} s tolerance=0.03 telling=3
    - no-filling {bucket / wanted}: You empty the bucket and never fill it. What comes in meanwhile?
    - time-to-fill {bucket / fill}: That is how long an empty bucket takes to fill. How fast does
      the job empty it?
    - filling-added {bucket / (wanted + fill)}: You add the filling to what the job takes. Which of
      them empties the bucket?
    ? What passes once the bucket is empty, while the job goes on?
    + As many tokens as the bucket fills; the rest is refused
    x Nothing, until the bucket is full again
    ! A request needs its own tokens, not a full bucket. When are those there?
    x Everything: the bucket only delays the job
    ! What happens to a request that finds too few tokens?
    x Half of it: a request passes, the next one is refused
    ! Compare what the job wants with what flows in. Is it half?
    > What goes out of the bucket each second, and what comes in?
    > Bucket ÷ (rate × prompt − filling).
    > {bucket:,} ÷ ({rate:g} × {prompt:,} − {fill:,}) tok/s.
    * taken {wanted} tok/s: The job takes {rate:g} × {prompt:,} = {quantity(wanted, "tok/s")}
    * lasts {answer} s: The bucket loses {quantity(wanted - fill, "tok/s")}: it lasts
      {quantity(answer, "s")}
    ~ Longer than {quantity(bucket / wanted, "s")}: it fills meanwhile.

    A bucket lets a burst pass at any speed for bucket ÷ (wanted − filled) and then holds the tenant
    to the rate at which it fills.
    """).then(_together(draw, bucket=bucket, fill=fill, wanted=wanted, lasts=answer))


def _together(draw: Draw, *, bucket: float, fill: float, wanted: float, lasts: float) -> Drill:
    tenants, used = draw.one_of((5, 8, 10, 12, 15, 20)), draw.one_of((0.3, 0.4, 0.6, 0.65))
    sold = tenants * fill
    reads = 10_000 * round(sold / (1 - used) * draw.share(1.1, 1.8) / 10_000)
    draw.require(reads > 0)
    left = reads * (1 - used)
    backlog = (tenants * wanted - left) * lasts
    answer = backlog / reads
    draw.require(sold < 0.97 * left and tenants * wanted > 1.2 * left and answer > 4)
    usual_for_left = positive((tenants * wanted - used * reads) * lasts / reads)
    whole_fleet = positive(max(0.0, tenants * wanted - reads) * lasts / reads)
    return draw.drill(f"""
    Behind the gateway a fleet reads prompts at {reads:,} tokens a second in all, in the order in
    which they come; the usual traffic takes {100 * used:.0f} % of that. One Monday {tenants}
    tenants like this one start the same job at nine, all with full buckets.
    ? How long does a prompt wait that comes in just before the first refusal, whoever sent it?
    = {answer} s tolerance=0.03 telling=3
    - nothing-read {positive(tenants * wanted * lasts / reads)}: You let the fleet read none of it.
      What was left beside the usual traffic?
    - usual-for-left {usual_for_left}: You take what the usual traffic takes for what it leaves. How
      much is left?
    - whole-fleet {whole_fleet}: You give the burst the whole fleet. Who else is being served?
    - read-by-what-is-left {positive(backlog / left)}: You have the queue read by what is left over.
      It holds everybody's prompts, in the order in which they came: how fast does it move?
    - full-buckets {positive(tenants * bucket / reads)}: You put all buckets into the queue. What
      was read while they emptied, and what did they let through beyond their content?
    ? What becomes of the queue once the refusals have begun?
    + All of them together pass less than what the fleet has left: the queue shrinks
    x The queue keeps growing: the jobs go on
    ! {tenants} buckets let through {quantity(sold, "tok/s")} once they are empty. Compare that with
      what is left.
    x The queue stays as long as it is
    ! It stays only if as much comes as is read. What do the empty buckets let through?
    > How many prompt tokens are in the queue by then, and how fast does it move?
    > (tenants × wanted − left over) × how long the buckets last ÷ what the fleet reads.
    > ({tenants} × {quantity(wanted, "tok/s")} − {1 - used:g} × {reads:,}) × {quantity(lasts, "s")}
      ÷ {reads:,}.
    * left {left} tok/s: Left for the jobs: {1 - used:g} × {reads:,} = {quantity(left, "tok/s")}
    * queue {backlog} tok: In the queue: ({quantity(tenants * wanted, "tok/s")} −
      {quantity(left, "tok/s")}) × {quantity(lasts, "s")} = {quantity(backlog, "tok")}
    * wait {answer} s: ÷ {reads:,} tok/s = {quantity(answer, "s")}
    ~ Less than {quantity(tenants * wanted * lasts / reads, "s")}, what reading all of it takes.

    The rates were sold within capacity, and the fleet was late all the same: rates bound the long
    run, buckets bound the burst. What tenants may send at once adds up.
    """).then(_smaller(draw, fill=fill, wanted=wanted, tenants=tenants, left=left, reads=reads))


def _smaller(
    draw: Draw, *, fill: float, wanted: float, tenants: int, left: float, reads: float
) -> Drill:
    limit = draw.one_of((1, 1.5, 2, 3))
    growth = tenants * wanted - left
    answer = limit * reads / growth * (wanted - fill)
    return draw.drill(f"""
    Prompts are to wait {limit:g} s at most, even if all {tenants} start the same jobs together. The
    buckets fill as before.
    ? For how many tokens may a bucket have room at most?
    = {answer} tok tolerance=0.03 telling=3
    - queue-shared-out {limit * reads / tenants}: You share out the queue. What is read while it
      builds up?
    - one-tenant {limit * reads}: You give the whole queue to one tenant. How many start together?
    - no-filling {limit * reads / growth * wanted}: That is what one tenant sends in that time. Is
      all of it from the bucket?
    - what-is-left {limit * left / growth * (wanted - fill)}: You let the queue move at what is left
      over. It holds everybody's prompts.
    > How long may the buckets last until the queue is as long as it may be?
    > Time = limit × fleet ÷ growth of the queue; bucket = time × (wanted − filling).
    > {limit:g} s × {reads:,.0f} ÷ {quantity(growth, "tok/s")} × {quantity(wanted - fill, "tok/s")}.
    * queue {limit * reads} tok: The queue may hold {limit:g} s × {reads:,.0f} tok/s =
      {quantity(limit * reads, "tok")}
    * lasts {limit * reads / growth} s: It grows by {quantity(growth, "tok/s")}: for
      {quantity(limit * reads / growth, "s")}
    * bucket {answer} tok: A bucket loses {quantity(wanted - fill, "tok/s")}:
      {quantity(answer, "tok")}
    ~ Less than the {quantity(limit * reads, "tok")} that the whole queue may hold.

    Size the bucket by the wait of the others, and the filling by what the fleet can carry for
    hours. They are two decisions.
    """)
