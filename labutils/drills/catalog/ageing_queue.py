"""Requests that gain by waiting: when the lowest class overtakes, and how fast it has to gain."""

from labutils.drills.definition.writing import Draw, Drill, quantity, template

_CLASSES = (  # the lower class, one and many; one of the higher class
    ("summary", "summaries", "chat"),
    ("embedding job", "embedding jobs", "search"),
    ("report", "reports", "completion"),
)


@template("I04 I01 I13", level=2, decision="commit", minutes=3.5)
def ageing_queue(draw: Draw) -> Drill:
    """Ageing: priority that does not starve, and its bound."""
    slow, slows, fast = draw.one_of(_CLASSES)
    fasts = "searches" if fast == "search" else f"{fast}s"
    first, gap = draw.one_of((1, 2, 3)), draw.one_of((2, 3, 4, 5))
    last, every = first + gap, draw.one_of((4, 5, 6, 8, 10, 12, 15, 20))
    answer = gap * every
    return draw.drill(f"""
    A queue takes the request with the lowest number first, and of equal numbers the older one. A
    {fast} comes with number {first}, {slows} with number {last}. While a request waits its number
    falls evenly, by 1 every {every} s. {_a(slow).capitalize()} waits, and {fasts} keep coming.
    ? How old is the {slow} when it goes before a {fast} that comes in that very moment?
    = {answer} s tolerance=0.02 telling=4
    - down-to-zero {last * every}: You let its number fall to zero. Whose number does it have to
      reach?
    - number-of-the-other {first * every}: You count from the other's number. How far apart are the
      two?
    - one-class {every}: That is one step. How many steps lie between the two?
    - one-step-more {(gap + 1) * every}: A step too many: what decides between equal numbers?
    - one-step-less {(gap - 1) * every}: A step too few: it is still behind by one then.
    > By how much must its number fall?
    > (its number − the other's number) × time for one.
    > ({last} − {first}) × {every} s.
    * apart {gap}: The numbers lie {last} − {first} = {gap} apart
    * overtakes {answer} s: {gap} × {every} s = {quantity(answer, "s")}
    ~ It has to wait longer than {every} s, for the two are more than one apart.

    With ageing the order is that of arrival + patience × class, fixed when a request arrives. So a
    request is overtaken by nothing that comes later than the gap × the patience: that is a bound,
    where strict priority has none.
    """).then(_bounded(draw, slow, fasts, gap, last))


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _bounded(draw: Draw, slow: str, fasts: str, gap: int, last: int) -> Drill:
    ahead, busy = draw.whole(5, 40), draw.share(1.02, 1.3)
    most = 10 * draw.whole(6, 60)
    draw.require(1.5 * ahead < most)
    answer = (most - ahead) / (busy * gap)
    return draw.drill(f"""
    And now a rush: for hours {fasts} come evenly, each second {busy:g} s of work for the one
    server, which does one thing at a time. Nothing else comes but {_a(slow)}, and {ahead} s of work
    stand before it when it arrives. It was promised that it starts within {most} s. You set the
    time in which a number falls by 1.
    ? How long may that time be at most?
    = {answer} s tolerance=0.02 telling=4
    - backlog-forgotten {most / (busy * gap)}: You give the later arrivals all of the time. What
      stood before it when it came?
    - as-fast-as-the-clock {(most - ahead) / gap}: You let {fasts} bring a second of work a second.
      How much do they bring?
    - equal-in-time {most / gap}: You make the numbers equal when the promise ends. Is it taken in
      that moment, with all that came before it still to be served?
    - from-the-last-number {(most - ahead) / (busy * last)}: You divide by its number. By how much
      does it have to fall?
    - backlog-added {(most + ahead) / (busy * gap)}: You add what stood before it to what may be
      waited. On which side is it?
    - whole-gap {(most - ahead) / busy}: That is how long others may overtake it. How many steps is
      that?
    > Which later arrivals are served before it, and how much work do they bring?
    > work before it + work a second × gap × time = promise.
    > {ahead} s + {busy:g} × {gap} × time = {most} s.
    * later_work {most - ahead} s: Later arrivals may bring {most} − {ahead} = {most - ahead} s of
      work
    * overtaken_for {(most - ahead) / busy} s: ÷ {busy:g}: they come for
      {quantity((most - ahead) / busy, "s")}
    * ageing {answer} s: ÷ {gap}: {quantity(answer, "s")}
    ~ Less than {quantity(most / gap, "s")}: by then it would only be equal.

    Wait ≤ work before it + load × gap × patience, even at a load above 1, where strict priority
    would let it wait as long as the rush lasts. The price is on the other panel: the higher class
    waits for it.
    """)
