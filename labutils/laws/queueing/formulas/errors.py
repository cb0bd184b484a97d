"""The one error of this room: a queue that never settles."""


class UnstableQueueError(ValueError):
    """More work arrives than the servers can finish, so no steady state exists.

    ``utilization`` is the work offered over the work that can be done (1 or more here), and
    ``excess_rate`` what the backlog gains every second. The message names the argument.
    """

    def __init__(self, argument: str, offered: float, capacity: float, unit: str = "/s"):
        # All parts go to ``args``, so that the error survives pickling between processes.
        super().__init__(argument, offered, capacity, unit)
        self.argument, self.offered, self.capacity, self.unit = argument, offered, capacity, unit

    @property
    def utilization(self) -> float:
        return self.offered / self.capacity

    @property
    def excess_rate(self) -> float:
        return self.offered - self.capacity

    def __str__(self) -> str:
        load = f"{self.argument} = {self.offered:.12g}{self.unit}"
        return f"{load} against a capacity of {self.capacity:.12g}{self.unit}: {self._verdict()}"

    def _verdict(self) -> str:
        if self.excess_rate == 0:
            return (
                "utilization is exactly 1; with nothing to spare the queue has no steady state "
                "and its backlog wanders ever higher"
            )
        text = f"overloaded {self._how_much()}"
        if self.unit == "/s":
            text += (
                f"; the backlog grows by {self.excess_rate:.6g} requests every second "
                "(see Overload)"
            )
        return text

    def _how_much(self) -> str:
        if self.utilization < 1.1:
            return f"by {100 * self.excess_rate / self.capacity:.3g} %"
        return f"{self.utilization:.3g} times"


def check_stable(argument: str, offered: float, capacity: float, unit: str = "/s") -> None:
    """Raise ``UnstableQueueError`` unless ``offered`` stays below ``capacity``."""
    if offered >= capacity:
        raise UnstableQueueError(argument, offered, capacity, unit)
