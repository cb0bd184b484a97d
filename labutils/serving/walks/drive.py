"""Walk a scheduler through a few requests, step by step: what it lets each of them compute."""

from collections.abc import Sequence

from labutils.engine import Plan, Request

MOST_STEPS = 300
_MOST_IDLE = 3  # without a newcomer nothing changes any more
_MOST_OUTPUT = 64  # what every request asks for, so that no scheduler sees how long its answer gets


def drive(
    scheduler, requests: Sequence[tuple[str, int, int, int]], *, most_steps: int = MOST_STEPS
) -> list[dict[str, int]]:
    """For each step, the tokens that each request computes in it: ``[{"A": 3}, {"A": 1}, …]``.

    ``requests`` are (name, step from 1 in which it comes, prompt tokens, output tokens), in order
    of arrival. The prompt is computed in one step, which brings the first token. It ends after the
    last answer, after ``most_steps``, or when no request is to come and three steps have been
    empty. ``ValueError`` for a plan that cannot be carried out.
    """
    coming, left, steps, idle = list(requests), {}, [], 0
    while (coming or left) and len(steps) < most_steps and idle < _MOST_IDLE:
        now = len(steps) + 1
        while coming and coming[0][1] <= now:
            name, _, prompt, output = coming.pop(0)
            request = Request(name, prompt, _MOST_OUTPUT, arrival_s=float(now))
            left[request] = [prompt, min(output, _MOST_OUTPUT)]
            scheduler.add(request)
        plan = scheduler.schedule(float(now))
        done = _carried_out(plan, left)
        steps.append({request.id: new for request, new in done.items()})
        idle = 0 if coming or done else idle + 1
        if plan:
            scheduler.commit(plan)
        for request in [request for request in done if left[request][1] == 0]:
            del left[request]
            scheduler.finish(request)
    return steps


def _carried_out(plan, left: dict) -> dict[Request, int]:
    """The chunks of a plan, checked, and counted against what is still to do."""
    if plan is None:
        return {}
    if not isinstance(plan, Plan):
        raise ValueError(f"schedule returned {plan!r}: expected a Plan, or None")
    done = {}
    for request, new_tokens in plan.chunks:
        chunk = f"chunk ({getattr(request, 'id', request)!r}, {new_tokens})"
        if request not in left:
            raise ValueError(f"{chunk}: expected an open request; it has ended, or never came")
        if request in done:
            raise ValueError(f"{chunk}: expected each request once in a step; it is planned twice")
        if new_tokens != left[request][0]:
            raise ValueError(f"{chunk}: expected {left[request][0]} tokens")
        done[request] = new_tokens
        left[request] = [1, left[request][1] - 1]
    return done
