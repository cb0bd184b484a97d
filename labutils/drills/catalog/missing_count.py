"""One number is missing: how many leaves, which promise."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.laws.capacity import budget_lasts_s
from labutils.laws.tails import slow_share

_ASK = "You may ask for one number, and one only. Which question do you ask?"
_DAY = 86_400.0


@template("B14 B17 C11", level=1, decision="model", form="missing")
def missing_leaves(draw: Draw) -> Drill:
    """Ask for the missing number: slow pages."""
    slow, limit = draw.one_of((0.002, 0.005, 0.008, 0.01, 0.02)), draw.number(80, 600)
    pages = draw.number(20, 900)
    return draw.drill(f"""
    Each shard of the search answers within {limit:g} ms, but for {100 * slow:g} % of its calls, and
    shards are slow independently of each other. A page waits for all the shards that it asks.
    {pages:g} pages a second are shown. “Which share of pages takes longer than {limit:g} ms to
    collect its results?”
    ? {_ASK}
    + How many shards does a page ask?
    x How long does a shard take on average?
    ! A page waits for the slowest. Does the average say how often one is late?
    x How many copies does each shard have?
    ! What a call to a shard does, copies and all, is measured. What multiplies it?
    x How many pages are shown in a day?
    ! The question is about a share of pages. Does it change with their number?
    x How long does a shard take at its median?
    ! Half are faster than that; the page waits for the last. How many does it wait for?
    > When is a page in time?
    > Share of slow pages = 1 − (1 − p)ⁿ.
    > p = {slow:g} is known.
    . A page is in time if each call is: (1 − {slow:g})ⁿ.
    . n is not said; from 1 to some hundreds the share runs from p to nearly 1.
    ~ With one shard the share is that of a call; with very many, nearly every page.

    A tail figure without the number of calls that a page waits for is half a fact. Rate, mean and
    median drop out; independence does not, and was granted here.
    """).then(_slow_pages(draw, slow=slow))


def _slow_pages(draw: Draw, *, slow: float) -> Drill:
    leaves = draw.whole(8, 200)
    share = slow_share(slow, leaves)
    draw.require(0.05 < share < 0.95 and leaves * slow < 1)
    return draw.drill(f"""
    “{leaves} shards, all of them for every page.”
    ? Which share of pages is slow?
    = {share} tolerance=0.01
    - added {leaves * slow}: You add up the shares, and count pages with two slow shards twice.
    - one-shard {slow}: That is the share of one call. How many does a page wait for?
    - in-time {1 - share}: That share of pages is in time. Which one is asked for?
    > First the pages that are in time.
    > 1 − (1 − p)ⁿ.
    > 1 − {1 - slow:g}^{leaves}.
    * in_time {1 - share}: In time: {1 - slow:g}^{leaves} = {quantity(1 - share, "1")}
    * slow {share}: Slow: {quantity(share, "1")}
    ~ Below {leaves} × {slow:g}, the bound that needs no independence.

    1 − (1 − p)ⁿ holds for shards that are slow independently; were they always slow together, it
    would stay at p. So measure pages, too.
    """)


@template("A15 A14 P10", level=1, decision="model", form="missing")
def missing_objective(draw: Draw) -> Drill:
    """Ask for the missing number: when the error budget is gone."""
    bad, days = draw.one_of((0.002, 0.004, 0.006, 0.008, 0.012, 0.02)), draw.one_of((28, 30))
    left, rate = draw.one_of((0.3, 0.4, 0.5, 0.6, 0.8)), draw.number(30, 900)
    return draw.drill(f"""
    A release has gone wrong in a small way: of {quantity(rate, "req/s")}, {100 * bad:g} % have
    failed ever since. {100 * left:.0f} % of the error budget for these {days} days is left. “Do we
    roll back tonight or fix it on Monday? When is the budget gone if it goes on like this?”
    ? {_ASK}
    + Which share of requests does the objective promise to be good?
    x How many requests does the service get in a day?
    ! What fails grows with the traffic, and so does what may fail. Does the traffic not cancel?
    x How many requests failed in the hour before the release?
    ! What was spent before is in the share left. How large is a whole budget?
    x How many minutes did the last outage last?
    ! That is in the share left, too. How much may fail at all?
    x How many of the failures are timeouts?
    ! For the budget a failure is a failure. How many of them does it hold?
    > How much may fail, and how much does?
    > Time = share left × window ÷ (bad share ÷ allowed share).
    > Left {left:g}, window {days} d, bad {bad:g}. And what is allowed?
    . Share left {left:g}, window {days} d, bad share {bad:g}: known.
    . The allowed share, 1 − objective, is not said; the traffic cancels.
    ~ At 99 % the same failures last ten times as long as at 99.9 %.

    A budget is an objective and a window. The same error rate is an emergency under one promise and
    nothing under another.
    """).then(_runs_out(draw, bad=bad, days=days, left=left))


def _runs_out(draw: Draw, *, bad: float, days: int, left: float) -> Drill:
    objective = draw.one_of((0.99, 0.995, 0.998, 0.999))
    until = budget_lasts_s(bad, objective, days * _DAY, left=left)
    draw.require(bad / (1 - objective) > 1.4 or bad / (1 - objective) < 0.7)
    burn = bad / (1 - objective)
    return draw.drill(f"""
    “{100 * objective:g} %.”
    ? In how much time is the budget gone?
    = {until} s tolerance=0.03
    - full-budget {until / left}: You start with a full budget. How much is left?
    - allowed-pace {left * days * _DAY}: That is how long it lasts at the allowed pace. At which
      pace is it spent?
    - upside-down {left * days * _DAY * burn}: Should more failures make it last longer?
    > How many times the allowed pace is it?
    > Burn = bad ÷ (1 − objective); time = left × window ÷ burn.
    > {left:g} × {days} d ÷ ({bad:g} ÷ {1 - objective:.4g}).
    * burn {burn}: Burn: {bad:g} ÷ {1 - objective:.4g} = {quantity(burn, "1")}
    * until {until} s: {left:g} × {days} d ÷ {quantity(burn, "1")} = {quantity(until, "s")}
    ~ {"Less" if burn > 1 else "More"} than {quantity(left * days * _DAY, "s")}, for it is spent
      {"faster" if burn > 1 else "more slowly"} than allowed.

    If the budget lasts hours, wake somebody; if days, open a ticket; if weeks, tonight can pass
    without either.
    """)
