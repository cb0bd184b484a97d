"""A queue in another order than that of arrival."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from labutils.engine import Request, Scheduler


class Ordered(Scheduler):
    """A ``Scheduler`` whose queue is sorted by ``by(request)``, smallest first.

    The default sorts by ``request.priority``. ``by=lambda request: request.prompt_tokens`` lets
    short prompts overtake long ones. Requests with equal keys keep the order of arrival. Whoever
    runs is not preempted for a better one; whoever was preempted stands before its equals. A
    request may starve behind better ones that keep coming.
    """

    def __init__(self, *args, by: Callable[[Request], float] | None = None, **options):
        super().__init__(*args, **options)
        self.by = by or (lambda request: request.priority)

    def wait(self, request: Request, *, first: bool = False) -> None:
        """Put ``request`` behind all that are better or, unless it was preempted, equal."""
        place = bisect_left if first else bisect_right
        self.waiting.insert(place(self.waiting, self.by(request), key=self.by), request)
