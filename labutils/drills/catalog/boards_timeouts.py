"""Dashboard of a load test in which requests were given up: one panel counts them in."""

from labutils import llm
from labutils.drills.catalog._serving import as_printed
from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template


@template("A08 L12 L15", level=2, decision="limit", form="dashboard", minutes=4, rough=False)
def board_timeouts(draw: Draw) -> Drill:
    """The lying panel: time-outs that are counted as answers."""
    limit, tokens = draw.one_of((60, 120, 180, 300)), draw.random.randint(130, 540)
    first, gap = limit * draw.number(0.004, 0.06), draw.number(0.012, 0.09)
    first = float(f"{first:.2g}")
    seconds, answered = draw.one_of((600, 900, 1200, 1500)), draw.random.randint(1_900, 9_400)
    failed = round(answered * draw.share(0.06, 0.5))
    mean = llm.stream_duration_s(first, gap, tokens)
    draw.require(mean < 0.45 * limit)
    every = answered + failed
    with_failed = (answered * mean + failed * (limit + 0.5)) / every
    true = {"mean": mean, "rate": answered * tokens / seconds}
    lie = {"mean": with_failed, "rate": every * tokens / seconds}
    liar = draw.one_of(("mean", "rate"))
    shown = {key: as_printed(value) for key, value in {**true, liar: lie[liar]}.items()}
    draw.apart(shown["mean"], limit, by=0.05)
    texts = {
        "answered": f"Answered: {answered:,} requests",
        "failed": f"Given up: {failed:,} requests, each {limit}.0 to {limit + 1}.0 s after it was "
        "sent",
        "first": f"To the first token, mean: {quantity(first, 's')}",
        "gap": f"Per token after the first, mean: {quantity(gap, 's')}",
        "mean": f"From sending to the last token, mean: {shown['mean']:g} s",
        "rate": f"Output tokens a second: {shown['rate']:,.4g}",
    }
    against = {
        "answered": "Tokens a second × seconds ÷ tokens: how many answers is it? And how many were "
        "sent?",
        "failed": "It adds up with the others to all that were sent, and names the client's limit.",
        "first": "It is one of two parts of the time to the last token. Does another one count the "
        "failures?",
        "gap": "With the first token it makes the time to the last one. Which of them counts the "
        "failures?",
        "mean": "First token + (tokens − 1) × time of a token: it agrees.",
        "rate": "Answered × tokens ÷ seconds: it agrees.",
    }
    wrong = {text: against[key] for key, text in texts.items() if key != liar}
    unit, answer = ("s", mean) if liar == "mean" else ("tok/s", true["rate"])
    return draw.drill(f"""
    In {seconds} s a load test sent {every:,} requests. Every answer has exactly {tokens} tokens; a
    request that is not answered within {limit} s is given up. The report says that its times and
    tokens are those of the answered requests. One of its six panels cannot be true beside the
    others.
    ? What should that panel read?
    = {answer} {unit} tolerance=0.01 telling=2
    {_slips(liar, shown[liar], answer, answered / every, first, gap, limit)}
    ? Which panel is it?
    {choice(texts[liar], wrong)}
    > Which panels belong together: the two parts of a time and the whole, a count and a rate?
    > Whole = first + (tokens − 1) × time of a token; rate = answered × tokens ÷ seconds.
    > {quantity(first, "s")} + {tokens - 1} × {quantity(gap, "s")}; {answered:,} × {tokens} ÷
      {seconds} s.
    {_worked(liar, answer, shown[liar], (answered, failed, tokens, seconds), limit)}
    ~ {"Less" if liar == "mean" else "Fewer"} than it shows: it counts those that were given up.

    A request that was given up has no latency and no tokens; it has a count. Divide what the
    answers brought by the answers, and report the share that failed beside it.
    """).then(_other_limit(draw, mean, answered, failed, limit))


