"""Routing by prefix with a bound: who may take a request, and where it goes if not there."""

import math

from labutils.drills.definition.writing import Draw, Drill, choice, listing, piece, template


@template("I07 I12 F05", level=3, decision="commit", form="verdict", minutes=3.5, rough=False)
def bounded_load(draw: Draw) -> Drill:
    """Bounded load: the limit of a replica, and the prefix that has to give way."""
    names, bound = "ABCDE"[: draw.one_of((4, 5))], draw.one_of((1.1, 1.2, 1.25, 1.5))
    pages, common = draw.random.randint(30, 90), draw.random.randint(2, 8)
    holder, second = draw.random.sample(names, 2)
    busy = {name: draw.random.randint(4, 40) for name in names}
    busy |= {holder: draw.random.randint(24, 50), second: draw.random.randint(16, 44)}
    held = dict.fromkeys(names, common)
    held |= {holder: draw.random.randint(pages // 2, pages - 1), second: common + pages // 5}
    total, count = sum(busy.values()) + 1, len(names)
    exact = bound * total / count
    limit = math.ceil(exact)
    free = [name for name in names if busy[name] < limit]
    right = max(free, key=lambda name: (held[name], -busy[name]))
    draw.require(busy[holder] * count > 1.05 * total)
    draw.require(0.05 < limit - exact < 0.95 and len({limit, *busy.values()}) > count)
    rows = "\n".join(
        f"    {name}: {busy[name]} in flight, {held[name]} pages found" for name in names
    )
    against = {
        name: f"Which of those that may take it holds most of the {pages} pages? Not {name}."
        if name in free and held[name] < held[right]
        else f"{name} may take it. Does no other have as many pages, and fewer in flight?"
        if name in free
        else f"{name} has {busy[name]} in flight. Is that below the limit?"
        for name in names
        if name != right
    }
    return draw.drill(f"""
    A router sends a request to the replica on which it finds most of the prompt's pages; of equals
    to the one with the fewest in flight. But a replica must have fewer in flight than a limit: the
    bound, {bound:g}, times the mean over the replicas, the new request counted, rounded up. A
    prompt of {pages} pages comes: {listing(rows)}
    ? What is the limit?
    = {limit} tolerance=0 scale=off telling=3
    - rounded-down {limit - 1}: Which way is the limit rounded?
    - the-mean {math.ceil(total / count)}: That is the mean. What may a replica have beyond it?
    - not-counted {math.ceil(bound * (total - 1) / count)}: You leave out the new request. Is it not
      in flight as well?
    - the-others {math.ceil(bound * (total - busy[holder]) / (count - 1))}: You leave out the
      replica with the pages. Over which replicas is the mean taken?
    - the-fullest {max(busy.values())}: That is the fullest replica. What does the rule take?
    ? Where does the request go?
    {choice(right, against)}
    > How many are in flight in all, the new one counted?
    > ⌈bound × (in flight + 1) ÷ replicas⌉.
    > {bound:g} × ({total - 1} + 1) ÷ {count}, rounded up.
    * flight {total}: In flight with the new one: {total}
    * limit {limit}: {bound:g} × {total} ÷ {count} = {exact:.4g}, rounded up: {limit}
    . Below it: {", ".join(free)}; of these {right} has the most pages, and of equals the fewest in
      flight
    ~ More than the mean, {total / count:.3g}.

    The limit moves with the load, so some replica can always take the request. A prefix is worth a
    prefill, and not a queue (Mirrokni, Thorup, Zadimoghaddam 2018).
    """).then(_least_bound(draw, holder, busy, total))


def _least_bound(draw: Draw, holder: str, busy: dict, total: int) -> Drill:
    count, own = len(busy), busy[holder]
    answer = count * own / total
    return draw.drill(f"""
    {holder} holds most of the pages and has {own} in flight; in all, {total} are in flight with the
    new one.
    ? Which bound must be exceeded so that {holder} may take the request?
    = {answer} tolerance=0.005 scale=off telling=3
    - one-place-more {count * (own + 1) / total}: You ask for a whole place more before rounding.
      From where on is the limit rounded up beyond {own}?
    - over-the-others {(count - 1) * own / (total - own)}: You compare it with the others. Over
      which replicas is the mean taken?
    - above-one {answer - 1}: That is the excess over the mean. What is the bound multiplied with?
    - share-of-all {own / total}: That is its share of all in flight. What is the mean?
    {piece(_PRICE)}
    > The limit is rounded up. What must it exceed before that?
    > bound × (in flight + 1) ÷ replicas > in flight there.
    > {count} × {own} ÷ {total}.
    * mean {total / count}: Mean: {total} ÷ {count} = {total / count:.4g}
    * bound {answer}: {own} ÷ {total / count:.4g} = {answer:.4g}
    ~ Above 1: it has more than the mean in flight.

    The bound is the exchange rate between hits and balance: at 1 it is nearly the fewest in flight,
    without bound the hot replica takes all that it is sent.
    """)


_PRICE = """
? What does a larger bound buy, and what does it cost?
+ More requests find their pages, and the fullest replica becomes fuller
x More requests find their pages, and the router needs fresher reports
! What is the limit computed from? The router counts that itself.
x The fullest replica becomes less full, and fewer requests find their pages
! May a replica have more in flight under a larger bound, or fewer?
x Both hits and balance, up to a bound of 2
! What may the fullest replica have in flight at 2, beside the mean?
"""
