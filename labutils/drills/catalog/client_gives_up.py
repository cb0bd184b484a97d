"""An overload, and a client that gives up: which latencies its report still holds."""

from labutils.drills.definition.writing import Draw, Drill, positive, quantity, template
from labutils.laws.queueing import Overload


@template("A11 L12 O04 L19", level=3, decision="model", minutes=3.5, rough=False)
def client_gives_up(draw: Draw) -> Drill:
    """Censored latencies: the p99 of the survivors is the client's own limit."""
    limit, q = draw.one_of((180, 240, 300, 420)), draw.one_of((0.9, 0.95, 0.99))
    finished, minutes = draw.number(2, 40), draw.random.randint(7, 34)
    offered = float(f"{finished * draw.number(1.15, 2.4):.3g}")
    day = Overload(offered, finished, 60 * minutes, 0)
    takes = round(limit * draw.share(0.04, 0.16))
    answered = _answered_for(day, limit - takes)
    draw.require(0.15 < answered / day.duration_s < 0.75)
    answer, name = takes + q * (limit - takes), f"p{100 * q:g}"
    patient = takes + q * _wait(day, day.duration_s)
    return draw.drill(f"""
    A load test of {minutes} minutes sends {offered:g} requests a second, evenly, to a service that
    works on several at once and finishes {finished:g} a second, first come, first served. After its
    wait a request takes {takes} s. The client gives up a request that is not answered {limit} s
    after it was sent. The service does not notice, and works on it in its turn. Percentiles of the
    report are over the requests that were answered.
    ? Which {name} does the report show?
    = {answer} s tolerance=0.003 absolute=0.5 telling=3
    - the-limit {limit}: That is the slowest that can be answered. How many of a hundred are faster
      than the {name}?
    - everybody-waits {patient}: That is for all who came. Which of them are in the report?
    - own-time-forgotten {answer - takes}: That is the wait alone. What follows it?
    - the-middle {takes + (limit - takes) / 2}: That is the median of those who were answered.
      Which rank is asked for?
    - no-wait {takes}: That is what the first one takes. Does the queue stay empty?
    ? What becomes of the report's {name} in a test that sends a fifth more requests a second?
    + It stays as it is.
    x It rises by a fifth.
    ! The waits grow faster. Until when is a request answered that waits in them?
    x It rises, by more than a fifth.
    ! More requests wait for long. Do those still reach the report?
    x It falls, for fewer are answered.
    ! Fewer are, and their waits still run evenly up to a bound. Which bound is it?
    > How long does the last one wait that is still answered, and the first one?
    > own time + q × (limit − own time), for the wait grows evenly from 0.
    > {takes} s + {q:g} × ({limit} − {takes}) s.
    * longest_wait {limit - takes} s: Answered are waits from 0 to {limit} − {takes} =
      {limit - takes} s, all equally often
    * reported {answer} s: {takes} + {q:g} × {limit - takes} = {answer:.4g} s, whatever the rate is
      above {finished:g} a second
    ~ Below {limit} s, whatever happens: nothing slower is in the report.

    Latencies above the limit are censored: known to be larger, and not how much. The high
    percentiles of the survivors then show the client's limit, the same in a small overload and in a
    large one. Report the share that failed first, and percentiles of all with “more than” the
    limit.
    """).then(_failed(draw, day, limit, takes, q))


def _wait(day: Overload, sent_s: float) -> float:
    """Wait of who comes so long after the beginning."""
    return sent_s * day.growth_per_s / day.service_rate


def _answered_for(day: Overload, patience_s: float) -> float:
    """Until when those come whose wait is no longer than that."""
    return patience_s * day.service_rate / day.growth_per_s


