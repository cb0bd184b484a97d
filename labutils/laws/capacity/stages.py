"""A chain of stages: the one that fills first sets the rate of all."""

from collections.abc import Sequence
from dataclasses import dataclass

from labutils.ground import arguments


@dataclass(frozen=True)
class Stage:
    """One stage of a service: ``workers`` in parallel, ``seconds`` of one worker's time each."""

    name: str
    workers: int
    seconds: float

    def __post_init__(self):
        arguments.whole("workers", self.workers)
        arguments.positive("seconds", self.seconds)

    @property
    def capacity_per_s(self) -> float:
        """Requests per second with every worker busy: workers / seconds."""
        return self.workers / self.seconds

    def utilization(self, arrival_rate: float) -> float:
        """Share of the workers' time that ``arrival_rate`` requests per second take."""
        return arguments.non_negative("arrival_rate", arrival_rate) / self.capacity_per_s


def bottleneck(stages: Sequence[Stage]) -> Stage:
    """The stage with the least capacity (bottleneck law, Denning and Buzen 1978); first of equals.

    Every request passes every stage once. Raises ``ValueError`` without stages.
    """
    if not stages:
        raise ValueError("stages = []: expected at least one")
    return min(stages, key=lambda stage: stage.capacity_per_s)
