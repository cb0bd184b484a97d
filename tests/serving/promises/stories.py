"""Small random stories of tenants with promises."""

import random
from dataclasses import dataclass

from labutils.engine import Request
from labutils.serving.memory import ContiguousReservation
from labutils.serving.promises import Promise, Promises, Tenant
from labutils.serving.simulator import StepCost

COST = StepCost(0.005, 0.0007, 0.00003, 0.0011, 0.00013)
PROMPTS_ONLY = StepCost(0.0, 0.001)
"""A millisecond for each token of a prompt, and decodes for nothing."""


@dataclass(frozen=True)
class Story:
    requests: list[Request]
    output_tokens: list[int]
    promises: Promises


def story(seed: int, *, most: int = 40, tenants: str = "abc", weights=(1.0,)) -> Story:
    """Up to ``most`` requests of some tenants, in bursts, with promises of all sorts."""
    draw = random.Random(seed)
    requests, outputs, promises, now_s = [], [], [], 0.0
    for number in range(draw.randint(2, most)):
        now_s += draw.choice([0.0, 0.0, 0.0, 0.004, 0.03, 0.4])
        longest = draw.randint(1, 12)
        requests.append(Request(number, draw.randint(1, 23), longest, now_s))
        outputs.append(draw.randint(1, longest))
        limits = {"ttft_s": draw.choice([0.02, 0.1, 0.5]), "tpot_s": draw.choice([0.01, 0.03, 1])}
        who = {"tenant": draw.choice(tenants), "priority": draw.randint(0, 2)}
        promises.append(Promise(**limits, **who, kind=draw.choice(["chat", "batch"])))
    known = [Tenant(name=name, weight=draw.choice(weights)) for name in tenants]
    return Story(requests, outputs, Promises(promises, tenants=known))


def reserved(tokens: int) -> ContiguousReservation:
    """Memory that is taken up to the longest answer when a request starts."""
    return ContiguousReservation(tokens)
