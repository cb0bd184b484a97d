"""One server and random arrivals: equal and unequal services, a few long among many short."""

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.queueing import MD1, MG1, MM1, mixture_moments

_ALWAYS_THE_SAME = (  # what it is, one of them, shortest and longest service in s
    (
        "A vision model embeds one picture per pass, all scaled to the same size",
        "picture",
        0.008,
        0.06,
    ),
    (
        "A speech model takes one 30-second window per pass, padded where it is short",
        "window",
        0.06,
        0.5,
    ),
    (
        "A safety classifier pads every prompt to 512 tokens and runs one at a time",
        "prompt",
        0.006,
        0.04,
    ),
)


@template("B10 B08", level=2, decision="model", number=22)
def equal_services(draw: Draw) -> Drill:
    """M/D/1: the wait when every service takes equally long."""
    what, one, low, high = draw.one_of(_ALWAYS_THE_SAME)
    service = draw.number(low, high)
    rate = float(f"{draw.share(0.35, 0.95) / service:.2g}")
    draw.require(0.3 <= rate * service <= 0.955)
    queue = MD1(rate, 1 / service)
    wait, load = queue.mean_waiting_time, queue.utilization
    return draw.drill(f"""
    {what}: a pass takes {quantity(service, "s")}, whatever is in the {one}. The users know nothing
    of each other; together they send {quantity(rate, "req/s")}. One GPU, one queue, in order of
    arrival.
    ? How long does a {one} wait on average before its pass begins?
    = {wait} s tolerance=0.02
    - services-that-vary {MM1(rate, 1 / service).mean_waiting_time}: That is the wait with services
      as random as the arrivals. Do the services vary here?
    - load-forgotten-above {service / (2 * (1 - load))}: You let everybody find a pass that is
      running. Which share finds the GPU idle?
    - in-passes {load / (2 * (1 - load))}: That is the wait in passes. How long is a pass?
    - nobody-waits 0.0: You let nobody wait because the GPU keeps up on average. What happens when
      two come within {quantity(service, "s")} of each other?
    - with-its-own-pass {queue.mean_sojourn_time}: You count the pass itself. The question ends
      where it begins.
    - rest-of-one-pass {load * service / 2}: You count what is left of the pass that is running. Who
      else may stand in front?
    > The arrivals are random, the services are not: half of the usual randomness is missing.
    > Wait = ρ S / (2 (1 - ρ)), half of what it is with exponential services.
    > ρ = {quantity(rate, "1/s")} × {quantity(service, "s")} = {quantity(load, "1")}; S =
      {quantity(service, "s")}.
    * load {load}: ρ = λ S = {quantity(rate, "1/s")} × {quantity(service, "s")} =
      {quantity(load, "1")}
    * wait {wait} s: W_q = ρ S / (2 (1 - ρ)) = {quantity(load, "1")} × {quantity(service, "s")} / (2
      × {quantity(1 - load, "1")}) = {quantity(wait, "s")}
    ~ A share of {quantity(load, "1")} finds the GPU busy and waits for half a pass or more, on
      average: at least {quantity(load, "1")} × {quantity(service / 2, "s")}.

    M/D/1: the wait is ρS/(2(1-ρ)), half of M/M/1's. Random arrivals alone make a queue; equal
    services take half of it away. It fits one server with padded, fixed-shape passes, and not a
    server that batches.
    """).then(_sizes_vary(draw, one, rate, service, wait))


