"""One server, short and long requests: what the order of service does to each."""

from dataclasses import dataclass
from functools import cached_property

from labutils.drills.definition.draw import Draw
from labutils.drills.definition.drill import Drill, Mistake, Step
from labutils.drills.definition.template import Decision, template
from labutils.queueing import (
    FirstCome,
    KnownLengths,
    ProcessorSharing,
    ShortestJobFirst,
    ShortestRemainingTime,
)
from labutils.units import format_quantity as say

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
    def told(self) -> str:
        short, long = self.names
        return (
            f"{self.what} {short} and {long}. Alone on the GPU a request for {short} takes "
            f"{say(self.times_s[0], 's')}, one for {long} {say(self.times_s[1], 's')}; "
            f"{say(100 * self.share, '%')} are for {long}. Together {say(self.rate, 'req/s')} "
            "come, at random moments."
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


@template(
    "shared_or_in_turn",
    "Processor sharing against first come, first served, for a short request",
    level=2,
    decision=Decision.model,
    topics=("I04", "O02", "L16"),
    minutes=4,
)
def shared_or_in_turn(draw: Draw) -> Drill:
    mix = _mix(draw)
    short = mix.times_s[0]
    shared, in_turn = (
        order(mix.rate, mix.services).mean_sojourn_time_of(short)
        for order in (ProcessorSharing, FirstCome)
    )
    mean = mix.services.mean_service_time
    draw.require(in_turn > 1.2 * shared)
    return Drill(
        story=(
            f"{mix.told} All who are inside are served at once, and share the GPU equally: with "
            "three inside, each runs at a third of the pace."
        ),
        question=f"How long does a request for {mix.names[0]} stay on average, start to end?",
        answer=shared,
        unit="s",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "alone",
                short,
                "That is its time alone on the GPU. With how many does it share?",
            ),
            Mistake(
                "mean-work",
                mean / (1 - mix.load),
                "That is the mean over all requests. How much work does this one bring?",
            ),
            Mistake(
                "in-turn",
                in_turn,
                "You let it wait its turn behind the others. Who has to wait here?",
            ),
            Mistake(
                "own-load-alone",
                short / (1 - mix.short_load),
                "You count only requests of its own kind. With whom does it share?",
            ),
        ),
        hints=(
            "Everybody inside is slowed down alike. By how much, at this load?",
            "Stay = own work / (1 − ρ), with ρ the load of all.",
            f"{say(short, 's')} / (1 − {mix.load:.4g}).",
        ),
        steps=(
            Step(f"E[S] = {say(mean, 's')}", name="mean_work", value=mean, unit="s"),
            Step(
                f"ρ = {say(mix.rate, '1/s')} × {say(mean, 's')} = {mix.load:.4g}",
                name="load",
                value=mix.load,
            ),
            Step(
                f"{say(short, 's')} / (1 − {mix.load:.4g}) = {say(shared, 's')}",
                name="stay",
                value=shared,
                unit="s",
            ),
        ),
        sanity=f"More than the {say(short, 's')} alone.",
        moral=(
            "Processor sharing: x/(1 − ρ) for a request of size x, whatever the spread of the "
            "others. Large batches that step together come near it, as long as a step takes longer "
            "in proportion to who is inside."
        ),
        follow_up=_in_turn(mix, shared=shared, in_turn=in_turn),
    )


def _in_turn(mix: _Mix, *, shared: float, in_turn: float) -> Drill:
    short, mean = mix.times_s[0], mix.services.mean_service_time
    return Drill(
        story="A colleague serves one at a time instead, in order of arrival.",
        question=f"How long does a request for {mix.names[0]} stay on average then?",
        answer=in_turn,
        unit="s",
        tolerance=0.03,
        mistakes=(
            Mistake(
                "as-when-shared",
                shared,
                "That is the stay with sharing. Behind whom does it stand now?",
            ),
            Mistake(
                "equal-work",
                mix.load * mean / 2 / (1 - mix.load) + short,
                "You let all have the mean work. Whom does one meet who comes at random?",
            ),
            Mistake("waiting-alone", in_turn - short, "You leave out its own work."),
        ),
        hints=(
            "Wait for those before it, plus its own work.",
            "Wait = λE[S²] / (2(1 − ρ)).",
            f"E[S²] = {1 - mix.share:g} × {short:g}² + {mix.share:g} × {mix.times_s[1]:g}².",
        ),
        steps=(
            Step(
                f"Wait: {say(mix.rest, 's')} / (1 − {mix.load:.4g}) = {say(in_turn - short, 's')}",
                name="wait",
                value=in_turn - short,
                unit="s",
            ),
            Step(
                f"Plus {say(short, 's')}: {say(in_turn, 's')}, {in_turn / shared:.3g} times the "
                "stay with sharing",
                name="stay",
                value=in_turn,
                unit="s",
            ),
        ),
        sanity=(
            f"More than {say(mix.rest + short, 's')}: the rest of the one in service, and itself."
        ),
        moral=(
            "In order of arrival a short request waits for the long ones' work: E[S²] in the wait, "
            "head-of-line blocking. Where a few are long, sharing helps the short ones and costs "
            "the long ones; where all are equal, it costs everybody."
        ),
    )


