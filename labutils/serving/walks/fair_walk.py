"""Walk a fair scheduler through the requests of a few tenants, and tell what it counts."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from labutils.engine import PagePool, Request
from labutils.serving.memory import Unlimited
from labutils.serving.promises import Promise, Promises, Tenant

MOST_STEPS = 200
PRICES = {"prompt_price": 2.0, "answer_price": 5.0}
"""Of a token of a prompt, and of an answer."""
_MOST_OUTPUT = 64


def fair_walk(
    kind: Callable, rows: Sequence[tuple[str, str, int, int, int]],
    weights: Mapping[str, float], places: int, token_budget: int, memory_tokens: int | None = None,
) -> list[str]:  # fmt: skip
    """For each step who loses its memory, who starts, and what is counted of each tenant:
    ``"step 2: B starts; a 9, b 4"``. A tenant without a counter stands at 0.

    ``kind`` is a class such as ``TokenCounters``. ``rows`` are (name, tenant, step from 1 in which
    it comes, prompt tokens, answer tokens), in order of arrival; ``weights`` is by tenant. Prompts
    are cut to ``token_budget``. With ``memory_tokens``, room for so many tokens of all that run,
    requests are preempted and start again; no answer may be so long that it never fits.
    """
    tenants = [Tenant(name=name, weight=weight) for name, weight in weights.items()]
    promises = Promises({row[0]: Promise(tenant=row[1]) for row in rows}, tenants=tenants)
    options = {"promises": promises, "token_budget": token_budget, "chunked": True, **PRICES}
    memory = Unlimited() if memory_tokens is None else PagePool(memory_tokens, page_tokens=1)
    scheduler = kind(places, memory, **options)
    coming, left, told = list(rows), {}, []
    while (coming or left) and len(told) < MOST_STEPS:
        now = len(told) + 1
        while coming and coming[0][2] <= now:
            name, _, _, prompt, answer = coming.pop(0)
            request = Request(name, prompt, _most_output(prompt, memory_tokens), float(now))
            left[request] = answer
            scheduler.add(request)
        plan = scheduler.schedule(float(now))
        ran = {request: request.known for request, _ in plan.chunks} if plan else {}
        lost = [one.id for one in plan.preempted] if plan else []
        started = [one.id for one in ran if not one.computed]
        if plan:
            scheduler.commit(plan)
        told.append(f"step {now}: {_events(lost, started)}{_counted(weights, scheduler.counters)}")
        for request, before in ran.items():
            left[request] -= request.known - before  # a token came, or the prompt was cut
            if not left[request]:
                del left[request]
                scheduler.finish(request)
    return told


def _most_output(prompt: int, memory_tokens: int | None) -> int:
    return _MOST_OUTPUT if memory_tokens is None else min(_MOST_OUTPUT, memory_tokens - prompt)


def _events(lost: list[str], started: list[str]) -> str:
    said = []
    if lost:
        said.append(f"{', '.join(lost)} {'lose their' if len(lost) > 1 else 'loses its'} memory")
    if started:
        said.append(f"{', '.join(started)} start{'s' * (len(started) == 1)}")
    return "".join(f"{one}; " for one in said)


def _counted(tenants: Iterable[str], counters: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {counters.get(name, 0):g}" for name in sorted(tenants))
