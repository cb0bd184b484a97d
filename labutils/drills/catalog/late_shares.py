"""Replicas of unequal traffic: the share of all users who are late, and what an average says."""

from labutils.drills.definition.writing import Draw, Drill, choice, listing, quantity, template
from labutils.laws.capacity import pooled_mean

_CALM = "It shows the promise as kept, and it is broken."
_ALARM = "It shows the promise as broken, and it is kept."
_SAME = "It shows the promise as it is, if with another figure."


@template("L02 A11 L11 I12", level=2, decision="model", form="verdict", minutes=4, rough=False)
def late_shares(draw: Draw) -> Drill:
    """An average over replicas against a count over users, and what a slow one may be given."""
    limit, promise = draw.one_of((0.5, 1, 2)), draw.one_of((1, 2))
    wanted = draw.one_of((_CALM, _ALARM, _SAME))
    rates = [draw.whole(15, 90) for _ in range(3)]
    shares = [promise * draw.share(0.1, 0.8) for _ in range(3)]
    much, few = draw.whole(90, 260), draw.whole(3, 20)
    rates.append(much if wanted == _CALM or (wanted == _SAME and draw.one_of((0, 1))) else few)
    shares = [float(f"{share:.2g}") for share in (*shares, promise * draw.number(1.3, 8))]
    answer = pooled_mean(shares, rates)
    average = sum(shares) / 4
    seen, kept = average <= promise, answer <= promise
    right = _SAME if seen == kept else _CALM if seen else _ALARM
    apart = (abs(value / promise - 1) > 0.06 for value in (answer, average))
    draw.require(right == wanted and all(apart) and max(shares) < 25)
    order = draw.random.sample(range(4), 4)
    rows = "\n".join(
        f"    {name}: {rates[one]} req/s, {shares[one]:g} % late"
        for name, one in zip("ABCD", order)
    )
    late = sum(rate * share for rate, share in zip(rates, shares)) / 100
    against = "Compute both figures and hold each against the promise."
    wrong = {
        text: f"{against}{more}"
        for text, more in (
            (_CALM, " Which of them is above it?"),
            (_ALARM, " Which of them is below it?"),
            (_SAME, " Do they lie on one side of it?"),
        )
        if text != right
    }
    return draw.drill(f"""
    Four replicas serve a model. A request is late if its first token takes longer than {limit:g} s;
    each replica counts its own: {listing(rows)} Promised is that at most {promise} % of all
    requests are late. The panel of the service shows avg() over the four percentages.
    ? Which share of all requests is late? (In percent.)
    = {answer} % tolerance=0.02 telling=4
    - one-replica-one-vote {average}: You give every replica one vote. How many users does each of
      them have?
    - slowest-alone {max(shares)}: That is the slowest replica's share. How many users are somewhere
      else?
    - without-the-slowest {pooled_mean(shares[:3], rates[:3])}: You leave the slowest out. Do its
      users not count?
    - added {sum(shares)}: You add shares of different wholes. How many requests are late, of how
      many?
    - busiest-alone {shares[rates.index(max(rates))]}: That is the busiest replica's share. And the
      users of the others?
    ? What does the panel say about the promise?
    {choice(right, wrong)}
    > How many requests are late in a second, and how many come?
    > Σ(requests × late share) ÷ Σ requests.
    > {late:.4g} late of {sum(rates)} in a second.
    * late {late} req/s: Late in a second: {late:.4g}, of {sum(rates)}
    * share {answer} %: {late:.4g} ÷ {sum(rates)} = {quantity(answer, "%")}
    . The panel's average: {quantity(average, "%")}; promised: {promise} %
    ~ Between {min(shares):g} % and {max(shares):g} %, nearer to the busy replicas.

    Users are counted, replicas are not: sum(late) ÷ sum(all), never avg() of ratios or of
    percentiles. A busy slow replica hides in an average, an idle one shouts in it.
    """).then(_given(draw, rates, shares, promise, "ABCD"[order.index(3)]))


def _given(draw: Draw, rates, shares, promise: int, slow: str) -> Drill:
    others, slowest = pooled_mean(shares[:3], rates[:3]), shares[3]
    answer = 100 * (promise - others) / (slowest - others)
    now = 100 * rates[3] / sum(rates)
    plain_average_of_the_others = (
        100 * (promise - sum(shares[:3]) / 3) / (slowest - sum(shares[:3]) / 3)
    )
    return draw.drill(f"""
    The router can give {slow} another part of the traffic; the other three share the rest in the
    proportion that they have now. Take it that each replica's percentage stays as it is.
    ? Up to which share of all requests may {slow} get, by the promise? (In percent.)
    = {answer} % tolerance=0.01 telling=4
    - others-never-late {100 * promise / slowest}: You give the slow one the whole promise. What do
      the others use of it?
    - over-its-own-share {100 * (promise - others) / slowest}: A request that it gets is one that
      another does not get. How much worse is it there than here?
    - as-now {now}: That is what it gets now. What may it get?
    - against-the-others {100 * (promise - others) / (slowest - promise)}: That is its traffic over
      the others'. Which share of all is it?
    - plain-average-of-the-others {plain_average_of_the_others}: You average the others with one
      vote each. How many users has each of them?
    - the-others-part {100 - answer}: That is the part of the others. Which was asked for?
    > Which share is late at the other three together, and by how much worse is it there?
    > (promise − late at the others) ÷ (late at the slow one − late at the others).
    > ({promise} − {others:.4g}) ÷ ({slowest:g} − {others:.4g}).
    * others {others} %: The other three: {others:.4g} % late
    * may_get {answer} %: ({promise} − {others:.4g}) ÷ ({slowest:g} − {others:.4g}) =
      {quantity(answer, "%")}
    ~ {"More" if answer > now else "Less"} than the {now:.3g} % that it gets now, for the promise is
      {"kept" if answer > now else "broken"}.

    Shares of late requests mix in proportion to traffic, so a slow replica may be given a part of
    it instead of none. Percentiles do not mix: keep the counts.
    """)
