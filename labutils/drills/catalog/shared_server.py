"""One server, short and long requests: what the order of service does to each."""

from dataclasses import dataclass
from functools import cached_property

from labutils.drills.definition.writing import Draw, Drill, drill, quantity, template
from labutils.laws.queueing import (
    FirstCome,
    KnownLengths,
    ProcessorSharing,
    ShortestJobFirst,
    ShortestRemainingTime,
)

_KINDS = (  # the server, short ones, long ones, least and most work of a short one in s
    ("One GPU answers", "questions", "reports", 0.2, 1.5),
    ("One GPU transcribes", "voice notes", "meetings", 0.3, 2.0),
    ("One GPU embeds", "single pages", "whole books", 0.02, 0.15),
)


@dataclass(frozen=True)
class _Mix:
    """Two lengths of work before one server."""

    what: str
    names: tuple[str, str]
    times_s: tuple[float, float]
    share: float
    rate: float

    @cached_property
    def services(self) -> KnownLengths:
        return KnownLengths(self.times_s, (1 - self.share, self.share))

    @property
    def load(self) -> float:
        return self.rate * self.services.mean_service_time

    @property
    def short_load(self) -> float:
        """Load from the short ones."""
        return self.rate * (1 - self.share) * self.times_s[0]

    @property
    def rest(self) -> float:
        """Work left in the one in service, as an arrival meets it: λE[S²]/2."""
        return self.rate * self.services.moment(2) / 2

    @property
    def story(self) -> str:
        short, long = self.names
        return (
            f"{self.what} {short} and {long}. Alone on the GPU a request for {short} takes "
            f"{quantity(self.times_s[0], 's')}, one for {long} {quantity(self.times_s[1], 's')}; "
            f"{quantity(100 * self.share, '%')} are for {long}. Together "
            f"{quantity(self.rate, 'req/s')} come, at random moments."
        )


def _mix(draw: Draw) -> _Mix:
    what, short_name, long_name, low, high = draw.one_of(_KINDS)
    short, times = draw.number(low, high), draw.whole(6, 40)
    share, long = draw.one_of((0.02, 0.04, 0.05, 0.08, 0.1)), float(f"{short * times:.2g}")
    mean = (1 - share) * short + share * long
    rate = float(f"{draw.share(0.45, 0.85) / mean:.2g}")
    mix = _Mix(what, (short_name, long_name), (short, long), share, rate)
    draw.require(0.35 <= mix.load <= 0.88)
    return mix


@template("I04 O02 L16", level=2, decision="model", minutes=4)
def shared_or_in_turn(draw: Draw) -> Drill:
    """Processor sharing against first come, first served, for a short request."""
    mix = _mix(draw)
    short = mix.times_s[0]
    shared, in_turn = (
        order(mix.rate, mix.services).mean_sojourn_time_of(short)
        for order in (ProcessorSharing, FirstCome)
    )
    mean = mix.services.mean_service_time
    draw.require(in_turn > 1.2 * shared)
    return draw.drill(f"""
    {mix.story} All who are inside are served at once, and share the GPU equally: with three inside,
    each runs at a third of the pace.
    ? How long does a request for {mix.names[0]} stay on average, start to end?
    = {shared} s tolerance=0.02
    - alone {short}: That is its time alone on the GPU. With how many does it share?
    - mean-work {mean / (1 - mix.load)}: That is the mean over all requests. How much work does this
      one bring?
    - in-turn {in_turn}: You let it wait its turn behind the others. Who has to wait here?
    - own-load-alone {short / (1 - mix.short_load)}: You count only requests of its own kind. With
      whom does it share?
    > Everybody inside is slowed down alike. By how much, at this load?
    > Stay = own work / (1 − ρ), with ρ the load of all.
    > {quantity(short, "s")} / (1 − {mix.load:.4g}).
    * mean_work {mean} s: E[S] = {quantity(mean, "s")}
    * load {mix.load}: ρ = {quantity(mix.rate, "1/s")} × {quantity(mean, "s")} = {mix.load:.4g}
    * stay {shared} s: {quantity(short, "s")} / (1 − {mix.load:.4g}) = {quantity(shared, "s")}
    ~ More than the {quantity(short, "s")} alone.

    Processor sharing: x/(1 − ρ) for a request of size x, whatever the spread of the others. Large
    batches that step together come near it, as long as a step takes longer in proportion to who is
    inside.
    """).then(_in_turn(mix, shared=shared, in_turn=in_turn))


def _in_turn(mix: _Mix, *, shared: float, in_turn: float) -> Drill:
    short, mean = mix.times_s[0], mix.services.mean_service_time
    return drill(f"""
    A colleague serves one at a time instead, in order of arrival.
    ? How long does a request for {mix.names[0]} stay on average then?
    = {in_turn} s tolerance=0.03
    - as-when-shared {shared}: That is the stay with sharing. Behind whom does it stand now?
    - equal-work {mix.load * mean / 2 / (1 - mix.load) + short}: You let all have the mean work.
      Whom does one meet who comes at random?
    - waiting-alone {in_turn - short}: You leave out its own work.
    > Wait for those before it, plus its own work.
    > Wait = λE[S²] / (2(1 − ρ)).
    > E[S²] = {1 - mix.share:g} × {short:g}² + {mix.share:g} × {mix.times_s[1]:g}².
    * wait {in_turn - short} s: Wait: {quantity(mix.rest, "s")} / (1 − {mix.load:.4g}) =
      {quantity(in_turn - short, "s")}
    * stay {in_turn} s: Plus {quantity(short, "s")}: {quantity(in_turn, "s")},
      {in_turn / shared:.3g} times the stay with sharing
    ~ More than {quantity(mix.rest + short, "s")}: the rest of the one in service, and itself.

    In order of arrival a short request waits for the long ones' work: E[S²] in the wait,
    head-of-line blocking. Where a few are long, sharing helps the short ones and costs the long
    ones; where all are equal, it costs everybody.
    """)


