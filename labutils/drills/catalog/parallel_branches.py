"""A trace with parallel branches: what nobody accounts for, and what a faster branch brings."""

from labutils.drills.catalog._serving import percent
from labutils.drills.definition.writing import Draw, Drill, listing, quantity, template
from labutils.telemetry import Span, exclusive_times, what_if

_ROOT, _LATE, _OTHER = "question", "keyword search", "vector search"


def _spans(draw: Draw) -> list[Span]:
    """A question: two searches side by side, the keywords later, then reranking and the answer."""
    start = draw.random.randint(10, 60)
    vector = start + draw.random.randint(90, 220)
    keyword = vector + draw.random.randint(40, 160)
    ranked = keyword + draw.random.randint(20, 120)
    reranked = ranked + draw.random.randint(60, 200)
    written = reranked + draw.random.randint(20, 120)
    done = written + draw.random.randint(500, 1500)
    end = done + draw.random.randint(15, 90)
    rows = (
        (_ROOT, 0, end),
        (_OTHER, start, vector),
        (_LATE, start, keyword),
        ("rerank", ranked, reranked),
        ("generate", written, done),
    )
    return [
        Span("1", name, None if name == _ROOT else _ROOT, name, low / 1e3, high / 1e3)
        for name, low, high in rows
    ]


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.0f}"


@template("L01 L10 S01 B18", level=2, decision="model", minutes=3)
def parallel_branches(draw: Draw) -> Drill:
    """A trace with parallel branches: exclusive time and the critical path."""
    spans = _spans(draw)
    root, other, late, rerank, generate = spans
    answer = exclusive_times(spans)[_ROOT]
    added = sum(span.duration_s for span in spans[1:])
    draw.require(root.duration_s > added)
    rows = "\n".join(
        f"{'' if span is root else '  '}{span.name}: {_ms(span.start_s)} to {_ms(span.end_s)}"
        for span in spans
    )
    between_alone = rerank.start_s - late.end_s + generate.start_s - rerank.end_s
    return draw.drill(f"""
    One request, as its spans tell it (milliseconds since it came; a search starts with the other,
    and all four are children of {_ROOT}): {listing(rows)}
    ? For how long is {_ROOT} itself at work: it runs, and none of its children does?
    = {answer} s tolerance=0.02 telling=3
    - children-added {root.duration_s - added}: You take away the sum of the children. Is there a
      moment that you take away twice?
    - between-alone {between_alone}: You count the gaps between children. What happens before the
      first and behind the last?
    - end-forgotten {answer - (root.duration_s - generate.end_s)}: You stop with the last child.
      What happens behind it?
    - covered {root.duration_s - answer}: That is the time in which a child runs. And the other
      part?
    - later-branch-forgotten {answer + late.end_s - other.end_s}: You count a stretch in which one
      of the two searches still runs. Which?
    > Draw the five as bars below each other, and look where the upper one is uncovered.
    > Duration − time covered by at least one child; an overlap counts once.
    > Before {_ms(late.start_s)}, between {_ms(late.end_s)} and {_ms(rerank.start_s)}, and two
      stretches more.
    * covered {root.duration_s - answer} s: Covered: {_ms(late.duration_s)} by the longer search,
      {_ms(rerank.duration_s)} and {_ms(generate.duration_s)} ms:
      {quantity(root.duration_s - answer, "s")}
    * exclusive {answer} s: {quantity(root.duration_s, "s")} −
      {quantity(root.duration_s - answer, "s")} = {quantity(answer, "s")}
    ~ Above {quantity(root.duration_s - added, "s")}, where the overlap is taken twice.

    Exclusive time is what is left when all children are taken away as one set. It is where
    uninstrumented work hides: templates, JSON, a lock. Durations of children that run in parallel
    do not add.
    """).then(_faster(draw, spans))


def _faster(draw: Draw, spans: list[Span]) -> Drill:
    root, other, late = spans[:3]
    factor = draw.one_of((3, 4, 5, 8))
    draw.require(late.duration_s / factor < 0.8 * other.duration_s)
    answer, cut = what_if(spans, _LATE, factor), late.duration_s * (1 - 1 / factor)
    return draw.drill(f"""
    A new index makes {_LATE} {factor} times as fast. All else takes as long as before, and
    reranking begins as long after the later search as it did.
    ? How long would this request take?
    = {answer} s tolerance=0.004 telling=4
    - whole-cut {root.duration_s - cut}: You save all that {_LATE} saves. What does reranking wait
      for then?
    - no-effect {root.duration_s}: You say that a parallel branch does not matter. Which of the two
      ended last?
    - what-is-left-taken-off {root.duration_s - late.duration_s / factor}: You take off what the
      search still takes. What does the request save?
    - all-faster {root.duration_s / factor}: You speed up the whole request. Which span has changed?
    > Which of the two searches is the later one now?
    > Saved = old end of the later search − new end of the later search.
    > The searches end at {_ms(other.end_s)} and
      {1e3 * (late.start_s + late.duration_s / factor):.0f} ms.
    . {_LATE.capitalize()} now ends at {1e3 * (late.start_s + late.duration_s / factor):.0f} ms;
      {_OTHER} at {_ms(other.end_s)} as before.
    * saved {late.end_s - other.end_s} s: Saved: {_ms(late.end_s)} − {_ms(other.end_s)} =
      {quantity(late.end_s - other.end_s, "s")}
    * request {answer} s: {quantity(root.duration_s, "s")} − that = {quantity(answer, "s")}
    ~ No less than {quantity(root.duration_s - late.duration_s, "s")}, without that search.

    A branch is worth its lead over the other one, whatever factor is on the slide. Behind it the
    other branch is critical, and more speed brings nothing.
    """).then(_often(draw))


def _often(draw: Draw) -> Drill:
    often, cut = draw.share(0.2, 0.8), draw.one_of((20, 25, 30, 40, 50))
    ahead = cut + draw.one_of((15, 25, 40))
    answer = often * cut / 1e3
    draw.require(abs(often - 0.5) > 0.05)
    return draw.drill(f"""
    A day of traces: in {percent(often)} of the requests {_LATE} ends last, each time at least
    {ahead} ms after {_OTHER}; in the others {_OTHER} ends last. A smaller change is on offer that
    cuts {cut} ms from every {_LATE}.
    ? By how much does it shorten a request on average?
    = {answer} s
    - whole-cut {cut / 1e3}: You save it in every request. In which of them does anybody wait for
      that search?
    - the-other-branch {(1 - often) * cut / 1e3}: You save it where {_OTHER} is last. Who waits for
      {_LATE} there?
    - lead-saved {often * ahead / 1e3}: You save the whole lead. By how much is the search cut?
    > In which requests does the end come sooner, and by how much?
    > Mean gain = share of requests in which the branch is critical × cut.
    > {often:g} × {cut} ms.
    * gain {answer} s: {often:g} × {cut} ms = {quantity(answer, "s")}
    . The cut is smaller than the lead ({ahead} ms), so all of it counts there.
    ~ Less than {cut} ms: not every request waits for that search.

    A stage that is critical with probability p gives p of what you cut, as long as the cut is
    smaller than its lead. So rank stages by time on the critical path over many traces, never by
    duration in one.
    """)
