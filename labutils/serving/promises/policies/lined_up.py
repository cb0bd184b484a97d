"""A queue that a function puts in order before every step."""

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, NamedTuple

from labutils.engine import Request

from .promising import Promising


class Waiting(NamedTuple):
    """What an order may know about a request that waits; a lower ``priority`` is more urgent.

    Its first token is due at ``due_s``, on the clock on which it arrived at ``arrival_s``.
    """

    id: Hashable
    arrival_s: float
    priority: float
    due_s: float
    tenant: str


def by_priority(waiting: Sequence[Waiting], now_s: float) -> list[Hashable]:
    """The most urgent first: an order with which ``LinedUp`` is tried."""
    return [one.id for one in sorted(waiting, key=lambda one: one.priority)]


class LinedUp(Promising):
    """Before every step ``line_up(waiting, now_s)`` returns the ids of those that wait, in order.

    ``waiting`` are ``Waiting``, in the order of the last step, newcomers last. ``ValueError`` for
    an order that loses a request or invents one.
    """

    in_order = False
    tried_with: ClassVar = {"line_up": by_priority}

    def __init__(
        self, *args, line_up: Callable[[Sequence[Waiting], float], Sequence[Hashable]], **options
    ):
        super().__init__(*args, **options)
        self.line_up = line_up

    def schedule(self, now_s: float):
        """The next step, with the queue in its order."""
        if len(self.waiting) > 1:
            by_id = {one.id: one for one in self.waiting}
            order = list(self.line_up([self.view(one) for one in self.waiting], now_s))
            if len(order) != len(by_id) or set(order) != by_id.keys():
                raise ValueError(f"line_up returned {order}: expected each of {[*by_id]} once")
            self.waiting = deque(by_id[id] for id in order)
        return super().schedule(now_s)

    def view(self, request: Request) -> Waiting:
        """What the order may know about ``request``."""
        promise, due_s = self.promises[request.id], self.promises.first_token_by_s(request)
        return Waiting(request.id, request.arrival_s, promise.priority, due_s, promise.tenant)
