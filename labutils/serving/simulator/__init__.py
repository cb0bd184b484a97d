"""A serving system on a simulated clock: a scheduler, a step cost, and what happened.

1. ``simulate``: the way in, and what can be asked for
2. ``plain``: the story, step by step over any scheduler; ``recorder``: what is written down of it
3. ``choice``, ``compiled``: the same story in one compiled loop, where the policy is a shipped one

What it starts from and what is left of it, ``StepCost`` and ``ServingRun``, stand in ``runs``.

>>> from labutils.engine import PagePool, Request, Scheduler
>>> requests = [Request("a", 4, 3), Request("b", 2, 2, arrival_s=0.5)]
>>> run = simulate(requests, Scheduler(2, PagePool(9)), StepCost(1.0))
>>> run.log.finish_s.tolist(), run.steps
([4.0, 3.0], 4)
"""

from labutils.serving.runs import ServingRun, StepCost

from .simulate import simulate

__all__ = ["ServingRun", "StepCost", "simulate"]
