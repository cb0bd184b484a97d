"""A proxy that collects a stream: when the first word comes, and what pings and zipping change."""

import math

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_PINGS = (": ping", ":", ": ok", ": wait", ": keep-alive")


@template("O06 P02 A16", level=2, decision="limit", minutes=4)
def held_stream(draw: Draw) -> Drill:
    """A proxy that buffers a stream: the first lump, heartbeats, compression."""
    held, event = draw.one_of((4096, 8192)), draw.whole(110, 420)
    rate, begins = draw.whole(12, 90), draw.number(0.15, 0.9)
    tokens = 10 * draw.whole(20, 90)
    lump = math.ceil(held / event)
    draw.require(held % event and lump >= 10 and 1.4 * lump < tokens)
    answer = begins + (lump - 1) / rate
    return draw.drill(f"""
    A server sends each token as an event of {event} bytes, the moment it is written: the first
    {quantity(begins, "s")} after the request, then {quantity(rate, "tok/s")}, {tokens} tokens in
    all. On the way a proxy collects what comes. Whenever it holds {held:,} bytes or more it passes
    on all that it has and begins anew; at the end of the answer it passes on the rest. The network
    takes no time.
    ? How long after the request does the reader see the first word?
    = {answer} s tolerance=0.01 telling=4
    - as-it-is-written {begins}: Then it is written. Does the proxy pass it on in that moment?
    - from-the-first-token {(lump - 1) / rate}: You count from the first token. When does that come
      itself?
    - whole-answer {begins + (tokens - 1) / rate}: You wait for the whole answer. How much does the
      proxy hold?
    - first-for-each {lump * begins}: You give every token the time of the first. At which pace do
      the others follow?
    - one-gap-more {begins + lump / rate}: A gap too many: how many of the lump's tokens come after
      the first one?
    > How many events fill what the proxy holds, and when is the last of them written?
    > first token + (⌈bytes held ÷ bytes of an event⌉ − 1) ÷ tokens a second.
    > {quantity(begins, "s")} + (⌈{held:,} ÷ {event}⌉ − 1) ÷ {rate}.
    * lump {lump}: ⌈{held:,} ÷ {event}⌉ = {lump} tokens in the first lump
    * first_word {answer} s: {quantity(begins, "s")} + {lump - 1} ÷ {rate} = {quantity(answer, "s")}
    ~ Between {quantity(begins, "s")}, straight from the server, and
      {quantity(begins + (tokens - 1) / rate, "s")}, the end of the answer.

    A buffer on the way turns a stream into lumps of buffer ÷ event tokens, and TTFT into the time
    of a lump; the server's own panel shows none of it. nginx buffers by default (`proxy_buffering`,
    a page of 4 or 8 KB first); the header `X-Accel-Buffering: no` turns it off for one answer
    (documentation of ngx_http_proxy_module).
    """).then(_pings(draw, held, event, (tokens, rate, begins)))


def _pings(draw: Draw, held: int, event: int, stream: tuple) -> Drill:
    text, every = draw.one_of(_PINGS), draw.one_of((5, 10, 15, 20))
    size = len(text) + 2
    idle = draw.one_of((30, 60, 100))
    draw.require(every < idle)
    count = math.ceil(held / size)
    answer = count * every
    return draw.drill(f"""
    Some requests wait for a long time before their first token. To show that it lives the server
    now sends a comment every {every} s until then: `{text}` and two line ends, a byte for each
    character. Behind the proxy a balancer closes a connection on which nothing has come for {idle}
    s.
    ? If there were nothing but comments, how long after the request would the first of them come
      out of the proxy?
    = {answer} s tolerance=0.02 telling=0
    - line-ends-forgotten {math.ceil(held / len(text)) * every}: You count what one sees. What else
      is sent with each comment?
    - one-line-end {math.ceil(held / (size - 1)) * every}: You send one line end. How many follow a
      comment?
    - size-of-an-event {math.ceil(held / event) * every}: You fill the proxy with events of tokens.
      How large is a comment?
    - one-a-second {count}: That is how many comments it takes. How often does one come?
    - as-it-is-sent {every}: Then the first one is sent. What does the proxy do with it?
    > How many comments fill what the proxy holds?
    > ⌈bytes held ÷ bytes of a comment⌉ × time between two.
    > ⌈{held:,} ÷ ({len(text)} + 2)⌉ × {every} s.
    * comments {count}: ⌈{held:,} ÷ ({len(text)} + 2)⌉ = {count:,} comments
    * comes_out {answer} s: {count:,} × {every} s = {quantity(answer, "s")}; the balancer has closed
      after {idle} s
    ~ Far more than {idle} s, so the connection is closed although comments are sent.

    A heartbeat keeps open only what it reaches: a buffer collects it like everything else. First
    stop the buffering, then send heartbeats, more often than the shortest idle limit on the way.
    """).then(_zipped(draw, held, event, *stream))


def _zipped(draw: Draw, held: int, event: int, tokens: int, rate: int, begins: float) -> Drill:
    small = max(9, round(event * draw.number(0.06, 0.4)))
    lump, end = math.ceil(held / small), begins + (tokens - 1) / rate
    fills = begins + (lump - 1) / rate
    answer = min(fills, end)
    draw.require(abs(fills / end - 1) > 0.08)
    before = begins + (math.ceil(held / event) - 1) / rate
    smaller_so_sooner = begins + (math.ceil(held * small / event / event) - 1) / rate
    return draw.drill(f"""
    To save traffic somebody has the server compress its answers. Events are nearly alike: each of
    them is only {small} bytes now, and the proxy collects as it did. The answer has {tokens}
    tokens; it begins as before and at the same pace.
    ? How long after the request does the reader see the first word now?
    = {answer} s tolerance=0.01 telling=4
    - as-if-it-went-on {fills}: By then the answer has ended. What does the proxy do at its end?
    - at-the-end {end}: You wait for the end. Do the smaller events fill the proxy before?
    - as-before {before}: That is with the events as they were. How many of the smaller ones fill
      it?
    - smaller-so-sooner {smaller_so_sooner}: You let fewer events fill it. They have become smaller:
      does that take fewer?
    - from-the-first-token {answer - begins}: You count from the first token. When does that come
      itself?
    - as-it-is-written {begins}: Then it is written. Does the proxy pass it on in that moment?
    > How many of the smaller events fill the proxy, and has the answer so many?
    > The earlier of two: first token + (⌈bytes held ÷ bytes of an event⌉ − 1) ÷ rate, and the end
      of the answer.
    > ⌈{held:,} ÷ {small}⌉ events, of {tokens} in all, {rate} a second after the first.
    * fill {lump}: ⌈{held:,} ÷ {small}⌉ = {lump} events fill it
    * end {end} s: The answer ends after {quantity(end, "s")}
    * first_word {answer} s:
      {"It fills" if fills < end else "It never fills; the rest is passed on"} after
      {quantity(answer, "s")}
    ~ Later than the {quantity(before, "s")} of the larger events.

    Smaller events fill a buffer later: what saves bytes costs the first word, up to the whole
    answer at once. Streams are left out of compression, or each event is flushed.
    """)
