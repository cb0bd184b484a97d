"""A flaw in a report of percentiles: they are of those that were answered."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template, within

FAULTS = {"percentile_of_survivors": ()}


@template("A12 A11 A14", level=1, decision="model", form="flaw")
def percentile_of_survivors(draw: Draw) -> Drill:
    """A percentile of the answered requests is a lower one of all users."""
    rank = draw.one_of((75, 80, 90))
    sent, part = draw.random.randint(2_300, 14_000), draw.share(0.25, 0.8) * (1 - rank / 100)
    failed = round(part * sent)
    part = failed / sent
    promise = draw.one_of((1.5, 2, 3, 5, 8))
    shown = float(f"{promise * draw.share(0.55, 0.93):.2g}")
    answer = rank * (1 - part)
    return draw.drill(f"""
    The promise: {rank} % of the users have their answer within {quantity(promise, "s")}. A load
    test sent {sent:,} requests, one for each user; {failed:,} of them failed and were never
    answered. The percentiles of the report are over the requests that were answered. Its summary
    stands below, line by line.
    ? Which share of all users had an answer within {quantity(shown, "s")}? (In percent.)
    = {answer} % tolerance=0.004 telling=3
    - as-the-summary {rank}: That is the share of those who were answered. How many were not?
    - failed-taken-off {rank - 100 * part}: You subtract shares of different wholes. Of whom is the
      percentile?
    - answered-at-all {100 * (1 - part)}: So many had an answer at all. And within that time?
    - the-wrong-way {rank / (1 - part)}: Your share is larger than the summary's. Did the failures
      have an answer in time?
    - failed {100 * part}: Those had none. Which share had one in time?
    | {failed:,} of {sent:,} requests failed: {quantity(100 * part, "%")}.
    ! Divide one by the other: it is what the counts say.
    | The p{rank} is {quantity(shown, "s")}, over the answered requests.
    ! It says of which requests it is a percentile, and nothing more.
    | So {rank} of 100 users had their answer within {quantity(shown, "s")}.
    | That is less than {quantity(promise, "s")}, so the promise is kept.
    ! It would follow, if the line before it were true. Look for the first that fails.
    > How many of all users were answered, and which part of those in time?
    > Share of all = percentile × (1 − share that failed).
    > {rank} % × (1 − {failed:,} ÷ {sent:,}).
    * answered {sent - failed}: Answered: {sent:,} − {failed:,} = {sent - failed:,}
    * in_time {rank / 100 * (sent - failed)}: {rank} % of them in time: about
      {rank / 100 * (sent - failed):,.0f}
    * share {answer} %: ÷ {sent:,} = {quantity(answer, "%")}
    ~ Less than {rank} %, for some of all users have no answer.

    A percentile belongs to the requests that it was taken from. With a share f that failed, the
    p{rank} of the answered is the p({rank} × (1 − f)) of all: the more fail, the better the
    survivors look. State the share that failed before any percentile.
    """).then(_which(draw, rank, sent, failed))


def _which(draw: Draw, rank: int, sent: int, failed: int) -> Drill:
    part = failed / sent
    answer = rank / (1 - part)
    return draw.drill(f"""
    The report can show any percentile of the answered requests. A request that failed counts as
    later than any that was answered.
    ? Which of these percentiles is the p{rank} of all users? (In percent: for a p97.5 answer 97.5.)
    = {answer} % tolerance=0.003 telling=3
    - the-same {rank}: That is the one of before. Which share of all users had its answer by then?
    - the-wrong-way {rank * (1 - part)}: That is a lower percentile, and so a shorter time. Do the
      failures make the p{rank} shorter?
    - failed-added {within(0, rank + 100 * part, 100)}: You add shares of different wholes. How many
      answered requests make {rank} % of all users?
    - answered-at-all {100 * (1 - part)}: So many of all users were answered. Which part of the
      answered is asked for?
    - half-way {(100 + rank) / 2}: You go half of the way to the slowest. How far do the failures
      push it?
    > How many users are {rank} % of all, and which part of the answered requests is that?
    > {rank} % ÷ (1 − share that failed).
    > {rank} % ÷ (1 − {failed:,} ÷ {sent:,}).
    * users {rank / 100 * sent}: {rank} % of all: {rank / 100 * sent:,.0f} users
    * percentile {answer} %: ÷ {sent - failed:,} answered = {quantity(answer, "%")}
    ~ Between {rank} and 100: later than the report's p{rank}, for some failed, and fewer than
      {100 - rank} %.

    Where more than {100 - rank} % fail, the p{rank} of all users does not exist as a time: it is
    “no answer”. Look up the percentile ÷ (1 − share that failed), or say that there is none.
    """)