def _sizes_vary(draw: Draw, one: str, rate: float, service: float, before: float) -> Drill:
    """The same mean, but services that vary: the factor is 1 + cv²."""
    cv = draw.one_of((1.5, 2.0, 2.5, 3.0))
    wait = MG1(rate, 1 / service, cv**2).mean_waiting_time
    deviation = float(f"{cv * service:.3g}")
    return draw.drill(f"""
    A colleague gives up the fixed shape: each {one} now runs at its own size. Small ones take less
    time, and large ones, until now shrunk or cut, take more. The mean pass is
    {quantity(service, "s")} as before; its standard deviation is {quantity(deviation, "s")}.
    ? How long does a {one} wait on average now?
    = {wait} s tolerance=0.03
    - same-mean-same-wait {before}: The mean is the same, and so is the load. Do those two fix the
      wait?
    - deviation-not-squared {before * (1 + cv)}: You let the wait grow with the spread itself. Long
      passes are rare and hold up many: which moment of the service time enters?
    - as-random-as-arrivals {MM1(rate, 1 / service).mean_waiting_time}: That is right for a standard
      deviation as large as the mean. How large is it here?
    > Compare the standard deviation with the mean.
    > Wait = ρ S (1 + cv²) / (2 (1 - ρ)), cv = standard deviation / mean.
    > cv = {quantity(deviation, "s")} / {quantity(service, "s")}, and the old wait times 1 + cv².
    * cv_squared {cv**2}: cv² = {quantity(cv**2, "1")}
    * wait {wait} s: {quantity(before, "s")} × (1 + {quantity(cv**2, "1")}) = {quantity(wait, "s")}
    ~ More than {quantity(before, "s")}: spread never shortens a wait.

    Pollaczek–Khinchine: with the load fixed the wait grows as 1 + cv². Saving work on most requests
    can lengthen everybody's wait, if a few become longer for it.
    """)


_KINDS = (  # the server, the short ones, the long ones
    (
        "A speech model transcribes recordings on one GPU, one after the other",
        "voice notes",
        "meetings",
        0.3,
        1.5,
    ),
    ("One GPU summarises documents, one at a time", "e-mails", "contracts", 0.4, 2.0),
    (
        "One GPU embeds uploads for an index, one at a time",
        "single pages",
        "whole books",
        0.02,
        0.15,
    ),
)


@template("B10 O02 L16", level=2, decision="model", number=23, minutes=4)
def few_long_requests(draw: Draw) -> Drill:
    """M/G/1 (Pollaczek–Khinchine): few long requests, everybody waits."""
    what, short_name, long_name, low, high = draw.one_of(_KINDS)
    short, times = draw.number(low, high), draw.whole(6, 40)
    share = draw.one_of((0.02, 0.03, 0.04, 0.05, 0.08, 0.1))
    long = float(f"{short * times:.2g}")
    mean, scv = mixture_moments((1 - share, share), (short, long))
    rate = float(f"{draw.share(0.4, 0.85) / mean:.2g}")
    draw.require(0.3 <= rate * mean <= 0.9 and 1.3 < scv < 16)
    queue = MG1(rate, 1 / mean, scv)
    load, wait = queue.utilization, queue.mean_waiting_time
    second = (1 - share) * short**2 + share * long**2
    of_mean = MM1(rate, 1 / mean).mean_waiting_time
    squared = MD1(rate, 1 / mean).mean_waiting_time
    variance, rest = rate * scv * mean**2 / (2 * (1 - load)), rate * second / 2
    draw.apart(of_mean, squared, variance, rest, by=0.021)
    draw.apart(wait, 2 * wait, queue.mean_sojourn_time, by=0.05)
    asked = draw.drill(f"""
    {what}, first come, first served. Of the uploads {quantity(100 * (1 - share), "%")} are
    {short_name} and take {quantity(short, "s")}; {quantity(100 * share, "%")} are {long_name} and
    take {quantity(long, "s")}. Together {quantity(rate, "req/s")} arrive, at random moments. The
    owner of the {short_name} complains about the wait.
    ? How long does an upload wait on average before its work begins?
    = {wait} s tolerance=0.02
    - mean-work-alone {of_mean}: You use the mean work and a spread as
      large as the mean. How large is the spread of this mixture?
    - mean-squared {squared}: You square the mean where the mean of
      the squares belongs: as if every upload took equally long.
    - variance-for-second-moment {variance}: You use the variance.
      The formula wants the mean of the squares, which is larger by the square of the mean.
    - rest-of-one-upload {rest}: That is what is left, on average, of the upload that
      is in work. Who else may stand in front?
    - half-forgotten {2 * wait}: You let everybody find the whole of the upload that is in work. How
      much of it is left, on average, at a random moment?
    - with-its-own-work {queue.mean_sojourn_time}: You count the upload's own work too. The question
      ends where that begins.
    > Somebody who arrives at a random moment is more likely to meet a long piece of work than a
      short one. Which average of the sizes takes that into account?
    > Wait = λ E[S²] / (2 (1 - ρ)), with the mean of the squares.
    > E[S] = {quantity(mean, "s")}, ρ = {quantity(load, "1")}; E[S²] = {1 - share:g} × {short:g}² +
      {share:g} × {long:g}².
    * mean_work {mean} s: E[S] = {1 - share:g} × {quantity(short, "s")} + {share:g} ×
      {quantity(long, "s")} = {quantity(mean, "s")}
    * load {load}: ρ = {quantity(rate, "1/s")} × {quantity(mean, "s")} = {quantity(load, "1")}
    . E[S²] = {1 - share:g} × {short:g}² + {share:g} × {long:g}² = {quantity(second, "1")} s²
    * wait {wait} s: W_q = λ E[S²] / (2 (1 - ρ)) = {quantity(rate, "1/s")} × {quantity(second, "1")}
      s² / (2 × {quantity(1 - load, "1")}) = {quantity(wait, "s")}
    ~ If all took the mean of {quantity(mean, "s")}, they would wait ρ/(2(1-ρ)) times that: at this
      load {"more" if load > 2 / 3 else "less"} than once. Unequal sizes only add to it.

    Pollaczek–Khinchine: λE[S²]/(2(1-ρ)). The square makes the rare long ones rule the wait of
    everybody. Mean and second moment are all it takes; it needs Poisson arrivals, one server, first
    come first served.
    """)
    return asked.then(
        _a_lane_of_their_own(
            short_name, long_name, share=share, rate=rate, short=short, long=long, wait=wait
        )
    )