@template(
    "shortest_first",
    "Shortest job first, and what shortest remaining time does to the long ones",
    level=3,
    decision=Decision.model,
    topics=("I04", "O02", "L16"),
    minutes=5,
)
def shortest_first(draw: Draw) -> Drill:
    mix = _mix(draw)
    queue = ShortestJobFirst(mix.rate, mix.services)
    waits = [queue.mean_sojourn_time_of(size) - size for size in mix.times_s]
    wait = queue.mean_waiting_time
    in_turn = FirstCome(mix.rate, mix.services).mean_waiting_time
    short, long = mix.names
    return Drill(
        story=(
            f"{mix.told} It serves one at a time and never interrupts; when it falls free, it "
            f"takes requests for {short} before those for {long}, otherwise in order of arrival."
        ),
        question="How long does a request wait on average, over all, before its work begins?",
        answer=wait,
        unit="s",
        tolerance=0.02,
        mistakes=(
            Mistake("in-order", in_turn, "That is the wait in order of arrival. Who goes first?"),
            Mistake(
                "short-ones-alone",
                waits[0],
                f"That is the wait for {short}. What of those for {long}?",
            ),
            Mistake(
                "plain-average",
                sum(waits) / 2,
                "You average the two kinds as if they were equally frequent.",
            ),
            Mistake(
                "nobody-in-service",
                wait - mix.rest,
                "You leave out the rest of the one in service. Is it interrupted?",
            ),
        ),
        hints=(
            "Take the kinds apart: for whom does a short one wait, and for whom a long one?",
            "Short: R/(1 − ρₛ); long: R/((1 − ρₛ)(1 − ρ)); R = λE[S²]/2, ρₛ the short ones' load.",
            f"R = {say(mix.rest, 's')}, ρₛ = {mix.short_load:.4g}, ρ = {mix.load:.4g}.",
        ),
        steps=(
            Step(f"R = {say(mix.rest, 's')}", name="rest", value=mix.rest, unit="s"),
            Step(
                f"Short: R / (1 − {mix.short_load:.4g}) = {say(waits[0], 's')}",
                name="short",
                value=waits[0],
                unit="s",
            ),
            Step(
                f"Long: that / (1 − {mix.load:.4g}) = {say(waits[1], 's')}",
                name="long",
                value=waits[1],
                unit="s",
            ),
            Step(
                f"{1 - mix.share:g} × {say(waits[0], 's')} + {mix.share:g} × {say(waits[1], 's')} "
                f"= {say(wait, 's')}",
                name="wait",
                value=wait,
                unit="s",
            ),
        ),
        sanity=f"Less than in order of arrival, and more than R = {say(mix.rest, 's')}.",
        moral=(
            "Shortest job first (Cobham, Phipps): those who take little room go first, so the mean "
            f"falls; here to {wait / in_turn:.2g} of the wait in order of arrival. Long ones wait "
            "1/(1 − ρₛ) times as long as before. It takes sizes that are known on arrival."
        ),
        follow_up=_interrupted(mix),
    )


def _interrupted(mix: _Mix) -> Drill:
    short, long = mix.times_s
    stay = ShortestRemainingTime(mix.rate, mix.services).mean_sojourn_time_of(long)
    in_turn = FirstCome(mix.rate, mix.services).mean_sojourn_time_of(long)
    wait = mix.rest / (1 - mix.short_load) / (1 - mix.load)
    pauses = short + (long - short) / (1 - mix.short_load)
    return Drill(
        story=(
            "Now a newcomer that needs less than what is left of the one in service interrupts it; "
            "the work done is kept. Always the one with the least left runs."
        ),
        question=f"How long does a request for {mix.names[1]} stay on average, start to end?",
        answer=stay,
        unit="s",
        tolerance=0.02,
        mistakes=(
            Mistake(
                "no-pauses",
                wait + long,
                "You let it run through once it has begun. Who interrupts it?",
            ),
            Mistake(
                "begins-at-once",
                pauses,
                "You let it begin on arrival. Whose work is ahead of it?",
            ),
            Mistake("shared", long / (1 - mix.load), "That is its stay if all share the GPU."),
        ),
        hints=(
            "Wait until it first runs, then its work with the pauses.",
            "R/((1 − ρₛ)(1 − ρ)) + s + (l − s)/(1 − ρₛ): while more than s is left of it, short "
            "ones interrupt.",
            f"R = {say(mix.rest, 's')}, ρₛ = {mix.short_load:.4g}, ρ = {mix.load:.4g}, "
            f"s = {say(short, 's')}, l = {say(long, 's')}.",
        ),
        steps=(
            Step(f"Wait: {say(wait, 's')}, as before", name="wait", value=wait, unit="s"),
            Step(
                f"Work with pauses: {say(short, 's')} + {say(long - short, 's')} / "
                f"(1 − {mix.short_load:.4g}) = {say(pauses, 's')}",
                name="pauses",
                value=pauses,
                unit="s",
            ),
            Step(f"Together {say(stay, 's')}", name="stay", value=stay, unit="s"),
        ),
        sanity="Longer than without interruptions: a short one that comes now goes ahead.",
        moral=(
            "Shortest remaining time has the lowest mean of all orders (Schrage). Long ones stay "
            f"{stay / in_turn:.2g} times as long as in order of arrival here: pauses are a "
            "share ρₛ of the time, bounded while the short ones' load is. They starve only where "
            "short ones alone fill the server."
        ),
    )