def _slips(liar: str, shown: float, answer: float, part: float, *more: float) -> str:
    first, gap, limit = more
    if liar == "mean":
        return piece(f"""
        - as-shown {shown}: That is what it reads. Of which requests is it the mean?
        - failures-as-nothing {answer * part}: You divide the sum of the answers by all that were
          sent. How many answers are there?
        - failures-taken-off {shown * part}: You take the failed share off the figure. What did
          each of them add to it?
        - without-the-first-token {answer - first}: Before the gaps there is the first token.
        - the-limit {limit}: That is when the client gives up. Did the answers take so long?
        """)
    return piece(f"""
    - as-shown {shown}: That is what it reads. Which requests brought tokens?
    - the-failed-ones {shown - answer}: So many it adds for those that were given up. And the
      others?
    - one-stream {1 / gap}: That is what one stream gets. How many answers came?
    - taken-off-twice {answer * part}: You take the failed ones off twice. Are they among the
      answered?
    """)


def _worked(liar: str, answer: float, shown: float, counts: tuple, limit: int) -> str:
    answered, failed, tokens, seconds = counts
    every = answered + failed
    if liar == "mean":
        return piece(f"""
        . Answered × tokens ÷ seconds agrees with its panel; the parts of the time do not.
        * reading {answer} s: First token and {tokens - 1} gaps: {quantity(answer, "s")}
        . It shows ({answered:,} × {answer:.4g} s + {failed:,} × {limit}.5 s) ÷ {every:,}
        """)
    return piece(f"""
    . First token and {tokens - 1} gaps agree with the time to the last token; the rate does not.
    * tokens {answered * tokens} tok: {answered:,} × {tokens} = {answered * tokens:,} tokens
    * reading {answer} tok/s: ÷ {seconds} s = {quantity(answer, "tok/s")}
    . It shows {every:,} × {tokens} ÷ {seconds} s
    """)


def _other_limit(draw: Draw, mean: float, answered: int, failed: int, limit: int) -> Drill:
    longer = draw.one_of((2, 3)) * limit
    every, printed = answered + failed, as_printed(mean)
    answer, before = (
        (answered * printed + failed * (end + 0.5)) / every for end in (longer, limit)
    )
    return draw.drill(f"""
    “Nobody may be left out”: so a mean over all {every:,} requests is asked for, those that were
    given up with the time that they took. The {answered:,} answers took {quantity(printed, "s")} on
    average. For the next test the client's limit is set to {longer} s; the same {failed:,} fail,
    for nobody works on them, {longer}.0 to {longer + 1}.0 s after they were sent.
    ? What does that mean read after the next test?
    = {answer} s tolerance=0.01 telling=3
    - the-answers-alone {printed}: Those are the answers. Which requests were asked for?
    - the-old-limit {before}: That is this test's. When does the client give up in the next one?
    - one-vote-each {(printed + longer + 0.5) / 2}: You give answers and failures the same weight.
      How many are there of each?
    - weights-swapped {(failed * printed + answered * (longer + 0.5)) / every}: You swap the counts.
      How many were answered?
    - failures-as-nothing {answered * printed / every}: You count the failures and not their time.
      How long did each of them wait?
    ? What does this mean say of what users waited for an answer?
    + A bound from below: those that failed would have waited for longer, nobody knows how long.
    x What they waited on average, for nobody is left out.
    ! Did those who were given up get their answer at that moment?
    x A bound from above: no answer took as long as the limit.
    ! Those that failed had no answer at the limit. Would one have come earlier?
    x Nothing about them or the service: it holds the limit alone.
    ! The answers' times are in it, and each failure has waited for so long at least. What follows?
    > Add up the time of all, those given up at the limit.
    > (answered × mean + failed × limit) ÷ all.
    > ({answered:,} × {quantity(printed, "s")} + {failed:,} × {longer}.5 s) ÷ {every:,}.
    * failures {failed * (longer + 0.5)} s: The failures: {failed:,} × {longer}.5 s
    * mean {answer} s: With {answered:,} × {quantity(printed, "s")}, ÷ {every:,}:
      {quantity(answer, "s")}; with the limit of {limit} s it was {quantity(before, "s")}
    ~ More than with the old limit, and the service is the same.

    A censored time is a bound. A mean with time-outs in it moves with the client's setting, so two
    reports with different limits cannot be compared. A percentile below the share that was answered
    can: it never touches a censored time.
    """)
