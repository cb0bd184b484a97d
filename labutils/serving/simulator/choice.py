"""Whether a run can be compiled."""

from labutils.engine import PagePool, Scheduler
from labutils.serving.memory.unlimited import Unlimited
from labutils.serving.runs.step_cost import StepCost

WORTH_IT = 5_000
"""Requests from which on a run is compiled unasked: fewer are told as fast as numba is loaded."""


def reason_against(scheduler, step_cost, watch) -> str | None:
    """What keeps a run from being compiled, in words; None if nothing does.

    The loop knows the two shipped policies, whole: a subclass may do anything. And it begins with
    an empty memory.
    """
    if type(scheduler) is not Scheduler:
        return f"scheduler = {scheduler!r}: expected a Scheduler itself, not of another type"
    pool = scheduler.pool
    if type(pool) not in (PagePool, Unlimited):
        return f"scheduler.pool = {pool!r}: expected a PagePool or Unlimited"
    used = isinstance(pool, PagePool) and (pool.num_free < pool.num_pages or pool.page_of)
    if scheduler.waiting or scheduler.running or used:
        return "scheduler was used before: expected a fresh one, with an empty pool"
    if type(step_cost) is not StepCost:
        return f"step_cost = {step_cost!r}: expected a StepCost"
    if watch is not None:
        return "watch is given: expected None, since the compiled loop calls nobody"
    return None
