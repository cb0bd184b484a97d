"""Three regions, of which one may be lost: what another one must be built for."""

from labutils.drills.definition.writing import Draw, Drill, choice, piece, quantity, template
from labutils.laws.capacity.fleet import rounded_up

_HOURS = ("02:00", "10:00", "18:00")
_PLACES = ("Virginia", "Frankfurt", "Singapore")
_PEAKS = {"Virginia": 2, "Frankfurt": 1, "Singapore": 0}  # the hour of its largest traffic


@template("O12 I12 M11 F05", level=3, decision="estimate", minutes=4)
def evacuated_region(draw: Draw) -> Drill:
    """Multi-region failover: the hour that sizes a region, and its cold caches."""
    traffic = {place: _day(draw, _PEAKS[place]) for place in _PLACES}
    home = draw.one_of(_PLACES)
    others = [place for place in _PLACES if place != home]
    needs = [
        traffic[home][hour] + max(traffic[place][hour] for place in others) / 2 for hour in range(3)
    ]
    worst = max(range(3), key=needs.__getitem__)
    answer = needs[worst]
    draw.require(sorted(needs)[1] < 0.95 * answer)
    own, theirs = max(traffic[home]), [max(traffic[place]) for place in others]
    table = "; ".join(
        f"{place} {', '.join(f'{x:,}' for x in traffic[place][:-1])} and {traffic[place][-1]:,}"
        for place in _PLACES
    )
    all_of_the_lost = max(
        traffic[home][hour] + max(traffic[place][hour] for place in others) for hour in range(3)
    )
    both_lost = max(
        traffic[home][hour] + sum(traffic[place][hour] for place in others) / 2 for hour in range(3)
    )
    hint = ", ".join(
        f"{hour}: {traffic[home][i]:,} + {max(traffic[p][i] for p in others):,} ÷ 2"
        for i, hour in enumerate(_HOURS)
    )
    wrong = {
        hour: f"At {hour}, what does {home} carry, and half of the larger of the others?"
        for hour in _HOURS
        if hour != _HOURS[worst]
    }
    rows = "\n".join(f". At {h}: {quantity(need, 'req/s')}" for h, need in zip(_HOURS, needs))
    return draw.drill(f"""
    A chat service runs in three regions. Requests a second at 02:00, 10:00 and 18:00 (UTC), in this
    order: {table}. If a region is lost, its traffic goes to the other two, half and half. No two
    are lost at a time, and no other hour is worse.
    ? For how many requests a second must {home} be built?
    = {answer} req/s tolerance=0.02 telling=3
    - peaks-added {own + max(theirs) / 2}: You add peaks of different hours. What does each region
      carry at the same hour?
    - all-of-the-lost {all_of_the_lost}: You take over all of the lost traffic. Who takes the other
      half?
    - both-lost {both_lost}: You take over from both of the others. How many are lost at a time?
    - at-the-own-peak {needs[traffic[home].index(own)]}: You look at the hour of the region's own
      peak. Is the need largest then?
    - own-peak {own}: That is the region's own peak. What comes on top?
    - half-as-much-again {1.5 * own}: You add half of the region's own peak. Whose traffic comes?
    ? Which hour decides?
    {choice(_HOURS[worst], wrong)}
    > At each hour: which loss would hurt most?
    > The largest, over the hours, of own traffic + half of the larger of the other two.
    > {hint}.
    {piece(rows)}
    * needed {answer} req/s: The largest: {quantity(answer, "req/s")}
    ~ More than its own peak of {quantity(own, "req/s")}: then, too, half of another comes.

    Sum traffic hour by hour, then take the maximum. Peaks that fall at different hours make
    failover cheap; N + 1 regions of one time zone do not.
    """).then(_cold(draw, home, traffic[home], [traffic[p] for p in others], worst))


def _day(draw: Draw, peak: int) -> list[int]:
    top = draw.whole(200, 900)
    return [top if hour == peak else round(top * draw.share(0.3, 0.8)) for hour in range(3)]


def _cold(draw: Draw, home: str, own: list[int], others: list[list[int]], worst: int) -> Drill:
    warm = draw.number(0.05, 0.2)
    cold = float(f"{warm * draw.share(1.4, 2.4):.2g}")
    most = draw.one_of((0.75, 0.8, 0.85))
    moved = [max(each[hour] for each in others) / 2 for hour in range(3)]
    work = [own[hour] * warm + moved[hour] * cold for hour in range(3)]
    draw.require(max(work) == work[worst] and sorted(work)[1] < 0.95 * work[worst])
    need = work[worst] / most
    answer = rounded_up(need)
    draw.require(12 < answer < 400 and answer - need > 0.05)
    both = own[worst] + moved[worst]
    all_warm, fully_busy = rounded_up(both * warm / most), rounded_up(work[worst])
    return draw.drill(f"""
    In {home} a request of its own users finds the prefix of its conversation in a cache and takes
    {warm:g} s of one GPU. A request that comes over from a lost region finds none, and takes
    {cold:g} s. GPUs may be {100 * most:.0f} % busy. The hour that decides is the same.
    ? How many GPUs does {home} need?
    = {answer} tolerance=0 absolute=1 unsafe=below telling=3
    - all-warm {all_warm if answer - all_warm > 2 else None}: You let the newcomers find their
      prefixes. Where do those lie?
    - all-cold {rounded_up(both * cold / most)}: You make the region's own users cold as well. Whose
      prefixes are here?
    - fully-busy {fully_busy if answer - fully_busy > 2 else None}: You plan the GPUs fully busy.
      How busy may they be?
    - headroom-twice {rounded_up(need / most)}: The headroom is in there twice. Apply it once.
    > How many seconds of GPU does a second bring?
    > ⌈(own × warm + moved × cold) ÷ share⌉.
    > ({own[worst]:,} × {warm:g} + {moved[worst]:,g} × {cold:g}) ÷ {most:g}.
    * work {work[worst]}: GPU seconds a second: {own[worst]:,} × {warm:g} + {moved[worst]:,g} ×
      {cold:g} = {work[worst]:.4g}
    * gpus {answer}: ÷ {most:g}, rounded up: {answer}
    ~ At least {all_warm}, were all caches warm.

    After a failover the traffic is there and its caches are not. Size for the cold request, or let
    the newcomers in step by step while prefixes fill.
    """)
