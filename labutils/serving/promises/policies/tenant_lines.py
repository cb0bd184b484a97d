"""A queue with a line for each tenant, whose head is chosen anew whenever it is asked for."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator

from labutils.engine import Request


class TenantLines:
    """Has the verbs of the deque in which a ``Scheduler`` lets requests wait.

    ``tenant_of(request)`` says in which line it stands, ``choose(tenants)`` which of those that
    have a line is next, and ``on_start(request)`` hears of each that leaves from the front. The
    first of every line is its oldest.
    """

    def __init__(
        self, tenant_of: Callable[[Request], Hashable],
        choose: Callable[[Iterable[Hashable]], Hashable], on_start: Callable[[Request], None],
    ):  # fmt: skip
        self.tenant_of, self.choose, self.on_start = tenant_of, choose, on_start
        self.lines: dict[Hashable, deque[Request]] = {}  # none of them empty
        self.left: Hashable | None = None  # whose line emptied last

    def append(self, request: Request) -> None:
        """Put a request behind the others of its tenant."""
        self.lines.setdefault(self.tenant_of(request), deque()).append(request)

    def appendleft(self, request: Request) -> None:
        """Put a request before the others of its tenant."""
        self.lines.setdefault(self.tenant_of(request), deque()).appendleft(request)

    def __getitem__(self, place: int) -> Request:
        if place != 0 or not self.lines:
            raise IndexError(f"place = {place}: expected 0, the head of a queue that is not empty")
        return self.lines[self.choose(self.lines)][0]

    def popleft(self) -> Request:
        """Take out the request at the head of the lines, which starts now."""
        request = self[0]
        self.remove(request)
        self.on_start(request)
        return request

    def remove(self, request: Request) -> None:
        """Take a request out, wherever it stands. ``ValueError`` if it does not wait."""
        tenant = self.tenant_of(request)
        if request not in self.lines.get(tenant, ()):
            raise ValueError(f"request {request.id!r}: expected one that waits")
        self.lines[tenant].remove(request)
        if not self.lines[tenant]:
            del self.lines[tenant]
            self.left = tenant

    def __iter__(self) -> Iterator[Request]:
        return (request for line in self.lines.values() for request in line)

    def __contains__(self, request: object) -> bool:
        return any(request in line for line in self.lines.values())

    def __len__(self) -> int:
        return sum(map(len, self.lines.values()))
