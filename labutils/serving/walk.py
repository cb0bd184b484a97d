"""Walk a scheduler through a few requests, one step a second: what each computes, who is preempted.

Unlike ``drive`` it takes prompts in pieces and memory that runs out, and it holds a scheduler to
the rules of the simulator: its token budget, its places, its memory, no token twice.
"""

from collections.abc import Sequence

from .errors import BadPlan
from .old_simulator import simulate
from .plan import StepPlan
from .request import Request
from .step_cost import StepCost

MOST_STEPS = 60


def walk(
    scheduler, requests: Sequence[tuple[str, int, int, int]], *, most_steps: int = MOST_STEPS
) -> list:
    """For each step, the tokens that each request computes: ``[{"A": 4}, {"A": 1, "B": 3}, …]``.

    ``requests`` are (name, step from 1 in which it comes, prompt tokens, answer tokens), in order
    of arrival; each asks for one token more than it gets, so that nobody can know its end. 0 tokens
    say that a request was preempted just before that step. A step in which nobody computes is
    ``{}``. A plan that cannot be carried out ends the walk: the last item then says why. So does
    the end of the last step, after ``most_steps``.
    """
    arrivals = [Request(name, prompt, out + 1, float(at - 1)) for name, at, prompt, out in requests]
    steps: list = []

    def note(now_s: float, plan: StepPlan, _steps: int) -> None:
        steps.extend({} for _ in range(round(now_s) - 1 - len(steps)))
        steps.append({**dict.fromkeys(plan.preempted, 0), **dict(plan.chunks)})

    lengths = [out for *_, out in requests]
    a_second = StepCost(1.0)
    limit_s = float(most_steps)
    try:
        simulate(
            arrivals, scheduler, a_second, output_tokens=lengths, jumps=False, until_s=limit_s,
            watch=note,
        )  # fmt: skip
    except BadPlan as wrong:
        steps.append(str(wrong))
    return steps


def a_page_to_spare(view) -> bool:
    """An admission rule: a place is free, and behind the prompt a page for each that runs."""
    room = view.blocks_needed + view.running <= view.free_blocks
    return view.running < view.max_sequences and room


def hand_out(open_request: type, tokens: Sequence[int], most: int, stop) -> tuple:
    """Hand ``tokens`` to an ``open_request`` with a prompt of 3, 5 until it says why it ends.

    Of the answer up to ``most`` tokens may come. ``stop`` is a tuple of tokens, or text: then an
    answer ends when its last two tokens are equal. Returns the reason, the answer, its times.
    """
    from .sampling import Sampling

    rule = (lambda answer: answer[-2:-1] == answer[-1:]) if isinstance(stop, str) else stop
    asked = Request("A", 2, most)
    request = open_request(asked, [3, 5], sampling=Sampling(), stop=rule, on_token=None, sent_s=0.0)
    reason = None
    for now_s, token in enumerate(tokens):
        reason = request.take(token, now_s / 8)
        if reason is not None:
            break
    return reason, request.answer_tokens, request.times_s
