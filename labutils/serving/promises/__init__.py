"""What was promised to whom, and who kept what.

1. ``promise``: limits for one request; a tenant's weight and budget
2. ``promises``: the table by request id, beside the requests
3. ``kept``: a run held against its promises, by kind
4. ``policies``: schedulers that look at promises, in a room of their own

>>> from labutils.engine import Request, Scheduler
>>> from labutils.serving.memory import Unlimited
>>> from labutils.serving.simulator import StepCost, simulate
>>> promises = Promises([Promise(ttft_s=0.5), Promise(ttft_s=1.5, kind="batch")])
>>> requests = [Request(0, 9, 2), Request(1, 9, 3)]
>>> kept = Kept.of(simulate(requests, Scheduler(2, Unlimited()), StepCost(1.0)), promises)
>>> kept.all.tolist(), kept.by_kind()["batch"].share
([False, True], 1.0)
"""

from .kept import Kept, Share
from .promise import Promise, Tenant
from .promises import Promises

__all__ = ["Kept", "Promise", "Promises", "Share", "Tenant"]
