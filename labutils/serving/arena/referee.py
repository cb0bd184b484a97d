"""Watches one policy in one match: counts its steps, and sees a hand on what is sealed."""

import time
from collections.abc import Callable, Sequence

from labutils.engine import Request
from labutils.serving.promises import Promises

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
    looked at the length of an answer, even if it caught the error that this raised, or that took
    more than ``limit_s`` seconds of this machine in all.

    ``told`` are the promises that the policy knows: those to requests that have come.
    """

    def __init__(self, promises: Promises, *, limit_s: float):
        self.scheduler, self.step = None, 0
        self.promises = promises
        self.told = Promises(tenants=promises.tenants.values())
        self.looked = ""
        self.is_planning = False  # while the policy has the word
        self.until_s, self.limit_s = time.monotonic() + limit_s, limit_s

    def __getattr__(self, name: str):
        return getattr(self.scheduler, name)

    def add(self, request: Request) -> None:
        """A request has come, and what was promised to it is known from now on."""
        self.told.by_id[request.id] = self.promises[request.id]
        self._watched(self.scheduler.add, request)

    def schedule(self, now_s: float):
        """The policy's next step."""
        self.step += 1
        if time.monotonic() > self.until_s:
            raise Disqualified(f"it took more than {self.limit_s:g} s")
        return self._watched(self.scheduler.schedule, now_s)

    def commit(self, plan) -> None:
        """Its plan runs."""
        self._watched(self.scheduler.commit, plan)

    def finish(self, request: Request) -> None:
        """An answer has ended."""
        self._watched(self.scheduler.finish, request)

    def _watched(self, verb, argument):
        self.is_planning = True
        try:
            return verb(argument)
        finally:
            self.is_planning = False
            if self.looked:
                raise Disqualified(f"it looked at {self.looked}")
