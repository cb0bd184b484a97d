"""Walk a scheduler through a few requests, one step a second: what each computes, who is preempted.

Unlike ``drive`` it takes prompts in pieces and memory that runs out, and it holds a scheduler to
the auditor's rules: its token budget, its places, its memory, no token twice, the queue's order.
"""

from collections.abc import Sequence

from labutils.engine import Plan, Request
from labutils.serving.scheduling.admission import AdmissionView
from labutils.serving.scheduling.audited import Audited
from labutils.serving.scheduling.bad_plan import BadPlan
from labutils.serving.simulator import StepCost, simulate

MOST_STEPS = 60


def walk(
    scheduler,
    requests: Sequence[tuple[str, int, int, int]],
    *,
    most_steps: int = MOST_STEPS,
    in_order: bool = True,
) -> list:
    """For each step, the tokens that each request computes: ``[{"A": 4}, {"A": 1, "B": 3}, …]``.

    ``requests`` are (name, step from 1 in which it comes, prompt tokens, answer tokens), in order
    of arrival; each asks for one token more than it gets, so that nobody can know its end. 0 tokens
    say that a request was preempted just before that step. A step in which nothing is computed is
    ``{}``. A plan that cannot be carried out ends the walk: the last item then says why, and who
    was lost, started without memory or (``in_order``) overtaken. The walk also ends with the last
    step, and after ``most_steps``.
    """
    arrivals = [Request(name, prompt, out + 1, float(at - 1)) for name, at, prompt, out in requests]
    steps: list = []

    def note(now_s: float, plan: Plan) -> None:
        steps.extend({} for _ in range(round(now_s) - 1 - len(steps)))
        computed = {one.id: new for one, new in plan.chunks}
        steps.append({**dict.fromkeys([one.id for one in plan.preempted], 0), **computed})

    lengths = [out for *_, out in requests]
    audited, a_second = Audited(scheduler, in_order=in_order), StepCost(1.0)
    options = {"output_tokens": lengths, "until_s": float(most_steps), "watch": note}
    try:
        simulate(arrivals, audited, a_second, **options)
    except BadPlan as wrong:
        steps.append(str(wrong))
    return steps


def a_page_to_spare(view: AdmissionView) -> bool:
    """An admission rule: a place is free, and behind the prompt a page for each that runs."""
    room = view.pages_needed + view.running <= view.free_pages
    return view.running < view.max_sequences and room
