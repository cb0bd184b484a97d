"""Watches one policy in one match: counts its steps, and sees a hand on what is sealed."""

import copy
import math
from collections.abc import Callable, Sequence

from labutils.engine import Request
from labutils.ground.stopwatch import Stopwatch
from labutils.serving.promises import Promises
from labutils.serving.scheduling.audited import Audited
from labutils.serving.scheduling.bad_plan import BadPlan

PAGE_TOKENS = 16

SEALED = frozenset({"output_tokens", "answer_tokens", "answer", "num_output_tokens", "left"})


class Disqualified(Exception):
    """A policy broke a rule of the arena, and the message says which."""


class SealedRequest(Request):
    """A request that notices who asks it how long its answer will be."""

    def __init__(self, request: Request, referee: "Referee"):
        super().__init__(
            request.id, request.prompt_tokens, request.max_output_tokens, request.arrival_s,
            keys=request.keys, priority=request.priority,
        )  # fmt: skip
        self.referee = referee

    def __getattr__(self, name: str):
        if name in SEALED:
            self.referee.looked = f"{name!r} of request {self.id!r}"
        raise AttributeError(f"a request has no {name!r}")


class SealedLength:
    """The rule that ends an answer on an engine: it notices a policy that asks it."""

    def __init__(self, ends: Callable[[Sequence[int]], bool], referee: "Referee"):
        self.__ends, self.referee = ends, referee

    def __call__(self, answer: Sequence[int]) -> bool:
        if self.referee.is_planning:
            self.referee.looked = "the rule that ends an answer"
        return self.__ends(answer)


class Referee:
    """Stands between the auditor and a policy, with the verbs of a scheduler.

    ``step`` counts the steps that were asked for. ``Disqualified`` ends the match of a policy that
    looked at the length of an answer, even if it caught the error that this raised, that changed
    when a request came, or for which the ``watch`` says that its time is up.

    ``told`` are the promises that the policy knows: those to requests that have come. They are
    copies: whatever it does to them, the score is by the workload's own.
    """

    def __init__(self, promises: Promises, watch: Stopwatch):
        self.scheduler, self.step, self.watch = None, 0, watch
        self.promises = promises
        self.told = Promises(tenants=map(copy.copy, promises.tenants.values()))
        self.looked = ""
        self.is_planning = False  # while the policy has the word
        self.came_s: dict[Request, float] = {}  # of open requests
        self.ended_s: dict[Request, float] = {}

    def __getattr__(self, name: str):
        return getattr(self.scheduler, name)

    def add(self, request: Request) -> None:
        """A request has come, and what was promised to it is known from now on."""
        self.told.by_id[request.id] = copy.copy(self.promises[request.id])
        self.came_s[request] = request.arrival_s
        self._watched(self.scheduler.add, request)

    def schedule(self, now_s: float):
        """The policy's next step."""
        self.step += 1
        if self.watch.is_up():
            raise self.too_long()
        answer = self._watched(self.scheduler.schedule, now_s)
        self.check_arrivals(self.came_s)
        return answer

    def commit(self, plan) -> None:
        """Its plan runs."""
        self._watched(self.scheduler.commit, plan)

    def finish(self, request: Request) -> None:
        """An answer has ended."""
        self._watched(self.scheduler.finish, request)
        self.ended_s[request] = self.came_s.pop(request)

    def too_long(self) -> Disqualified:
        """What ends a match whose time is up."""
        return Disqualified(f"it took more than {self.watch.limit_s:g} s")

    def check_arrivals(self, came_s: dict[Request, float]) -> None:
        """``Disqualified`` if one of these requests is said to have come at another time."""
        for request, seconds in came_s.items():
            if request.arrival_s != seconds:
                raise Disqualified(f"it changed 'arrival_s' of request {request.id!r}")

    def _watched(self, verb, argument):
        self.is_planning = True
        try:
            return verb(argument)
        finally:
            self.is_planning = False
            if self.looked:
                raise Disqualified(f"it looked at {self.looked}")


class Auditor(Audited):
    """An auditor that takes the places, the budget and the memory from the ``server``, and nothing
    from the policy."""

    def __init__(self, referee: Referee, server):
        super().__init__(referee)
        self.max_sequences, self.token_budget = server.max_sequences, server.token_budget
        self.most_tokens = server.num_pages * PAGE_TOKENS

    def add(self, request: Request, book=None) -> None:
        """Let a request wait; of requests that share pages nobody can say what they need."""
        if request.keys:
            self.most_tokens = math.inf
        super().add(request, book)

    def schedule(self, now_s: float):
        """The next step, checked; its requests have to fit into the server's memory."""
        answer = super().schedule(now_s)
        if self.stored_tokens > self.most_tokens:
            raise BadPlan(
                f"{self.stored_tokens} tokens are kept by requests that run: expected at most "
                f"{self.most_tokens}, the memory of the server"
            )
        return answer