@template("I04 O02 L16", level=3, decision="model", minutes=5)
def shortest_first(draw: Draw) -> Drill:
    """Shortest job first, and what shortest remaining time does to the long ones."""
    mix = _mix(draw)
    queue = ShortestJobFirst(mix.rate, mix.services)
    waits = [queue.mean_sojourn_time_of(size) - size for size in mix.times_s]
    wait = queue.mean_waiting_time
    in_turn = FirstCome(mix.rate, mix.services).mean_waiting_time
    short, long = mix.names
    return draw.drill(f"""
    {mix.story} It serves one at a time and never interrupts; when it falls free, it takes requests
    for {short} before those for {long}, otherwise in order of arrival.
    ? How long does a request wait on average, over all, before its work begins?
    = {wait} s tolerance=0.02
    - in-order {in_turn}: That is the wait in order of arrival. Who goes first?
    - short-ones-alone {waits[0]}: That is the wait for {short}. What of those for {long}?
    - plain-average {sum(waits) / 2}: You average the two kinds as if they were equally frequent.
    - nobody-in-service {wait - mix.rest}: You leave out the rest of the one in service. Is it
      interrupted?
    > Take the kinds apart: for whom does a short one wait, and for whom a long one?
    > Short: R/(1 − ρₛ); long: R/((1 − ρₛ)(1 − ρ)); R = λE[S²]/2, ρₛ the short ones' load.
    > R = {quantity(mix.rest, "s")}, ρₛ = {mix.short_load:.4g}, ρ = {mix.load:.4g}.
    * rest {mix.rest} s: R = {quantity(mix.rest, "s")}
    * short {waits[0]} s: Short: R / (1 − {mix.short_load:.4g}) = {quantity(waits[0], "s")}
    * long {waits[1]} s: Long: that / (1 − {mix.load:.4g}) = {quantity(waits[1], "s")}
    * wait {wait} s: {1 - mix.share:g} × {quantity(waits[0], "s")} + {mix.share:g} ×
      {quantity(waits[1], "s")} = {quantity(wait, "s")}
    ~ Less than in order of arrival, and more than R = {quantity(mix.rest, "s")}.

    Shortest job first (Cobham, Phipps): those who take little room go first, so the mean falls;
    here to {wait / in_turn:.2g} of the wait in order of arrival. Long ones wait 1/(1 − ρₛ) times as
    long as before. It takes sizes that are known on arrival.
    """).then(_interrupted(mix))


def _interrupted(mix: _Mix) -> Drill:
    short, long = mix.times_s
    stay = ShortestRemainingTime(mix.rate, mix.services).mean_sojourn_time_of(long)
    in_turn = FirstCome(mix.rate, mix.services).mean_sojourn_time_of(long)
    wait = mix.rest / (1 - mix.short_load) / (1 - mix.load)
    pauses = short + (long - short) / (1 - mix.short_load)
    return drill(f"""
    Now a newcomer that needs less than what is left of the one in service interrupts it; the work
    done is kept. Always the one with the least left runs.
    ? How long does a request for {mix.names[1]} stay on average, start to end?
    = {stay} s tolerance=0.02
    - no-pauses {wait + long}: You let it run through once it has begun. Who interrupts it?
    - begins-at-once {pauses}: You let it begin on arrival. Whose work is ahead of it?
    - shared {long / (1 - mix.load)}: That is its stay if all share the GPU.
    > Wait until it first runs, then its work with the pauses.
    > R/((1 − ρₛ)(1 − ρ)) + s + (l − s)/(1 − ρₛ): while more than s is left of it, short ones
      interrupt.
    > R = {quantity(mix.rest, "s")}, ρₛ = {mix.short_load:.4g}, ρ = {mix.load:.4g}, s =
      {quantity(short, "s")}, l = {quantity(long, "s")}.
    * wait {wait} s: Wait: {quantity(wait, "s")}, as before
    * pauses {pauses} s: Work with pauses: {quantity(short, "s")} + {quantity(long - short, "s")} /
      (1 − {mix.short_load:.4g}) = {quantity(pauses, "s")}
    * stay {stay} s: Together {quantity(stay, "s")}
    ~ Longer than without interruptions: a short one that comes now goes ahead.

    Shortest remaining time has the lowest mean of all orders (Schrage). Long ones stay
    {stay / in_turn:.2g} times as long as in order of arrival here: pauses are a share ρₛ of the
    time, bounded while the short ones' load is. They starve only where short ones alone fill the
    server.
    """)
