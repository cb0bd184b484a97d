"""Flaws read off traces: stages counted twice, streams in one span."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template
from labutils.metrics import RequestRecord

FAULTS = {"parent_and_child_added": ("X10",), "one_span_for_the_stream": ("X38",)}


def _ms(draw: Draw, low: int, high: int) -> int:
    return 5 * round(draw.number(low, high) / 5)


@template("C04 A08 A15", level=1, decision="estimate", form="flaw")
def parent_and_child_added(draw: Draw) -> Drill:
    """A budget adds stages, not a stage and its parts."""
    tokenise, retrieve, build = _ms(draw, 10, 60), _ms(draw, 100, 300), _ms(draw, 10, 60)
    embed, prefill, decode = _ms(draw, 25, 90), _ms(draw, 150, 600), _ms(draw, 600, 1800)
    total = tokenise + retrieve + build + prefill + decode
    limit = 100 * -(-(total + embed // 2) // 100)
    draw.require(embed < 0.7 * retrieve and total + embed > limit >= total + 15)
    draw.require(embed > 0.03 * total)
    return draw.drill(f"""
    A trace of one request, all stages one after the other: tokenise {tokenise} ms, retrieve
    {retrieve} ms (inside it: embed {embed} ms), build the prompt {build} ms, prefill {prefill} ms,
    decode {decode} ms. The root span has no gaps. The note in the design document has the lines
    below.

    ? How long does the request take?
    = {total / 1000} s tolerance=0.01
    - counted-twice {(total + embed) / 1000}: You add a span and one that lies inside it. Which
      milliseconds are in both?
    - part-taken-out {(total - embed) / 1000}: You take the inner span out. Did retrieval get
      shorter for being looked into?
    - model-alone {(prefill + decode) / 1000}: That is the model alone. What does a user wait for
      before it starts?
    | Before the model runs, tokenise, retrieve and build take {tokenise + retrieve + build} ms.
    ! Three stages in a row: their times add up.
    | The model takes {prefill} + {decode} = {prefill + decode} ms.
    ! Prefill and decode follow each other, and the root has no gaps.
    | With embed's {embed} ms the request takes {total + embed} ms.
    | Our limit is {limit} ms, so {total + embed - limit} ms must go.
    ! The subtraction is right. Is the total right from which it is made?
    > Draw the spans as bars over time. Which of them cover the same milliseconds?
    > Add the direct children of the root, and nothing below them.
    > {tokenise} + {retrieve} + {build} + {prefill} + {decode} ms.
    * total {total / 1000} s: Children of the root: {tokenise} + {retrieve} + {build} + {prefill} +
      {decode} = {total} ms
    . {limit - total} ms are left of {limit} ms: nothing must go.
    ~ Decode alone takes {decode} ms, and the root is longer than that.

    Durations add up across siblings that do not overlap. A parent contains its children: compare
    every budget with the root of a trace. If the root is longer than the sum, a stage is missing;
    if it is shorter, something was counted twice.
    """)


@template("L04 A05 A06", level=2, decision="model", form="flaw", trivia=True)
def one_span_for_the_stream(draw: Draw) -> Drill:
    """One span around a stream hides its first token."""
    first, gap = draw.number(0.4, 3), draw.number(0.015, 0.08)
    tokens = draw.whole(12, 60)
    span = float(f"{first + (tokens - 1) * gap:.4g}")
    times = [first + (span - first) * k / (tokens - 1) for k in range(tokens)]
    stream = RequestRecord(
        id="stream", intended_arrival_s=0, token_times_s=times, finish_s=times[-1]
    )
    tpot = float(stream.tpot_s)
    return draw.drill(f"""
    The service puts one span around `generate()`, which streams its answer to the browser. For a
    typical request that span lasts {quantity(span, "s")} and yields {tokens} tokens. A log line,
    written by somebody else, says when the first token was sent: {quantity(first, "s")} after the
    span began. What a dashboard concludes from the span alone stands below.

    ? How long is the mean gap between two tokens of that answer?
    = {tpot} s tolerance=0.02
    - span-over-tokens {span / tokens}: You spread the wait for the first token over all of them.
      What happens before the first token?
    - span-over-gaps {span / (tokens - 1)}: The number of gaps is right. From when to when do they
      last?
    | `generate()` took {quantity(span, "s")}.
    ! That is what the span measures, from the call to the last token.
    | It yielded {tokens} tokens in that time.
    ! They were counted at the end of the stream.
    | So a token takes {quantity(span / tokens, "s")}.
    | A faster decode kernel would shorten the whole span in proportion.
    ! It would follow, if each token took as long as the line before says.
    > Split the span at the first token.
    > Mean gap = (last token - first token) / (tokens - 1).
    > ({quantity(span, "s")} - {quantity(first, "s")}) / ({tokens} - 1).
    * decoding {span - first} s: Decoding: {quantity(span, "s")} - {quantity(first, "s")} =
      {quantity(span - first, "s")}
    * gap {tpot} s: {tokens} tokens leave {tokens - 1} gaps: {quantity(tpot, "s")} each
    ~ Without the wait for the first token the gaps must come out shorter than the dashboard's
      figure.

    TTFT and TPOT have different causes: queue and prefill here, decode there. One span around both
    shows neither. Add events to the span (admitted, first token, last token, error), give the
    building of the prompt a span of its own, and export in the background, so that no request waits
    for it.
    """)
