"""More machines that wait for each other and agree with each other: where throughput peaks."""

from labutils.drills.definition.writing import Draw, Drill, Options, drill, quantity, template
from labutils.laws.scaling import UniversalScalability

_CLUSTERS = (  # what it is, one of its machines
    ("Gateways share one table of rate limits, which each of them keeps up to date", "gateway"),
    ("Retrieval nodes keep copies of one index, and every update goes to all of them", "node"),
    ("Routers share a directory of which replica holds which prompt's cache", "router"),
)


@template("B06 B05", level=3, decision="limit", minutes=4)
def machines_at_the_peak(draw: Draw) -> Drill:
    """Universal scalability law: where further machines cost throughput."""
    what, one_of_them = draw.one_of(_CLUSTERS)
    few, many = draw.one_of(((4, 12), (4, 16), (5, 20), (6, 24), (8, 24), (8, 32)))
    true = UniversalScalability(
        draw.share(0.02, 0.12, 3), draw.number(0.1, 2) / many**2, draw.number(20, 900)
    )
    alone, at_few, at_many = (
        float(f"{true.throughput_per_s(n):.4g}") for n in (1, few, many)
    )  # what is printed is what is solved
    excess = [(n * alone / x - 1) / (n - 1) for n, x in ((few, at_few), (many, at_many))]
    pairs = (excess[1] - excess[0]) / (many - few)
    draw.require(pairs > 0 and excess[0] > few * pairs)
    law = UniversalScalability(excess[0] - few * pairs, pairs, alone)
    draw.require(0.6 * many < law.peak_at < 4 * many)
    best = many if at_many > at_few else few
    return draw.drill(f"""
    {what}. A load test at full throttle: one {one_of_them} completes {quantity(alone, "req/s")},
    {few} complete {quantity(at_few, "req/s")} together, {many} complete
    {quantity(at_many, "req/s")}. Some work is done by one at a time, and each has to agree with
    each other one.
    ? With how many {one_of_them}s is the throughput highest?
    = {law.peak_at} tolerance=0.03 absolute=0.6 scale=off
    - best-measured {best}: That is the best of what was measured. Is the curve at its top there?
    - ceiling-of-the-lock {1 / law.contention}: 1/α is a speed-up, the ceiling if there were no
      agreeing. Which number of machines is asked for, and what does agreeing add?
    - no-root {(1 - law.contention) / law.coherency}: The cost of agreeing grows with the square of
      the number. What undoes a square?
    > What does a request cost with N machines, compared with one alone? Two unknowns, two points.
    > N·X₁/X = 1 + α(N − 1) + βN(N − 1), so (N·X₁/X − 1)/(N − 1) = α + βN; peak at √((1 − α)/β).
    > α + {few}β = {excess[0]:.4g} and α + {many}β = {excess[1]:.4g}.
    . {few}: ({few} × {quantity(alone, "1")} / {quantity(at_few, "1")} − 1) / {few - 1} =
      {excess[0]:.4g} = α + {few}β
    . {many}: ({many} × {quantity(alone, "1")} / {quantity(at_many, "1")} − 1) / {many - 1} =
      {excess[1]:.4g} = α + {many}β
    * beta {pairs}: β = ({excess[1]:.4g} − {excess[0]:.4g}) / {many - few} = {pairs:.3g}
    * alpha {law.contention}: α = {law.contention:.3g}
    * peak {law.peak_at}: √((1 − {law.contention:.3g}) / {pairs:.3g}) = {law.peak_at:.3g}
    ~ Below √(1/β) = {law.coherency**-0.5:.3g}, where the agreeing of all pairs alone costs as much
      as the work.

    Universal scalability law: N / (1 + α(N − 1) + βN(N − 1)). Waiting for each other (α) levels the
    curve off, agreeing with each other (β) bends it down. Two points and the machine alone fix it
    exactly; measure more, or the noise decides.
    """).then(_beyond_the_peak(law, one_of_them))


def _beyond_the_peak(law: UniversalScalability, one_of_them: str) -> Drill:
    number = round(2.2 * law.peak_at)
    there, top = (law.throughput_per_s(n) for n in (number, law.peak_at))
    return drill(f"""
    To be safe, somebody orders {number} {one_of_them}s.
    ? How many requests per second will they complete, by the same law?
    = {there} req/s tolerance=0.04
    - levels-off {top}: That is the throughput at the top. Does the curve stay there?
    - in-proportion {number * law.one_per_s}: That is what they would complete without waiting or
      agreeing.
    > Put the number into the law that you have found.
    > X = N·X₁ / (1 + α(N − 1) + βN(N − 1)).
    > N = {number}, α = {law.contention:.3g}, β = {law.coherency:.3g}.
    * cost {number / law.speedup(number)}: A request costs 1 + {law.contention:.3g} × {number - 1} +
      {law.coherency:.3g} × {number} × {number - 1} = {number / law.speedup(number):.4g} times as
      much
    * rate {there} req/s: {number} × {quantity(law.one_per_s, "req/s")} /
      {number / law.speedup(number):.4g} = {quantity(there, "req/s")}
    ~ Less than at the peak, with more than twice the machines.

    Beyond the peak money buys less throughput. The way on is less sharing: shards that need not
    agree, updates in batches, a table that may be a second old.
    """)


