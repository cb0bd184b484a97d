"""A compiled twin of ``plain``: the shipped policies over a whole trace, as fast as they get.

1. ``job``, ``spread``: the columns that it starts from; ``tables``: the records that it works on
2. ``pages``: the verbs of ``PagePool`` over counts and numbered names
3. ``planning``, ``serve``: the scheduler and the loop; ``steady``: steps that come again
4. ``clock``, ``noting``: what a step costs, and what is written down
5. ``run``, ``result``: one run, from a job to a ``ServingRun``

It imports numba; ``simulate`` asks ``choice`` first whether a run can be compiled at all.
"""
