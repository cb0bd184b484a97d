"""The p99 is ten times what it was: read the panels, name the cause, size it."""

from dataclasses import dataclass

from labutils.drills.definition.writing import Draw, Drill, listing, quantity, template
from labutils.laws.queueing import MM1

CAUSES = {
    "one host": "one host of the fleet is slow, the others are as before",
    "traffic": "all hosts have more work than before: traffic, or retries of it",
    "inputs": "the same number of requests, some of which carry much more work",
    "pauses": "all hosts stop now and then for a moment: the runtime, not the requests",
}
AGAINST = {
    "one host": "Then one line of the panel by host would stand out. Compare the hosts.",
    "traffic": "Then arrivals or retries would be up. Read the arrivals again.",
    "inputs": "Then lengths would have changed. What does the panel of lengths say?",
    "pauses": "Pauses leave work, lengths and load as they were. Which panel has moved?",
}


@dataclass(frozen=True)
class Incident:
    """What the panels say under one cause, and the number that the follow-up asks for."""

    panels: tuple[str, ...]
    size: Drill


@template("C22 M13 L16 L17", level=4, decision="limit", form="verdict", minutes=3, rough=False)
def incident(draw: Draw) -> Drill:
    """Debugging in order: one host, traffic, inputs, model, pauses."""
    hosts = draw.whole(8, 40)
    rate = draw.number(300, 2000)
    cause = draw.one_of(list(CAUSES))
    found = INCIDENTS[cause](draw, hosts, rate)
    options = draw.options(
        CAUSES[cause],
        {text: AGAINST[name] for name, text in CAUSES.items() if name != cause},
        question="Which explanation fits all the panels?",
    )
    table = "\n".join(found.panels)
    return draw.drill(
        f"""
    Five minutes ago the p99 of a service went from 50 ms to 500 ms. Nothing was deployed today.
    Your panels, now against an hour ago: {listing(table)}
    ? Commit to one explanation. How large its effect is comes next.
    > Which panel has changed, apart from the p99?
    > In order: one host or all? traffic? inputs? model? pauses? Each panel answers one.
    > Strike out every cause that one panel contradicts; one is left.
    . One host or all: the panel by host.
    . Traffic: arrivals, retries and utilization.
    . Inputs: lengths. Model and features: deployments. Pauses: what is left.
    . Here: {CAUSES[cause]}.

    The order of the questions is the order of their price: one host or all costs a glance. An
    unchanged median rules out whatever slows every request.
    """,
        options=options,
    ).then(found.size)


def _panels(hosts: int, *, by_host: str, rate: str, busy: str, lengths: str, median: str):
    return (
        f"    p50            {median}",
        f"    p99 by host    {by_host}",
        f"    arrivals       {rate}",
        f"    utilization    {busy}",
        f"    lengths        {lengths}",
        f"    deployments    none on {hosts} hosts",
    )


def _one_host(draw: Draw, hosts: int, rate: float) -> Incident:
    shown = draw.one_of((0.55, 0.6, 0.65))
    panels = _panels(
        hosts,
        median="12 ms, before 12 ms",
        by_host=f"{hosts - 1} hosts at 45 to 55 ms, one at {draw.one_of((2, 3, 4))} s",
        rate=f"{quantity(rate, 'req/s')}, before {quantity(rate, 'req/s')}; no retries",
        busy=f"{100 * shown:.0f} % on each host, before {100 * shown:.0f} %",
        lengths="p50 and p95 of prompts as before",
    )
    share = 1 / hosts
    return Incident(
        panels,
        draw.drill(f"""
    {hosts} hosts share the requests evenly. One of them answers all of its requests slowly.
    ? Which share of all requests is slow?
    = {share} tolerance=0.01
    - one-percent 0.01: 1 % is where the p99 stands, not how many are slow. Which part of all
      requests does that host get?
    - the-others {1 - share}: That is the share that is answered as before. The slow host has the
      rest.
    - against-the-others {1 / (hosts - 1)}: You set the slow host against the others. Of how many
      hosts is it one?
    > Each host gets the same share.
    > One part in as many as there are hosts.
    > 1 / {hosts}.
    * share {share}: 1/{hosts} = {quantity(share, "1")}

    More than 1 % slow moves the p99, and averages over hosts hide which. Take the host out of
    rotation, then look at it. Among more than a hundred hosts the p99 of the fleet would not even
    have shown it.
    """),
    )


