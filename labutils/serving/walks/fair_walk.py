"""Walk a fair scheduler through the requests of a few tenants, and tell what it counts."""

from collections.abc import Callable, Mapping, Sequence

from labutils.engine import Request
from labutils.serving.memory import Unlimited
from labutils.serving.promises import Promise, Promises, Tenant

MOST_STEPS = 200
PRICES = {"prompt_price": 2.0, "answer_price": 5.0}
"""Of a token of a prompt, and of an answer."""
_MOST_OUTPUT = 64


def fair_walk(
    kind: Callable, rows: Sequence[tuple[str, str, int, int, int]],
    weights: Mapping[str, float], places: int, token_budget: int,
) -> list[str]:  # fmt: skip
    """For each step who starts and what is counted: ``"step 2: B starts; a 9, b 4"``.

    ``kind`` is a class such as ``TokenCounters``. ``rows`` are (name, tenant, step from 1 in which
    it comes, prompt tokens, answer tokens), in order of arrival; ``weights`` is by tenant. Prompts
    are cut to ``token_budget``, and memory is not limited.
    """
    tenants = [Tenant(name=name, weight=weight) for name, weight in weights.items()]
    promises = Promises({row[0]: Promise(tenant=row[1]) for row in rows}, tenants=tenants)
    options = {"promises": promises, "token_budget": token_budget, "chunked": True, **PRICES}
    scheduler = kind(places, Unlimited(), **options)
    coming, left, told, seen = list(rows), {}, [], set()
    while (coming or left) and len(told) < MOST_STEPS:
        now = len(told) + 1
        while coming and coming[0][2] <= now:
            name, _, _, prompt, answer = coming.pop(0)
            request = Request(name, prompt, _MOST_OUTPUT, float(now))
            left[request] = answer
            scheduler.add(request)
        plan = scheduler.schedule(float(now))
        ran = [request for request, _ in plan.chunks] if plan else []
        if plan:
            scheduler.commit(plan)
        started = [one.id for one in ran if one.id not in seen]
        seen.update(started)
        told.append(_sentence(now, started, scheduler.counters))
        for request in ran:
            left[request] -= request.to_compute == 1  # it caught up: a token came
            if not left[request]:
                del left[request]
                scheduler.finish(request)
    return told


def _sentence(now: int, started: list[str], counters: Mapping[str, float]) -> str:
    begins = f"{', '.join(started)} start{'s' * (len(started) == 1)}; " if started else ""
    counted = ", ".join(f"{name} {counters[name]:g}" for name in sorted(counters))
    return f"step {now}: {begins}{counted or 'nothing is counted'}"
