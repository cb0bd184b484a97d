"""The eight policies that are there already."""

from labutils.engine import Scheduler
from labutils.serving.promises.policies import (
    Ageing,
    EarliestDeadline,
    PromisedChunks,
    Shedding,
    TokenBuckets,
    TokenCounters,
)
from labutils.serving.scheduling.ordered import Ordered

from .match import Policy, Setting


class SheddingByDeadline(Shedding, EarliestDeadline):
    """Earliest deadline first, for those that can still be in time."""


def _first_come(setting: Setting):
    return Scheduler(*setting.server(), **setting.options)


def _shortest_prompt(setting: Setting):
    by = {"by": lambda request: request.prompt_tokens}
    return Ordered(*setting.server(), **setting.options, **by)


def _ageing(setting: Setting):
    patience = {"patience_s": 10 * setting.second_s, "promises": setting.promises}
    return Ageing(*setting.server(), **setting.options, **patience)


def policy_of(kind: type) -> Policy:
    """The policy that makes schedulers of a class that knows promises, such as ``Promising``."""

    def make(setting: Setting):
        return kind(*setting.server(), **setting.options, promises=setting.promises)

    return make


def _costed(kind, *, sets_chunks: bool = False) -> Policy:
    """The same for one that predicts steps; ``sets_chunks``: it is chunked in any case."""

    def make(setting: Setting):
        options = {**setting.options, "promises": setting.promises}
        if sets_chunks:
            del options["chunked"]
        return kind(*setting.server(), step_cost=setting.step_cost, **options)

    return make


RIVALS: dict[str, Policy] = {
    "first come": _first_come,
    "shortest prompt": _shortest_prompt,
    "ageing": _ageing,
    "deadlines": policy_of(EarliestDeadline),
    "shedding by deadline": _costed(SheddingByDeadline),
    "token buckets": policy_of(TokenBuckets),
    "token counters": policy_of(TokenCounters),
    "promised chunks": _costed(PromisedChunks, sets_chunks=True),
}