def _traffic(draw: Draw, hosts: int, rate: float) -> Incident:
    before = draw.share(0.4, 0.7)
    draw.require(abs(before - 0.5) > 0.055)  # at 0.5 a tenth of the load is a tenth of the rest
    after = 1 - (1 - before) / 10
    service = 0.05 * (1 - before) / 4.605
    quiet, loud = MM1(before / service, 1 / service), MM1(after / service, 1 / service)
    growth = loud.arrival_rate / quiet.arrival_rate
    panels = _panels(
        hosts,
        median=f"{1e3 * loud.sojourn_time_quantile(0.5):.0f} ms, "
        f"before {1e3 * quiet.sojourn_time_quantile(0.5):.0f} ms",
        by_host="all hosts at 450 to 560 ms",
        rate=f"{quantity(float(f'{rate * growth:.4g}'), 'req/s')}, "
        f"before {quantity(rate, 'req/s')}; "
        f"{draw.one_of(('no retries', 'a tenth of them are retries'))}",
        busy="(the panel is being repaired)",
        lengths="p50 and p95 of prompts as before",
    )
    return Incident(
        panels,
        draw.drill(f"""
    Each host behaves like a single server with random arrivals and exponential services. An hour
    ago it was {100 * before:.0f} % busy and its p99 was 50 ms. The services are what they were; the
    p99 is 500 ms.
    ? How busy is it now, as a share?
    = {after} tolerance=0.005 scale=off
    - tenfold-load {min(10 * before, 9.9)}: Ten times the latency is not ten times the load: no
      server is that busy.
    - unchanged {before}: Then the p99 would be what it was. Latency goes with 1/(1 − load).
    - a-tenth-of-the-load {1 - before / 10}: You take a tenth of the load. Of what is it a tenth: of
      the time in which a host works, or of the time in which it does not?
    - nine-tenths 0.9: 0.9 is where the latency is ten services. Here it is ten times what it was at
      the old load.
    > Latency is proportional to something that the load leaves over.
    > p99 = ln(100) · S / (1 − load): ten times the p99 is a tenth of what is left over.
    > 1 − (1 − {before:g}) / 10.
    * left_before {1 - before}: Left over before: 1 − {before:g} = {quantity(1 - before, "1")}
    * load {after}: Left over now: a tenth of it, so the load is {quantity(after, "1")}

    In an M/M/1 queue every latency goes with 1/(1 − load). Near the top a few per cent of traffic
    multiply the latency; shed first, then scale.
    """),
    )


def _inputs(draw: Draw, hosts: int, rate: float) -> Incident:
    share, factor = draw.share(0.02, 0.1), draw.one_of((8, 10, 12, 15))
    busy = draw.share(0.3, 0.5)
    grown = busy * (1 + share * (factor - 1))
    draw.require(grown < 0.97)
    panels = _panels(
        hosts,
        median="19 ms, before 12 ms",
        by_host="all hosts at 460 to 540 ms",
        rate=f"{quantity(rate, 'req/s')}, before {quantity(rate, 'req/s')}; no retries",
        busy=f"up on all hosts, before {100 * busy:.0f} %",
        lengths=f"p50 as before, p99 of prompts {factor} times as long",
    )
    return Incident(
        panels,
        draw.drill(f"""
    {100 * share:.0f} % of the requests now bring {factor} times the work of a request of an hour
    ago; the others bring what they did. The hosts were {100 * busy:.0f} % busy, and as many
    requests come as before.
    ? How busy are they now, as a share?
    = {grown} tolerance=0.01 scale=off
    - factor-for-all {busy * factor}: You make every request that much longer. Only a few of them
      are.
    - added-on-top {busy * (1 + share * factor)}: You add the long requests to the old ones. They
      take the place of some.
    - count-only {busy * (1 + share)}: You count the long requests and leave out how long they are.
    > Load is requests times mean work. Which of the two has changed?
    > The mean work grows by the factor 1 + share · (factor − 1).
    > {busy:g} × (1 + {share:g} × ({factor} − 1)).
    * mean_work {1 + share * (factor - 1)}: Mean work: 1 + {share:g} × {factor - 1} =
      {quantity(1 + share * (factor - 1), "1")} of what it was
    * load {grown}: Load: {quantity(grown, "1")}

    Requests are no unit of work. A few long ones raise the load, and their length raises the
    waiting of all others by more (the variance counts). Limit, chunk, or give them a queue of their
    own.
    """),
    )


def _pauses(draw: Draw, hosts: int, rate: float) -> Incident:
    every = draw.one_of((15, 20, 25, 30, 35, 40))
    pause = 0.5 + every / 100  # 1 % of the requests wait longer than pause − every / 100: 500 ms
    share = pause / every
    panels = _panels(
        hosts,
        median="12 ms, before 12 ms",
        by_host="all hosts at 450 to 550 ms; most seconds without a slow request",
        rate=f"{quantity(rate, 'req/s')}, before {quantity(rate, 'req/s')}; no retries",
        busy="as before, but for moments at 0 on one host after the other",
        lengths="p50 and p95 of prompts as before",
    )
    return Incident(
        panels,
        draw.drill(f"""
    A host stops for {quantity(pause, "s")} once every {every} s and catches up quickly afterwards.
    Requests arrive at any moment.
    ? Which share of the requests arrives during a pause?
    = {share} tolerance=0.01 scale=off
    - pauses-per-second {1 / every}: That is how often it pauses. How long it pauses counts as well.
    - the-pause-beside {pause / (every + pause)}: You let the pause come on top of the time from one
      to the next. Does that time, from start to start, not hold it?
    - against-the-rest {pause / (every - pause)}: You set the pause against the time without one. In
      how much time does one pause fall?
    - half-a-pause {share / 2}: Half a pause is how long such a request waits on average; asked is
      how many.
    > Arrivals do not know of pauses: think of shares of time.
    > The length of a pause over the time from one to the next.
    > {quantity(pause, "s")} / {every} s.
    * share {share}: {quantity(pause, "s")} / {every} s = {quantity(share, "1")}

    More than 1 % of the time paused is more than 1 % of the requests hit: the p99 moves, the median
    does not. Those hit wait anything up to a whole pause, so that 1 % wait longer than
    {quantity(pause, "s")} − 1 % of {every} s = 500 ms. A client that sends its next request after
    an answer would have met one slow request per pause.
    """),
    )


INCIDENTS = {"one host": _one_host, "traffic": _traffic, "inputs": _inputs, "pauses": _pauses}
