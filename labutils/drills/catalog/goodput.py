"""Goodput: what counts of what was answered."""

import numpy as np

from labutils.drills.definition.writing import Draw, Drill, listing, quantity, template
from labutils.metrics import RequestLog

_ROWS = 30
_TOKENS = 101  # of each answer: 100 gaps


@template("A17 A14 L03", level=2, decision="estimate", number=46, minutes=4, rough=False)
def goodput_table(draw: Draw) -> Drill:
    """Goodput from a table of requests."""
    window, first, gap = draw.one_of((5, 8, 10, 20, 25)), draw.one_of((0.8, 1.0, 1.2)), 40
    rows = [_row(draw, first=first, gap=gap) for _ in range(_ROWS)]
    log = _log(rows)
    met_first, met_gap = log.meets(ttft_s=first), log.meets(tpot_s=gap / 1000)
    good = log.goodput_per_s(0, window, ttft_s=first, tpot_s=gap / 1000)
    count, ok = round(good * window), int(log.ok.sum())
    firsts, gaps = int(met_first.sum()), int(met_gap.sum())
    draw.require(8 <= count <= 22 and ok < _ROWS)
    return draw.drill(f"""
    A load test of {window} s sent {_ROWS} requests, each shown as seconds to the first token /
    milliseconds per further token ({_TOKENS} tokens each; × broke off): {listing(_table(rows))} A
    user is content with a first token within {first:g} s and at most {gap} ms per token after it.
    ? How many contented requests a second did the test reach?
    = {good} req/s tolerance=0.01
    - answered-at-all {log.throughput_per_s(0, window)}: You count all that were answered. How many
      of those users are content?
    - first-token-alone {firsts / window}: You look at the first token alone. What else does a user
      ask for?
    - gaps-alone {gaps / window}: You look at the time per token alone. When did the first one come?
    - count-of-the-test {count}: That is a count. Over how many seconds?
    - product-of-shares {firsts * gaps / _ROWS / window}: You multiply two shares, as if one had
      nothing to do with the other. The rows know better: count those that meet both.
    - a-row-too-many {None if count + 1 in (firsts, gaps, ok) else (count + 1) / window}: You count
      a row too many. Which rows broke off, which miss one limit alone?
    - a-row-too-few {None if count - 1 in (firsts, gaps, ok) else (count - 1) / window}: You count a
      row too few. Which rows broke off, which miss one limit alone?
    > Go through the rows: one that misses either limit does not count.
    > Requests that meet both limits, over the seconds of the test.
    > {firsts} were answered and meet the first limit; strike those above {gap} ms, then divide by
      {window} s.
    * first {firsts}: Answered, with the first token within {first:g} s: {firsts}
    * both {count}: Of these at most {gap} ms per token: {count}
    * rate {good} req/s: {count} ÷ {window} s = {quantity(good, "req/s")}
    ~ At most {quantity(min(firsts, gaps) / window, "req/s")}: the stricter limit alone.

    Goodput counts requests that meet every limit, at once. It falls while throughput still rises,
    and no two panels of percentiles give it: keep the rows, or count in the server. Failures are in
    the denominator of every share, or they look fast.
    """).then(_at_least(draw))


def _row(draw: Draw, *, first: float, gap: int) -> tuple[float, int, bool]:
    """Seconds to the first token, milliseconds per token, whether it was answered."""
    slow = draw.random.random() < 0.25
    ttft = draw.number(first, 3 * first) if slow else draw.number(0.2 * first, 0.95 * first)
    tpot = draw.whole(gap + 1, 2 * gap) if draw.random.random() < 0.25 else draw.whole(18, gap - 1)
    return ttft, tpot, draw.random.random() > 0.06


def _log(rows) -> RequestLog:
    first = np.array([row[0] for row in rows])
    last = first + (_TOKENS - 1) * np.array([row[1] for row in rows]) / 1000
    return RequestLog.from_times(
        np.zeros(len(rows)),
        last,
        first_token_s=first,
        output_tokens=[_TOKENS] * len(rows),
        status=["ok" if row[2] else "failed" for row in rows],
    )


def _table(rows) -> str:
    cells = [f"{row[0]:.2f}/{row[1]}" if row[2] else f"{row[0]:.2f}/×" for row in rows]
    return "\n".join("  ".join(cells[i : i + 6]) for i in range(0, len(cells), 6))


def _at_least(draw: Draw) -> Drill:
    one, other = draw.share(0.72, 0.94), draw.share(0.72, 0.94)
    least = one + other - 1
    draw.require(one != other)
    return draw.drill(f"""
    Next week only two panels are left, and the rows are gone: {100 * one:.0f} % of requests met the
    limit of the first token, {100 * other:.0f} % met that of the time per token.
    ? Which share of requests met both at the least?
    = {least} tolerance=0.005
    - as-if-independent {one * other}: You multiply. The panels do not say that one limit has
      nothing to do with the other: what is the worst that they allow?
    - the-stricter {min(one, other)}: That is the most that can have met both. What is the least?
    > Who misses one limit, and who misses the other? Let nobody miss both.
    > Least share = 1 − (missed first + missed second).
    > 1 − ({1 - one:.2g} + {1 - other:.2g}).
    * missed {2 - one - other}: Missed: {1 - one:.2g} and {1 - other:.2g}; at worst by different
      requests: {2 - one - other:.2g}
    * least {least}: Left: {quantity(least, "1")}
    ~ Not above {quantity(min(one, other), "1")}, the share that met the stricter limit.

    Two marginal shares bound the joint one: a + b − 1 at least, the smaller at most (Fréchet). A
    benchmark that reports TTFT and TPOT apart leaves goodput open.
    """)
