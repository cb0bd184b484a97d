"""A semantic cache whose candidates are checked: what it costs everybody, and when it pays."""

from labutils.caching import mean_latency
from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("F03 F02 R08", level=2, decision="commit", minutes=3.5)
def checked_hits(draw: Draw) -> Drill:
    """A semantic cache pays for its look-ups and its checks: the break-even."""
    lookup, check = draw.whole(25, 90) / 1000, draw.whole(120, 450) / 1000
    generate = draw.number(1.2, 4)
    found, passed = draw.share(0.3, 0.6), draw.share(0.4, 0.8)
    hit = found * passed
    answer = mean_latency(
        hit,
        hit_s=lookup + check,
        lookup_s=lookup + check * found * (1 - passed) / (1 - hit),
        miss_s=generate,
    )
    draw.require(answer < 0.95 * generate)
    asked = draw.drill(f"""
    An answer is reused if a stored question is similar. To embed the question and to search takes
    {quantity(lookup, "s")}. {percent(found)} of the requests find a candidate, and a small model
    then checks it against the question, {quantity(check, "s")} more; {percent(passed)} of the
    candidates pass and are served. All other requests are generated, which takes
    {quantity(generate, "s")}.

    ? How long does a request take on average?
    = {answer} s tolerance=0.005 telling=0
    - candidates-are-hits {lookup + found * check + (1 - found) * generate}: You serve every
      candidate. What happens to those that fail the check?
    - rejected-unchecked {lookup + hit * check + (1 - hit) * generate}: You check the candidates
      that are served. How does anybody know that the others fail?
    - search-forgotten {found * check + (1 - hit) * generate}: You leave out the search. Which
      requests wait for it?
    - misses-pay-nothing {hit * (lookup + check) + (1 - hit) * generate}: Something is missing for
      the requests that are generated. What has been done before anybody knows that there is no
      answer for them?
    - check-forgotten {lookup + (1 - hit) * generate}: You leave out the check. Which requests wait
      for it?
    - everybody-checked {lookup + check + (1 - hit) * generate}: You check every request. For which
      of them is there something to check?
    > Three parts: who pays for the search, who for the check, who for the generation?
    > Search + share with a candidate × check + (1 − share served) × generation.
    > {quantity(lookup, "s")} + {found:g} × {quantity(check, "s")} + (1 − {found:g} × {passed:g}) ×
      {quantity(generate, "s")}.
    * served {hit}: Served: {found:g} × {passed:g} = {percent(hit)}
    * generation {(1 - hit) * generate} s: Generation: {1 - hit:.4g} × {quantity(generate, "s")} =
      {quantity((1 - hit) * generate, "s")}
    * check {found * check} s: Check: {found:g} × {quantity(check, "s")} =
      {quantity(found * check, "s")}
    * mean {answer} s: With the search: {quantity(answer, "s")}
    ~ More than {quantity((1 - hit) * generate, "s")}, the generation alone.

    “Times faster on a hit” says nothing of the mean: misses pay for the look-up, and rejected
    candidates for the check as well. The p99 is a miss, and became longer.
    """)
    names = {mistake.name for mistake in asked.mistakes}
    draw.require({"rejected-unchecked", "search-forgotten", "check-forgotten"} <= names)
    return asked.then(_break_even(draw, lookup=lookup, check=check, generate=generate))


def _break_even(draw: Draw, *, lookup: float, check: float, generate: float) -> Drill:
    found = draw.share(0.1, 0.28)
    answer = (lookup + found * check) / (found * generate)
    draw.require(answer < 0.85)
    return draw.drill(f"""
    In another product only {percent(found)} of the requests find a candidate. The three times are
    the same.

    ? Which share of the candidates must pass the check, so that the mean time is no longer than
      without the cache?
    = {answer} tolerance=0.02 telling=3
    - search-alone {lookup / (found * generate)}: You pay for the search alone. What does a
      candidate cost, whether it passes or not?
    - check-alone {check / generate}: You pay for the check alone. What does a request without a
      candidate cost?
    - of-all-requests {(lookup + found * check) / generate}: That is the share of all requests that
      must be served. What share of the candidates is it?
    - check-twice {(lookup + found * check) / (found * (generate - check))}: You take the check off
      what is saved, too. How often does a candidate pay for it?
    - one-candidate-pays {(lookup + check) / generate}: You let each candidate pay for its own
      search. Who pays for the searches that find none?
    > What does the cache add to an average request, and what does a served candidate save?
    > Share = (search + found × check) ÷ (found × generation).
    > ({quantity(lookup, "s")} + {found:g} × {quantity(check, "s")}) ÷ ({found:g} ×
      {quantity(generate, "s")}).
    * added {lookup + found * check} s: Added to an average request:
      {quantity(lookup + found * check, "s")}
    * saved {found * generate} s: Saved if all candidates passed: {quantity(found * generate, "s")}
    * passing {answer}: The ratio: {quantity(answer, "1")}
    ~ Above {quantity(check / generate, "1")}: the checks alone take that.

    Break-even: hit share × what a hit saves = what everybody pays. Do the same sum in dollars,
    where the search is cheap and the generation is not; latency and cost break even at different
    hit rates.
    """)
