"""Two classes on one GPU: what the first gains is paid by the second."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template


@template("I04 I01 I13", level=3, decision="estimate", minutes=3.5)
def who_waits_instead(draw: Draw) -> Drill:
    """Priority: the work is the same, so somebody pays for it."""
    chat, report = draw.number(0.15, 0.6), draw.number(1.5, 6)
    chats, reports = draw.number(0.3, 2), draw.number(0.05, 0.4)
    first, second = chats * chat, reports * report
    draw.require(0.12 < first < 0.45 and second > 0.35 and 0.72 < first + second < 0.92)
    # Cobham 1954, Operations Research 2: classes that do not interrupt; Poisson arrivals
    spread = draw.one_of((1.0, 1.5, 2.0))  # second moment over the square of the mean
    rest = spread * (chats * chat**2 + reports * report**2) / 2
    before = float(f"{rest / (1 - first - second):.3g}")
    after = float(f"{rest / (1 - first):.3g}")
    answer = ((first + second) * before - first * after) / second
    by_count = ((chats + reports) * before - chats * after) / reports
    return draw.drill(f"""
    One GPU takes one request at a time and never interrupts it. Chats come at
    {quantity(chats, "req/s")} and hold it for {quantity(chat, "s")} on average, reports at
    {quantity(reports, "req/s")} for {quantity(report, "s")}; all come independently of each other.
    Served in the order of arrival, chats and reports alike waited {quantity(before, "s")} on
    average. Since Monday a waiting chat goes before all waiting reports, and chats wait
    {quantity(after, "s")} on average.

    ? How long does a report wait now, on average, before the GPU takes it?
    = {answer} s tolerance=0.03 telling=3
    - nobody-pays {before}: That is their wait from before. Chats now start earlier: before whom?
    - by-count {by_count}: You weigh the waits by the number of requests. For how long does a report
      hold the GPU, and a chat?
    - busy-all-the-time {(before - first * after) / second}: You weigh the old wait by one. For what
      share of the time is the GPU busy in all?
    - what-a-chat-gained {2 * before - after}: You give each report what each chat gained. Is there
      as much work of both kinds?
    - until-it-is-done {answer + report}: That is the time until a report is done. How long does it
      wait before it starts?
    > A new order creates no time on the GPU. Which sum over the two classes stays?
    > Busy share × wait, added over the classes, is what it was.
    > ({first:.4g} + {second:.4g}) × {quantity(before, "s")} = {first:.4g} × {quantity(after, "s")}
      + {second:.4g} × the wait of reports.
    * chats_busy {first}: Chats keep the GPU busy for {chats:g} × {quantity(chat, "s")} =
      {first:.4g} of the time
    * reports_busy {second}: Reports for {reports:g} × {quantity(report, "s")} = {second:.4g}
    * wait {answer} s: ({first + second:.4g} × {quantity(before, "s")} − {first:.4g} ×
      {quantity(after, "s")}) ÷ {second:.4g} = {quantity(answer, "s")}
    ~ More than the {quantity(before, "s")} of before, since chats wait less.

    Conservation: if no time is lost and the order does not look at lengths, the sum of load × wait
    is the same under every order (Kleinrock 1965). Priority is a transfer. It is cheap where the
    first class is a small part of the work.
    """).then(_starved(draw, chats, chat, second))


def _starved(draw: Draw, chats: float, chat: float, second: float) -> Drill:
    answer, all_busy = (1 - second) / chat, chats * chat + second
    return draw.drill(f"""
    Chats grow from month to month. Reports come as before, and no one watches them.

    ? From how many chats a second on does it grow so?
    = {answer} req/s tolerance=0.02 telling=3
    - chats-alone {1 / chat}: That is what the GPU does with chats alone. What else arrives all the
      time?
    - what-is-left {(1 - all_busy) / chat}: So many more fit. How many chats come already?
    - both-grow {chats / all_busy}: You let the reports grow too. Which of the two grows?
    ? What do chats see once the queue of reports grows without end?
    + Their wait is still bounded: a chat never stands behind a report that waits
    x Their wait grows without end as well: the GPU is busy all the time
    ! A busy GPU is not the same as a queue of chats. Whom does it take next?
    x They are served at once: a chat goes before everything
    ! It goes before everything that waits. What about the request on the GPU?
    > What share of the GPU is left when the reports have theirs?
    > (1 − busy share of the reports) ÷ time of a chat.
    > (1 − {second:.4g}) ÷ {quantity(chat, "s")}.
    * left {1 - second}: Left for chats: {1 - second:.4g}
    * rate {answer} req/s: ÷ {quantity(chat, "s")} = {quantity(answer, "req/s")}
    ~ More than today's {quantity(chats, "req/s")}.

    The class that waits last carries the whole shortage. The first class's panel stays green while
    the second starves: watch the age of the oldest request in each class.
    """)
