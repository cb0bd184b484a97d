"""The durations of one call, repeated: the middle one and the spread."""

from dataclasses import dataclass

from labutils.ground import arguments
from labutils.ground.units import format_quantity
from labutils.metrics import latency

LOW, MIDDLE, HIGH = 0.1, 0.5, 0.9
STEADY = 2.0


@dataclass(frozen=True)
class Timing:
    """Durations in seconds, in the order in which they were measured.

    The median is what to quote: now and then another program interrupts a run and makes it many
    times as long, which would drag a mean along. ``low_s`` and ``high_s`` say what is luck. The
    quantiles are those of ``labutils.metrics.latency.percentile``.

    Raises ``ValueError`` for no duration and for a negative one.
    """

    samples_s: tuple[float, ...]

    def __post_init__(self):
        values = arguments.sample("samples_s", self.samples_s)
        for at, value in enumerate(values.tolist()):
            arguments.non_negative(f"samples_s[{at}]", value)
        object.__setattr__(self, "samples_s", tuple(values.tolist()))

    @property
    def median_s(self) -> float:
        """The middle duration: half of the runs took no longer."""
        return latency.percentile(self.samples_s, MIDDLE)

    @property
    def low_s(self) -> float:
        """The 10th percentile: one run in ten was as quick."""
        return latency.percentile(self.samples_s, LOW)

    @property
    def high_s(self) -> float:
        """The 90th percentile: one run in ten took as long or longer."""
        return latency.percentile(self.samples_s, HIGH)

    @property
    def is_steady(self) -> bool:
        """Whether 80 % of the runs lie within a factor of 2, as on a machine left alone."""
        return self.high_s <= STEADY * self.low_s

    def __str__(self) -> str:
        middle, low, high = (_short(x) for x in (self.median_s, self.low_s, self.high_s))
        return f"{middle} (80 % of {len(self.samples_s)} runs: {low} to {high})"


def _short(seconds: float) -> str:
    """Three digits: more would be luck."""
    return format_quantity(float(f"{seconds:.3g}"), "s")
