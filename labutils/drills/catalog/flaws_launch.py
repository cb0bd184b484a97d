"""Flaws in the tale of a launch: a curve without a steady state, a day's count as a rate."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws import queueing

FAULTS = {"launch_day": ("X14",), "requests_of_a_large_service": ("X87",)}


def _many(count: float) -> str:
    return f"{count / 1e9:g} billion" if count >= 1e9 else f"{count / 1e6:g} million"


@template("C13 O04 B10", level=2, decision="model", form="flaw")
def launch_day(draw: Draw) -> Drill:
    """Above capacity there is no steady state."""
    finished, factor = draw.whole(200, 2000), draw.number(2, 30)
    offered, minutes = float(f"{finished * factor:.2g}"), draw.one_of((5, 10, 15, 20, 30))
    day = queueing.Overload(offered, finished, 60 * minutes, 0)
    wait, backlog = day.waiting_time_of_arrival_at(60 * minutes), day.backlog_at_end
    told = draw.one_of((4, 6, 8, 9))
    draw.require(offered > 2.2 * finished and wait > 150)
    return draw.drill(f"""
    A post-mortem of launch day. {quantity(offered, "req/s")} came for {minutes} minutes, and the
    service finishes {quantity(finished, "req/s")} at most, first come, first served. The queue had
    no limit, and nobody gave up. The text has the lines below.
    ? How long did a request that came at the end of the {minutes} minutes wait for its turn?
    = {wait} s tolerance=0.03
    - over-the-arrivals {backlog / offered}: You divide the backlog by the rate of arrivals. At
      which rate does a queue get shorter in front of you?
    - the-curve {told}: That is the figure of the post-mortem. Does the curve behind it have a value
      at a load above 1?
    | {offered / finished:.3g} times as many came as the service can finish.
    ! That is the quotient of the two rates.
    | The backlog grew by {quantity(day.growth_per_s, "req/s")} all the while.
    ! What comes and does not leave stays: the difference of the two rates.
    | After {minutes} minutes it held {quantity(backlog, "req")}.
    ! A steady growth times its duration: with so many requests, chance hardly matters.
    | So latency rose along 1/(1 - ρ), to a p99 of {told} s.
    > Count who stands in front of that request, then how fast they are served.
    > Wait = backlog / capacity; backlog = (offered - capacity) × duration.
    > ({quantity(offered, "req/s")} - {quantity(finished, "req/s")}) × {60 * minutes} s /
      {quantity(finished, "req/s")}.
    * backlog {backlog} req: Backlog: {quantity(day.growth_per_s, "req/s")} × {60 * minutes} s =
      {quantity(backlog, "req")}
    * wait {wait} s: Wait: {quantity(backlog, "req")} / {quantity(finished, "req/s")} =
      {quantity(wait, "s")}
    . A p99 of some seconds can only mean that nearly all were dropped, timed out or left: at most a
      share of {finished / offered:.2g} was answered in that time.
    ~ Of every {offered / finished:.2g} requests one is served: most of those who came in {minutes}
      minutes still wait.

    1/(1 - ρ) is a steady state's curve and ends at ρ = 1. Above it the wait grows linearly in time,
    (λ/μ - 1)·t, until someone bounds the queue, sheds, or scales. A calm p99 beside such a load
    counts only those who were answered.
    """)


@template("P07 M11", level=1, decision="estimate", form="flaw")
def requests_of_a_large_service(draw: Draw) -> Drill:
    """From a day's count to the peak second."""
    daily, peak = draw.number(2e7, 2.5e9), draw.one_of((1.5, 2, 2.5, 3))
    mean = daily / 86_400
    answer = peak * mean
    return draw.drill(f"""
    'We must be ready for millions of requests a second', says the pitch. The service had
    {_many(daily)} requests yesterday, and its busiest hour carried {peak:g} times the day's mean.
    The capacity estimate has the lines below.
    ? How many requests a second come in the busiest hour?
    = {answer} req/s tolerance=0.03
    - mean-alone {mean}: That is the mean of the day. And its busiest hour?
    - over-an-hour {daily / 3600}: You squeeze the whole day into one hour. What share of it came
      then?
    - divided-by-the-peak {mean / peak}: You divide by the peak factor. Does the busiest hour see
      more than the mean?
    | A day has 24 × 60 × 60 = 86,400 seconds.
    ! Hours, minutes, seconds: that is right.
    | The mean of the day is {quantity(mean, "req/s")}.
    ! The count of the day over its seconds.
    | The busiest hour carries {peak:g} times the mean.
    ! That was measured, and the fleet must carry that hour.
    | So our fleet must serve a million requests a second.
    > First the mean per second, then the peak.
    > Peak rate = count / 86,400 s × peak factor.
    > {_many(daily)} / 86,400 s × {peak:g}.
    * mean {mean} req/s: Mean: {quantity(mean, "req/s")}
    * peak {answer} req/s: Busiest hour: {peak:g} × that = {quantity(answer, "req/s")}
    ~ A day is about 10⁵ s: take five zeros off the count, and you have the order of the mean.

    A million a second would be 86 billion a day. For scale: in July 2025 OpenAI told Axios of 2.5
    billion prompts a day to ChatGPT, 28,900 a second on average. Do the division before you draw
    the architecture, and count tokens next.
    """)
