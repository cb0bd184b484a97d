"""The promises of many requests: a table beside the requests, which no scheduler has to carry."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np

from labutils.engine import Request

from .promise import Promise, Tenant


class Promises:
    """Who was promised what, by a request's id, and what is known about each tenant.

    ``by_id`` maps ids to promises; a sequence has those of requests 0, 1, 2 …, as a trace numbers
    them. A request without a promise of its own has ``otherwise`` (None: it is unknown, and asking
    for it is a ``ValueError``). With ``tenants`` every promise has to name one of them; without,
    each tenant has weight 1 and no budget.
    """

    def __init__(
        self, by_id: Mapping[Hashable, Promise] | Sequence[Promise] = (), *,
        tenants: Iterable[Tenant] = (), otherwise: Promise | None = None,
    ):  # fmt: skip
        self.by_id = dict(by_id if isinstance(by_id, Mapping) else enumerate(by_id))
        self.otherwise = otherwise
        self.tenants = {one.name: one for one in tenants}
        spare = () if otherwise is None else [("otherwise", otherwise)]
        for id, promise in [*self.by_id.items(), *spare]:
            if not isinstance(promise, Promise):
                raise ValueError(f"promise of request {id!r} = {promise!r}: expected a Promise")
            if self.tenants and promise.tenant not in self.tenants:
                known = ", ".join(map(repr, self.tenants))
                raise ValueError(
                    f"tenant = {promise.tenant!r} of request {id!r}: expected one of {known}"
                )

    def __getitem__(self, id: Hashable) -> Promise:
        """The promise to the request of that id."""
        promise = self.by_id.get(id, self.otherwise)
        if promise is None:
            raise ValueError(f"id = {id!r}: expected a request that something was promised to")
        return promise

    def tenant(self, request: Request) -> Tenant:
        """The tenant that sent ``request``."""
        name = self[request.id].tenant
        return self.tenants[name] if self.tenants else Tenant(name=name)

    def first_token_by_s(self, request: Request) -> float:
        """The time in seconds at which the first token of ``request`` is due."""
        return request.arrival_s + self[request.id].ttft_s

    def column(self, name: str, ids: Iterable[Hashable]) -> np.ndarray:
        """One field of the promises to ``ids``, as an array in their order."""
        return np.array([getattr(self[id], name) for id in ids])
