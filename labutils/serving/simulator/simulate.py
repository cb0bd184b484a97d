"""Serve a trace, or requests, on a simulated clock."""

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import numpy as np

from labutils.engine import Plan
from labutils.ground import arguments
from labutils.metrics import RequestStatus
from labutils.serving.runs.arrivals import arrivals_of, patience_of_each
from labutils.serving.runs.rejections import refusals_in_words, rejections
from labutils.serving.runs.run import STATUSES, ServingRun
from labutils.serving.runs.step_cost import StepCost

from .choice import WORTH_IT, reason_against
from .plain import Simulation
from .progress import Progress


def simulate(
    source,
    scheduler,
    step_cost: StepCost,
    *,
    output_tokens=None,
    max_output_tokens: int | None = None,
    token_times: bool = False,
    until_s: float | None = None,
    patience_s=None,
    watch: Callable[[float, Plan], None] | None = None,
    progress: bool = False,
    compiled: bool | None = None,
) -> ServingRun:
    """Serve a trace, or requests in order of arrival, and return what happened.

    ``scheduler`` is a fresh one: a policy of the course, or any object with the four verbs of
    ``labutils.engine.Scheduler``. A trace brings the lengths of its answers, and each request asks
    for ``max_output_tokens`` (default: the longest answer of the trace). Requests ask for what they
    ask; ``output_tokens`` are the lengths that their answers get (default: all that they ask for).
    No scheduler sees these lengths, and requests are copied, so the same list may be served again.

    ``token_times`` keeps the time of every single token. ``until_s`` breaks off before the first
    step that would begin at that time or later; requests that have not ended by then are recorded
    as cancelled, without a finish. ``watch(now_s, plan)`` is called after each step.

    ``patience_s`` is how long a client waits for the end of its answer, from the arrival on: one
    number, or one for each request (infinity: for ever). An answer that has not ended by then is
    recorded as timed out. Its request, waiting or running, leaves before the next step, by the
    scheduler's ``finish``, and gives its memory back; that is its ``finish_s``. The tokens that
    came before count, also those of the step in which its patience ended.

    The shipped policies, a ``Scheduler`` over a fresh ``PagePool`` or ``Unlimited``, have a
    compiled twin with the same results, which runs from 5,000 requests on; ``compiled`` says True
    or False whatever their number. It copies the rules and leaves ``scheduler`` as it is.

    Requests that a scheduler refuses with ``RequestTooLong`` or ``Refused`` are recorded as
    rejected; ``run.rejections`` says why, ``run.refusals`` has each ``Refused``. ``BadPlan``
    says what was wrong with a plan. Whatever error ends the run carries its records so far in
    ``error.run``.
    """
    if until_s is not None:
        until_s = arguments.non_negative("until_s", until_s)
    source = source if hasattr(source, "prompt_tokens") else list(source)
    answers = output_tokens, max_output_tokens
    options = {"token_times": token_times, "until_s": math.inf if until_s is None else until_s}
    if patience_s is not None:
        options["patience_s"] = patience_of_each(patience_s, len(source))
    with closing(Progress(len(source), shown=progress)) as bar:
        options["on_end"] = bar.update
        if _is_compiled(compiled, len(source), reason_against(scheduler, step_cost, watch)):
            from .compiled.compiled_run import run_compiled
            from .compiled.job import job_of

            job = job_of(source, *answers, scheduler.pool.page_tokens)
            run = run_compiled(job, scheduler, step_cost, **options)
            return _explained(run, source, answers, scheduler.pool)
        pool = getattr(scheduler, "pool", None)
        page_tokens = pool.page_tokens if hasattr(pool, "find") else None
        arrivals, _ = arrivals_of(source, *answers, page_tokens=page_tokens)
        run = Simulation(arrivals, scheduler, step_cost, watch=watch, **options).run()
        return _explained(run, source, answers, pool)


def _explained(run: ServingRun, source, answers, pool) -> ServingRun:
    """The run; where it rejected requests and the pool can say why, the reasons are added."""
    rejected = run.requests["status"] == STATUSES.index(RequestStatus.REJECTED)
    by_policy = np.array([id in run.refusals for id in run.ids], dtype=bool)
    text = refusals_in_words(run.refusals, len(run.ids))
    if hasattr(pool, "refuse_too_long"):
        too_long = rejections(rejected & ~by_policy, source, *answers, pool)
        text = " ".join(filter(None, (too_long, text)))
    return replace(run, rejections=text)


def _is_compiled(wanted: bool | None, requests: int, reason: str | None) -> bool:
    if wanted and reason:
        raise ValueError(f"compiled = True, but {reason}")
    return reason is None and (requests >= WORTH_IT if wanted is None else wanted)
