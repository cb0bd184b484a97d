"""One stage of a pipeline: how long a request keeps it busy, and how many serve there."""

from dataclasses import dataclass

from labutils.ground import arguments


@dataclass(frozen=True)
class Stage:
    """A stage with ``servers`` identical servers and one queue.

    ``mean_s`` is the mean time of one visit in seconds and ``visits`` how often a request needs the
    stage, on average (0.3 for a reranker that three requests in ten use). ``scv`` is the spread of
    the time that one request takes there, variance / mean². Raises ``ValueError`` that names the
    field.
    """

    name: str
    mean_s: float
    servers: int = 1
    scv: float = 1.0
    visits: float = 1.0

    def __post_init__(self):
        if not isinstance(self.name, str) or not self.name:
            raise ValueError(f"name = {self.name!r}: expected the name of a stage")
        clean = {
            "mean_s": arguments.positive("mean_s", self.mean_s),
            "servers": arguments.whole("servers", self.servers),
            "scv": arguments.non_negative("scv", self.scv),
            "visits": arguments.positive("visits", self.visits),
        }
        for name, value in clean.items():
            object.__setattr__(self, name, value)

    @property
    def demand_s(self) -> float:
        """Mean time that a request is served here: visits × time of a visit."""
        return self.visits * self.mean_s

    @property
    def busy_s(self) -> float:
        """How long a request keeps the stage busy: its demand, shared by the servers."""
        return self.demand_s / self.servers

    def utilization(self, arrival_rate: float) -> float:
        """Share of the servers' time that is spent serving at that many requests a second."""
        return arguments.positive("arrival_rate", arrival_rate) * self.busy_s
