"""A budget of tokens for each tenant; what is over it is refused."""

from labutils.engine import Request
from labutils.laws.capacity.limiter import Limiter
from labutils.serving.scheduling.refused import Refused

from .promising import Promising


class TokenBuckets(Promising):
    """Takes prompt and longest answer out of the tenant's bucket on arrival, or refuses.

    What an answer did not use flows back when it ends. A budget in tokens bounds what a tenant
    costs, as one in requests does not; but it is not work-conserving: an idle server refuses, too.
    """

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        self.buckets = {
            name: Limiter(one.tokens_per_s, one.burst_tokens)
            for name, one in self.promises.tenants.items()
            if one.is_limited
        }

    def add(self, request: Request) -> None:
        """Let it wait, or raise ``Refused`` with the seconds after which its bucket suffices."""
        request.check()
        self.pool.refuse_too_long(request)
        tenant = self.promises.tenant(request).name
        bucket, ask = self.buckets.get(tenant), (tenant, request.most, request.arrival_s)
        if bucket and not bucket.allow(*ask):
            wait_s = bucket.wait(*ask)
            again = "never" if wait_s is None else f"in {wait_s:.3g} s"
            why = f"{request.most} tokens are over the budget of {tenant!r}, try again {again}"
            raise Refused(request.id, why, retry_after_s=wait_s)
        self.wait(request)

    def finish(self, request: Request) -> None:
        """It has ended: what was reserved for a longer answer flows back."""
        super().finish(request)
        tenant = self.promises.tenant(request).name
        if bucket := self.buckets.get(tenant):
            bucket.refund(tenant, request.most - request.known, self.now_s)
