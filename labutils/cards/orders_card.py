"""What requests and machines do to each other when they share: a server, a lock, a state."""

from labutils.cards.card import ReferenceCard
from labutils.ground.units import format_quantity as fmt
from labutils.laws import queueing
from labutils.laws.scaling import UniversalScalability

RATE, LENGTHS = 10, queueing.KnownLengths((0.02, 0.4), (0.9, 0.1))


def orders() -> ReferenceCard:
    """Orders of service at one server, and machines that wait for and agree with each other."""
    law = UniversalScalability(contention=0.04, coherency=0.0006)
    rows = (
        (
            "Stay of a request of size $x$, in order of arrival",
            r"$\frac{\lambda E[S^2]}{2(1-\rho)}+x$",
            _stays(queueing.FirstCome),
        ),
        (
            "The same, server shared equally by all inside",
            r"$\frac{x}{1-\rho}$",
            f"{_stays(queueing.ProcessorSharing)} The sizes of the others do not matter.",
        ),
        (
            "The same, shortest job first, nobody interrupted",
            r"$\frac{\lambda E[S^2]}{2(1-\rho_s)(1-\rho_x)}+x$",
            _stays(queueing.ShortestJobFirst),
        ),
        (
            "The same, shortest remaining time first",
            "see note",
            f"{_stays(queueing.ShortestRemainingTime)} The lowest mean of all orders.",
        ),
        (
            "$N$ machines over one (universal scalability)",
            r"$\frac{N}{1+\alpha(N-1)+\beta N(N-1)}$",
            f"4 % and 0.06 %: {law.speedup(16):.1f} with 16, {law.speedup(32):.1f} with 32.",
        ),
        (
            "Where that is highest",
            r"$N = \sqrt{(1-\alpha)/\beta}$",
            f"The same: {law.ceiling:.1f} with {law.peak_at:.0f}; {law.speedup(80):.1f} with 80.",
        ),
    )
    return ReferenceCard(
        id="orders",
        title="Formulas: orders of service, more machines",
        topics=("B27", "B06", "B05", "I04", "O02"),
        header=("what", "formula", "example"),
        rows=rows,
        note=(
            f"Examples: one server, {fmt(RATE, '1/s')} at random, 90 % of 20 ms, 10 % of 400 ms. "
            r"$\rho_s$, $\rho_x$: load from requests shorter than $x$, and of at most $x$. "
            "Shortest remaining time, with these two lengths: a short one waits for equal ones "
            r"alone; a long one waits as with shortest job first, and is then slowed by "
            r"$1/(1-\rho_s)$ until what is left of it is as short. Orders by size need sizes known "
            r"on arrival; lengths of answers are not. $\alpha$: share of the work that is done one "
            r"after the other; $\beta$: what each pair of machines spends on agreeing. Without "
            r"$\beta$ it is Amdahl's law with $f = 1-\alpha$, and there is no peak."
        ),
    )


def _stays(order: type[queueing.Discipline]) -> str:
    queue = order(RATE, LENGTHS)
    short, long = (fmt(queue.mean_sojourn_time_of(size), "s") for size in LENGTHS.times_s)
    return f"{short} and {long}; mean {fmt(queue.mean_sojourn_time, 's')}."
