"""A reader slower than the stream: when it is cut, what the sockets hold, which line is enough."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_CUT = "It is cut, in the middle of its answer."
_ENDS = "Its answer is written before that: it reads the rest at its own pace."


@template("I10 O06 P02", level=3, decision="limit", form="verdict", minutes=5, rough=False)
def slow_reader(draw: Draw) -> Drill:
    """Back-pressure at a slow reader: a bound on unread events, and what hides behind it."""
    made, event = draw.whole(60, 240), draw.whole(150, 420)
    line = 10 * round(made * event * draw.share(0.25, 0.8, 3) / 10)
    bound = draw.one_of((256, 512, 1024, 2048, 4096))
    read = line / event
    answer = bound / (made - read)
    tokens = 100 * round(made * answer * draw.one_of((0.5, 0.65, 0.8, 1.25, 1.6, 2)) / 100)
    ends = tokens / made
    draw.require(400 <= tokens <= 16_000 and abs(ends / answer - 1) > 0.1)
    return draw.drill(f"""
    A server writes an answer of {tokens:,} tokens at {quantity(made, "tok/s")}, each as an event of
    {event} bytes. Its reader sits on a bad line that carries {quantity(line, "B/s")}. The server
    keeps what has not been sent, and cuts a reader once {bound:,} events wait for it. Take it that
    an event is off the server when the line has carried it, and not before.
    ? After how many seconds would so many events wait, if the answer were long enough?
    = {answer} s tolerance=0.02 telling=4
    - reading-forgotten {bound / made}: You let nothing be read. How many events does it take off
      meanwhile?
    - until-they-are-read {bound / read}: So long it takes to read them. How fast do the unread ones
      grow?
    - end-of-the-answer {ends}: Then the answer is written. When is the bound reached, if it goes
      on?
    - rates-added {bound / (made + read)}: You add the two rates. Which of them makes unread events
      fewer?
    - last-word-read {tokens / read}: So long it takes to read the whole answer. How many are
      unread, and when?
    ? What happens to this reader?
    + {_CUT if answer < ends else _ENDS}
    x {_ENDS if answer < ends else _CUT}
    ! Compare the moment at which the bound is reached with the end of the answer.
    x Nothing: it reads more slowly, and the server writes more slowly for it.
    ! Who tells the engine to write more slowly? It serves others in the same steps.
    > How many events a second does the line carry, and how many come?
    > bound ÷ (tokens a second − bytes a second ÷ bytes of an event).
    > {bound:,} ÷ ({made} − {line:,} ÷ {event}).
    * read {read}: The line carries {line:,} ÷ {event} = {read:.4g} events a second
    * bound_reached {answer} s: {bound:,} ÷ ({made} − {read:.4g}) = {quantity(answer, "s")}
    . The answer is written after {tokens:,} ÷ {made} = {quantity(ends, "s")}
    ~ Longer than {quantity(bound / made, "s")}, with nothing read at all.

    A batch of streams cannot wait for one reader, so somebody holds what it has not read. Without a
    bound that is memory for whoever comes with a bad line; with one the reader is cut, and nobody
    else notices.
    """).then(_sockets(draw, made, event, line, bound, tokens))


def _sockets(draw: Draw, made: int, event: int, line: int, bound: int, tokens: int) -> Drill:
    held, read = 1000 * draw.whole(60, 900), line / event
    more = held / event
    answer = (bound + more) / (made - read)
    draw.require(0.15 * bound < more < 3 * bound)
    asked = draw.drill(f"""
    A test shows that the cut comes later. The operating systems on both sides hold
    {quantity(held, "B")} of the connection together, and the server takes what it has handed to
    them as read.
    ? After how many seconds do so many events wait at the server in truth?
    = {answer} s tolerance=0.02 telling=0
    - as-before {bound / (made - read)}: As before. Where do the first events go, and does the
      server count them?
    - time-on-the-line {bound / (made - read) + held / line}: You add the time in which the line
      carries them. How fast do they come in?
    - written-without-reading {bound / (made - read) + more / made}: You fill the buffers without
      anything leaving them. What does the line do?
    - taken-off-the-bound {(bound - more) / (made - read)}: You take them off the bound. Does the
      server see them as unread?
    - buffers-alone {more / (made - read)}: Then the buffers are full. What may still wait at the
      server?
    - counted-twice {(bound + 2 * more) / (made - read)}: The bytes that were given are those of
      both sides together. Counted twice?
    > How many events lie between the server and the reader before the server sees any?
    > (bound + bytes held ÷ bytes of an event) ÷ (tokens a second − events read a second).
    > ({bound:,} + {held:,} ÷ {event}) ÷ ({made} − {read:.4g}).
    * held {more}: The buffers hold {held:,} ÷ {event} = {more:,.4g} events
    * bound_reached {answer} s: ({bound:,} + {more:,.4g}) ÷ {made - read:.4g} =
      {quantity(answer, "s")}
    ~ Later than {quantity(bound / (made - read), "s")}, without any buffers.

    “Sent” is what the operating system took, not what a reader saw. A bound at the server stands
    behind the buffers of sockets and proxies: test it with a reader that does not read, and expect
    it late.
    """)
    told = tuple(mistake for mistake in asked.mistakes if mistake.value > 0)
    draw.require(len(told) >= 4)
    return asked.also(mistakes=told, follow_up=_line(draw, made, event, bound, more, held))


def _line(draw: Draw, made: int, event: int, bound: int, more: float, held: int) -> Drill:
    longest = 100 * round((bound + more) * draw.number(1.3, 5) / 100)
    kept = (bound + more) / longest
    writes = made * event
    answer = writes * (1 - kept)
    draw.require(0.18 < kept < 0.8 and abs(kept - 0.5) > 0.04)
    return draw.drill(f"""
    Answers have {longest:,} tokens at most. The server should never cut a reader for its line;
    events, pace, the {bound:,} events and the {quantity(held, "B")} are as before.
    ? How many bytes a second must a line carry at least?
    = {answer} B/s tolerance=0.02 telling=4
    - as-fast-as-it-is-written {writes}: Then nothing ever waits. How many events may wait at the
      end?
    - buffers-forgotten {writes * (1 - bound / longest)}: You leave the bound alone. What else holds
      events?
    - bound-forgotten {writes * (1 - more / longest)}: You let the buffers hold all. What may wait
      at the server?
    - what-may-wait {writes * kept}: You carry what may wait, and leave the rest. Which part has to
      be carried?
    - events-a-second {made * (1 - kept)}: Those are events a second. How many bytes are they?
    > How many events must have left by the end of the longest answer, and how long does that take?
    > bytes of an event × tokens a second × (1 − (bound + held) ÷ longest).
    > {event} × {made} × (1 − ({bound:,} + {more:,.4g}) ÷ {longest:,}).
    * may_wait {kept}: {bound:,} + {more:,.4g} events may wait at the end, {quantity(kept, "1")} of
      all
    * line {answer} B/s: The others in the time of the whole: {event} × {made} ×
      {quantity(1 - kept, "1")} = {quantity(answer, "B/s")}
    ~ Less than {quantity(writes, "B/s")}, as fast as it is written.

    Bounds come in one currency: the bound must hold what the longest answer outruns the slowest
    honest reader by. Fewer bytes for an event help every slow line at once.
    """)
