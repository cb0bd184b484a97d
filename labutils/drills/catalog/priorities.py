"""Requests that go before others: what the others pay, and what must be done again."""

import math

from labutils.drills.catalog._serving import percent
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


_TIERS = (
    ("a summary for a paying customer", "batch jobs"),
    ("a request of the interactive tier", "evaluation runs"),
    ("an agent with a deadline", "bulk translations"),
)


@template("I04 J02 O01", level=2, decision="estimate")
def preempted(draw: Draw) -> Drill:
    """Preemption: what a higher priority costs in recomputing."""
    who, others = draw.one_of(_TIERS)
    prompt, written = draw.whole(800, 6000), draw.whole(100, 1500)
    asks, output = draw.whole(5000, 40_000), draw.one_of((500, 800, 1000, 2000))
    rate = draw.whole(6000, 40_000)
    each, need = prompt + written, asks + output
    victims = math.ceil(need / each)
    draw.require(2 <= victims <= 12 and 0.1 < need / each % 1 < 0.9)
    draw.require(math.ceil(asks / each) == victims - 1)  # the output decides on one more
    answer = victims * each / rate
    return draw.drill(f"""
    An engine's memory is full of {others}, every one of them with a prompt of {prompt:,} tokens and
    {written:,} tokens written so far. Then comes {who}, with a higher priority: a prompt of
    {asks:,} tokens, and room for {output:,} tokens of output is reserved at once. The engine drops
    the caches of whole sequences, the latest first, until it fits; it counts tokens, not pages.
    Later each of those is read in again, with all that it had written, and goes on. Reading runs at
    {quantity(rate, "tok/s")}.
    ? How much time does the card spend on what it had done already?
    = {answer} s tolerance=0.03 telling=4
    - prompts-alone {victims * prompt / rate}: You read their prompts. What else was in their
      caches?
    - one-of-them {each / rate}: That is one of them. How many must make room?
    - one-too-few {(victims - 1) * each / rate}: So many make room for less than prompt and output
      together. How many whole sequences must go?
    - just-the-room {need / rate}: You read as many tokens as the request needs. Does an engine drop
      part of a sequence?
    - the-new-prompt {(victims * each + asks) / rate}: You count the new prompt. Is that done a
      second time?
    > How many sequences must go, and how many tokens had each in its cache?
    > ⌈needed ÷ tokens of a sequence⌉ × tokens of a sequence ÷ reading rate.
    > ⌈{need:,} ÷ {each:,}⌉ × {each:,} ÷ {quantity(rate, "tok/s")}.
    * needed {need}: Needed: {asks:,} + {output:,} = {need:,} tokens
    * sequences {victims}: ÷ {each:,}, rounded up: {victims} sequences go
    * time {answer} s: {victims} × {each:,} ÷ {quantity(rate, "tok/s")} = {quantity(answer, "s")}
    ~ At least the {quantity(need / rate, "s")} that the needed tokens alone would take.

    A preempted sequence loses its cache and pays prompt and output again, by prefill. That is far
    cheaper than decoding it again, but not free: it comes out of the throughput of the lower class.
    """).then(_often(draw, answer, victims, each))


def _often(draw: Draw, cost: float, victims: int, each: int) -> Drill:
    part = draw.one_of((0.05, 0.08, 0.1, 0.15, 0.2))
    answer = 3600 * part / cost
    return draw.drill(f"""
    And now such requests keep coming, and each of them drops as many. At most {percent(part)} of
    the card's time may go to what was done already.
    ? How many such requests may come per hour, at most? It need not be whole.
    = {answer} tolerance=0.03 telling=0
    - per-second {answer / 3600}: That is per second. What was asked for?
    - whole-card {3600 / cost}: You spend all of the card's time. Which part of it may go there?
    - one-of-them {answer * victims}: Each request drops several sequences. How many?
    - the-other-part {3600 * (1 - part) / cost}: You spend the part that is left for the rest.
    > How much time may go there in an hour, and how much does one request cost?
    > 3600 s × part ÷ cost of one.
    > 3600 s × {part:g} ÷ {quantity(cost, "s")}.
    * time {3600 * part} s: In an hour {part:g} × 3600 s = {3600 * part:g} s
    * requests {answer}: ÷ {quantity(cost, "s")} = {answer:.4g}
    ~ One a minute takes {percent(cost / 60)} of the card's time.

    Memory no longer decides who runs; arithmetic pays for it. Beyond such a rate keep room free for
    the higher class, or admit less of the lower one, instead of dropping what runs.
    """)
