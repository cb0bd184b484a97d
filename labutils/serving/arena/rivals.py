"""The eight policies that are there already."""

import inspect

from labutils.engine import Scheduler
from labutils.serving.promises.policies import (
    Ageing,
    EarliestDeadline,
    PromisedChunks,
    Promising,
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
    return policy_of(Ageing, patience_s=10 * setting.second_s)(setting)


def policy_of(kind: type, **more) -> Policy:
    """The policy that makes schedulers of a class, which is given ``promises`` and ``step_cost``.

    A ``Scheduler`` that is no ``Promising`` one gets those of the two that its ``__init__`` names.
    ``more`` are further arguments of the class.
    """

    def make(setting: Setting):
        known = {"promises": setting.promises, "step_cost": setting.step_cost}
        if issubclass(kind, Scheduler) and not issubclass(kind, Promising):
            named = inspect.signature(kind).parameters
            known = {name: value for name, value in known.items() if name in named}
        return kind(*setting.server(), **setting.options, **known, **more)

    return make


RIVALS: dict[str, Policy] = {
    "first come": _first_come,
    "shortest prompt": _shortest_prompt,
    "ageing": _ageing,
    "deadlines": policy_of(EarliestDeadline),
    "shedding by deadline": policy_of(SheddingByDeadline),
    "token buckets": policy_of(TokenBuckets),
    "token counters": policy_of(TokenCounters),
    "promised chunks": policy_of(PromisedChunks),
}