def _failed(draw: Draw, day: Overload, limit: int, takes: int, q: float) -> Drill:
    until = _answered_for(day, limit - takes)
    answer = 100 * (1 - until / day.duration_s)
    growth = day.growth_per_s
    draw.apart(growth, day.service_rate, by=0.03)
    early = (
        f"Nobody fails who comes in the first {limit - takes} s: the wait grows by less than a "
        "second in a second."
        if growth < day.service_rate
        else f"All fail who come after the first {limit - takes} s: the wait grows by more than a "
        "second in a second."
    )
    surplus = 100 * growth / day.arrival_rate
    whole_limit = 100 * (1 - _answered_for(day, limit) / day.duration_s)
    per_arrival = 100 * (1 - (limit - takes) * day.arrival_rate / growth / day.duration_s)
    return draw.drill(f"""
    The report does not say how many requests it leaves out.
    ? Which share of the requests that were sent was given up? (In percent.)
    = {answer} % tolerance=0.01 telling=3
    - those-answered {100 - answer}: So many were answered. And the others?
    - surplus {surplus}: By that part more comes than is finished. Does the service work for those
      who still wait?
    - sent-after-the-limit {100 * (1 - limit / day.duration_s)}: You let all fail that are sent
      after the first {limit} s. How long does one wait who is sent then?
    - own-time-forgotten {whole_limit}: You give the whole limit to the wait. What must follow it in
      time?
    - backlog-over-arrivals {positive(per_arrival)}: You divide the line by the rate at which it is
      joined. At which rate is it worked off?
    > How does the wait grow, and when does it become too long?
    > 1 − (limit − own time) × finished ÷ (sent − finished) ÷ length of the test.
    > 1 − {limit - takes} s × {day.service_rate:g} ÷ {growth:.4g} ÷ {day.duration_s:g} s.
    * grows {growth / day.service_rate}: In each second the wait grows by {growth:.4g} ÷
      {day.service_rate:g} = {growth / day.service_rate:.4g} s
    * until {until} s: It passes {limit - takes} s after {quantity(until, "s")}; who comes later is
      given up
    * share {answer} %: 1 − {until:.4g} ÷ {day.duration_s:g} = {quantity(answer, "%")}
    ~ {early}

    A service that works on requests which nobody waits for any more answers nobody after a while: a
    limit that it does not know of saves it nothing. Let the client cancel, or drop what is too old.
    """).then(_patient(draw, day, limit, takes, q))


def _patient(draw: Draw, day: Overload, limit: int, takes: int, q: float) -> Drill:
    grows, end, name = day.growth_per_s / day.service_rate, day.duration_s, f"p{100 * q:g}"
    answer, reported = takes + q * _wait(day, end), takes + q * (limit - takes)
    per_arrival = takes + q * end * day.growth_per_s / day.arrival_rate
    return draw.drill(f"""
    The test is repeated as it was, with a client that waits for every answer and goes on sending
    evenly meanwhile.
    ? Which {name} does the report show now?
    = {answer} s tolerance=0.004 telling=3
    - as-before {reported}: That was of those who were answered in time. Who is in the report now?
    - the-limit {limit}: Nobody is given up any more. How long does the last one wait?
    - the-last-one {takes + _wait(day, end)}: That is the slowest of all. How many of a hundred are
      faster than the {name}?
    - own-time-forgotten {answer - takes}: That is the wait alone. What follows it?
    - backlog-over-arrivals {per_arrival}: You divide the line by the rate at which it is joined. At
      which rate is it worked off?
    > How long does the last one wait that the test sends?
    > own time + q × length × (sent − finished) ÷ finished.
    > {takes} s + {q:g} × {end:g} s × {grows:.4g}.
    * last {_wait(day, end)} s: The last one waits {end:g} s × {grows:.4g} =
      {quantity(_wait(day, end), "s")}
    * patient {answer} s: {takes} + {q:g} × {_wait(day, end):.4g} = {quantity(answer, "s")}
    ~ More than {limit} s, for more than {100 * (1 - q):.2g} % were given up.

    And it grows with the length of the test: in an overload there is no steady state, so a p99
    needs the minutes of the test beside it. What describes the service is the rate that it
    finishes.
    """)
