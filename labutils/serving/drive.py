"""Walk a scheduler through a few requests, step by step: what it lets each of them compute."""

from collections.abc import Sequence

from .plan import StepPlan
from .request import Request

MOST_STEPS = 300
_MOST_IDLE = 3  # without a newcomer nothing changes any more
_MOST_OUTPUT = 64  # what every request asks for, so that no scheduler sees how long its answer gets


def drive(
    scheduler, requests: Sequence[tuple[str, int, int, int]], *, most_steps: int = MOST_STEPS
) -> list[dict[str, int]]:
    """For each step, the tokens that each request computes in it: ``[{"A": 3}, {"A": 1}, …]``.

    ``requests`` are (name, step from 1 in which it comes, prompt tokens, output tokens), in order
    of arrival. The prompt is computed in one step, which brings the first token. It ends after the
    last answer, after ``most_steps``, or when nobody else comes and three steps have been empty.
    ``ValueError`` for a plan that cannot be carried out.
    """
    coming, open_, steps, idle = list(requests), {}, [], 0
    while (coming or open_) and len(steps) < most_steps and idle < _MOST_IDLE:
        now = len(steps) + 1
        while coming and coming[0][1] <= now:
            name, _, prompt, output = coming.pop(0)
            open_[name] = [prompt, min(output, _MOST_OUTPUT)]
            scheduler.add(Request(name, prompt, _MOST_OUTPUT, arrival_s=float(now)))
        plan = scheduler.schedule(float(now))
        steps.append(_carried_out(plan, open_))
        idle = 0 if coming or steps[-1] else idle + 1
        if plan:
            scheduler.commit(plan)
        for name in [name for name in steps[-1] if open_[name][1] == 0]:
            del open_[name]
            scheduler.finish(name)
    return steps


def _carried_out(plan, open_: dict) -> dict[str, int]:
    """The chunks of a plan, checked, and counted against what is still to do."""
    if plan is None:
        return {}
    if not isinstance(plan, StepPlan):
        raise ValueError(f"schedule returned {plan!r}: expected a StepPlan, or None")
    done = {}
    for name, new_tokens in plan.chunks:
        if name not in open_ or name in done:
            raise ValueError(f"chunk ({name!r}, {new_tokens}): expected each open request once")
        if new_tokens != open_[name][0]:
            raise ValueError(f"chunk ({name!r}, {new_tokens}): expected {open_[name][0]} tokens")
        done[name] = new_tokens
        open_[name] = [1, open_[name][1] - 1]
    return done
