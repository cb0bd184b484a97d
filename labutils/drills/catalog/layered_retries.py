"""Layers that try again: their tries multiply, and a budget bounds them."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template, within

_OFTEN = {1: "once", 2: "twice", 3: "3 times"}


@template("I09 I08", level=2, decision="estimate", minutes=3)
def layered_retries(draw: Draw) -> Drill:
    """Retries in three layers multiply; a budget in one of them bounds the attempts."""
    rate = draw.whole(20, 300)
    client, gateway, router = (draw.one_of((1, 2, 3)) for _ in range(3))
    draw.require(client + gateway + router > 4)
    times = (client + 1) * (gateway + 1) * (router + 1)
    answer = rate * times
    return draw.drill(f"""
    Users send {quantity(rate, "req/s")}. A request passes the client's library, a gateway and a
    router. Each of the three tries again when what it has called fails: the library up to
    {_OFTEN[client]}, the gateway up to {_OFTEN[gateway]}, the router up to {_OFTEN[router]}, on top
    of the first try. For some minutes every attempt fails at once, and nobody slows down.
    ? How many attempts a second reach the replicas?
    = {answer} req/s tolerance=0.01 telling=3
    - retries-multiplied {rate * client * gateway * router}: You multiply the second tries. How
      often does a layer call in all?
    - retries-added {rate * (1 + client + gateway + router)}: You add the layers. How often does the
      router try for each call of the gateway?
    - router-alone {rate * (router + 1)}: So many the router makes of each call. How many calls does
      it get?
    - first-tries-forgotten {rate * (times - 1)}: You leave out the first attempts. Do they not
      reach the replicas?
    - longest-alone {rate * (1 + max(client, gateway, router))}: You take the most patient layer
      alone. What do the others do when it fails?
    ? Which of the layers should keep its second tries?
    + The router: it repeats the one call that failed, and knows another replica
    x The client's library: it stands nearest to the user
    ! Which work is done again when the whole way is tried anew, and by how many replicas?
    x All three, with one second try each
    ! How many attempts does one request then make?
    x None of them
    ! On a calm day one replica fails now and then. What does the user see then?
    > How often does each layer call the next one, for each call that it gets?
    > requests × (1 + retries) × (1 + retries) × (1 + retries).
    > {rate} × {client + 1} × {gateway + 1} × {router + 1}.
    * times {times}: One request makes {client + 1} × {gateway + 1} × {router + 1} = {times}
      attempts
    * attempts {answer} req/s: × {rate} = {quantity(answer, "req/s")}
    ~ At least 8 attempts for each request.

    Layers that try again multiply, and they do so when capacity is short. Let one layer do it, next
    to what fails, and pass the deadline on to the others.
    """).then(_budget(draw))


def _budget(draw: Draw) -> Drill:
    budget, fails = draw.one_of((0.05, 0.1, 0.15, 0.2)), draw.share(0.15, 0.6)
    answer = 100 * (fails - budget * (1 - fails))
    draw.require(fails > budget + 0.05)
    return draw.drill(f"""
    Now only the router tries again, once for a request, and its second tries are at most
    {percent(budget)} of the requests that it gets. On another day {percent(fails)} of the attempts
    fail, first and second ones alike and independently of each other.
    ? Which share of the requests fails? (In percent.)
    = {answer} % tolerance=0.01 telling=3
    - no-budget {100 * fails**2}: You try each failed request again. How many may be?
    - no-second-tries {100 * fails}: Those fail at the first try. How many succeed at the second?
    - second-tries-succeed {100 * (fails - budget)}: You let every second try succeed. How many do?
    - budget-of-the-failed {100 * (fails - budget * fails * (1 - fails))}: You take the budget as a
      share of the failed ones. Of what is it a share?
    - those-that-succeed {within(0, 100 - answer, 100)}: Those succeed. Which share was asked for?
    ? What does the budget bound, however many fail?
    + The attempts for each request
    x The share of the requests that fail
    ! Let all attempts fail. Which share is it then?
    x The time until a request has failed
    ! What in the rule speaks of time?
    x The share of the attempts that fail
    ! That is up to the replicas. What is up to the router?
    > Which requests are tried again, and how many of those succeed?
    > fails − budget × (1 − fails), as long as more fail than the budget allows.
    > {fails:g} − {budget:g} × (1 − {fails:g}).
    * saved {100 * budget * (1 - fails)} %: Saved by a second try: {budget:g} × {1 - fails:.4g} =
      {percent(budget * (1 - fails))}
    * fail {answer} %: {percent(fails)} less that: {quantity(answer, "%")}
    . On a calm day with fewer failures than {percent(budget)} each is tried again: p becomes p²
    ~ Between {100 * (fails - budget):.3g} % and {100 * fails:.3g} %.

    A budget is as good as no limit on a calm day, and {1 + budget:g} attempts a request on the
    worst one. A fixed number of tries is the other way round.
    """)
