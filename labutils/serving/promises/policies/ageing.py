"""Priorities that do not starve: whoever waits gets better."""

from typing import ClassVar

from labutils.engine import Request
from labutils.ground import arguments
from labutils.serving.scheduling.ordered import Ordered

from .promising import Promising


class Ageing(Promising, Ordered):
    """The lowest priority first, and each ``patience_s`` of waiting lowers it by one.

    Everybody ages at the same pace, so the order of two requests never changes while they wait: it
    is that of ``arrival_s + patience_s * priority``, and nothing has to be sorted again. Hence the
    bound: a request of priority p is overtaken only by those that come within
    ``patience_s * (p - best priority)`` of it. With patience 0 it is first come, first served.
    """

    in_order = False
    tried_with: ClassVar = {"patience_s": 0.05}

    def __init__(self, *args, patience_s: float, **options):
        self.patience_s = arguments.non_negative("patience_s", patience_s)
        super().__init__(*args, by=self.aged, **options)

    def aged(self, request: Request) -> float:
        """When a request of priority 0 would have had to come, to be its equal."""
        return request.arrival_s + self.patience_s * self.promises[request.id].priority