_BANDS = (  # from which factor on, what becomes of the throughput, what speaks against it
    (
        0.0,
        "It falls.",
        "Put both numbers into the cost of a request. Does it grow faster than the machines?",
    ),
    (
        1.0,
        "It grows, by less than half.",
        "Compare what a request costs with the one number of machines and with the other.",
    ),
    (
        1.5,
        "It grows by half or more, and does not double.",
        "How much more does a request cost with twice the machines?",
    ),
    (
        2.0,
        "It doubles, as the slide says.",
        "It would if a request cost the same with any number of machines. Does it?",
    ),
)


@template("B06 B05", level=2, decision="estimate", form="verdict", minutes=3)
def twice_the_machines(draw: Draw) -> Drill:
    """Universal scalability law: twice the machines are not twice the throughput."""
    what, one_of_them = draw.one_of(_CLUSTERS)
    now = draw.one_of((8, 12, 16, 20, 24, 32))
    contention = draw.share(0.01, 0.09)
    coherency = float(f"{draw.number(0.05, 1.6) / now**2:.2g}")
    law = UniversalScalability(contention, coherency)
    gain = law.speedup(2 * now) / law.speedup(now)
    draw.require(gain < 1.95 and all(abs(gain - edge) > 0.06 for edge in (1, 1.5)))
    only_lock = UniversalScalability(contention, 0)
    costs = [n / law.speedup(n) for n in (now, 2 * now)]
    return draw.drill(f"""
    {what}. A fit to measurements says what a request costs with N {one_of_them}s, with one alone as
    1: 1 + {contention:g} (N − 1) + {_plain(coherency)} N (N − 1). You have {now}. A slide says:
    “{2 * now} {one_of_them}s give twice the throughput”.
    ? By which factor does the throughput change from {now} to {2 * now}?
    = {gain} tolerance=0.02 scale=off
    - as-the-slide-says 2.0: That needs requests that cost the same. Do they?
    - waiting-alone {only_lock.speedup(2 * now) / only_lock.speedup(now)}: You leave out the last
      term. How many pairs are there with twice the machines?
    - against-one {law.speedup(2 * now)}: That compares with one alone. What do {now} complete?
    - cost-alone {costs[1] / costs[0]}: That is how much more a request costs. How many machines
      share the work?
    > Throughput is machines over cost of a request.
    > Factor = 2 × cost(N) / cost(2N).
    > cost({now}) = {costs[0]:.4g}; put {2 * now} in as well.
    * cost_now {costs[0]}: Cost with {now}: {costs[0]:.4g}
    * cost_then {costs[1]}: Cost with {2 * now}: {costs[1]:.4g}
    * factor {gain}: 2 × {costs[0]:.4g} / {costs[1]:.4g} = {gain:.3g}
    ~ Less than 2: no term of the cost shrinks when machines are added.

    Universal scalability law (Gunther): with twice the machines each request waits behind twice as
    many (α), and there are four times as many pairs that agree (β). Without either, and only then,
    is a slide's “twice” right.
    """).also(options=_verdict(gain), follow_up=_top(law, one_of_them, now))


def _plain(number: float) -> str:
    return f"{number:.7f}".rstrip("0")


def _verdict(gain: float) -> Options:
    (right,) = [
        text for (low, text, _), high in zip(_BANDS, (1.0, 1.5, 2.0, 9.0)) if low <= gain < high
    ]
    keys = dict(zip("abcd", _BANDS))
    return Options(
        question="What becomes of the throughput?",
        texts={key: text for key, (_, text, _) in keys.items()},
        right=next(key for key, (_, text, _) in keys.items() if text == right),
        against={key: message for key, (_, text, message) in keys.items() if text != right},
    )


def _top(law: UniversalScalability, one_of_them: str, now: int) -> Drill:
    return drill(f"""
    The same fit, and no limit to the budget.
    ? With how many {one_of_them}s is the throughput highest?
    = {law.peak_at} tolerance=0.03 absolute=0.6 scale=off
    - ceiling-of-the-lock {1 / law.contention}: That is the speed-up that waiting alone would allow,
      not a number of machines.
    - no-root {(1 - law.contention) / law.coherency}: Pairs grow with the square of the number. What
      undoes a square?
    > Where does one machine more add as much cost as it adds work?
    > N / (1 + α(N − 1) + βN(N − 1)) is highest at √((1 − α)/β).
    > α = {law.contention:g}, β = {_plain(law.coherency)}.
    * peak {law.peak_at}: √((1 − {law.contention:g}) / {_plain(law.coherency)}) = {law.peak_at:.3g}
    . The speed-up there: {law.ceiling:.3g} times one alone.
    ~ A number of machines, above 1; the contention hardly moves it.

    The peak is set by what machines must agree on. Halve that, and the peak moves out by √2 only;
    take it away, and there is none.
    """)