def _a_lane_of_their_own(short_name, long_name, *, share, rate, short, long, wait) -> Drill:
    """The long ones move to a second server: what is left for the short ones is M/D/1."""
    apart = MD1((1 - share) * rate, 1 / short).mean_waiting_time
    as_if_they_varied = MM1((1 - share) * rate, 1 / short).mean_waiting_time
    all_the_traffic = MD1(rate, 1 / short).mean_waiting_time if share >= 0.05 else None
    return drill(f"""
    You put a second GPU beside the first and send all {long_name} there. The {short_name} keep the
    first one to themselves.
    ? How long do the {short_name} wait on average now?
    = {apart} s tolerance=0.03
    - half-of-it {wait / 2}: You let twice the hardware halve the wait. What is left in the first
      queue, and how much does it vary?
    - as-if-they-varied {as_if_they_varied}: You give the {short_name} a spread of their own. How
      long does each take?
    - all-the-traffic {all_the_traffic}: You leave the whole traffic in the first queue. Which part
      is left?
    > Write down what the first GPU sees now: its rate, its load, its spread.
    > All services are equal: wait = ρ S / (2 (1 - ρ)), with the new load.
    > ρ = {1 - share:g} × {quantity(rate, "1/s")} × {quantity(short, "s")}.
    * load {(1 - share) * rate * short}: ρ = {1 - share:g} × {quantity(rate, "1/s")} ×
      {quantity(short, "s")} = {quantity((1 - share) * rate * short, "1")}
    * wait {apart} s: W_q = ρ S / (2 (1 - ρ)) = {quantity(apart, "s")},
      {quantity(wait / apart, "1")} times shorter
    . The second GPU has a load of {share:g} × {quantity(rate, "1/s")} × {quantity(long, "s")} =
      {quantity(share * rate * long, "1")}.
    ~ Far below {quantity(wait, "s")}: the load falls and the spread is gone.

    Separating long from short removes variability, where adding a server only lowers the load. It
    is why interactive and batch work get pools of their own, and why a long prefill is cut in
    chunks.
    """)
