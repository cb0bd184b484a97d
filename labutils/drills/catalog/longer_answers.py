"""Longer answers under a cap on concurrency: what they do to first tokens."""

from labutils.capacity import closed_loop_rate
from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template


@template("L12 A05 O13 B01", level=4, decision="limit", form="verdict", number=52, minutes=4)
def longer_answers(draw: Draw) -> Drill:
    """TTFT falls when answers grow, under a cap on concurrency."""
    clients, gap = draw.one_of((16, 24, 32, 48, 64, 96)), draw.one_of((12, 15, 18, 20, 25, 30))
    short = draw.one_of((32, 48, 64, 96, 128))
    long = short * draw.one_of((4, 6, 8))
    old_first, new_first = draw.number(1.2, 3), draw.number(0.2, 0.7)
    stays = [first + (n - 1) * gap / 1000 for first, n in ((old_first, short), (new_first, long))]
    old, new = (closed_loop_rate(clients, stay) for stay in stays)
    # The first run keeps the prefill nearly always busy: that is where 16 to 96 prompts queue.
    prefill = round(1000 * draw.share(0.88, 0.97) / old)
    draw.require(new < 0.6 * old and old * prefill / 1000 < 0.98)
    draw.require(1.2 * prefill < 1000 * new_first < 8 * prefill)
    return draw.drill(f"""
    A benchmark keeps {clients} requests open at all times: one ends, the next is sent. With answers
    of {short} tokens the mean time to the first token was {quantity(old_first, "s")}. For a second
    run the answers have {long} tokens, everything else is as before, and that time fell to
    {quantity(new_first, "s")}. One GPU reads the prompts, one at a time; others write, a further
    token every {gap} ms in both runs. The report says: “long answers warm the cache”.

    ? How many requests a second does the second run send?
    = {new} req/s tolerance=0.02 scale=off
    - without-the-first {closed_loop_rate(clients, (long - 1) * gap / 1000)}: You leave out the wait
      for the first token. For how long is a request open?
    - first-token-alone {closed_loop_rate(clients, new_first)}: You take a request for done at its
      first token. When is the next one sent?
    - the-first-run {old}: That is the first run. How long is an answer now?
    - one-client {new / clients}: That is the rate of one client. How many are there?
    ? Why do first tokens come sooner?
    + Requests end later, so new ones come less often and their prompts queue less
    x Prompts are found in the prefix cache more often as the run goes on for longer
    ! The prompts are as before. What else changes when each request is open longer?
    x Longer answers fill the batch better, so that each prompt is read faster
    ! The same number of requests is open in both runs. What does a prompt wait for?
    x The engine serves first tokens before others as soon as answers are long
    ! No setting was changed. How many prompts a second does it have to read?
    > The number open is fixed. What sets how often one of them ends?
    > Rate = open requests ÷ time that each is open.
    > {clients} ÷ ({quantity(new_first, "s")} + {long - 1} × {gap} ms).
    * open {stays[1]} s: Open for {quantity(new_first, "s")} + {long - 1} × {gap} ms =
      {quantity(stays[1], "s")}
    * rate {new} req/s: {clients} ÷ {quantity(stays[1], "s")} = {quantity(new, "req/s")}
    . The first run sent {quantity(old, "req/s")}: its prompts came much more often.
    ~ Less than in the first run: each of the {clients} is open for longer.

    With a fixed number of open requests the latency sets the arrival rate (open ÷ time): whatever
    lengthens answers takes load off the reading of prompts. Compare first tokens at equal request
    rates, with an open loop.
    """).then(_prefill_load(prefill=prefill, old=old, new=new))


def _prefill_load(*, prefill: int, old: float, new: float) -> Drill:
    busy = old * prefill / 1000
    return drill(f"""
    Reading one of these prompts takes {prefill} ms on the GPU for prompts. The first run sent
    {quantity(old, "req/s")}, the second {quantity(new, "req/s")}.

    ? Which share of the time was that GPU busy in the first run?
    = {busy} tolerance=0.03
    - the-second-run {new * prefill / 1000}: That is the second run. How often did the first one
      send a prompt?
    - difference {(old - new) * prefill / 1000}: That is what the second run saves. What did the
      first one spend?
    > So many prompts a second, each so many milliseconds.
    > Share = rate × time of one.
    > {quantity(old, "req/s")} × {prefill} ms.
    * share {busy}: {quantity(old, "req/s")} × {prefill} ms = {quantity(busy, "1")}
    . In the second run {quantity(new * prefill / 1000, "1")}.
    ~ Below 1: a GPU has no more time than that.

    A busier GPU has a longer queue in front of it; near 1 most of the open requests stand there.
    That, not a cold cache, is what the second run got rid of.
    """)
