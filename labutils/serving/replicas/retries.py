"""Clients that try again."""

from dataclasses import dataclass

from labutils.ground import arguments


@dataclass(frozen=True)
class Retries:
    """Whoever gave up, or lost a replica, sends the prompt again, ``most_attempts`` times in all.

    ``wait_s`` after that, each further time ``factor`` times as long. What was refused as too long
    is not sent again.
    """

    most_attempts: int = 1
    wait_s: float = 1.0
    factor: float = 2.0

    def __post_init__(self):
        arguments.whole("most_attempts", self.most_attempts)
        arguments.positive("wait_s", self.wait_s)
        arguments.positive("factor", self.factor)
