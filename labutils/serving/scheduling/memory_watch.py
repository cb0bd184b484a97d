"""Watch from outside that a scheduler keeps the rules of its memory."""

from labutils.engine import PageLeak, Request

from .bad_plan import BadPlan


class MemoryWatch:
    """What an auditor can see of a scheduler's ``pool``; ``None`` where memory is unlimited.

    Tokens are computed only where there is room for them; a request that has ended or was preempted
    holds nothing; when no request runs, nothing is in use.
    """

    def __init__(self, pool=None):
        self.pool, self.is_unlimited = pool, pool is None
        self._key_of = getattr(pool, "key_of", None)

    @property
    def in_use(self) -> int:
        """Pages held, or slots reserved; 0 where memory never runs out."""
        used = 0 if self.is_unlimited else self.pool.num_pages - self.pool.num_free
        return used if used == used else 0  # the memory without end: inf - inf

    def check_room(self, request: Request, tokens: int) -> None:
        """``BadPlan`` if a request is about to compute what it has no memory for."""
        if not self.is_unlimited and request.room < tokens:
            raise self.no_room(request, tokens)

    def no_room(self, request: Request, tokens: int) -> BadPlan:
        """What to say of a request that computes up to ``tokens`` tokens without room for them."""
        if not request.room:
            many = "s" * (tokens != 1)
            return BadPlan(
                f"request {request.id!r} computes {tokens} token{many} without memory: expected "
                "that it was given some when it started"
            )
        return BadPlan(
            f"request {request.id!r} computes {tokens} tokens: expected at most {request.room}, "
            "what its memory holds"
        )

    def check_start(self, request: Request) -> None:
        """``BadPlan`` if what counts as cached is not the beginning of its prompt.

        Of pages that have names, that is; what else a pool can find is its own affair.
        """
        if self._key_of is None:
            return
        full, rest = divmod(request.computed, self.pool.page_tokens)
        names = [self._key_of.get(page) for page in request.pages[:full]]
        if rest or names != list(request.keys[:full]):
            raise BadPlan(
                f"request {request.id!r} starts behind {request.computed} cached tokens: expected "
                "whole pages under the keys of its prompt"
            )

    def check_released(self, request: Request, what: str) -> None:
        """``BadPlan`` if a request still holds memory after it ended or was preempted."""
        if not self.is_unlimited and request.room:
            raise BadPlan(
                f"request {request.id!r} {what} and still has memory for {request.room} tokens: "
                "expected that it was released"
            )

    def check_unused(self, *, nobody_runs: bool) -> None:
        """``BadPlan`` if memory is in use while no request runs."""
        if nobody_runs and self.in_use:
            raise BadPlan(f"{self.in_use} pages are in use while no request runs: expected none")

    def check_books(self, requests) -> None:
        """``BadPlan`` if the memory's own books do not agree: a recount, page by page."""
        if self.is_unlimited or not hasattr(self.pool, "check"):
            return
        try:
            self.pool.check(requests)
        except PageLeak as leak:
            raise BadPlan(f"at the end of the run {leak}: expected books that agree") from leak
