"""What the exercises show a router: all that the simulator would, and printed what matters."""

from dataclasses import dataclass, field


@dataclass
class Arrival:
    """A request, by the pages of its prompt."""

    pages: tuple[int, ...] = ()
    row: int = field(default=0, repr=False)
    arrival_s: float = field(default=9.0, repr=False)

    @property
    def prompt_tokens(self) -> int:
        return 16 * len(self.pages) + 5


@dataclass
class Views:
    """The replicas: numbers of those that are up, and a list entry for each."""

    up: list[int]
    in_flight: list[int]
    waiting: list[int]
    running: list[int] = field(default_factory=list, repr=False)
    now_s: float = field(default=9.0, repr=False)
    reported_s: float = field(default=8.9375, repr=False)

    def __post_init__(self):
        self.running = self.running or [2 * waiting + 1 for waiting in self.waiting]
        self.kv_use = [running / 256 for running in self.running]
        self.sent_since = [0] * self.replicas

    @property
    def replicas(self) -> int:
        return len(self.in_flight)

    @property
    def age_s(self) -> float:
        return self.now_s - self.reported_s
