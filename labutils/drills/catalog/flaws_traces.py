"""Flaws in traces: the order of spans, what they hold, what is counted twice."""

from labutils.drills.definition.writing import (
    FLAW,
    Draw,
    Drill,
    lines_of,
    listing,
    numbered,
    quantity,
    template,
)
from labutils.metrics import RequestRecord

FAULTS = {
    "exporter_order": ("X05",),
    "dropped_attribute": ("X06",),
    "parent_and_child_added": ("X10",),
    "one_span_for_the_stream": ("X38",),
}


def _ms(draw: Draw, low: int, high: int) -> int:
    return 5 * round(draw.number(low, high) / 5)


@template("L01 T01", level=2, decision="model", form="flaw", rough=False, trivia=True)
def exporter_order(draw: Draw) -> Drill:
    """A span is exported when it ends: children come first."""
    embed, look, write = _ms(draw, 20, 90), _ms(draw, 60, 300), _ms(draw, 400, 2500)
    root, outer = draw.one_of(("answer", "rag_query", "handle")), draw.one_of(("retrieve", "find"))
    total = embed + look + write
    return draw.drill(f"""
    Your service is traced. `{root}` contains two spans, first `{outer}` and then `generate`
    ({write} ms). `{outer}` contains `embed` ({embed} ms) and then `search` ({look} ms); nothing
    else takes time. A span processor hands each span to a console exporter, one JSON object a span,
    at once and not in batches. A colleague, who has drawn the tree with `{root}` on top, says that
    the console must look like the tree.
    ? How long after the beginning of `{root}` does the object of `{outer}` appear?
    = {(embed + look) / 1000} s tolerance=0.01
    - at-its-beginning 0: At 0 ms `{outer}` has just begun. Can its duration be printed?
    - with-the-root {total / 1000}: That is when the whole query ends. Does a span wait for its
      parent?
    - first-child {embed / 1000}: That is when `embed` ends. What else does the span contain?
    ? In which order do the five objects appear?
    + embed, search, {outer}, generate, {root}
    x {root}, {outer}, embed, search, generate
    ! That is the order in which the spans begin. What does an exporter need to know about a span
      before it can print it?
    x embed, search, generate, {outer}, {root}
    ! Leaves first, then the levels above? Ask when `{outer}` has ended, and whether `generate` has
      begun by then.
    x {outer}, embed, search, generate, {root}
    ! `{root}` is right. Does `{outer}` end before what it contains?
    > A span's duration is part of what is exported.
    > A span is handed over when it ends: after the last of what it contains.
    > `embed` takes {embed} ms, `search` {look} ms, one after the other.
    * embed {embed / 1000} s: `embed` ends after {embed} ms.
    * both {(embed + look) / 1000} s: `search` ends {look} ms later, and `{outer}` with it:
      {embed + look} ms.
    . `generate` and `{root}` end at {total} ms, in this order.
    ~ Not before the {look} ms of `search` are over.

    An exporter sees a span when it ends, so a child always comes before its parent, and a request
    that hangs shows no root at all. The tree is rebuilt later, from the ids of the parents; the
    order of lines says nothing about it.
    """)


def _attributes(tenant: str, top: int, year: int) -> list[tuple[str, str]]:
    """Arguments of ``set_attribute``, and why the line with them is not the one that is asked."""
    return [
        (f'"tenant", "{tenant}"', "Text is one of the types that every version takes."),
        (f'"top_k", {top}', "A whole number is one of the types that every version takes."),
        (f'"filters", {{"lang": "en", "year": {year}}}', FLAW),
        (
            '"cached", False',
            "False is a value like any other: booleans are taken by every version.",
        ),
        (
            '"scores", [0.91, 0.87, 0.86, 0.85, 0.81]',
            "A list is fine as long as its members are primitives of one type.",
        ),
    ]


@template("L01 T01", level=1, decision="limit", form="flaw", minutes=1.5, rough=False, trivia=True)
def dropped_attribute(draw: Draw) -> Drill:
    """Span attributes are primitives and lists of them."""
    span, top = draw.one_of(("search", "retrieve", "rerank")), draw.whole(3, 40)
    tenant = draw.one_of(("acme", "globex", "initech"))
    year = draw.one_of((2021, 2022, 2023, 2024))
    lines = _attributes(tenant, top, year)
    draw.random.shuffle(lines)
    dropped = next(number for number, (_, message) in enumerate(lines, 2) if message == FLAW)
    code = "\n".join(
        [
            f'with tracer.start_as_current_span("{span}") as span:',
            *(f"    span.set_attribute({arguments})" for arguments, _ in lines),
        ]
    )
    return draw.drill(
        f"""
    The project allows OpenTelemetry's Python SDK from 1.20 on. On the laptop with the newest SDK
    all attributes of this span show up; on the server, with 1.20, one is missing, and a warning
    stands in a log that nobody reads.

    {listing(numbered(code))}
    ? Which line's attribute does the old SDK drop?
    > Look at the type of each value, not at its name.
    > Every version takes str, bool, int, float, and sequences of one of them.
    > Go through the lines: which value is none of these, and no list of them?
    . Taken by every version: str, bool, int, float, and lists of one of these.
    . The dict in line {dropped} is none of them. Version 1.20 warns ('Invalid type dict') and drops
      it; newer ones keep it.
    . Robust: one attribute for each key, "filters.lang" and "filters.year".
    ~ Nothing raises: the span ends as if all were well.

    Telemetry is written not to break the service: what it cannot take, it drops. Flatten a dict
    into dotted keys, and test with the oldest version you allow that the attributes you alert on
    arrive.
    """,
        options=lines_of(
            code, "", {number: message for number, (_, message) in enumerate(lines, 2)}
        ),
    )


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
