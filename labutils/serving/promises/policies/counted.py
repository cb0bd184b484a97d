"""A line and a counter for each tenant; whoever counts says what a counter means."""

from collections.abc import Hashable, Iterable

from labutils.engine import Request
from labutils.ground import arguments

from .promising import Promising
from .tenant_lines import TenantLines


class Counted(Promising):
    """The lowest of ``counters`` among the tenants that wait is next; of its requests the oldest.

    ``waiting.lines`` has a line for each tenant that waits, ``waiting.left`` is the tenant whose
    line emptied last (None: nobody). It moves no counter by itself: ``charge_prompt(request)``
    hears of each request that starts, and the verbs of a ``Scheduler`` of all the rest. A tenant
    without a counter stands at 0.
    """

    in_order = False

    def __init__(self, *args, prompt_price: float = 1.0, answer_price: float = 2.0, **options):
        super().__init__(*args, **options)
        self.prompt_price = arguments.non_negative("prompt_price", prompt_price)
        self.answer_price = arguments.positive("answer_price", answer_price)
        self.counters: dict[Hashable, float] = {}
        self.waiting = TenantLines(
            lambda request: self.promises[request.id].tenant, self.lowest,
            lambda request: self.charge_prompt(request),
        )  # fmt: skip

    def lowest(self, tenants: Iterable[Hashable]) -> Hashable:
        """Whose counter is lowest; of several the first."""
        return min(tenants, key=lambda tenant: self.counters.get(tenant, 0.0))

    def charge_prompt(self, request: Request) -> None:
        """It starts."""

    def charge(self, request: Request, price: float) -> None:
        """Count what its tenant was served: the price over the tenant's weight."""
        tenant = self.promises.tenant(request)
        self.counters[tenant.name] = self.counters.get(tenant.name, 0.0) + price / tenant.weight
